// What whoever starts the server decides about its interfaces.
#ifndef CHEEMS_SERVER_API_APIOPTIONS_H
#define CHEEMS_SERVER_API_APIOPTIONS_H

#include "runtime/Sampler/SamplingOptions.h"
#include "server/Engine/GenerationRequest.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace cheems::serve {

struct ApiOptions {
  std::string modelName = "cheems"; ///< what clients call the model
  std::string version;              ///< of the server
  int64_t created = 0;              ///< the model's time, in seconds of Unix
  /// What a request that is silent about sampling gets; nothing: the model's
  /// generation_config.json, and sampling at temperature 1 where it has none.
  std::optional<SamplingOptions> sampling;
  Pooling pooling = Pooling::mean; ///< of embeddings, unless a request says it
  bool slotFiles = false; ///< whether slots may be saved, restored and erased
  /// Requests with different API keys share no states.
  bool isolate = false;
  size_t maximumPrompts = 2048; ///< of one request, as OpenAI's
  /// Threads that render and tokenize: so many for short bodies, and as many
  /// for the others.
  size_t workers = 2;
  size_t maximumTasks = 1024;         ///< of a party, that wait for them
  size_t shortBytes = 64 << 10;       ///< of a body
  std::chrono::seconds shortWork{10}; ///< that one of those may take
  std::chrono::seconds longWork{60};
  /// The text of /metrics, in Prometheus' format.
  std::function<std::string()> metrics;
};

} // namespace cheems::serve

#endif
