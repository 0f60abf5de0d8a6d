#include "server/Http/Target.h"
#include <algorithm>

namespace cheems::serve {

static int digitOf(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool isControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::optional<std::string> percentDecoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    int high = i + 2 < text.size() ? digitOf(text[i + 1]) : -1;
    int low = i + 2 < text.size() ? digitOf(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

/// After "http://host" of a request through a proxy.
static std::string_view withoutAuthority(std::string_view text) {
  for (std::string_view scheme : {"http://", "https://"}) {
    if (text.substr(0, scheme.size()) == scheme) {
      size_t end = text.find_first_of("/?#", scheme.size());
      return end == std::string_view::npos || text[end] != '/'
                 ? std::string_view()
                 : text.substr(end);
    }
  }
  return text;
}

std::optional<Target> parseTarget(std::string_view text) {
  if (text == "*") {
    return Target{"*", ""};
  }
  text = withoutAuthority(text);
  if (text.empty() || text[0] != '/' ||
      text.find('#') != std::string_view::npos) {
    return std::nullopt;
  }
  size_t mark = text.find('?');
  auto path = percentDecoded(text.substr(0, mark));
  if (!path || std::any_of(path->begin(), path->end(), isControl)) {
    return std::nullopt;
  }
  return Target{*path, mark == std::string_view::npos
                           ? std::string()
                           : std::string(text.substr(mark + 1))};
}

} // namespace cheems::serve
