// rotary_table and rotary against the goldens, and the dynamic base by hand.
#include "cheems/Reference/Rotary.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

class RotaryGolden : public testing::TestWithParam<const char *> {};

TEST_P(RotaryGolden, TurnsAsRecorded) {
  GoldenFile golden(
      goldenPath(std::string("ops/") + GetParam() + ".safetensors"));
  RotaryConfig config;
  config.theta = std::stod(golden.attribute("theta", ""));
  config.trainedPositions = std::stoll(golden.attribute("max_positions", "0"));
  config.dynamic = config.trainedPositions != 0;
  config.factor = std::stod(golden.attribute("factor", "1"));
  std::vector<int64_t> positions = golden.integers("positions");
  int64_t length = *std::max_element(positions.begin(), positions.end()) + 1;
  Tensor x = golden.tensor("x"), y = golden.tensor("y");
  RotaryTable table = rotaryTable(positions, x.shape.back(), config, length);
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    Tensor want = slice(y, b);
    // an angle carries the relative error of a power, so what is left of it
    // grows with the position
    EXPECT_LE(maxError(rotary(slice(x, b), table), want),
              toleranceF32(want, length));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, RotaryGolden,
                         testing::Values("rope", "rope_dynamic", "rope_far"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(Rotary, QuarterTurnMovesTheFirstHalfIntoTheSecond) {
  RotaryTable table{Tensor({1, 2}), Tensor({1, 2}, {1.0, 1.0})};
  Tensor y = rotary(Tensor({1, 1, 4}, {1.0, 2.0, 3.0, 4.0}), table);
  EXPECT_EQ(y.data, (std::vector<double>{-3.0, -4.0, 1.0, 2.0}));
}

TEST(Rotary, AnglesFallGeometricallyWithTheComponent) {
  RotaryConfig config;
  config.theta = 100.0;
  RotaryTable table = rotaryTable({0, 3}, 4, config, 4);
  EXPECT_EQ(table.cosine(0, 1), 1.0);
  EXPECT_EQ(table.sine(0, 0), 0.0);
  EXPECT_DOUBLE_EQ(table.sine(1, 0), std::sin(3.0));
  EXPECT_DOUBLE_EQ(table.sine(1, 1), std::sin(0.3));
  EXPECT_DOUBLE_EQ(table.cosine(1, 1), std::cos(0.3));
}

TEST(Rotary, DynamicBaseGrowsOnlyPastTheTrainedPositions) {
  RotaryConfig config;
  config.theta = 10.0;
  config.dynamic = true;
  config.factor = 4.0;
  config.trainedPositions = 8;
  EXPECT_EQ(rotaryBase(config, 4, 8), 10.0);
  // 4*16/8 - 3 = 5, squared because dim/(dim-2) is 2
  EXPECT_DOUBLE_EQ(rotaryBase(config, 4, 16), 250.0);
  config.dynamic = false;
  EXPECT_EQ(rotaryBase(config, 4, 16), 10.0);
}

} // namespace
