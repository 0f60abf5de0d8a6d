// Turns of shared memory: CUDA C++ Programming Guide, "Shared Memory".
#include "Count/SharedBanks.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

/// Lane l's address is l * stride.
Wavefronts strided(uint64_t stride, unsigned bytes, LaneMask lanes = allLanes) {
  uint64_t addresses[warpLanes];
  for (int lane = 0; lane < warpLanes; ++lane) {
    addresses[lane] = lane * stride;
  }
  return wavefronts(addresses, lanes, bytes);
}

TEST(SharedBanks, neighbouringWordsTakeOneTurn) {
  EXPECT_EQ(strided(4, 4).taken, 1u);
  EXPECT_EQ(strided(4, 4).least, 1u);
}

TEST(SharedBanks, aStrideOfTwoWordsTakesTwoTurns) {
  EXPECT_EQ(strided(8, 4).taken, 2u);
  EXPECT_EQ(strided(8, 4).least, 1u);
}

TEST(SharedBanks, oneBankTakesATurnPerLane) {
  EXPECT_EQ(strided(128, 4).taken, 32u);
  EXPECT_EQ(strided(128, 4, 0xf).taken, 4u);
}

TEST(SharedBanks, oddStridesHaveNoConflicts) {
  for (uint64_t stride = 1; stride < 64; stride += 2) {
    EXPECT_EQ(strided(4 * stride, 4).taken, 1u) << stride;
  }
}

TEST(SharedBanks, lanesOfOneWordShareIt) {
  EXPECT_EQ(strided(0, 4).taken, 1u);
  EXPECT_EQ(strided(1, 1).taken, 1u);
  EXPECT_EQ(strided(2, 2).taken, 1u);
}

TEST(SharedBanks, wideAccessesGoInParts) {
  EXPECT_EQ(strided(8, 8).taken, 2u);
  EXPECT_EQ(strided(8, 8).least, 2u);
  EXPECT_EQ(strided(16, 16).taken, 4u);
  EXPECT_EQ(strided(16, 16).least, 4u);
}

TEST(SharedBanks, rowsOf128BytesMeetInOneQuarter) {
  // Eight lanes of a quarter want the same four banks.
  EXPECT_EQ(strided(128, 16).taken, 32u);
  EXPECT_EQ(strided(128, 16).least, 4u);
  // A row of padding parts them.
  EXPECT_EQ(strided(128 + 16, 16).taken, 4u);
}

TEST(SharedBanks, noLaneTakesNoTurn) {
  EXPECT_EQ(strided(4, 4, 0).taken, 0u);
  EXPECT_EQ(strided(16, 16, 0xff).least, 1u);
}

} // namespace
