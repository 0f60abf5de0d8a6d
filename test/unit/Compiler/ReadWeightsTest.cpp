// Elements of stored tensors as f16.
#include "cheems/Compiler/ReadWeights.h"
#include "cheems/Import/Error.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace cheems;

namespace {

/// Reads a tensor of f32 with these numbers.
llvm::Expected<std::vector<uint16_t>> halves(std::vector<float> numbers) {
  TensorView view{"layers.3.up.weight",
                  DType::F32,
                  {static_cast<int64_t>(numbers.size())},
                  {reinterpret_cast<const uint8_t *>(numbers.data()),
                   numbers.size() * sizeof(float)}};
  std::vector<Half> out(numbers.size());
  if (llvm::Error failed = read(view, 0, out)) {
    return std::move(failed);
  }
  std::vector<uint16_t> bits;
  for (Half half : out) {
    bits.push_back(half.bits);
  }
  return bits;
}

uint16_t nearest(float number) {
  llvm::APFloat rounded(number);
  bool loses;
  rounded.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                  &loses);
  return static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue());
}

TEST(ReadWeightsTest, RoundsToTheNearestHalf) {
  std::vector<float> numbers;
  // Every f16, the middle of it and the next, and the f32 beside both.
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    auto at = [](uint32_t half) {
      return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, half))
          .convertToDouble();
    };
    double next = bits == 0x7bff ? 65536 : at(bits + 1);
    for (double exact : {at(bits), (at(bits) + next) / 2}) {
      auto number = static_cast<float>(exact);
      for (float near : {number, std::nextafter(number, 0.0F),
                         std::nextafter(number, 1e9F)}) {
        if (near < 65520) {
          numbers.insert(numbers.end(), {near, -near});
        }
      }
    }
  }
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i) {
    auto number = llvm::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isnan(number) && std::abs(number) < 65520) {
      numbers.push_back(number);
    }
  }
  numbers.insert(numbers.end(), {std::numeric_limits<float>::infinity(),
                                 -std::numeric_limits<float>::infinity()});
  auto got = halves(numbers);
  ASSERT_TRUE(bool(got)) << llvm::toString(got.takeError());
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ((*got)[i], nearest(numbers[i])) << numbers[i];
  }
}

TEST(ReadWeightsTest, NaNStaysNaN) {
  auto got = halves({std::nanf(""), llvm::bit_cast<float>(0xff800001)});
  ASSERT_TRUE(bool(got)) << llvm::toString(got.takeError());
  for (uint16_t bits : *got) {
    EXPECT_GT(bits & 0x7fff, 0x7c00);
  }
}

TEST(ReadWeightsTest, WhatIsBeyondHalfNamesItsTensor) {
  auto got = halves({65519.996F, -65519.996F});
  ASSERT_TRUE(bool(got)) << llvm::toString(got.takeError());
  EXPECT_EQ((*got)[0], 0x7bff);
  EXPECT_EQ((*got)[1], 0xfbff);
  for (float number : {65520.0F, -65520.0F, 1e30F}) {
    llvm::Error failed = halves({1, 2, number}).takeError();
    EXPECT_TRUE(failed.isA<UnsupportedError>());
    std::string line = llvm::toString(std::move(failed));
    EXPECT_EQ(line.substr(0, 33), "tensor 'layers.3.up.weight' holds");
    EXPECT_NE(line.find("beyond f16"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(ReadWeightsTest, StoredHalvesStayAsTheyAre) {
  std::vector<uint16_t> bits(1 << 16);
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<uint16_t>(i);
  }
  TensorView view{"w",
                  DType::F16,
                  {static_cast<int64_t>(bits.size())},
                  {reinterpret_cast<const uint8_t *>(bits.data()),
                   bits.size() * sizeof(uint16_t)}};
  std::vector<Half> out(bits.size() - 5);
  ASSERT_FALSE(bool(read(view, 5, out)));
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i].bits, bits[i + 5]);
  }
}

} // namespace
