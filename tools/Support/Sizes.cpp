#include "Sizes.h"
#include "CommandLine.h"
#include <charconv>

namespace cheems {

int64_t parseSize(const std::string &option, const std::string &text) {
  int64_t bytes = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, bytes);
  const std::string units = "KMGT";
  size_t powers = 0;
  if (stop + 1 == end) {
    size_t unit = units.find(*stop);
    powers = unit == std::string::npos ? 0 : unit + 1;
    stop += powers > 0 ? 1 : 0;
  }
  bool fits = error == std::errc() && stop == end && bytes >= 0;
  for (; fits && powers > 0; --powers) {
    fits = !__builtin_mul_overflow(bytes, 1024, &bytes);
  }
  if (!fits) {
    throw usage(option + " must be a size such as 512M or 2G, not '" + text +
                "'");
  }
  return bytes;
}

} // namespace cheems
