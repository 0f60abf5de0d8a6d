// On how many threads a region runs follows from what it took, by a made-up
// clock: nothing here depends on the machine.
#include "runtime/ThreadPool/RegionCost.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {

constexpr double worthwhile = 100;

/// A machine on which an iteration takes `iteration` ticks and handing ranges
/// over `handover`.
struct Machine {
  double iteration, handover;
  RegionCost cost{nullptr, 8};
  int most = 2;
  int timed = 0;

  /// Runs the region of 8 iterations; says into how many ranges it was cut.
  int run() {
    int ranges = cost.ranges(most, worthwhile);
    if (cost.isDue()) {
      ++timed;
      int64_t iterations = 8 / ranges;
      double own = iteration * static_cast<double>(iterations);
      cost.add(ranges, iterations, own, ranges == 1 ? own : own + handover);
    }
    return ranges;
  }
  int runs(int calls) {
    int ranges = 0;
    while (calls-- > 0) {
      ranges = run();
    }
    return ranges;
  }
};

TEST(RegionCost, unknownRegionsUseAllThreads) {
  EXPECT_EQ((Machine{1, 0}).run(), 2);
}

TEST(RegionCost, regionsOfLessThanTwoRangesWorthRunWhole) {
  Machine machine{24, 0};
  machine.run();
  for (int call = 1; call < 10000; ++call) {
    ASSERT_EQ(machine.run(), 1) << call;
  }
}

TEST(RegionCost, rangesLastAsLongAsIsWorthwhile) {
  Machine machine{60, 0};
  machine.most = 8;
  machine.run();
  EXPECT_EQ(machine.run(), 1); // a trial
  EXPECT_EQ(machine.run(), 4);
}

TEST(RegionCost, whatTakesNoLongerWholeStaysWhole) {
  Machine slow{40, 200}, quick{40, 100};
  EXPECT_EQ(slow.runs(100), 1);
  EXPECT_EQ(quick.runs(100), 2);
}

TEST(RegionCost, longRegionsAreNeverTriedWhole) {
  Machine machine{250, 1};
  machine.run();
  for (int call = 1; call < 10000; ++call) {
    ASSERT_EQ(machine.run(), 2) << call;
  }
}

TEST(RegionCost, changedWorkIsTriedAnew) {
  Machine machine{30, 200};
  EXPECT_EQ(machine.runs(100), 1);
  machine.iteration = 200;
  EXPECT_EQ(machine.runs(100), 2);
  machine.iteration = 30;
  EXPECT_EQ(machine.runs(100), 1);
}

TEST(RegionCost, aChangedMachineIsNoticedInTime) {
  Machine machine{40, 200};
  EXPECT_EQ(machine.runs(100), 1);
  machine.handover = 10;
  EXPECT_EQ(machine.runs(100), 1);
  EXPECT_EQ(machine.runs(5000), 2);
}

TEST(RegionCost, knownRegionsAreSeldomTimed) {
  Machine machine{40, 200};
  machine.runs(1600);
  EXPECT_LT(machine.timed, 120);
}

TEST(RegionCost, aThreadPutAsideOnceDecidesNothing) {
  Machine machine{40, 100};
  machine.runs(2);
  machine.handover = 1e6;
  machine.run();
  machine.handover = 100;
  EXPECT_EQ(machine.runs(100), 2);
}

} // namespace
