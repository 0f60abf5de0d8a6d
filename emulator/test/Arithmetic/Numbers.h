//===- Numbers.h - Formats and rounding, by tables ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_ARITHMETIC_NUMBERS_H
#define CHEEMS_EMULATOR_TEST_ARITHMETIC_NUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

/// What the tests hold the emulator's numbers against: another statement of
/// IEEE 754, with no code in common. A format of at most 19 bits is the list of
/// its numbers; a result is found in it.
namespace cheems::emulator::test {

template <typename To, typename From> To as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}
inline float single(uint64_t bits) { return as<float>(uint32_t(bits)); }
inline uint64_t bitsOf(float value) { return as<uint32_t>(value); }
inline double real(uint64_t bits) { return as<double>(bits); }
inline uint64_t bitsOf(double value) { return as<uint64_t>(value); }

/// A number that no double holds: high + low, where low is so small that only
/// its sign matters, or that the sum is exact (a double and its rest).
struct Precise {
  double high = 0, low = 0;

  static Precise sum(double a, double b) {
    double s = a + b, t = s - a;
    return {s, std::isfinite(s) ? (a - (s - t)) + (b - t) : 0};
  }
};

enum class Mode { nearest, away, zero, down, up };
struct NamedMode {
  const char *name;
  Mode mode;
};
constexpr NamedMode modes[] = {{"rn", Mode::nearest},
                               {"rz", Mode::zero},
                               {"rm", Mode::down},
                               {"rp", Mode::up}};

/// A small format. `numbers` are its positive numbers by code; the last one is
/// what infinity's code would be.
struct SmallFormat {
  int exponentBits, fractionBits;
  uint64_t nan;
  bool hasInfinity;
  std::vector<double> numbers;

  SmallFormat(int exponentBits, int fractionBits, uint64_t nan,
              uint64_t largest, bool hasInfinity = true);
  uint64_t sign() const { return uint64_t(1) << (exponentBits + fractionBits); }
  /// NaN, infinity or a number.
  double value(uint64_t code) const;
  uint64_t round(Precise value, Mode mode, bool finite = false) const;
};
const SmallFormat &halfFormat();
const SmallFormat &bfloatFormat();
const SmallFormat &tf32Format();
const SmallFormat &e4m3Format();
const SmallFormat &e5m2Format();

/// `value` as f32, in a mode: found among the neighbours. NaN is 0x7fffffff.
float roundSingle(Precise value, Mode mode);

inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

/// Zeros, subnormals, extremes, infinities and NaNs.
std::vector<uint64_t> specialSingles();
std::vector<uint64_t> specialReals();
std::vector<uint64_t> specialHalves();
std::vector<uint64_t> specialBFloats();
/// Random numbers, near to each other or of any exponent.
uint64_t randomSingle(std::mt19937_64 &engine);
uint64_t randomReal(std::mt19937_64 &engine);

} // namespace cheems::emulator::test

#endif
