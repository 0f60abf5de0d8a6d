//===- Literals.cpp -------------------------------------------------------===//
#include "Literals.h"

#include <bit>
#include <charconv>
#include <optional>

namespace cheems::emulator::ptx {
namespace {

using Kind = Literal::Kind;

/// Nothing if there are other characters than digits of the base.
std::optional<uint64_t> digits(const Token &token, std::string_view text,
                               int base) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    refuse(token.location,
           "'" + std::string(token.text) + "' does not fit into 64 bits");
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<Literal> readInteger(const Token &token) {
  std::string_view text = token.text;
  bool isUnsigned = text.ends_with('U');
  if (isUnsigned) {
    text.remove_suffix(1);
  }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
    text.remove_prefix(1);
  }
  auto value = digits(token, text, base);
  if (!value) {
    return std::nullopt;
  }
  isUnsigned |= *value > uint64_t(INT64_MAX);
  return Literal{isUnsigned ? Kind::unsignedInteger : Kind::signedInteger,
                 *value};
}

std::optional<Literal> readExact(const Token &token) {
  bool single = token.text[1] == 'f' || token.text[1] == 'F';
  std::string_view text = token.text.substr(2);
  if (text.size() != (single ? 8 : 16)) {
    return std::nullopt;
  }
  auto bits = digits(token, text, 16);
  if (!bits) {
    return std::nullopt;
  }
  return Literal{single ? Kind::single : Kind::real, *bits};
}

std::optional<Literal> readReal(std::string_view text) {
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  // What is out of range is infinity or zero in C; here it is a mistake.
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return Literal{Kind::real, std::bit_cast<uint64_t>(value)};
}

bool isExact(std::string_view text) {
  return text.starts_with("0f") || text.starts_with("0F") ||
         text.starts_with("0d") || text.starts_with("0D");
}

bool isReal(std::string_view text) {
  bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  return !hexadecimal && text.find_first_of(".eE") != text.npos;
}

} // namespace

Literal readLiteral(const Token &token) {
  auto literal = isExact(token.text)  ? readExact(token)
                 : isReal(token.text) ? readReal(token.text)
                                      : readInteger(token);
  if (!literal) {
    refuse(token.location, "'" + std::string(token.text) + "' is no number");
  }
  return *literal;
}

} // namespace cheems::emulator::ptx
