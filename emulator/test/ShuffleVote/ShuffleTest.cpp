//===- ShuffleTest.cpp - shfl.sync is executed ----------------------------===//
// PTX ISA, "Data Movement and Conversion Instructions: shfl.sync"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>
#include <random>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

struct Expected {
  int lane;
  bool inside;
};

/// The pseudocode of the section.
Expected model(const std::string &mode, int lane, uint32_t b, uint32_t c) {
  int bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
  int maxLane = (lane & mask) | (cval & ~mask & 0x1f);
  int minLane = lane & mask;
  int j = 0;
  bool pval = false;
  if (mode == "up") {
    j = lane - bval;
    pval = j >= maxLane;
  } else if (mode == "down") {
    j = lane + bval;
    pval = j <= maxLane;
  } else if (mode == "bfly") {
    j = lane ^ bval;
    pval = j <= maxLane;
  } else {
    j = minLane | (bval & ~mask & 0x1f);
    pval = j <= maxLane;
  }
  return {pval ? j : lane, pval};
}

// Operands that are known when the kernel is loaded, and those that are not.
TEST(Shuffle, AllModesWithRandomOperands) {
  std::mt19937 random(7);
  for (const char *mode : {"up", "down", "bfly", "idx"}) {
    for (int round = 0; round < 8; ++round) {
      std::vector<uint32_t> in(96);
      for (uint32_t &word : in) {
        word = random();
      }
      uint32_t b = random() % 32, c = (random() % 32) << 8 | random() % 32;
      std::string shuffle = "shfl.sync." + std::string(mode) + ".b32 ";
      std::vector<uint32_t> out = run(
          "ld.global.b32 %r1, [%inl]; ld.global.b32 %r2, [%inl+128];"
          "ld.global.b32 %r3, [%inl+256];" +
              shuffle + "%r4|%p1, %r1, %r2, %r3, -1;" + shuffle + "%r5|%p2, " +
              "%r1, " + std::to_string(b) + ", " + std::to_string(c) +
              ", 0xffffffff;" + shuffle +
              "%r1, %r1, %r2, %r3, -1;"
              "selp.u32 %r6, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2;"
              "st.global.b32 [%outl], %r4; st.global.b32 [%outl+128], %r5;"
              "st.global.b32 [%outl+256], %r1; st.global.b32 [%outl+384], %r6;"
              "st.global.b32 [%outl+512], %r7;",
          in, 160);
      for (int lane = 0; lane < 32; ++lane) {
        Expected first = model(mode, lane, in[32 + lane], in[64 + lane]);
        Expected second = model(mode, lane, b, c);
        EXPECT_EQ(out[lane], in[first.lane]);
        EXPECT_EQ(out[64 + lane], in[first.lane]);
        EXPECT_EQ(out[96 + lane], first.inside);
        EXPECT_EQ(out[32 + lane], in[second.lane]);
        EXPECT_EQ(out[128 + lane], second.inside);
      }
    }
  }
}

// Tiles of a warp execute one instruction, each with its own mask.
TEST(Shuffle, TilesWithMasksOfTheirOwn) {
  std::vector<uint32_t> out = run(R"(
    and.b32 %r1, %lane, 24; mov.b32 %r2, 0xff; shl.b32 %r2, %r2, %r1;
    shfl.sync.bfly.b32 %r3, %lane, 3, 0x181f, %r2; st.global.b32 [%outl], %r3;
  )");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane ^ 3);
  }
}

// Half of the warp exchanges values, the other half does something else.
TEST(Shuffle, PartOfAWarp) {
  std::vector<uint32_t> out = run(R"(
    setp.ge.u32 %p1, %lane, 16; @%p1 bra END;
    shfl.sync.down.b32 %r3|%p2, %lane, 4, 31, 0xffff;
    shfl.sync.idx.b32 %r4, %lane, 9, 31, 0xffff;
    st.global.b32 [%outl], %r3; st.global.b32 [%outl+64], %r4;
    END:
  )");
  for (uint32_t lane = 0; lane < 12; ++lane) {
    EXPECT_EQ(out[lane], lane + 4);
  }
  for (uint32_t lane = 12; lane < 16; ++lane) {
    EXPECT_NE(out[lane], lane + 4); // "unpredictable"
    EXPECT_EQ(out[lane + 4], 9u);
  }
}

// Lanes that come by different ways wait for each other.
TEST(Shuffle, LanesOfTheMaskMeet) {
  std::vector<uint32_t> out = run(R"(
    mov.b32 %r1, 1;
    setp.ge.u32 %p1, %lane, 5; @%p1 bra OTHER;
    mov.b32 %r1, 2; bra MEET;
    OTHER: mov.b32 %r1, 3;
    MEET: shfl.sync.bfly.b32 %r2, %r1, 31, 31, -1;
    st.global.b32 [%outl], %r2;
  )");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane > 26 ? 2u : 3u);
  }
}

// "The behavior of shfl.sync is undefined if the executing thread is not in the
// membermask."
TEST(Shuffle, MasksMustAgree) {
  EXPECT_NE(finding("shfl.sync.bfly.b32 %r1, %lane, 1, 31, 0xffff;"), "");
  EXPECT_NE(finding("mov.b32 %r2, -1; setp.eq.u32 %p1, %lane, 3;"
                    "selp.b32 %r2, 8, %r2, %p1;"
                    "shfl.sync.bfly.b32 %r1, %lane, 1, 31, %r2;"),
            "");
}

} // namespace
