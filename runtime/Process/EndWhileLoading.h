// A signal ends a process that loads a model, whatever it waits for.
#ifndef CHEEMS_RUNTIME_PROCESS_ENDWHILELOADING_H
#define CHEEMS_RUNTIME_PROCESS_ENDWHILELOADING_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace cheems {

/// While one lives, a signal that was noted ends the process, as if it had come
/// twice (Interrupt.h). What loads a model looks for signals where it is long,
/// and has a moment for that; but it may be in a call of the system or of a
/// driver.
class EndWhileLoading {
public:
  explicit EndWhileLoading(std::chrono::milliseconds moment)
      : thread([this, moment] { watch(moment); }) {}
  ~EndWhileLoading();
  EndWhileLoading(const EndWhileLoading &) = delete;
  EndWhileLoading &operator=(const EndWhileLoading &) = delete;

private:
  void watch(std::chrono::milliseconds moment);
  /// Whether the model is there before the time is over.
  bool waits(std::chrono::milliseconds time);

  std::mutex mutex;
  std::condition_variable changed;
  bool loaded = false;
  std::thread thread; ///< last: it uses all above
};

} // namespace cheems

#endif
