//===- Conversions.h - cvt in a lane ----------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_CONVERSIONS_H
#define CHEEMS_EMULATOR_ARITHMETIC_CONVERSIONS_H

#include "Floats.h"
#include "Integers.h"

#include <type_traits>

/// PTX ISA, "Data Movement and Conversion Instructions: cvt". First what is
/// frequent, each combination by itself; then a function for all of them.
namespace cheems::emulator::lanes {

/// The arrays of registers have no elements of 8 bits: a byte is extended to
/// 16 bits by its sign.
template <typename T>
using Element = std::conditional_t<
    sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>,
    T>;

/// Between integers, by the values' lowest bits.
template <typename To, typename From>
CHEEMS_LANE Element<To> integerTo(Element<From> value) {
  return static_cast<To>(static_cast<From>(value));
}

/// The modes .rni, .rzi, .rmi and .rpi are those of Rounding.
template <Rounding rounding> CHEEMS_LANE float integral(float value) {
  switch (rounding) {
  case Rounding::zero:
    return __builtin_truncf(value);
  case Rounding::down:
    return __builtin_floorf(value);
  case Rounding::up:
    return __builtin_ceilf(value);
  default:
    return __builtin_rintf(value);
  }
}
inline double integral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::zero:
    return __builtin_trunc(value);
  case Rounding::down:
    return __builtin_floor(value);
  case Rounding::up:
    return __builtin_ceil(value);
  default:
    return __builtin_rint(value);
  }
}
template <Rounding rounding, bool flushes>
CHEEMS_LANE float integralSingle(float value) {
  return canonical(integral<rounding>(operand<flushes>(value)));
}

/// "the result is clamped to the destination range by default". NaN gives zero,
/// or the bit of a sign if the destination has 64 bits.
template <typename To, Rounding rounding>
CHEEMS_LANE Element<To> singleTo(float value) {
  constexpr float low = static_cast<float>(least<To>);
  constexpr float above =
      static_cast<float>(Unsigned<To>(1) << (width<To> - 1)) *
      (std::is_signed_v<To> ? 1 : 2);
  float whole = integral<rounding>(value);
  bool inside = whole >= low && whole < above;
  auto number = static_cast<To>(inside ? whole : 0.0f);
  To outside = isNaN(value)
                   ? (sizeof(To) == 8 ? To(Unsigned<To>(1) << 63) : To(0))
               : whole >= above ? greatest<To>
                                : least<To>;
  return inside ? number : outside;
}

template <typename From>
CHEEMS_LANE float integerToSingle(Element<From> value) {
  return static_cast<float>(static_cast<From>(value));
}
template <typename From> CHEEMS_LANE double integerToReal(Element<From> value) {
  return static_cast<double>(static_cast<From>(value));
}
/// `From` has at most 32 bits, so its values are exact in f64.
template <const Format &format, typename From>
CHEEMS_LANE uint16_t integerToHalf(Element<From> value) {
  return narrow<format>(roundToOdd(static_cast<From>(value)));
}
template <const Format &format> CHEEMS_LANE uint16_t singleToHalf(float value) {
  return narrow<format>(value);
}
template <const Format &format> CHEEMS_LANE uint16_t realToHalf(double value) {
  return narrow<format>(roundToOdd(value));
}
template <const Format &format> CHEEMS_LANE float halfToSingle(uint16_t code) {
  return widen<format>(code);
}
CHEEMS_LANE float realToSingle(double value) {
  return canonical(static_cast<float>(value));
}
CHEEMS_LANE double singleToReal(float value) {
  double real = value;
  uint64_t bits = as<uint64_t>(real);
  return as<double>(isNaN(value) ? canonicalDoubleNaN : bits);
}

/// Two f32s to two codes in one word: "the value converted from input a is
/// stored in the upper half of d".
template <const Format &format, bool clamps, bool finite>
CHEEMS_LANE uint32_t narrowClamped(float value) {
  float clamped = !clamps || value > 0 || isNaN(value) ? value : 0.0f;
  return narrow<format, finite>(clamped);
}
template <const Format &format, typename Word, bool clamps, bool finite>
CHEEMS_LANE Word packSingles(float a, float b) {
  return Word(narrowClamped<format, clamps, finite>(a) << 4 * sizeof(Word) |
              narrowClamped<format, clamps, finite>(b));
}
/// f16x2 to two bytes, and back, which is exact.
template <const Format &format, bool clamps>
CHEEMS_LANE uint16_t packHalves(uint32_t pair) {
  return packSingles<format, uint16_t, clamps, true>(widen<f16>(pair >> 16),
                                                     widen<f16>(pair & 0xffff));
}
template <const Format &format, bool clamps>
CHEEMS_LANE uint32_t unpackHalves(uint16_t pair) {
  return packSingles<f16, uint32_t, clamps, false>(widen<format>(pair >> 8),
                                                   widen<format>(pair & 0xff));
}

/// cvt.rna.tf32: nearest, ties away from zero. The 13 lower bits are zero.
CHEEMS_LANE uint32_t singleToTf32(float value) {
  uint32_t bits = as<uint32_t>(value);
  return isNaN(value) ? uint32_t(tf32.nan) << 13 : (bits + 0x1000) & 0xffffe000;
}

/// A number's type in a conversion.
struct Number {
  enum class Kind : uint8_t { isUnsigned, isSigned, floating } kind;
  int bits;
  const Format *format = nullptr; ///< floating

  bool isFloat() const { return kind == Kind::floating; }
  bool isSigned() const { return kind == Kind::isSigned; }
};

struct Conversion {
  Number to, from;
  Rounding rounding = Rounding::nearestEven;
  bool toIntegral = false; ///< the rounding is .rni, .rzi, .rmi or .rpi
  bool flushes = false;    ///< .ftz
  bool saturates = false;  ///< .sat
  bool finite = false;     ///< .satfinite
  bool clamps = false;     ///< .relu
};

/// The low bits of a register's element to that of the destination.
uint64_t convert(const Conversion &conversion, uint64_t bits);

/// The number that a code stands for. Those of all our formats are f64s.
double decode(const Format &format, uint64_t code);

} // namespace cheems::emulator::lanes

#endif
