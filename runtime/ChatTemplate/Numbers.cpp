// Numbers as text, both ways, by Python's rules.
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <utf8proc.h>

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

/// Returns the value of a decimal digit of any script. Digits come in runs of
/// ten.
std::optional<int> digitValue(char32_t c) {
  auto isDigit = [](char32_t each) {
    return utf8proc_category(utf8proc_int32_t(each)) == UTF8PROC_CATEGORY_ND;
  };
  if (!isDigit(c)) {
    return std::nullopt;
  }
  char32_t first = c;
  while (isDigit(first - 1)) {
    --first;
  }
  return int((c - first) % 10);
}

/// What int() and float() read: without the space around, with ASCII's digits.
std::string numeral(std::string_view text) {
  bool isAscii = std::all_of(text.begin(), text.end(),
                             [](char c) { return (c & 0x80) == 0; });
  text = isAscii ? strip(text, Side::both, " \t\n\v\f\r")
                 : strip(text, Side::both);
  std::string out;
  for (size_t offset = 0; offset < text.size();) {
    char32_t c = nextCharacter(text, offset);
    auto digit = digitValue(c);
    out += digit ? char('0' + *digit) : c < 128 ? char(c) : '?';
  }
  return out;
}

/// Without the single underscores that Python allows between digits; nothing if
/// one stands elsewhere.
template <typename IsDigit>
std::optional<std::string> withoutUnderscores(std::string_view text,
                                              IsDigit isDigit) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    bool between = i > 0 && i + 1 < text.size() && isDigit(text[i - 1]) &&
                   isDigit(text[i + 1]);
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
  auto plain = withoutUnderscores(numeral(text), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
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

std::optional<BigInteger> parseInteger(std::string_view text, int64_t base) {
  std::string whole = numeral(text);
  std::string_view rest = whole;
  bool negative = !rest.empty() && rest[0] == '-';
  rest.remove_prefix(!rest.empty() && (rest[0] == '-' || rest[0] == '+'));
  // base 0 is what the prefix says
  for (auto [letter, value] : {std::pair('x', 16), {'o', 8}, {'b', 2}}) {
    bool isPrefix = (base == value || base == 0) && rest.size() > 2 &&
                    rest[0] == '0' && (rest[1] | 0x20) == letter;
    if (isPrefix) {
      base = value;
      rest.remove_prefix(rest[2] == '_' ? 3 : 2);
      break;
    }
  }
  bool hasNoPrefix = base == 0;
  base = hasNoPrefix ? 10 : base;
  if (base < 2 || base > 36) {
    return std::nullopt;
  }
  auto digits = withoutUnderscores(rest, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
  auto number = digits ? parseDigits(*digits, int(base)) : std::nullopt;
  if (!number || (hasNoPrefix && (*digits)[0] == '0' && *number != 0)) {
    return std::nullopt;
  }
  return negative ? BigInteger(-*number) : number;
}

} // namespace cheems::jinja
