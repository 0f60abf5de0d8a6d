// rms_norm, projections, activations and MLPs by hand.
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/RMSNorm.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>

using namespace cheems;
using namespace cheems::reference;

namespace {

TEST(RMSNorm, DividesByTheRootMeanSquareOfEachRow) {
  Tensor y = rmsNorm(Tensor({2, 2}, {3.0, 4.0, 0.0, 2.0}),
                     Tensor({2}, {1.0, 10.0}), 0.0);
  double root = std::sqrt(12.5);
  EXPECT_DOUBLE_EQ(y(0, 0), 3.0 / root);
  EXPECT_DOUBLE_EQ(y(0, 1), 40.0 / root);
  EXPECT_EQ(y(1, 0), 0.0);
  EXPECT_DOUBLE_EQ(y(1, 1), 10.0 * std::sqrt(2.0));
}

TEST(RMSNorm, EpsilonKeepsAZeroRowZero) {
  Tensor y = rmsNorm(Tensor({1, 3}), Tensor({3}, {1.0, 1.0, 1.0}), 1e-6);
  EXPECT_EQ(y.data, (std::vector<double>{0.0, 0.0, 0.0}));
}

TEST(RMSNorm, EpsilonIsAddedToTheMean) {
  Tensor y = rmsNorm(Tensor({1, 2}, {1.0, 1.0}), Tensor({2}, {1.0, 1.0}), 3.0);
  EXPECT_DOUBLE_EQ(y(0, 0), 0.5);
}

TEST(RMSNorm, HeadsAreNormalisedApart) {
  Tensor y = rmsNorm(Tensor({1, 2, 1}, {5.0, -7.0}), Tensor({1}, {2.0}), 0.0);
  EXPECT_EQ(y.data, (std::vector<double>{2.0, -2.0}));
}

// Three rows of two columns: near each other, and zero.
TEST(RoundingStep, MovesToOneOfTwoNeighboursOnAGridOfEachColumn) {
  const Tensor x({3, 2}, {1.3, -2.6, 1.3 + 0x1p-40, -2.6, 0.0, 0.0});
  std::vector<double> moves;
  for (uint64_t pattern = 0; pattern < 64; ++pattern) {
    Tensor y = stepTowardsRounded(x, {1.0, 3, pattern});
    EXPECT_NEAR(y(1, 0) - x(1, 0), y(0, 0) - x(0, 0), 0x1p-30);
    EXPECT_EQ(y(1, 1), y(0, 1));
    EXPECT_EQ(y(2, 0), 0.0);
    EXPECT_LE(std::abs(y(0, 0) - x(0, 0)), 0x1p-3); // half of 1/4
    EXPECT_LE(std::abs(y(0, 1) - x(0, 1)), 0x1p-2);
    moves.push_back(y(0, 0) - x(0, 0));
  }
  auto [least, most] = std::minmax_element(moves.begin(), moves.end());
  EXPECT_LT(*least, -0.1);
  EXPECT_GT(*most, 0.1);
}

TEST(RoundingStep, AShareOfItMovesByThatShare) {
  const Tensor x({1, 2}, {1.3, -2.6});
  Tensor all = stepTowardsRounded(x, {1.0, 3, 7}),
         little = stepTowardsRounded(x, {0x1p-10, 3, 7});
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_NEAR((little(0, i) - x(0, i)) * 0x1p10, all(0, i) - x(0, i),
                0x1p-40);
  }
}

TEST(Linear, WeightsAreOutByIn) {
  Tensor x({1, 2}, {1.0, 2.0}), weight({3, 2}, {1.0, 0.0, 0.0, 1.0, 1.0, 1.0});
  EXPECT_EQ(linear(x, {weight, std::nullopt}).data,
            (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(linear(x, {weight, Tensor({3}, {10.0, 20.0, 30.0})}).data,
            (std::vector<double>{11.0, 22.0, 33.0}));
}

TEST(BF16, NearestOfTwoAndTheEvenOneInTheMiddle) {
  EXPECT_EQ(bf16(0x1.02p0), 0x1.02p0);
  EXPECT_EQ(bf16(0x1.01p0), 1.0);
  EXPECT_EQ(bf16(0x1.010001p0), 0x1.02p0);
  EXPECT_EQ(bf16(-0x1.03p0), -0x1.04p0);
  EXPECT_EQ(bf16(0x1.ffp0), 2.0);
  EXPECT_EQ(bf16(0x1p-126), 0x1p-126);
  EXPECT_EQ(bf16(-0x1.8p-127), 0.0) << "a denormal";
}

TEST(RoundedRows, GreatestMagnitudeIs127AndTiesGoToEven) {
  RoundedRows rows = roundedRows(Tensor(
      {3, 3}, {-254.0, 3.0, 5.0, 0.0, 0.0, 0.0, 0x1p-101, -0x1p-102, 0.0}));
  EXPECT_EQ(rows.scales.data, (std::vector<double>{2.0, 0.0, 0.0}));
  EXPECT_EQ(rows.codes.data, (std::vector<double>{-127.0, 2.0, 2.0, 0.0, 0.0,
                                                  0.0, 0.0, 0.0, 0.0}));
}

TEST(QuantizedWeights, EveryGroupHasItsScale) {
  QuantizedWeights w{Tensor({1, 4}, {1.0, 2.0, 3.0, 4.0}),
                     Tensor({1, 2}, {10.0, 100.0})};
  Tensor x({1, 4}, {127.0, -1.0, 0.0, 1.0});
  EXPECT_EQ(quantizedLinear(x, w).data,
            (std::vector<double>{10.0 * (127.0 - 2.0) + 100.0 * 4.0}));
}

TEST(Linear, ReadsBF16AndAddsTheBiasAsItIs) {
  Tensor x({1, 2}, {0x1.01p0, 2.0}), weight({1, 2}, {0x1.01p0, 1.0});
  LinearWeights w{weight, Tensor({1}, {0x1.01p-4}), /*readsBF16=*/true};
  EXPECT_EQ(linear(x, w).data,
            (std::vector<double>{0x1.01p0 + 2.0 + 0x1.01p-4}));
}

TEST(Activation, KnownValues) {
  EXPECT_DOUBLE_EQ(activate(std::log(3.0), Activation::SiLU),
                   0.75 * std::log(3.0));
  EXPECT_EQ(activate(-1000.0, Activation::SiLU), 0.0);
  EXPECT_DOUBLE_EQ(activate(1.0, Activation::GELU), 0.84134474606854293);
  EXPECT_NEAR(activate(-1.0, Activation::GELU), -0.15865525393145707, 1e-16);
  EXPECT_EQ(activate(2.5, Activation::ReLU), 2.5);
  EXPECT_EQ(activate(-2.5, Activation::ReLU), 0.0);
  EXPECT_NEAR(activate(1.0, Activation::GELUTanh), 0.84119199060827671, 1e-15);
  EXPECT_NEAR(activate(-3.0, Activation::GELUTanh), -0.0036373920817729943,
              1e-15);
  EXPECT_EQ(activate(2.5, Activation::ReLU2), 6.25);
  EXPECT_EQ(activate(-2.5, Activation::ReLU2), 0.0);
}

TEST(MLP, GateIsActivatedAndPlainUpIsActivated) {
  Tensor x({1, 1}, {1.0});
  auto scalar = [](double value) {
    return LinearWeights{Tensor({1, 1}, {value}), std::nullopt};
  };
  MLPWeights gated{scalar(-2.0), scalar(3.0), scalar(5.0)};
  EXPECT_EQ(mlp(x, gated, Activation::ReLU).data, (std::vector<double>{0.0}));
  gated.gate = scalar(2.0);
  gated.up = scalar(-3.0);
  EXPECT_EQ(mlp(x, gated, Activation::ReLU).data, (std::vector<double>{-30.0}));
  EXPECT_EQ(
      mlp(x, {std::nullopt, scalar(-3.0), scalar(5.0)}, Activation::ReLU).data,
      (std::vector<double>{0.0}));
  EXPECT_EQ(
      mlp(x, {std::nullopt, scalar(3.0), scalar(5.0)}, Activation::ReLU).data,
      (std::vector<double>{15.0}));
}

} // namespace
