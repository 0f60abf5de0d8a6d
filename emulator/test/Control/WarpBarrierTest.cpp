//===- WarpBarrierTest.cpp - bar.warp.sync, elect.sync and activemask ----===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>
#include <set>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

const std::vector<uint32_t> zeros(128);
const std::string shared = ".shared .align 4 .b32 s[32];";

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// bar.warp.sync": "until all threads corresponding to membermask have executed
// a bar.warp.sync with the same membermask value".
TEST(WarpBarrier, LanesMeetAtTheSameInstruction) {
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  setp.lt.u32 %p0, %t, 9;
  @%p0 bra SKIP;
  st.shared.u32 [%r1], %t;
SKIP:
  @%p0 st.shared.u32 [%r1], %t;
  bar.warp.sync 0xffffffff;
  xor.b32 %r2, %t, 31;
  mad.lo.u32 %r1, %r2, 4, %r0;
  ld.shared.u32 %r3, [%r1];
  st.global.u32 [%mine], %r3;
  ret;)",
                              shared),
                    zeros);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], 31 - i);
  }
}

TEST(WarpBarrier, LanesMeetAtDifferentInstructions) {
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  setp.lt.u32 %p0, %t, 16;
  @%p0 bra LOW;
  st.shared.u32 [%r1], %t;
  bar.warp.sync -1;
  bra MEET;
LOW:
  st.shared.u32 [%r1], %t;
  bar.warp.sync -1;
MEET:
  xor.b32 %r2, %t, 31;
  mad.lo.u32 %r1, %r2, 4, %r0;
  ld.shared.u32 %r3, [%r1];
  @%p0 bar.warp.sync -1;
  @!%p0 bar.warp.sync -1;
  st.global.u32 [%mine], %r3;
  ret;)",
                              shared),
                    zeros);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], 31 - i);
  }
}

TEST(WarpBarrier, PartsOfAWarpMeetOnTheirOwn) {
  auto out = runPTX(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 16;
  selp.b32 %r0, 0xffff, 0xffff0000, %p0;
  bar.warp.sync %r0;
  setp.lt.u32 %p1, %t, 4;
  @%p1 bra FIRST;
  bra END;
FIRST:
  bar.warp.sync 0xf;
  st.global.u32 [%mine], 1;
END:
  ret;)"),
                    zeros);
  EXPECT_EQ(out[3], 1u);
  EXPECT_EQ(out[4], 0u);
}

// "The behavior of bar.warp.sync is undefined if the executing thread is not in
// the membermask."
TEST(WarpBarrier, AThreadMustBeAMember) {
  EXPECT_EQ(findingOf(kernelPTX("bar.warp.sync 0xffff; ret;"), zeros),
            "wrong-member-mask");
}

TEST(WarpBarrier, LanesThatNeverComeAreFound) {
  EXPECT_EQ(findingOf(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 3;
  @%p0 bra A;
  bar.warp.sync -1;
  ret;
A:
  bar.warp.sync 0x7;
  bar.sync 0;
  ret;)"),
                      zeros),
            "divergent-barrier");
}

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// elect.sync": "laneid of the elected thread is returned in d", "p is set to
// True for the leader thread, and False for all other threads".
TEST(Election, HasOneLeader) {
  auto out = runPTX(kernelPTX(R"(
  elect.sync %r0|%p0, -1;
  selp.u32 %r1, 100, 0, %p0;
  add.u32 %r1, %r1, %r0;
  st.global.u32 [%mine], %r1;
  setp.ge.u32 %p1, %t, 20;
  mov.u32 %r1, 55;
  @!%p1 bra END;
  elect.sync %r0|%p0, 0xfff00000;
  selp.u32 %r1, 100, 0, %p0;
  add.u32 %r1, %r1, %r0;
  elect.sync _|%p2, 0xfff00000;
  selp.u32 %r2, 1000, 0, %p2;
  add.u32 %r1, %r1, %r2;
END:
  st.global.u32 [%mine+128], %r1;
  ret;)"),
                    zeros);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i == 0 ? 100u : 0u);
    EXPECT_EQ(out[32 + i], i < 20 ? 55u : i == 20 ? 1120u : 20u);
  }
  EXPECT_EQ(findingOf(kernelPTX("elect.sync %r0|%p0, 0xff; ret;"), zeros),
            "wrong-member-mask");
}

// "elect.sync is deterministic": "the same leader thread is elected for the
// same membermask every time". Which one it is depends on the seed.
TEST(Election, HasTheSameLeaderEachTime) {
  std::set<uint32_t> leaders;
  for (uint64_t seed = 2; seed < 8; ++seed) {
    RunOptions options;
    options.seed = seed;
    auto out = runPTX(kernelPTX(R"(
  elect.sync %r0|%p0, -1;
  elect.sync %r1|%p1, -1;
  st.global.u32 [%mine], %r0;
  @%p0 st.global.u32 [%mine+128], 1;
  @!%p1 st.global.u32 [%mine+128], 0;
  ret;)"),
                      zeros, options);
    leaders.insert(out[0]);
    for (uint32_t i = 0; i < 32; ++i) {
      EXPECT_EQ(out[i], out[0]);
      EXPECT_EQ(out[32 + i], i == out[0] ? 1u : 0u);
    }
  }
  EXPECT_GT(leaders.size(), 2u);
}

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// activemask": "exited or inactive or predicated-off thread will contribute 0".
TEST(ActiveMask, HasThreadsThatExecuteIt) {
  auto out = runPTX(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 8;
  @%p0 exit;
  setp.lt.u32 %p1, %t, 16;
  mov.u32 %r0, 0;
  @%p1 activemask.b32 %r0;
  activemask.b32 %r1;
  st.global.u32 [%mine], %r0;
  st.global.u32 [%mine+128], %r1;
  ret;)"),
                    zeros);
  EXPECT_EQ(out[8], 0x0000ff00u);
  EXPECT_EQ(out[16], 0u);
  EXPECT_EQ(out[32 + 31], 0xffffff00u);
}

} // namespace
