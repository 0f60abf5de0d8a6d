#include "Progress.h"
#include "runtime/Generation/Output.h"
#include <cstdio>
#include <unistd.h>

namespace cheems::bench {

Progress::Progress() : terminal(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string &text) {
  if (terminal) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    shown = true;
  }
}

void Progress::clear() {
  if (shown) {
    std::fputs("\r\033[K", stderr);
    shown = false;
  }
}

void say(const std::string &text) { printMessage("cheems-bench: " + text); }

} // namespace cheems::bench
