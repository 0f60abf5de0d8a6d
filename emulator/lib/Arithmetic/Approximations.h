//===- Approximations.h - ex2, lg2, sin, cos, tanh, rsqrt -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_APPROXIMATIONS_H
#define CHEEMS_EMULATOR_ARITHMETIC_APPROXIMATIONS_H

#include "Bits.h"

#include <cstdint>

/// The .approx instructions. The ISA gives bounds of their errors; which bits a
/// GPU returns within them is not said. We compute in double precision with
/// sums and products in a fixed order, and no function of the C library, so
/// that all hosts return the same: the f32 that is nearest to a value whose
/// relative error is below 2^-36 (of sin and cos: the absolute one).
namespace cheems::emulator::lanes {

/// 2^x of |x| < 1000.
CHEEMS_LANE double exp2(double x) {
  // The sum has no bits for a fraction, so it is x rounded to an integer.
  constexpr double magic = 0x1.8p52;
  double shifted = x + magic;
  double f = x - (shifted - magic);
  // The series of 2^f; |f| <= 1/2, so what is left out is below 2^-36.
  double p = 0x1.b5253d395e7c1p-24;
  p = p * f + 0x1.62c0223a5c822p-20;
  p = p * f + 0x1.ffcbfc588b0c5p-17;
  p = p * f + 0x1.430912f86c786p-13;
  p = p * f + 0x1.5d87fe78a6730p-10;
  p = p * f + 0x1.3b2ab6fba4e77p-7;
  p = p * f + 0x1.c6b08d704a0bfp-5;
  p = p * f + 0x1.ebfbdff82c58ep-3;
  p = p * f + 0x1.62e42fefa39efp-1;
  p = p * f + 1;
  return p * as<double>((as<uint64_t>(shifted) + 1023) << 52);
}

/// PTX ISA, "Floating Point Instructions: ex2": at most 2 ulp.
CHEEMS_LANE float ex2(float x) {
  // Outside of this range the f32 is zero or infinity.
  float inside = x < -200 ? -200 : x < 200 ? x : 200;
  float value = static_cast<float>(exp2(inside));
  return as<float>(isNaN(x) ? canonicalNaN : as<uint32_t>(value));
}

/// PTX ISA, "Floating Point Instructions: lg2": an absolute error of 2^-22 in
/// (0.5, 2), a relative one of 2^-22 elsewhere.
CHEEMS_LANE float lg2(float x) {
  bool subnormal = x < 0x1p-126f;
  float scaled = subnormal ? x * 0x1p24f : x;
  uint32_t bits = as<uint32_t>(scaled);
  // x = 2^exponent * m with m between sqrt(1/2) and sqrt(2).
  int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3) >> 23;
  double m = as<float>(
      static_cast<int32_t>(bits - (static_cast<uint32_t>(exponent) << 23)));
  exponent -= subnormal ? 24 : 0;
  // log2(m) = 2 / ln 2 * artanh(s); |s| < 0.172.
  double s = (m - 1) / (m + 1);
  double z = s * s;
  double p = 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1;
  double value = exponent + p * s * 0x1.71547652b82fep+1;
  float rounded = static_cast<float>(value);
  rounded = x == 0 ? -__builtin_inff() : rounded;
  rounded = x == __builtin_inff() ? x : rounded;
  return as<float>(x >= 0 ? as<uint32_t>(rounded) : canonicalNaN);
}

/// PTX ISA, "Floating Point Instructions: tanh": a relative error of 2^-11.
/// Subnormal inputs pass through.
CHEEMS_LANE float tanh(float x) {
  double a = x < 0 ? -x : x;
  a = a < 20 ? a : 20; // the f32 is 1 there
  double great = 1 - 2 / (exp2(a * 0x1.71547652b82fep+1) + 1);
  double z = a * a;
  double small = a * (1 + z * (-1.0 / 3 + z * (2.0 / 15 + z * (-17.0 / 315))));
  float value = static_cast<float>(a < 0.03 ? small : great);
  uint32_t sign = as<uint32_t>(x) & 0x80000000;
  return as<float>(isNaN(x) ? canonicalNaN : as<uint32_t>(value) | sign);
}

/// PTX ISA, "Floating Point Instructions: rsqrt": a relative error of 2^-22.9.
CHEEMS_LANE float rsqrt(float x) {
  return canonical(static_cast<float>(1 / __builtin_sqrt(double(x))));
}

/// An angle as quadrant * pi/2 + rest, |rest| <= pi/4.
struct Angle {
  uint32_t quadrant;
  double rest;
};

/// Bits of 2/pi after the point, the first ones last. The angle's product with
/// them is exact as far as it matters.
inline Angle reduceGreat(float x) {
  constexpr uint64_t twoByPi[] = {0xb7246e3a424dd2e0,
                                  0xfe5163abdebbc561,
                                  0xdb6295993c439041,
                                  0xfc2757d1f534ddc0,
                                  0xa2f9836e4e441529,
                                  0,
                                  0};
  using Wide = unsigned __int128;
  uint32_t bits = as<uint32_t>(x);
  uint32_t significand = (bits & 0x7fffff) | 0x800000;
  int exponent = static_cast<int>(bits >> 23 & 0xff) - 150;
  // Bits of 2/pi * 2^exponent whose weight is 4 or more are multiples of a
  // circle. The others begin here.
  int shift = 194 - exponent;
  const uint64_t *words = twoByPi + shift / 64;
  int low = shift % 64;
  auto word = [&](int number) {
    return low ? words[number] >> low | words[number + 1] << (64 - low)
               : words[number];
  };
  Wide product = (Wide(word(1)) << 64 | word(0)) * significand;
  auto quadrant = static_cast<uint32_t>(product >> 126);
  Wide fraction = product << 2;
  quadrant += static_cast<uint32_t>(fraction >> 127);
  double rest = (double(int64_t(fraction >> 64)) * 0x1p-64 +
                 double(uint64_t(fraction)) * 0x1p-128) *
                0x1.921fb54442d18p+0;
  return x < 0 ? Angle{0 - quadrant, -rest} : Angle{quadrant, rest};
}

inline Angle reduce(float x) {
  if (x > 0x1p19f || x < -0x1p19f) {
    return reduceGreat(x);
  }
  constexpr double magic = 0x1.8p52;
  double shifted = x * 0x1.45f306dc9c883p-1 + magic;
  double turns = shifted - magic;
  // pi/2 in two parts. The first has so few bits that its product is exact.
  double rest =
      (x - turns * 0x1.921fb54400000p+0) - turns * 0x1.0b4611a626331p-34;
  return {static_cast<uint32_t>(as<uint64_t>(shifted)), rest};
}

inline double sinOfRest(double r) {
  double z = r * r;
  double p = 1.0 / 6227020800;
  p = p * z - 1.0 / 39916800;
  p = p * z + 1.0 / 362880;
  p = p * z - 1.0 / 5040;
  p = p * z + 1.0 / 120;
  p = p * z - 1.0 / 6;
  p = p * z + 1;
  return p * r;
}

inline double cosOfRest(double r) {
  double z = r * r;
  double p = 1.0 / 479001600;
  p = p * z - 1.0 / 3628800;
  p = p * z + 1.0 / 40320;
  p = p * z - 1.0 / 720;
  p = p * z + 1.0 / 24;
  p = p * z - 1.0 / 2;
  return p * z + 1;
}

/// PTX ISA, "Floating Point Instructions: sin" and "cos": an absolute error of
/// 2^-20.5 in [-2pi, 2pi] and of 2^-14.7 in [-100pi, 100pi]. Beyond that we are
/// as exact.
inline float sin(float x) {
  if (!(x - x == 0)) {
    return as<float>(canonicalNaN);
  }
  auto [quadrant, rest] = reduce(x);
  double value = quadrant & 1 ? cosOfRest(rest) : sinOfRest(rest);
  return static_cast<float>(quadrant & 2 ? -value : value);
}
inline float cos(float x) {
  if (!(x - x == 0)) {
    return as<float>(canonicalNaN);
  }
  auto [quadrant, rest] = reduce(x);
  double value = quadrant & 1 ? sinOfRest(rest) : cosOfRest(rest);
  return static_cast<float>((quadrant + 1) & 2 ? -value : value);
}

} // namespace cheems::emulator::lanes

#endif
