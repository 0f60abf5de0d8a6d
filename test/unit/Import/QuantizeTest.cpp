// Rows quantized: which formats, which scales, which numbers have none.
#include "cheems/Import/Quantize.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace cheems;

namespace {

struct Rounded {
  bool finite;
  std::vector<int8_t> codes;
  std::vector<float> scales;
  double value(size_t k) const {
    return static_cast<double>(codes[k]) *
           scales[k / (codes.size() / scales.size())];
  }
};

Rounded rounded(const std::vector<float> &row, QuantizedFormat format) {
  auto size = static_cast<int64_t>(row.size());
  Rounded result{false, std::vector<int8_t>(size),
                 std::vector<float>(format.groups(size))};
  result.finite = quantizeRow(row, format, result.codes, result.scales);
  return result;
}

std::vector<float> draw(std::mt19937 &random, int64_t size, float spread) {
  std::normal_distribution<float> numbers(0, spread);
  std::vector<float> row(size);
  for (float &value : row) {
    value = numbers(random);
  }
  return row;
}

TEST(QuantizedFormat, FollowsTheLengthOfARow) {
  auto is = [](std::optional<QuantizedFormat> format, int64_t bits,
               int64_t group) {
    return format && format->bits == bits && format->group == group;
  };
  EXPECT_TRUE(is(matmulFormat(8, 64), 8, 0));
  EXPECT_TRUE(is(matmulFormat(8, 4), 8, 0));
  EXPECT_TRUE(is(matmulFormat(4, 128), 4, 64));
  EXPECT_TRUE(is(matmulFormat(4, 96), 4, 32));
  EXPECT_TRUE(is(matmulFormat(4, 36), 8, 0));
  EXPECT_TRUE(is(matmulFormat(8, 65536), 8, 0));
  for (int64_t columns : {1, 30, 65540}) {
    EXPECT_FALSE(matmulFormat(8, columns)) << columns;
    EXPECT_FALSE(matmulFormat(4, columns)) << columns;
  }
  EXPECT_FALSE(matmulFormat(0, 64));
  EXPECT_TRUE(is(headFormat(4, 128), 8, 0));
  EXPECT_FALSE(headFormat(0, 128));
  EXPECT_TRUE(is(tableFormat(4), 8, 0));
  EXPECT_FALSE(tableFormat(0));
}

TEST(QuantizeRow, EightBitsTakeTheGreatestTo127AndErrByHalfAStep) {
  Rounded by = rounded({-127.0F, 0.5F, 1.5F, 64.0F}, {8, 0});
  EXPECT_EQ(by.scales[0], 1);
  EXPECT_EQ(by.codes, (std::vector<int8_t>{-127, 0, 2, 64})); // ties to even
  std::mt19937 random(1);
  for (int64_t size : {1, 4, 7, 64, 1000}) {
    for (float spread : {1e-20F, 1e-3F, 1.0F, 1e30F}) {
      std::vector<float> row = draw(random, size, spread);
      Rounded r = rounded(row, {8, 0});
      ASSERT_TRUE(r.finite);
      for (size_t k = 0; k < row.size(); ++k) {
        // the scale and the quotient have each an error of their own
        EXPECT_LE(std::abs(r.value(k) - row[k]), r.scales[0] * (0.5 + 0x1p-15));
      }
    }
  }
}

TEST(QuantizeRow, FourBitScalesAreBF16AndNoWorseThanTheUsualOnes) {
  std::mt19937 random(2);
  for (int64_t group : {32, 64}) {
    double searched = 0, usual = 0;
    for (int round = 0; round < 200; ++round) {
      std::vector<float> row =
          draw(random, group, std::exp2(static_cast<float>(round % 40 - 20)));
      Rounded r = rounded(row, {4, group});
      ASSERT_TRUE(r.finite);
      EXPECT_EQ(llvm::bit_cast<uint32_t>(r.scales[0]) & 0xffff, 0U);
      float extreme = 0;
      for (float value : row) {
        extreme = std::abs(value) > std::abs(extreme) ? value : extreme;
      }
      double scale = extreme / -8, error = 0, otherError = 0, unit = 0;
      for (size_t k = 0; k < row.size(); ++k) {
        EXPECT_GE(r.codes[k], -8);
        EXPECT_LE(r.codes[k], 7);
        double other =
            std::min(std::nearbyint(row[k] / scale), 7.0) * scale - row[k];
        error += std::pow(r.value(k) - row[k], 2);
        otherError += other * other;
        unit += std::pow(row[k], 2);
      }
      searched += error / unit;
      usual += otherError / unit;
      // that scale rounded to bf16 is among those tried: 2^-9 of it, at each of
      // up to 8 steps
      EXPECT_LE(std::sqrt(error),
                std::sqrt(otherError) + std::sqrt(unit) * 0x1p-9);
    }
    EXPECT_LT(searched, 0.93 * usual);
  }
}

TEST(QuantizeRow, GroupsAreRoundedByThemselves) {
  std::mt19937 random(3);
  std::vector<float> first = draw(random, 64, 1), second = draw(random, 64, 9);
  std::vector<float> both = first;
  both.insert(both.end(), second.begin(), second.end());
  Rounded a = rounded(first, {4, 64}), b = rounded(second, {4, 64}),
          c = rounded(both, {4, 64});
  EXPECT_EQ(c.scales, (std::vector<float>{a.scales[0], b.scales[0]}));
  a.codes.insert(a.codes.end(), b.codes.begin(), b.codes.end());
  EXPECT_EQ(c.codes, a.codes);
}

TEST(QuantizeRow, ZerosAndAlmostZerosHaveNoScale) {
  for (float value : {0.0F, -0.0F, 0x1p-101F, 0x1p-149F}) {
    for (QuantizedFormat format : {QuantizedFormat{8, 0}, {4, 32}}) {
      Rounded r = rounded(std::vector<float>(32, value), format);
      EXPECT_TRUE(r.finite);
      EXPECT_EQ(r.scales[0], 0);
      EXPECT_EQ(r.codes, std::vector<int8_t>(32, 0));
    }
  }
}

TEST(QuantizeRow, TheGreatestNumbersStayFinite) {
  std::vector<float> row(32, std::numeric_limits<float>::max());
  row[5] = -row[5];
  for (QuantizedFormat format : {QuantizedFormat{8, 0}, {4, 32}}) {
    Rounded r = rounded(row, format);
    ASSERT_TRUE(r.finite);
    EXPECT_TRUE(std::isfinite(r.scales[0]));
    EXPECT_LE(std::abs(r.value(5) / row[5] - 1), 0.13);
  }
}

TEST(QuantizeRow, WhatIsNotFiniteHasNoCode) {
  for (float value : {std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::quiet_NaN()}) {
    for (QuantizedFormat format : {QuantizedFormat{8, 0}, {4, 32}}) {
      for (size_t place : {0, 31, 63}) {
        std::vector<float> row(64, 1.0F);
        row[place] = value;
        EXPECT_FALSE(rounded(row, format).finite);
      }
    }
  }
}

} // namespace
