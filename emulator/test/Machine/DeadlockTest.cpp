//===- DeadlockTest.cpp - Waits that nothing can end ---------------------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

Finding findingOfRun(const std::string &ptx, const RunOptions &options) {
  try {
    runPTX(ptx, std::vector<uint32_t>(64), options);
  } catch (const Finding &finding) {
    return finding;
  }
  return {"none", "", {}};
}

TEST(Deadlock, ASpinThatNobodyEndsIsFound) {
  const std::string ptx = kernelPTX(R"(
SPIN:
  ld.volatile.global.u32 %r0, [%out];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  ret;)");
  for (uint32_t blocks : {1, 3}) {
    RunOptions options;
    options.grid = {blocks, 1, 1};
    const Finding finding = findingOfRun(ptx, options);
    EXPECT_EQ(finding.rule, "deadlock");
    EXPECT_NE(std::string(finding.what())
                  .find("block (0, 0, 0) warp 0 lanes 0xffffffff is at line"),
              std::string::npos)
        << finding.what();
  }
}

TEST(Deadlock, ASleepingSpinIsFound) {
  EXPECT_EQ(findingOfRun(kernelPTX(R"(
SPIN:
  nanosleep.u32 100;
  ld.relaxed.gpu.global.u32 %r0, [%out];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  ret;)"),
                         {})
                .rule,
            "deadlock");
}

// Nothing in the loop says that it waits; but it comes back to the same
// registers, and nothing changes memory.
TEST(Deadlock, LoopsThatComeBackToTheSameStateAreFound) {
  const std::string weak = R"(
  mov.u32 %r1, 0;
SPIN:
  ld.global.u32 %r0, [%out];
  add.u32 %r1, %r1, 1;
  and.b32 %r1, %r1, 7;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  )";
  RunOptions options;
  options.grid = {3, 1, 1};
  options.block = {64, 1, 1};
  EXPECT_EQ(findingOfRun(kernelPTX(weak + "ret;"), options).rule, "deadlock");
  // the other warp waits at a barrier
  EXPECT_EQ(findingOfRun(kernelPTX(R"(
  setp.ge.u32 %p1, %t, 32;
  @%p1 bra OTHER;
  )" + weak + R"(
OTHER:
  bar.sync 0;
  ret;)"),
                         options)
                .rule,
            "deadlock");
  // in a grid whose blocks communicate
  EXPECT_EQ(findingOfRun(kernelPTX(weak + R"(
  red.global.add.u32 [%out], 1;
  ret;)"),
                         options)
                .rule,
            "deadlock");
  EXPECT_EQ(findingOfRun(kernelPTX("SPIN: bra SPIN;"), options).rule,
            "deadlock");
}

// A block that tries to take a lock has such a loop.
TEST(Deadlock, SpinsWithBarriersAreFound) {
  RunOptions options;
  options.block = {64, 1, 1};
  const std::string spin = R"(
  mov.u32 %r1, 0;
SPIN:
  bar.sync 0;
  atom.global.cas.b32 %r0, [%out], 1, 2;
  bar.sync 0;
  add.u32 %r1, %r1, STEP;
  setp.lt.u32 %p0, %r1, 20000;
  @%p0 bra SPIN;
  ret;)";
  auto withStep = [&](const char *step) {
    std::string text = spin;
    text.replace(text.find("STEP"), 4, step);
    return findingOfRun(kernelPTX(text), options).rule;
  };
  for (uint32_t blocks : {1, 3}) {
    options.grid = {blocks, 1, 1};
    EXPECT_EQ(withStep("0"), "deadlock");
    EXPECT_EQ(withStep("1"), "none"); // it ends at last
  }
}

// A loop that polls a number of times and then goes on is none.
TEST(Deadlock, BoundedPollsComeToTheirEnd) {
  EXPECT_EQ(findingOfRun(kernelPTX(R"(
  mov.u32 %r1, 0;
SPIN:
  ld.volatile.global.u32 %r0, [%out];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 30000;
  @%p0 bra SPIN;
  st.global.u32 [%mine], %r1;
  ret;)"),
                         {})
                .rule,
            "none");
}

// One warp polls while another one computes for long, and then writes.
TEST(Deadlock, LongComputationsAreWaitedFor) {
  RunOptions options;
  options.block = {64, 1, 1};
  EXPECT_EQ(findingOfRun(kernelPTX(R"(
  mov.u32 %r1, 0;
  setp.ge.u32 %p1, %t, 32;
  @%p1 bra COMPUTE;
SPIN:
  ld.volatile.global.u32 %r0, [%out];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
  ret;
COMPUTE:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 300000;
  @%p0 bra COMPUTE;
  st.volatile.global.u32 [%out], %r1;
  ret;)"),
                         options)
                .rule,
            "none");
}

// The other warp waits at a barrier for the one that polls.
TEST(Deadlock, SaysWhoWaitsForWhat) {
  RunOptions options;
  options.block = {64, 1, 1};
  const Finding finding = findingOfRun(kernelPTX(R"(
  setp.ge.u32 %p1, %t, 32;
  @%p1 bra OTHER;
SPIN:
  ld.volatile.global.u32 %r0, [%out];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra SPIN;
OTHER:
  bar.sync 5;
  ret;)"),
                                       options);
  const std::string what = finding.what();
  EXPECT_EQ(finding.rule, "deadlock");
  EXPECT_NE(what.find("warp 1 lanes 0xffffffff waits at line"),
            std::string::npos)
      << what;
  EXPECT_NE(what.find("bar.sync"), std::string::npos) << what;
  EXPECT_NE(what.find("barrier 5 has 32 threads of 64, of warps 1"),
            std::string::npos)
      << what;
}

} // namespace
