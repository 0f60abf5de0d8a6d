// Scaled frequencies: by their equations, and where scaling does nothing.
#include "lib/Import/RotaryFrequencies.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems;

namespace {

double plain(double theta, int64_t size, int64_t i) {
  return std::pow(theta,
                  -2.0 * static_cast<double>(i) / static_cast<double>(size));
}

TEST(RotaryFrequencies, LinearDividesAll) {
  RotaryList list = linearFrequencies(10000.0, 16, 4.0);
  ASSERT_EQ(list.frequencies.size(), 8u);
  EXPECT_EQ(list.factor, 1.0);
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_DOUBLE_EQ(list.frequencies[i], plain(10000.0, 16, i) / 4.0);
  }
}

TEST(RotaryFrequencies, Llama3KeepsFastOnesAndStretchesSlowOnes) {
  Llama3Scaling scaling{8.0, 1.0, 4.0, 32.0};
  RotaryList list = llama3Frequencies(500000.0, 16, scaling);
  ASSERT_EQ(list.frequencies.size(), 8u);
  EXPECT_EQ(list.factor, 1.0);
  // 32 / 2 pi turns: more than 4, so it stays
  EXPECT_DOUBLE_EQ(list.frequencies[0], 1.0);
  // 0.99 turns: below 1, so it is divided
  EXPECT_DOUBLE_EQ(list.frequencies[1], plain(500000.0, 16, 1) / 8.0);
  EXPECT_DOUBLE_EQ(list.frequencies[7], plain(500000.0, 16, 7) / 8.0);
  // theta 16 has one between: turns 32 / (2 pi sqrt 2)
  list = llama3Frequencies(16.0, 16, scaling);
  double turns = 32.0 / (2.0 * std::acos(-1.0) * std::sqrt(2.0));
  double keep = (turns - 1.0) / 3.0, frequency = std::sqrt(0.5);
  EXPECT_DOUBLE_EQ(list.frequencies[1],
                   frequency * keep + frequency / 8.0 * (1.0 - keep));
}

TEST(RotaryFrequencies, YarnMixesBetweenTwoPlaces) {
  YarnScaling scaling;
  scaling.factor = 4.0;
  scaling.trained = 32.0;
  RotaryList list = yarnFrequencies(10000.0, 16, scaling);
  // places: floor(-1.6) below 0, and ceil(1.4) = 2
  EXPECT_DOUBLE_EQ(list.frequencies[0], 1.0);
  double middle = plain(10000.0, 16, 1);
  EXPECT_DOUBLE_EQ(list.frequencies[1], middle * 0.5 + middle / 4.0 * 0.5);
  for (int64_t i = 2; i < 8; ++i) {
    EXPECT_DOUBLE_EQ(list.frequencies[i], plain(10000.0, 16, i) / 4.0);
  }
  EXPECT_DOUBLE_EQ(list.factor, 0.1 * std::log(4.0) + 1.0);
  scaling.truncate = false; // the second place is 1.41
  double place = 16.0 * std::log(32.0 / (2.0 * std::acos(-1.0))) /
                 (2.0 * std::log(10000.0));
  list = yarnFrequencies(10000.0, 16, scaling);
  EXPECT_NEAR(list.frequencies[1],
              middle * (1.0 - 1.0 / place) + middle / 4.0 / place, 1e-15);
}

TEST(RotaryFrequencies, YarnFactorsOfCosines) {
  YarnScaling scaling;
  scaling.factor = 8.0;
  scaling.trained = 64.0;
  scaling.mscale = 2.0;
  EXPECT_DOUBLE_EQ(yarnFrequencies(1e4, 8, scaling).factor,
                   0.1 * std::log(8.0) + 1.0);
  scaling.mscaleAllDim = 0.5;
  EXPECT_DOUBLE_EQ(yarnFrequencies(1e4, 8, scaling).factor,
                   (0.2 * std::log(8.0) + 1.0) / (0.05 * std::log(8.0) + 1.0));
  scaling.attentionFactor = 0.75;
  EXPECT_EQ(yarnFrequencies(1e4, 8, scaling).factor, 0.75);
  scaling.attentionFactor.reset();
  scaling.mscale = 0.0;
  scaling.factor = 1.0;
  EXPECT_EQ(yarnFrequencies(1e4, 8, scaling).factor, 1.0);
}

} // namespace
