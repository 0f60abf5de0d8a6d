#include "server/Http/ForcedEnd.h"
#include <csignal>
#include <unistd.h>

namespace cheems::serve {

void ForcedEnd::after(std::chrono::milliseconds time, int code) {
  auto end = std::chrono::steady_clock::now() + time;
  sigset_t all, before; // signals are for the threads that know what to do
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this, end, code] {
    std::unique_lock<std::mutex> lock(mutex);
    if (!changed.wait_until(lock, end, [this] { return ended; })) {
      _exit(code); // without destructors: they wait for the other threads
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ForcedEnd::~ForcedEnd() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ended = true;
  }
  changed.notify_all();
  if (thread.joinable()) {
    thread.join();
  }
}

} // namespace cheems::serve
