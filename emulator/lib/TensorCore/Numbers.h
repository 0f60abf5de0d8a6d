//===- Numbers.h - Elements of matrices as f32 ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_NUMBERS_H
#define CHEEMS_EMULATOR_TENSORCORE_NUMBERS_H

#include <bit>
#include <cstdint>

/// Values of PTX ISA, "Alternate Floating-Point Data Formats", one at a time.
/// Each of them is exact in f32. The loops over whole fragments, which are
/// compiled per instruction set, are tested against these.
namespace cheems::emulator {

/// What mma gives for each NaN (PTX ISA, "Floating Point Comparisons" and
/// mma's results: payloads are not kept).
constexpr uint32_t canonicalNan = 0x7fffffff;
constexpr uint16_t canonicalNanHalf = 0x7fff;

constexpr float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

constexpr float fromBf16(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}

/// The tensor cores read the upper 19 bits of a register with a tf32.
constexpr float fromTf32(uint32_t bits) { return floatOf(bits & 0xffffe000); }

/// A format with a sign, `exponentBits` of exponent and `mantissaBits` of
/// mantissa, whose subnormal values count. 2^(field - bias) is reached by
/// multiplication with powers of two, which is exact in f32.
constexpr float fromFields(uint32_t bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  int exponent = int(bits >> mantissaBits) & ((1 << exponentBits) - 1);
  bool negative = bits >> (mantissaBits + exponentBits) & 1;
  // The value is an integer times 2^-(bias + mantissaBits - 1).
  float value =
      exponent == 0 ? float(mantissa) : float(mantissa | 1u << mantissaBits);
  int power = (exponent == 0 ? 1 : exponent) - bias - mantissaBits;
  for (; power > 0; --power) {
    value *= 2;
  }
  for (; power < 0; ++power) {
    value *= 0.5f;
  }
  return negative ? -value : value;
}

constexpr float fromF16(uint16_t bits) {
  if ((bits & 0x7c00) == 0x7c00) {
    return floatOf(uint32_t(bits & 0x8000) << 16 | 0x7f800000 |
                   uint32_t(bits & 0x3ff) << 13);
  }
  return fromFields(bits, 5, 10);
}

/// No infinity; the largest code is NaN.
constexpr float fromE4m3(uint8_t bits) {
  return (bits & 0x7f) == 0x7f ? floatOf(canonicalNan) : fromFields(bits, 4, 3);
}

/// The upper byte of an f16.
constexpr float fromE5m2(uint8_t bits) {
  return fromF16(uint16_t(uint16_t(bits) << 8));
}

/// To the nearest, ties to even; overflow gives infinity.
constexpr uint16_t toF16(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return canonicalNanHalf;
  }
  if (magnitude >= 0x477ff000) { // halfway between 65504 and 65536
    return uint16_t(sign | 0x7c00);
  }
  // The bits that are cut off: 13 of a normal result, more of a subnormal one.
  int exponent = int(magnitude >> 23);
  int cut = exponent >= 113 ? 13 : 126 - exponent;
  if (cut > 25) {
    return sign;
  }
  uint32_t mantissa = magnitude & 0x7fffff;
  uint32_t whole =
      exponent >= 113 ? magnitude - (112u << 23) : mantissa | 0x800000;
  uint32_t rest = whole & ((1u << cut) - 1), half = 1u << (cut - 1);
  uint32_t rounded = whole >> cut;
  rounded += rest > half || (rest == half && (rounded & 1));
  return uint16_t(sign | rounded);
}

} // namespace cheems::emulator

#endif
