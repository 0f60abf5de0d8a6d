//===- SourceLaneTest.cpp - Where shfl takes a value from -----------------===//
// PTX ISA, "Data Movement and Conversion Instructions: shfl.sync"
#include "ShuffleVote/SourceLane.h"

#include <gtest/gtest.h>
#include <vector>

using namespace cheems::emulator;

namespace {

using Mode = ShuffleMode;

/// `c` of segments of `width` lanes, as CUDA's __shfl_* compute it.
uint32_t segments(int width, int clamp) { return (32 - width) << 8 | clamp; }

TEST(SourceLane, WholeWarp) {
  for (int lane = 0; lane < 32; ++lane) {
    SourceLane up = sourceLane(Mode::up, lane, 3, 0);
    EXPECT_EQ(up.lane, lane < 3 ? lane : lane - 3);
    EXPECT_EQ(up.inside, lane >= 3);
    SourceLane down = sourceLane(Mode::down, lane, 5, 31);
    EXPECT_EQ(down.lane, lane + 5 > 31 ? lane : lane + 5);
    EXPECT_EQ(down.inside, lane + 5 <= 31);
    SourceLane butterfly = sourceLane(Mode::butterfly, lane, 9, 31);
    EXPECT_EQ(butterfly.lane, lane ^ 9);
    EXPECT_TRUE(butterfly.inside);
    SourceLane index = sourceLane(Mode::index, lane, 17, 31);
    EXPECT_EQ(index.lane, 17);
    EXPECT_TRUE(index.inside);
  }
}

TEST(SourceLane, SegmentsOfEight) {
  for (int lane = 0; lane < 32; ++lane) {
    int in = lane % 8, first = lane - in;
    SourceLane up = sourceLane(Mode::up, lane, 2, segments(8, 0));
    EXPECT_EQ(up.lane, in < 2 ? lane : lane - 2);
    EXPECT_EQ(up.inside, in >= 2);
    SourceLane down = sourceLane(Mode::down, lane, 3, segments(8, 31));
    EXPECT_EQ(down.lane, in + 3 > 7 ? lane : lane + 3);
    SourceLane butterfly =
        sourceLane(Mode::butterfly, lane, 5, segments(8, 31));
    EXPECT_EQ(butterfly.lane, lane ^ 5);
    // An index counts within the segment, whatever its higher bits are.
    SourceLane index = sourceLane(Mode::index, lane, 6, segments(8, 31));
    EXPECT_EQ(index.lane, first + 6);
    EXPECT_EQ(sourceLane(Mode::index, lane, 14, segments(8, 31)).lane,
              first + 6);
  }
}

TEST(SourceLane, ClampWithinTheWarp) {
  // Lanes above the clamp value are out of range.
  EXPECT_TRUE(sourceLane(Mode::index, 0, 9, 9).inside);
  EXPECT_FALSE(sourceLane(Mode::index, 0, 10, 9).inside);
  EXPECT_EQ(sourceLane(Mode::index, 3, 10, 9).lane, 3);
  EXPECT_FALSE(sourceLane(Mode::butterfly, 9, 2, 9).inside);
  EXPECT_TRUE(sourceLane(Mode::butterfly, 9, 1, 9).inside);
  EXPECT_FALSE(sourceLane(Mode::up, 9, 2, 8).inside);
  EXPECT_TRUE(sourceLane(Mode::up, 10, 2, 8).inside);
}

TEST(SourceLane, OnlyFiveBitsOfAnOperandCount) {
  EXPECT_EQ(sourceLane(Mode::index, 0, 33, 31).lane, 1);
  EXPECT_EQ(sourceLane(Mode::up, 4, 32, 0).lane, 4);
  EXPECT_TRUE(sourceLane(Mode::up, 4, 32, 0).inside);
  EXPECT_EQ(sourceLane(Mode::index, 0, 5, 0xffffe0ff).lane, 5);
}

} // namespace
