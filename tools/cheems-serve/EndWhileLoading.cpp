#include "EndWhileLoading.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Serve/Http/Shutdown.h"
#include <csignal>
#include <unistd.h>

namespace cheems::serve {

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

void EndWhileLoading::watch() {
  constexpr std::chrono::milliseconds looks{50};
  while (!interrupt::requested()) {
    if (waits(looks)) {
      return;
    }
  }
  if (!waits(Shutdown::lastMoments - looks)) {
    constexpr int codeBeforeSignal = 128;
    kill(getpid(), interrupt::exitCode() - codeBeforeSignal);
  }
}

} // namespace cheems::serve
