// The latest moment at which a process that was told to end is gone, whatever
// its threads are doing then.
#ifndef CHEEMS_SERVER_HTTP_FORCEDEND_H
#define CHEEMS_SERVER_HTTP_FORCEDEND_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace cheems::serve {

/// A step of a large model, a compiled pattern or a write to a pipe that nobody
/// reads cannot be interrupted. So nothing that can wait for them may be what
/// ends the process.
class ForcedEnd {
public:
  ForcedEnd() = default;
  /// The process has come to its end by itself.
  ~ForcedEnd();
  ForcedEnd(const ForcedEnd &) = delete;
  ForcedEnd &operator=(const ForcedEnd &) = delete;

  /// Once: after so long the process ends with `code`.
  void after(std::chrono::milliseconds time, int code);

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::thread thread;
};

} // namespace cheems::serve

#endif
