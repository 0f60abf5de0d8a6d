// Numbers as text, both ways, by Python's rules.
#include "runtime/ChatTemplate/PythonText.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace cheems::jinja {

std::string spelled(double number) {
  if (std::isnan(number)) {
    return "nan";
  }
  if (std::isinf(number)) {
    return number < 0 ? "-inf" : "inf";
  }
  // shortest digits as d.ddde±XX, then placed as Python does: an exponent below
  // -4 or from 16 on
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), number,
                           std::chars_format::scientific)
                 .ptr;
  std::string text(buffer, end);
  size_t mark = text.find('e');
  int exponent = std::stoi(text.substr(mark + 1));
  std::string digits;
  for (char c : text.substr(0, mark)) {
    if (c >= '0' && c <= '9') {
      digits += c;
    }
  }
  std::string sign = std::signbit(number) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    std::string tail = (exponent < 0 ? "-" : "+") +
                       std::string(std::abs(exponent) < 10 ? "0" : "");
    std::string fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
    return sign + digits[0] + fraction + "e" + tail +
           std::to_string(std::abs(exponent));
  }
  if (exponent < 0) {
    return sign + "0." + std::string(size_t(-exponent - 1), '0') + digits;
  }
  size_t whole = size_t(exponent) + 1;
  if (digits.size() <= whole) {
    return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  }
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

namespace {

/// Without the single underscores that Python allows between digits; nothing if
/// one stands elsewhere.
std::optional<std::string> withoutUnderscores(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    bool between = i > 0 && i + 1 < text.size() &&
                   std::isxdigit(static_cast<unsigned char>(text[i - 1])) &&
                   std::isxdigit(static_cast<unsigned char>(text[i + 1]));
    if (!between) {
      return std::nullopt;
    }
  }
  return out;
}

bool equalsIgnoringCase(std::string_view text, std::string_view lowered) {
  if (text.size() != lowered.size()) {
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != lowered[i]) {
      return false;
    }
  }
  return true;
}

} // namespace

std::optional<double> parseFloat(std::string_view text) {
  auto plain = withoutUnderscores(strip(text, Side::both));
  if (!plain || plain->empty()) {
    return std::nullopt;
  }
  std::string_view rest = *plain;
  bool negative = rest[0] == '-';
  if (rest[0] == '-' || rest[0] == '+') {
    rest.remove_prefix(1);
  }
  if (equalsIgnoringCase(rest, "inf") || equalsIgnoringCase(rest, "infinity")) {
    return negative ? -HUGE_VAL : HUGE_VAL;
  }
  if (equalsIgnoringCase(rest, "nan")) {
    return std::nan("");
  }
  if (rest.empty() ||
      !(std::isdigit(static_cast<unsigned char>(rest[0])) || rest[0] == '.')) {
    return std::nullopt;
  }
  double value = 0;
  auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc::result_out_of_range &&
      end == rest.data() + rest.size()) {
    value = std::strtod(std::string(rest).c_str(),
                        nullptr); // HUGE_VAL or about 0, as Python gives
  } else if (error != std::errc() || end != rest.data() + rest.size()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<int64_t> parseInteger(std::string_view text, int base) {
  auto plain = withoutUnderscores(strip(text, Side::both));
  if (!plain || plain->empty()) {
    return std::nullopt;
  }
  std::string_view rest = *plain;
  std::string digits = rest[0] == '-' ? "-" : "";
  if (rest[0] == '-' || rest[0] == '+') {
    rest.remove_prefix(1);
  }
  auto takes = [&](int prefixBase, char letter) {
    return base == prefixBase && rest.size() > 2 && rest[0] == '0' &&
           (rest[1] | 0x20) == letter;
  };
  if (takes(16, 'x') || takes(8, 'o') || takes(2, 'b')) {
    rest.remove_prefix(2);
  }
  if (rest.empty() || rest[0] == '-') {
    return std::nullopt;
  }
  digits += rest;
  int64_t value = 0;
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

} // namespace cheems::jinja
