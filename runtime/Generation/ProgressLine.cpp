#include "runtime/Generation/ProgressLine.h"
#include "runtime/Error.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/PlainText.h"
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace cheems {

ProgressLine::ProgressLine() : terminal(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string &text) {
  if (terminal) {
    // not wrapped at the terminal's edge, where \r would not find back
    std::fprintf(stderr, "\r\033[K\033[?7l%s\033[?7h",
                 withoutControls(text, "", " ").c_str());
    shown = true;
  }
}

void ProgressLine::clear() {
  if (shown) {
    std::fputs("\r\033[K", stderr);
    shown = false;
  }
}

void PromptProgress::report(int64_t done) {
  Clock::time_point now = Clock::now();
  if (done < count && now - begin > std::chrono::seconds(1) &&
      now - last > std::chrono::milliseconds(100)) {
    last = now;
    std::chrono::duration<double> passed = now - begin;
    line.show("prompt: " + promptProgress(done, count, passed.count()));
  }
}

void UploadProgress::operator()(int64_t done, int64_t all) {
  if (interrupt::requested()) {
    throw Error(Status::interrupted, "interrupted");
  }
  Clock::time_point now = Clock::now();
  if (done == all) {
    line->clear();
  } else if (now - begin > std::chrono::seconds(1) &&
             now - last > std::chrono::milliseconds(100)) {
    last = now;
    line->show("weights to the GPU: " + std::to_string(done >> 20) + " of " +
               std::to_string(all >> 20) + " MiB");
  }
}

std::string promptProgress(int64_t done, int64_t count, double seconds) {
  double rate = static_cast<double>(done) / seconds;
  auto left =
      static_cast<int64_t>(std::ceil(static_cast<double>(count - done) / rate));
  char speed[32];
  std::snprintf(speed, sizeof(speed), "%.1f tokens/s", rate);
  std::string time = left >= 3600 ? std::to_string(left / 3600) + " h " +
                                        std::to_string(left / 60 % 60) + " min"
                     : left >= 60 ? std::to_string(left / 60) + " min " +
                                        std::to_string(left % 60) + " s"
                                  : std::to_string(left) + " s";
  return std::to_string(done) + " of " + std::to_string(count) + " tokens, " +
         speed + ", " + time + " left";
}

} // namespace cheems
