#include "runtime/Process/EndWhileLoading.h"
#include "runtime/Process/Interrupt.h"
#include <csignal>
#include <unistd.h>

namespace cheems {

EndWhileLoading::~EndWhileLoading() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    loaded = true;
  }
  changed.notify_all();
  thread.join();
}

bool EndWhileLoading::waits(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, time, [this] { return loaded; });
}

void EndWhileLoading::watch(std::chrono::milliseconds moment) {
  constexpr std::chrono::milliseconds looks{50};
  while (!interrupt::requested()) {
    if (waits(looks)) {
      return;
    }
  }
  if (!waits(moment - looks)) {
    constexpr int codeBeforeSignal = 128;
    kill(getpid(), interrupt::exitCode() - codeBeforeSignal);
  }
}

} // namespace cheems
