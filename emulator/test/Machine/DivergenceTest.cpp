//===- DivergenceTest.cpp - Lanes that part and meet again ---------------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

const std::vector<uint32_t> zeros(64);

// PTX ISA, "Control Flow Instructions: bra": lanes that a guard sends elsewhere
// come together again where both ways meet, and none is lost.
TEST(Divergence, WaysOfABranchMeet) {
  auto out = runPTX(kernelPTX(R"(
  and.b32 %r0, %t, 1;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra EVEN;
  mov.u32 %r1, 100;
  bra.uni MEET;
EVEN:
  mov.u32 %r1, 200;
MEET:
  activemask.b32 %r2;
  st.global.u32 [%mine], %r1;
  st.global.u32 [%mine+128], %r2;
  ret;)"),
                    zeros);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane % 2 ? 100u : 200u);
    EXPECT_EQ(out[32 + lane], 0xffffffffu) << "they have not met";
  }
}

// Each lane leaves the loop after another number of rounds.
TEST(Divergence, LoopsEndLaneByLane) {
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r0, 0;
  mov.u32 %r1, 0;
LOOP:
  add.u32 %r1, %r1, %r0;
  add.u32 %r0, %r0, 1;
  setp.le.u32 %p0, %r0, %t;
  @%p0 bra LOOP;
  activemask.b32 %r2;
  st.global.u32 [%mine], %r1;
  st.global.u32 [%mine+128], %r2;
  ret;)"),
                    zeros);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane * (lane + 1) / 2);
    EXPECT_EQ(out[32 + lane], 0xffffffffu);
  }
}

// A branch whose targets lie before it and after it, three levels deep.
TEST(Divergence, NestedBranchesReachEveryPath) {
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r1, 0;
  and.b32 %r0, %t, 4; setp.ne.u32 %p0, %r0, 0;
  and.b32 %r0, %t, 2; setp.ne.u32 %p1, %r0, 0;
  and.b32 %r0, %t, 1; setp.ne.u32 %p2, %r0, 0;
  @%p0 bra A;
  @%p1 bra B;
  @%p2 bra C;
  bra DONE;
C: add.u32 %r1, %r1, 1; bra DONE;
B: add.u32 %r1, %r1, 2; @%p2 bra C; bra DONE;
A: add.u32 %r1, %r1, 4; @%p1 bra B; @%p2 bra C;
DONE:
  activemask.b32 %r2;
  st.global.u32 [%mine], %r1;
  st.global.u32 [%mine+128], %r2;
  ret;)"),
                    zeros);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane % 8);
    EXPECT_EQ(out[32 + lane], 0xffffffffu);
  }
}

// Lanes of one warp take a lock one after the other: those that spin must let
// the one that holds it go on. "Independent Thread Scheduling" of the CUDA C++
// Programming Guide.
TEST(Divergence, LanesOfAWarpShareALock) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    RunOptions options;
    options.seed = seed;
    auto out = runPTX(kernelPTX(R"(
SPIN:
  atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  ld.global.u32 %r1, [%out+4];
  add.u32 %r1, %r1, %t;
  st.global.u32 [%out+4], %r1;
  atom.release.gpu.global.exch.b32 %r0, [%out], 0;
  ret;)"),
                      zeros, options);
    EXPECT_EQ(out[0], 0u);
    EXPECT_EQ(out[1], 496u);
  }
}

// The lane that sets the flag comes after the loop of those that wait.
TEST(Divergence, ALaneWaitsForAnotherOfItsWarp) {
  auto out = runPTX(kernelPTX(R"(
  setp.eq.u32 %p1, %t, 31;
  @%p1 bra SET;
SPIN:
  ld.volatile.global.u32 %r0, [%out];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  bra DONE;
SET:
  mov.u32 %r0, 7;
  st.volatile.global.u32 [%out], %r0;
DONE:
  st.global.u32 [%mine+128], %r0;
  ret;)"),
                    zeros);
  for (uint32_t lane = 0; lane < 31; ++lane) {
    EXPECT_EQ(out[32 + lane], 7u);
  }
}

// A spin on a plain load asks for nothing that the machine sees, but ends.
TEST(Divergence, ASpinWithPlainLoadsLetsOthersRun) {
  auto out = runPTX(kernelPTX(R"(
  setp.eq.u32 %p1, %t, 5;
  @%p1 bra SET;
SPIN:
  ld.global.u32 %r0, [%out];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  bra DONE;
SET:
  mov.u32 %r0, 9;
  st.global.u32 [%out], %r0;
DONE:
  st.global.u32 [%mine+128], %r0;
  ret;)"),
                    zeros);
  EXPECT_EQ(out[32], 9u);
}

// PTX ISA, "Control Flow Instructions: exit": threads end one by one.
TEST(Divergence, LanesExitOneByOne) {
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r0, 0;
LOOP:
  st.global.u32 [%mine], %r0;
  setp.ge.u32 %p0, %r0, %t;
  @%p0 exit;
  add.u32 %r0, %r0, 1;
  bra.uni LOOP;)"),
                    zeros);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], lane);
  }
}

} // namespace
