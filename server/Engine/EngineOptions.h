// How an engine is made, and what it is made of.
#ifndef CHEEMS_SERVER_ENGINE_ENGINEOPTIONS_H
#define CHEEMS_SERVER_ENGINE_ENGINEOPTIONS_H

#include "runtime/Text/TextModel.h"
#include "server/Engine/Constraint.h"
#include "server/Engine/GenerationEngine.h"
#include "server/Engine/Metrics.h"
#include "server/Engine/SlotFile.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cheems::serve {

struct EngineOptions {
  int64_t slots = 4;   ///< sequences that run at once
  int64_t context = 0; ///< tokens of each; 0: the model's default
  int threads = 0;     ///< 0: the physical cores within affinity and quota
  /// Rows of prompts in a step; 0: what the model says.
  int64_t prefillChunk = 0;
  /// Bytes of states that are kept beside those of the slots; 0: none.
  int64_t cacheBytes = int64_t{1} << 30;
  /// Only states are used again that give the very bits of a whole prefill.
  bool exactCache = false;
  /// Requests that may wait for a slot.
  int64_t queueLength = 256;
  double queueSeconds = 0; ///< that one may wait; 0: any time
  double totalSeconds = 0; ///< that one may take, waiting included; 0: any time
  /// A token of a running text should take at most so long while prompts are
  /// read beside it.
  double interTokenSeconds = 0.1;
  std::string slotFolder; ///< for saved slots; "": there is none
  SlotFolderLimits slotLimits;
  /// Makes what keeps a text to its grammar; null: such requests are refused.
  ConstraintFactory constraints;
  /// Told everything; null: the engine has its own.
  std::shared_ptr<Metrics> metrics;
  /// One line for what the user should know.
  std::function<void(const std::string &)> warn;
  /// Told how far weights are on their way to a GPU.
  std::function<void(int64_t done, int64_t all)> uploading;
  /// Memory that this process may have; nothing: the machine and its cgroup
  /// tell.
  std::optional<int64_t> memoryLimit;
};

/// An engine that runs on a thread of its own. Throws Error, in one line that
/// says what to lower, where slots, context and cache do not fit the memory.
std::unique_ptr<GenerationEngine> makeEngine(std::shared_ptr<TextModel> text,
                                             const EngineOptions &options);

} // namespace cheems::serve

#endif
