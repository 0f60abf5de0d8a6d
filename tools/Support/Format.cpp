#include "Format.h"
#include <cstdarg>
#include <cstdio>

namespace cheems {

std::string format(const char *pattern, ...) {
  va_list values, again;
  va_start(values, pattern);
  va_copy(again, values);
  int length = std::vsnprintf(nullptr, 0, pattern, values);
  va_end(values);
  std::string text(length < 0 ? 0 : static_cast<size_t>(length) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), pattern, again);
  va_end(again);
  text.resize(text.empty() ? 0 : text.size() - 1);
  return text;
}

} // namespace cheems
