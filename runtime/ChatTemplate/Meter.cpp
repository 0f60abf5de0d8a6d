#include "runtime/ChatTemplate/Meter.h"

#include "runtime/Error.h"

namespace cheems::jinja {

thread_local Meter *Meter::current = nullptr;

void Meter::take(size_t bytes) {
  if (!current) {
    return;
  }
  if (bytes > size_t(current->most - current->held)) {
    throw Error("the template needs too much memory (more than " +
                std::to_string(current->most >> 20) + " MiB)");
  }
  constexpr int64_t chunk = int64_t(1) << 20;
  int64_t held = current->held + int64_t(bytes);
  if (held > current->charged) {
    int64_t more = (held - current->charged + chunk - 1) / chunk * chunk;
    current->ofRequest.grow(uint64_t(more));
    current->charged += more;
  }
  current->held = held;
}

void Meter::give(size_t bytes) noexcept {
  if (current) {
    current->held -= int64_t(bytes);
  }
}

} // namespace cheems::jinja
