//===- Elements.cpp -------------------------------------------------------===//
#include "Elements.h"

#include "Error.h"

#include <bit>
#include <charconv>
#include <cmath>

namespace cheems::ptxrun {
namespace {

using Kind = ElementType::Kind;

constexpr ElementType types[] = {
    {"b8", Kind::bits, 1},
    {"b16", Kind::bits, 2},
    {"b32", Kind::bits, 4},
    {"b64", Kind::bits, 8},
    {"u8", Kind::unsignedInteger, 1},
    {"u16", Kind::unsignedInteger, 2},
    {"u32", Kind::unsignedInteger, 4},
    {"u64", Kind::unsignedInteger, 8},
    {"s8", Kind::signedInteger, 1},
    {"s16", Kind::signedInteger, 2},
    {"s32", Kind::signedInteger, 4},
    {"s64", Kind::signedInteger, 8},
    {"f16", Kind::floating, 2, 5, 10},
    {"bf16", Kind::floating, 2, 8, 7},
    {"f32", Kind::floating, 4, 8, 23},
    {"f64", Kind::floating, 8, 11, 52},
    {"e5m2", Kind::floating, 1, 5, 2},
    {"e4m3", Kind::floating, 1, 4, 3, false},
};

[[noreturn]] void refuse(const ElementType &type, std::string_view text) {
  throw Error(Status::usage, "'" + std::string(text) + "' is no number of " +
                                 std::string(type.name));
}

template <typename Number>
std::optional<Number> whole(std::string_view text, int base) {
  Number value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string printReal(double value, bool single) {
  if (std::isnan(value)) {
    return "nan";
  }
  char text[32];
  auto end = single ? std::to_chars(text, text + sizeof(text), float(value))
                    : std::to_chars(text, text + sizeof(text), value);
  return {text, end.ptr};
}

} // namespace

ElementType ElementType::parse(std::string_view name) {
  std::string wanted(name);
  if (wanted.starts_with('i')) {
    wanted[0] = 's';
  }
  std::string known;
  for (const ElementType &type : types) {
    if (type.name == wanted) {
      return type;
    }
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  }
  throw Error(Status::usage, "no type '" + std::string(name) + "'; there are " +
                                 known + ", and i for s");
}

uint64_t ElementType::encode(std::string_view text) const {
  if (kind == Kind::floating) {
    double value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse(*this, text);
    }
    return encode(value);
  }
  int width = 8 * bytes;
  uint64_t mask = ~uint64_t(0) >> (64 - width);
  if (text.starts_with("0x")) {
    auto bits = whole<uint64_t>(text.substr(2), 16);
    if (!bits || *bits > mask) {
      refuse(*this, text);
    }
    return *bits;
  }
  if (kind == Kind::unsignedInteger) {
    auto value = whole<uint64_t>(text, 10);
    if (!value || *value > mask) {
      refuse(*this, text);
    }
    return *value;
  }
  auto value = whole<int64_t>(text, 10);
  int64_t most = int64_t(mask >> 1), least = -most - 1;
  // Bits take what either sign can hold.
  if (!value || *value < least ||
      *value > (kind == Kind::bits && width < 64 ? int64_t(mask) : most)) {
    refuse(*this, text);
  }
  return uint64_t(*value) & mask;
}

uint64_t ElementType::encode(double value) const {
  if (kind != Kind::floating) {
    uint64_t mask = ~uint64_t(0) >> (64 - 8 * bytes);
    return uint64_t(int64_t(value)) & mask;
  }
  if (bytes == 8) {
    return std::bit_cast<uint64_t>(value);
  }
  int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t sign = uint64_t(std::signbit(value))
                  << (exponentBits + mantissaBits);
  uint64_t allOnes = ((uint64_t(1) << exponentBits) - 1) << mantissaBits;
  uint64_t quiet = hasInfinity ? allOnes | uint64_t(1) << (mantissaBits - 1)
                               : allOnes | ((1u << mantissaBits) - 1);
  uint64_t tooLarge = hasInfinity ? allOnes : quiet;
  if (std::isnan(value)) {
    return quiet;
  }
  double magnitude = std::fabs(value);
  if (magnitude == 0 || std::isinf(value)) {
    return sign | (magnitude == 0 ? 0 : tooLarge);
  }
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  if (exponent > bias + 1) {
    return sign | tooLarge;
  }
  // The leading one of a normal number is added to the exponent.
  auto mantissa =
      uint64_t(std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent)));
  uint64_t bits = (uint64_t(exponent + bias - 1) << mantissaBits) + mantissa;
  return sign | std::min(bits, tooLarge);
}

double ElementType::decode(uint64_t bits) const {
  int width = 8 * bytes;
  if (kind == Kind::signedInteger) {
    return double(int64_t(bits << (64 - width)) >> (64 - width));
  }
  if (kind != Kind::floating) {
    return double(bits);
  }
  if (bytes == 8) {
    return std::bit_cast<double>(bits);
  }
  int bias = (1 << (exponentBits - 1)) - 1;
  auto ones = (1 << exponentBits) - 1;
  int exponent = int(bits >> mantissaBits) & ones;
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  bool last = exponent == ones;
  double magnitude;
  if (hasInfinity && last) {
    magnitude = mantissa ? std::nan("") : INFINITY;
  } else if (last && mantissa == (uint64_t(1) << mantissaBits) - 1) {
    magnitude = std::nan("");
  } else if (exponent == 0) {
    magnitude = std::ldexp(double(mantissa), 1 - bias - mantissaBits);
  } else {
    magnitude = std::ldexp(double(mantissa | uint64_t(1) << mantissaBits),
                           exponent - bias - mantissaBits);
  }
  return bits >> (exponentBits + mantissaBits) & 1 ? -magnitude : magnitude;
}

std::string ElementType::print(uint64_t bits) const {
  switch (kind) {
  case Kind::unsignedInteger:
    return std::to_string(bits);
  case Kind::signedInteger:
    return std::to_string(int64_t(bits << (64 - 8 * bytes)) >>
                          (64 - 8 * bytes));
  case Kind::floating:
    return printReal(decode(bits), bytes < 8);
  case Kind::bits:
    break;
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int digit = 2 * bytes - 1; digit >= 0; --digit) {
    text += digits[bits >> (4 * digit) & 15];
  }
  return text;
}

} // namespace cheems::ptxrun
