//===- AtomicOperationsTest.cpp - What atom and red compute ---------------===//
// PTX ISA, "Parallel Synchronization and Communication Instructions: atom"
#include "LoadStore/AtomicOperations.h"

#include <gtest/gtest.h>
#include <limits>

using namespace cheems::emulator::atomic;

namespace {

template <typename Operation, typename T> T apply(T old, T b, T c = T(0)) {
  return Operation::apply(old, b, c, false);
}

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(AtomicOperations, IntegersWrapAround) {
  EXPECT_EQ(apply<Add<uint32_t>>(0xffffffffu, 3u), 2u);
  EXPECT_EQ(apply<Add<int32_t>>(std::numeric_limits<int32_t>::max(), 1),
            std::numeric_limits<int32_t>::min());
  EXPECT_EQ(apply<Min<int32_t>>(-1, 1), -1);
  EXPECT_EQ(apply<Min<uint32_t>>(~0u, 1u), 1u);
  EXPECT_EQ(apply<Max<int64_t>>(int64_t(-1), int64_t(1)), 1);
  EXPECT_EQ(apply<Max<uint64_t>>(~uint64_t(0), uint64_t(1)), ~uint64_t(0));
}

// "inc: ((s >= r) ? 0 : s+1)", "dec: (((s == 0) || (s > r)) ? r : s-1)"
TEST(AtomicOperations, IncrementAndDecrementWrapAtTheOperand) {
  EXPECT_EQ(apply<Increment>(4u, 5u), 5u);
  EXPECT_EQ(apply<Increment>(5u, 5u), 0u);
  EXPECT_EQ(apply<Increment>(6u, 5u), 0u);
  EXPECT_EQ(apply<Increment>(0xffffffffu, 0xffffffffu), 0u);
  EXPECT_EQ(apply<Decrement>(3u, 5u), 2u);
  EXPECT_EQ(apply<Decrement>(0u, 5u), 5u);
  EXPECT_EQ(apply<Decrement>(6u, 5u), 5u);
  EXPECT_EQ(apply<Decrement>(5u, 5u), 4u);
}

TEST(AtomicOperations, CompareAndSwapComparesBits) {
  EXPECT_EQ(apply<CompareAndSwap<uint32_t>>(7u, 7u, 9u), 9u);
  EXPECT_EQ(apply<CompareAndSwap<uint32_t>>(8u, 7u, 9u), 8u);
  using cheems::emulator::Wide;
  Wide old{1, 2}, other{1, 3}, next{5, 6};
  EXPECT_EQ(CompareAndSwap<Wide>::apply(old, old, next, false), next);
  EXPECT_EQ(CompareAndSwap<Wide>::apply(old, other, next, false), old);
}

// "atom.add.f32 on global memory flushes subnormal inputs and results to
// sign-preserving zero; whereas atom.add.f32 on shared memory supports
// subnormal inputs and results"
TEST(AtomicOperations, AddOfSinglesFlushesInGlobalMemoryOnly) {
  float tiny = 1e-40f;
  EXPECT_EQ(AddSingle::apply(bits(tiny), bits(tiny), 0, false),
            bits(tiny + tiny));
  EXPECT_EQ(AddSingle::apply(bits(tiny), bits(tiny), 0, true), bits(0.0f));
  EXPECT_EQ(AddSingle::apply(bits(-tiny), bits(-tiny), 0, true), bits(-0.0f));
  // A subnormal result of normal inputs.
  float x = 0x1.8p-126f, y = -0x1p-126f;
  EXPECT_EQ(AddSingle::apply(bits(x), bits(y), 0, false), bits(0x1p-127f));
  EXPECT_EQ(AddSingle::apply(bits(x), bits(y), 0, true), bits(0.0f));
  EXPECT_EQ(AddSingle::apply(bits(x), bits(-x), 0, true), bits(0.0f));
}

TEST(AtomicOperations, AddRoundsToNearestEven) {
  EXPECT_EQ(AddSingle::apply(bits(0x1p24f), bits(1.0f), 0, true),
            bits(0x1p24f));
  EXPECT_EQ(AddSingle::apply(bits(0x1p24f + 2), bits(1.0f), 0, true),
            bits(0x1p24f + 4));
  // f16: 2048 + 1 is a tie, 2050 + 1, too
  using HalfAdd = Small<Half, addSmall>;
  EXPECT_EQ(apply<HalfAdd>(uint16_t(0x6800), uint16_t(0x3c00)), 0x6800);
  EXPECT_EQ(apply<HalfAdd>(uint16_t(0x6801), uint16_t(0x3c00)), 0x6802);
  // bf16: 256 + 1 is a tie, 258 + 1, too
  using BrainAdd = Small<BrainFloat, addSmall>;
  EXPECT_EQ(apply<BrainAdd>(uint16_t(0x4380), uint16_t(0x3f80)), 0x4380);
  EXPECT_EQ(apply<BrainAdd>(uint16_t(0x4381), uint16_t(0x3f80)), 0x4382);
}

// ".noftz preserves subnormal inputs and results and does not flush them to
// zero."
TEST(AtomicOperations, SmallFloatsKeepSubnormals) {
  using HalfAdd = Small<Half, addSmall>;
  EXPECT_EQ(apply<HalfAdd>(uint16_t(1), uint16_t(2)), 3);
  EXPECT_EQ(apply<HalfAdd>(uint16_t(0x03ff), uint16_t(1)), 0x0400);
  EXPECT_EQ(apply<HalfAdd>(uint16_t(0x7bff), uint16_t(0x7bff)), 0x7c00);
  EXPECT_EQ(apply<HalfAdd>(uint16_t(0x7c00), uint16_t(0xfc00)), 0x7fff);
  using BrainAdd = Small<BrainFloat, addSmall>;
  EXPECT_EQ(apply<BrainAdd>(uint16_t(1), uint16_t(0x8003)), 0x8002);
  EXPECT_EQ(apply<BrainAdd>(uint16_t(0x7f7f), uint16_t(0x7f7f)), 0x7f80);
}

// Each half of a pair is an operation of its own.
TEST(AtomicOperations, PairsDoNotCarry) {
  using PairAdd = SmallPair<Half, addSmall>;
  EXPECT_EQ(apply<PairAdd>(0x3c00bc00u, 0x3c003c00u), 0x40000000u);
}

// PTX ISA, "Half Precision Floating-Point Instructions: min": NaN only if both
// are; "-0.0 < +0.0".
TEST(AtomicOperations, MinAndMaxOfSmallFloats) {
  using HalfMin = Small<Half, minSmall>;
  using HalfMax = Small<Half, maxSmall>;
  EXPECT_EQ(apply<HalfMin>(uint16_t(0x7e00), uint16_t(0x3c00)), 0x3c00);
  EXPECT_EQ(apply<HalfMax>(uint16_t(0x3c00), uint16_t(0xfe00)), 0x3c00);
  EXPECT_EQ(apply<HalfMin>(uint16_t(0x7e00), uint16_t(0x7e01)), 0x7fff);
  EXPECT_EQ(apply<HalfMin>(uint16_t(0), uint16_t(0x8000)), 0x8000);
  EXPECT_EQ(apply<HalfMin>(uint16_t(0x8000), uint16_t(0)), 0x8000);
  EXPECT_EQ(apply<HalfMax>(uint16_t(0x8000), uint16_t(0)), 0);
  EXPECT_EQ(apply<HalfMax>(uint16_t(0), uint16_t(0x8000)), 0);
}

TEST(AtomicOperations, EveryCodeOfSmallFloatsSurvivesAddingMinusZero) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    bool isHalfNaN = (code & 0x7fff) > 0x7c00;
    bool isBrainNaN = (code & 0x7fff) > 0x7f80;
    EXPECT_EQ((apply<Small<Half, addSmall>>(uint16_t(code), uint16_t(0x8000))),
              isHalfNaN ? 0x7fff : code);
    EXPECT_EQ(
        (apply<Small<BrainFloat, addSmall>>(uint16_t(code), uint16_t(0x8000))),
        isBrainNaN ? 0x7fff : code);
  }
}

} // namespace
