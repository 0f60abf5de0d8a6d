//===- Formats.h - Floating-point formats and rounding ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_FORMATS_H
#define CHEEMS_EMULATOR_ARITHMETIC_FORMATS_H

#include "Bits.h"

#include <cstdint>
#include <type_traits>

namespace cheems::emulator::lanes {

/// PTX ISA, "Rounding Modifiers"
enum class Rounding : uint8_t { nearestEven, nearestAway, zero, down, up };

/// A format of sign, exponent and fraction (PTX ISA, "Alternate Floating-Point
/// Data Formats"). All codes above `largest` without a sign are infinity, if
/// there is one, and NaN.
struct Format {
  int exponentBits;
  int fractionBits;
  uint64_t largest; ///< the code of the greatest finite number
  uint64_t nan;
  bool hasInfinity = true;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint64_t sign() const {
    return uint64_t(1) << (exponentBits + fractionBits);
  }
  constexpr uint64_t infinity() const { return largest + 1; }
};

inline constexpr Format f16 = {5, 10, 0x7bff, canonicalHalfNaN};
inline constexpr Format bf16 = {8, 7, 0x7f7f, canonicalHalfNaN};
/// The fraction's 13 lower bits of an f32 are missing: a code of 19 bits.
inline constexpr Format tf32 = {8, 10, 0x3fbff, 0x3ffff};
inline constexpr Format f32 = {8, 23, 0x7f7fffff, canonicalNaN};
inline constexpr Format f64 = {11, 52, 0x7fefffffffffffff, canonicalDoubleNaN};
inline constexpr Format e4m3 = {4, 3, 0x7e, 0x7f, false};
inline constexpr Format e5m2 = {5, 2, 0x7b, 0x7f};

/// A number before it is rounded: significand * 2^exponent.
struct Exact {
  enum class Kind : uint8_t { finite, infinite, nan } kind = Kind::finite;
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0;

  static Exact of(double value);
  static Exact ofUnsigned(uint64_t value) {
    return {Kind::finite, false, value, 0};
  }
  static Exact ofSigned(int64_t value) {
    return {Kind::finite, value < 0,
            value < 0 ? -static_cast<uint64_t>(value) : value, 0};
  }
};

inline Exact Exact::of(double value) {
  uint64_t bits = as<uint64_t>(value);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & 0xfffffffffffff;
  Exact exact;
  exact.negative = bits >> 63;
  if (exponent == 0x7ff) {
    exact.kind = fraction ? Kind::nan : Kind::infinite;
  } else {
    exact.significand = exponent ? fraction | uint64_t(1) << 52 : fraction;
    exact.exponent = (exponent ? exponent : 1) - 1075;
  }
  return exact;
}

/// The code of `value` in `format`. With `finite` (.satfinite) what is greater
/// than the greatest number becomes that one; a format without infinity always
/// does so.
inline uint64_t round(const Exact &value, const Format &format,
                      Rounding rounding, bool finite = false) {
  uint64_t sign = value.negative ? format.sign() : 0;
  finite |= !format.hasInfinity;
  if (value.kind == Exact::Kind::nan) {
    return format.nan;
  }
  if (value.kind == Exact::Kind::infinite) {
    return sign | (finite ? format.largest : format.infinity());
  }
  if (value.significand == 0) {
    return sign;
  }
  // The leading bit goes to bit 63; its weight is 2^exponent then.
  int zeros = __builtin_clzll(value.significand);
  uint64_t significand = value.significand << zeros;
  int exponent = value.exponent - zeros + 63;
  int smallest = 1 - format.bias();
  bool normal = exponent >= smallest;
  int keep = format.fractionBits + 1 - (normal ? 0 : smallest - exponent);
  uint64_t kept = keep > 0 ? significand >> (64 - keep) : 0;
  // What is cut off, as a fraction of the last bit kept: 2^63 is a half.
  uint64_t rest = keep > 0     ? significand << keep
                  : keep == 0  ? significand
                  : keep > -64 ? significand >> -keep | 1
                               : 1;
  constexpr uint64_t half = uint64_t(1) << 63;
  bool up = false;
  switch (rounding) {
  case Rounding::nearestEven:
    up = rest > half || (rest == half && (kept & 1));
    break;
  case Rounding::nearestAway:
    up = rest >= half;
    break;
  case Rounding::zero:
    break;
  case Rounding::down:
    up = rest && value.negative;
    break;
  case Rounding::up:
    up = rest && !value.negative;
    break;
  }
  // A carry out of the fraction makes the next exponent.
  uint64_t code = kept + up;
  if (normal) {
    code += (static_cast<uint64_t>(exponent - smallest + 1)
             << format.fractionBits) -
            (uint64_t(1) << format.fractionBits);
  }
  if (code > format.largest) {
    bool towardsZero =
        rounding == Rounding::zero ||
        rounding == (value.negative ? Rounding::up : Rounding::down);
    code = finite || towardsZero ? format.largest : format.infinity();
  }
  return sign | code;
}

/// The code of an f32 in a smaller format, to nearest even: what `round` gives,
/// but without branches, so that loops over lanes are vectors.
template <const Format &format, bool finite = !format.hasInfinity>
CHEEMS_LANE uint32_t narrow(float value) {
  constexpr int cut = 23 - format.fractionBits;
  constexpr uint32_t signShift = 31 - format.exponentBits - format.fractionBits;
  uint32_t bits = as<uint32_t>(value);
  uint32_t sign = bits & 0x80000000;
  uint32_t magnitude = bits ^ sign;
  uint32_t odd = magnitude >> cut & 1;
  uint32_t code = (magnitude + (uint32_t(1) << (cut - 1)) - 1 + odd -
                   (uint32_t(127 - format.bias()) << 23)) >>
                  cut;
  if constexpr (format.exponentBits < 8) {
    // The sum with a number whose last bit has the weight of the format's
    // smallest subnormal rounds as it should.
    constexpr uint32_t magic =
        uint32_t(127 + 24 - format.bias() - format.fractionBits) << 23;
    uint32_t small =
        as<uint32_t>(as<float>(magnitude) + as<float>(magic)) - magic;
    code = magnitude < (uint32_t(128 - format.bias()) << 23) ? small : code;
  }
  constexpr uint32_t top = finite ? format.largest : format.infinity();
  code = code < top ? code : top;
  return magnitude > 0x7f800000 ? uint32_t(format.nan)
                                : code | sign >> signShift;
}

/// The f32 of a code; exact. A NaN becomes the canonical one.
template <const Format &format> CHEEMS_LANE float widen(uint32_t code) {
  constexpr int cut = 23 - format.fractionBits;
  constexpr uint32_t signShift = 31 - format.exponentBits - format.fractionBits;
  uint32_t magnitude = code & (format.sign() - 1);
  uint32_t sign = (code & format.sign()) << signShift;
  uint32_t bits = magnitude << cut;
  if constexpr (format.exponentBits < 8) {
    constexpr uint32_t rebias = uint32_t(127 - format.bias()) << 23;
    // A subnormal gets a leading one, which is then taken away.
    constexpr uint32_t one = rebias + (1 << 23);
    uint32_t small = as<uint32_t>(as<float>(bits + one) - as<float>(one));
    bits = magnitude >> format.fractionBits == 0 ? small : bits + rebias;
    if constexpr (format.hasInfinity) {
      bits = magnitude == format.infinity() ? 0x7f800000 : bits;
    }
  }
  constexpr uint32_t greatest =
      format.hasInfinity ? format.infinity() : format.largest;
  return as<float>(magnitude > greatest ? canonicalNaN : bits | sign);
}

/// The f32 whose last bit is one if `value` is not a f32 ("rounding to odd"):
/// rounding it to a format that has at least two bits less gives what rounding
/// `value` gives.
CHEEMS_LANE float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  uint32_t bits = as<uint32_t>(nearest);
  double back = nearest;
  bool inexact = back != value && value == value;
  bool tooGreat = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  uint32_t odd = (bits - tooGreat) | 1;
  return as<float>(inexact ? odd : bits);
}

/// product + addend, rounded to odd.
template <typename T> CHEEMS_LANE T addToOdd(T product, T addend) {
  using Code = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  T sum = product + addend;
  T part = sum - product;
  T error = (product - (sum - part)) + (addend - part);
  Code code = as<Code>(sum);
  // The error of what is infinite or NaN is NaN.
  bool inexact = error < 0 || error > 0;
  bool tooGreat = (error < 0) != (sum < 0);
  Code odd = (code - tooGreat) | 1;
  return as<T>(inexact ? odd : code);
}

} // namespace cheems::emulator::lanes

#endif
