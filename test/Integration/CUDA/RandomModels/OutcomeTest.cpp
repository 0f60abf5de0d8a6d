// What counts as far: how the two figures of an outcome are made.
#include "Outcome.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

/// Two rows with deviation 1, and the same with errors.
struct TwoRows {
  Tensor want{{2, 2}}, got{{2, 2}};

  TwoRows(double ofFirst, double ofSecond) {
    want.data = {-1.0, 1.0, 1.0, -1.0};
    got.data = {-1.0 + ofFirst, 1.0 - ofFirst, 1.0 + ofSecond, -1.0 - ofSecond};
  }
  Outcome with(std::vector<double> gains) const {
    return Outcome(got, want, gains);
  }
};

TEST(Outcome, IsTheRootMeanSquareOfAllAndOfTheFarthestRow) {
  Outcome outcome = TwoRows(0.3, 0.4).with({1.0, 1.0});
  EXPECT_NEAR(outcome.error, std::sqrt(0.125), 1e-12);
  EXPECT_NEAR(outcome.ofRow, 0.4, 1e-12);
}

TEST(Outcome, OfARowThatPassesMoreOnCountsForLess) {
  Outcome outcome = TwoRows(0.3, 0.4).with({1.0, 2.0});
  EXPECT_NEAR(outcome.ofRow, 0.3, 1e-12);
  EXPECT_NEAR(outcome.error, std::sqrt(0.125), 1e-12);
}

TEST(Outcome, OfARowThatPassesLessOnCountsAsItIs) {
  EXPECT_NEAR(TwoRows(0.3, 0.4).with({1.0, 0.1}).ofRow, 0.4, 1e-12);
}

TEST(Outcome, OfWhatIsNoNumberIsInfinite) {
  double none = std::numeric_limits<double>::quiet_NaN();
  Outcome outcome = TwoRows(0.0, none).with({1.0, 1.0});
  EXPECT_TRUE(std::isinf(outcome.error));
  EXPECT_TRUE(std::isinf(outcome.ofRow));
}

} // namespace
