// A signal ends the server also before it has a model.
#ifndef CHEEMS_TOOLS_CHEEMS_SERVE_ENDWHILELOADING_H
#define CHEEMS_TOOLS_CHEEMS_SERVE_ENDWHILELOADING_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace cheems::serve {

/// While one lives, a signal that was noted ends the process, as if it had come
/// twice. What loads a model looks for signals where it is long, and has a
/// moment for that; but it may be in a call of the system or of a driver.
class EndWhileLoading {
public:
  EndWhileLoading() : thread([this] { watch(); }) {}
  ~EndWhileLoading();
  EndWhileLoading(const EndWhileLoading &) = delete;
  EndWhileLoading &operator=(const EndWhileLoading &) = delete;

private:
  void watch();
  /// Whether the model is there before the time is over.
  bool waits(std::chrono::milliseconds time);

  std::mutex mutex;
  std::condition_variable changed;
  bool loaded = false;
  std::thread thread; ///< last: it uses all above
};

} // namespace cheems::serve

#endif
