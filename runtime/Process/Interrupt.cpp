#include "runtime/Process/Interrupt.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <poll.h>
#include <unistd.h>

namespace cheems::interrupt {

static constexpr int noted[] = {SIGINT, SIGTERM, SIGHUP};

/// SIGINT, since it was forgotten; the first of the others. 0: none.
static volatile std::sig_atomic_t interrupted = 0, ended = 0;

/// Names of files that are not to outlive the process; null: a free slot.
static std::atomic<const char *> unfinished[16];
static_assert(std::atomic<const char *>::is_always_lock_free,
              "a signal handler reads them");

static int codeOf(int signal) { return 128 + signal; }

static void handle(int signal) {
  volatile std::sig_atomic_t &seen = signal == SIGINT ? interrupted : ended;
  if (seen == signal) {
    for (const std::atomic<const char *> &place : unfinished) {
      if (const char *path = place.load()) {
        unlink(path);
      }
    }
    _exit(codeOf(signal));
  }
  if (seen == 0) { // some supervisors send SIGHUP right after SIGTERM
    seen = signal;
  }
}

void install() {
  struct sigaction action = {};
  action.sa_handler = handle; // without SA_RESTART: a read of the terminal ends
  sigemptyset(&action.sa_mask);
  for (int signal : noted) {
    struct sigaction old = {};
    // a program started in the background with signals ignored stays so
    if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  // If who started us ignored it, the kernel forgets how a child ended.
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, nullptr);
}

bool requested() { return interrupted != 0 || ended != 0; }
bool ending() { return ended != 0; }
void forget() { interrupted = 0; }
void addUnfinished(const char *path) {
  for (std::atomic<const char *> &place : unfinished) {
    const char *none = nullptr;
    if (place.compare_exchange_strong(none, path)) {
      return;
    }
  }
}
void dropUnfinished(const char *path) {
  for (std::atomic<const char *> &place : unfinished) {
    const char *held = path;
    if (place.compare_exchange_strong(held, nullptr)) {
      return;
    }
  }
}
int exitCode() { return codeOf(ended != 0 ? ended : SIGINT); }

/// Signals are let in by ppoll alone, so none can arrive unnoticed between
/// asking and waiting.
bool waitFor(int descriptor, short events, const std::function<bool()> &stops) {
  sigset_t held, before;
  sigemptyset(&held);
  for (int signal : noted) {
    sigaddset(&held, signal);
  }
  pthread_sigmask(SIG_BLOCK, &held, &before);
  pollfd file = {descriptor, events, 0};
  int ready = 0;
  bool stopped = false;
  do {
    stopped = stops();
    ready = stopped ? 0 : ppoll(&file, 1, nullptr, &before);
  } while (ready < 0 && errno == EINTR);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !stopped;
}

} // namespace cheems::interrupt
