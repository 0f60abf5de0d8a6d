//===- NumbersTest.cpp - Formats of matrix elements -----------------------===//
#include "TensorCore/Numbers.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

/// The value that the fields mean, by ldexp in double.
double value(uint32_t bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  double mantissa = bits & ((1 << mantissaBits) - 1);
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  double magnitude = exponent == 0
                         ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                         : std::ldexp(mantissa + (1 << mantissaBits),
                                      exponent - bias - mantissaBits);
  return bits >> (mantissaBits + exponentBits) & 1 ? -magnitude : magnitude;
}

// PTX ISA, "Fundamental Types": .f16 is IEEE 754 binary16.
TEST(Numbers, F16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float number = fromF16(uint16_t(bits));
    if ((bits & 0x7c00) == 0x7c00) {
      EXPECT_EQ(std::isnan(number), (bits & 0x3ff) != 0);
      EXPECT_EQ(std::isinf(number), (bits & 0x3ff) == 0);
    } else {
      EXPECT_EQ(number, value(bits, 5, 10));
    }
    EXPECT_EQ(std::signbit(number), bits >> 15);
    if (!std::isnan(number)) {
      EXPECT_EQ(toF16(number), bits);
    }
  }
}

TEST(Numbers, RoundingToF16IsToTheNearestWithTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double low = value(bits, 5, 10);
    double high = bits == 0x7bff ? 65536 : value(bits + 1, 5, 10);
    float middle = float((low + high) / 2);
    EXPECT_EQ(toF16(middle), bits + (bits & 1)) << bits;
    EXPECT_EQ(toF16(std::nextafterf(middle, 0)), bits) << bits;
    EXPECT_EQ(toF16(std::nextafterf(middle, 1e9f)), bits + 1) << bits;
    EXPECT_EQ(toF16(-middle), 0x8000 | (bits + (bits & 1))) << bits;
  }
  EXPECT_EQ(toF16(1e-30f), 0);
  EXPECT_EQ(toF16(-1e-45f), 0x8000);
  EXPECT_EQ(toF16(INFINITY), 0x7c00);
  EXPECT_EQ(toF16(-NAN), canonicalNanHalf);
}

// PTX ISA, "Alternate Floating-Point Data Formats".
TEST(Numbers, EightBits) {
  for (uint32_t bits = 0; bits < 256; ++bits) {
    float number = fromE4m3(uint8_t(bits));
    if ((bits & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(number));
    } else {
      EXPECT_EQ(number, value(bits, 4, 3));
    }
    number = fromE5m2(uint8_t(bits));
    if ((bits & 0x7c) == 0x7c) {
      EXPECT_EQ(std::isinf(number), (bits & 3) == 0);
      EXPECT_EQ(std::isnan(number), (bits & 3) != 0);
    } else {
      EXPECT_EQ(number, value(bits, 5, 2));
    }
  }
  EXPECT_EQ(fromE4m3(0x7e), 448.0f);
  EXPECT_EQ(fromE4m3(0x01), 0x1p-9f);
  EXPECT_EQ(fromE5m2(0x7b), 57344.0f);
}

// PTX ISA, "Asynchronous Multiply-and-Accumulate Instruction: wgmma.mma_async":
// ".tf32 will truncate lower 13 bits of the 32-bit input data".
TEST(Numbers, WideOnes) {
  EXPECT_EQ(fromTf32(0x3f801fff), 1.0f);
  EXPECT_EQ(fromTf32(0xbf802000), -(1.0f + 0x1p-10f));
  EXPECT_EQ(fromBf16(0xc040), -3.0f);
  EXPECT_EQ(fromBf16(0x0001), 0x1p-133f);
}

} // namespace
