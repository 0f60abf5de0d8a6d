// Threads for passes over rows of logits.
#ifndef CHEEMS_SERVER_ENGINE_ROWTHREADS_H
#define CHEEMS_SERVER_ENGINE_ROWTHREADS_H

#include "runtime/Session/Session.h"
#include "runtime/ThreadPool/ThreadPool.h"

#include <functional>
#include <optional>

namespace cheems::serve {

/// These are the session's threads, which are still awake just after a step.
/// With a GPU they are threads of their own.
class RowThreads {
public:
  /// What a draw or a log-probability takes, in passes over a row of logits:
  /// exponentials, copies and sums. A search for the highest is one.
  static constexpr int64_t drawPasses = 16;

  /// `threads`: as EngineOptions.
  RowThreads(Session &session, int threads);

  /// Calls `act` for each of [0, count), at once where that is worth it.
  /// `passes`: over rows, of all that it does.
  void forEach(int64_t count, int64_t passes,
               const std::function<void(int64_t)> &act);

private:
  Session &session;
  std::optional<ThreadPool> helpers;
};

} // namespace cheems::serve

#endif
