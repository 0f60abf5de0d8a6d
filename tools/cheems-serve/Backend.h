// What answers the requests: the model, and what runs it.
#ifndef CHEEMS_TOOLS_CHEEMS_SERVE_BACKEND_H
#define CHEEMS_TOOLS_CHEEMS_SERVE_BACKEND_H

#include "Options.h"
#include "runtime/Text/TextModel.h"
#include "server/Api/Api.h"
#include "server/Engine/GenerationEngine.h"
#include "server/Engine/Metrics.h"
#include <cstdint>
#include <memory>
#include <string>

namespace cheems::serve {

/// One line for the user.
void say(const std::string &text);

class Backend {
public:
  /// Loads the model. Throws Error, CompileFailed.
  explicit Backend(const Options &options);

  /// For a listener that goes before this does.
  std::shared_ptr<RequestHandler> handler() const { return api; }
  /// No request will come any more.
  void drain();
  /// Ends what still runs.
  void abort() {
    api->abort();
    engine->abort();
  }
  /// Returns how much of the memory that the process may have requests may take
  /// together.
  uint64_t requestBytes() const { return forRequests; }
  /// How much waits, and for how long: members of a JSON object; "" where
  /// nothing does.
  std::string waiting() const;

private:
  std::shared_ptr<Metrics> metrics;
  std::shared_ptr<TextModel> text;
  std::unique_ptr<GenerationEngine> engine;
  std::shared_ptr<Api> api; ///< uses both
  uint64_t forRequests;
};

} // namespace cheems::serve

#endif
