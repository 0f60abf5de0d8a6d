#include "Escapes.h"
#include <cctype>

namespace cheems {

static int digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c))
             ? c - '0'
             : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
}

std::string unescape(const std::string &text) {
  std::string result;
  auto isHex = [&](size_t at) {
    return at < text.size() &&
           std::isxdigit(static_cast<unsigned char>(text[at]));
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char next = text[++i];
    switch (next) {
    case 'n':
      result += '\n';
      break;
    case 'r':
      result += '\r';
      break;
    case 't':
      result += '\t';
      break;
    case '\\':
    case '"':
    case '\'':
      result += next;
      break;
    case 'x':
      if (isHex(i + 1) && isHex(i + 2)) {
        result +=
            static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
        i += 2;
        break;
      }
      [[fallthrough]];
    default:
      result += '\\';
      result += next;
    }
  }
  return result;
}

} // namespace cheems
