//===- PhaseCountsTest.cpp - Phases of mbarrier objects -------------------===//
#include "AsyncCopy/PhaseCounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace cheems::emulator;

// PTX ISA, "Phase Completion of the mbarrier object"
TEST(PhaseCounts, phaseEndsWhenNothingIsPending) {
  PhaseCounts counts(3);
  EXPECT_EQ(counts.arrive(2), PhaseResult::incomplete);
  EXPECT_EQ(counts.pending(), 1u);
  EXPECT_EQ(counts.expect(32), PhaseResult::incomplete);
  EXPECT_EQ(counts.arrive(1), PhaseResult::incomplete);
  EXPECT_FALSE(counts.hasEnded(0));
  EXPECT_TRUE(counts.hasEnded(1));
  EXPECT_EQ(counts.complete(16), PhaseResult::incomplete);
  EXPECT_EQ(counts.complete(16), PhaseResult::complete);
  EXPECT_EQ(counts.phase(), 1u);
  EXPECT_EQ(counts.pending(), 3u);
  EXPECT_TRUE(counts.hasEnded(0));
  EXPECT_FALSE(counts.hasEnded(1));
}

// PTX ISA, "Contents of the mbarrier object": tx-count may be negative.
TEST(PhaseCounts, bytesMayComeBeforeTheyAreExpected) {
  PhaseCounts counts(1);
  EXPECT_EQ(counts.complete(64), PhaseResult::incomplete);
  EXPECT_EQ(counts.transactions(), -64);
  EXPECT_EQ(counts.arrive(1), PhaseResult::incomplete);
  EXPECT_EQ(counts.expect(64), PhaseResult::complete);
}

// PTX ISA, "mbarrier.arrive_drop": the decrement is for all subsequent phases.
TEST(PhaseCounts, dropLowersLaterPhases) {
  PhaseCounts counts(2);
  EXPECT_EQ(counts.drop(1), PhaseResult::incomplete);
  EXPECT_EQ(counts.arrive(1), PhaseResult::complete);
  EXPECT_EQ(counts.arrive(1), PhaseResult::complete);
  EXPECT_EQ(counts.drop(1), PhaseResult::complete);
  EXPECT_EQ(counts.arrive(1), PhaseResult::overArrival);
}

// PTX ISA, "Contents of the mbarrier object", ranges
TEST(PhaseCounts, rangesAreChecked) {
  constexpr uint32_t most = PhaseCounts::most;
  EXPECT_EQ(PhaseCounts(1).arrive(2), PhaseResult::overArrival);
  EXPECT_EQ(PhaseCounts(1).arrive(0), PhaseResult::countOutOfRange);
  EXPECT_EQ(PhaseCounts(1).arrive(most + 1), PhaseResult::countOutOfRange);
  EXPECT_EQ(PhaseCounts(1).expect(most), PhaseResult::incomplete);
  EXPECT_EQ(PhaseCounts(1).expect(most + 1), PhaseResult::transactionOverflow);
  EXPECT_EQ(PhaseCounts(1).complete(most), PhaseResult::incomplete);
  EXPECT_EQ(PhaseCounts(1).complete(most + 1),
            PhaseResult::transactionOverflow);
  EXPECT_EQ(PhaseCounts(most).arrive(most), PhaseResult::complete);
  EXPECT_EQ(PhaseCounts(most).hold(), PhaseResult::pendingOutOfRange);
}

// PTX ISA, "cp.async.mbarrier.arrive": zero net change in the current phase
TEST(PhaseCounts, heldArrivalChangesNothingInTheEnd) {
  PhaseCounts counts(1);
  EXPECT_EQ(counts.hold(), PhaseResult::incomplete);
  EXPECT_EQ(counts.arrive(1), PhaseResult::incomplete);
  EXPECT_EQ(counts.arrive(1), PhaseResult::complete);
  EXPECT_EQ(counts.pending(), 1u);
}

// The same operations on a list of what is outstanding.
TEST(PhaseCounts, agreesWithASimpleModel) {
  std::mt19937 random(7);
  for (int run = 0; run < 200; ++run) {
    uint32_t expected = 1 + random() % 4, arrivals = 0, phase = 0;
    int64_t bytes = 0;
    PhaseCounts counts(expected);
    for (int step = 0; step < 200; ++step) {
      uint32_t amount = 16 * (1 + random() % 3);
      switch (random() % 3) {
      case 0:
        if (arrivals == expected) {
          continue;
        }
        counts.arrive(1);
        ++arrivals;
        break;
      case 1:
        counts.expect(amount);
        bytes += amount;
        break;
      default:
        counts.complete(amount);
        bytes -= amount;
        break;
      }
      if (arrivals == expected && bytes == 0) {
        arrivals = 0;
        ++phase;
      }
      ASSERT_EQ(counts.phase(), phase);
      ASSERT_EQ(counts.pending(), expected - arrivals);
      ASSERT_EQ(counts.transactions(), bytes);
      // The current phase has not ended; the one before it has.
      ASSERT_FALSE(counts.hasEnded(phase & 1));
      ASSERT_TRUE(counts.hasEnded(~phase & 1));
    }
  }
}

TEST(PhaseToken, keepsItsFields) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    PhaseToken token = PhaseToken::decode(random());
    PhaseToken again = PhaseToken::decode(token.encode());
    EXPECT_EQ(again.pending, token.pending);
    EXPECT_EQ(again.noComplete, token.noComplete);
    EXPECT_EQ(again.phase, token.phase);
    EXPECT_EQ(again.barrier, token.barrier);
  }
}
