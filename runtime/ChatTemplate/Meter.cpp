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
  current->held += int64_t(bytes);
}

void Meter::give(size_t bytes) noexcept {
  if (current) {
    current->held -= int64_t(bytes);
  }
}

} // namespace cheems::jinja
