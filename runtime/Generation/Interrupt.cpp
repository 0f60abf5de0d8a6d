#include "runtime/Generation/Interrupt.h"
#include "runtime/Error.h"
#include <csignal>
#include <initializer_list>
#include <unistd.h>

namespace cheems::interrupt {

static volatile std::sig_atomic_t count = 0;

static void handle(int) {
  if (count != 0) {
    _exit(static_cast<int>(Status::interrupted));
  }
  count = 1;
}

void install() {
  struct sigaction action = {};
  action.sa_handler = handle; // without SA_RESTART: a read of the terminal ends
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction old = {};
    // a program started in the background with signals ignored stays so
    if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

bool requested() { return count != 0; }
void forget() { count = 0; }

} // namespace cheems::interrupt
