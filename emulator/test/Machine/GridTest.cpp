//===- GridTest.cpp - Blocks side by side and in turn --------------------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

RunOptions grid(uint32_t blocks, uint32_t threads, uint64_t seed = 1,
                int hostThreads = 1) {
  RunOptions options;
  options.grid = {blocks, 1, 1};
  options.block = {threads, 1, 1};
  options.seed = seed;
  options.threads = hostThreads;
  return options;
}

/// A sum over each block through shared memory, with shuffles of none.
const std::string blockSum = kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  ld.global.u32 %r2, [%mine];
  st.shared.u32 [%r1], %r2;
  mov.u32 %r3, 64;
LOOP:
  bar.sync 0;
  setp.ge.u32 %p0, %t, %r3;
  @%p0 bra SKIP;
  mad.lo.u32 %r4, %r3, 4, %r1;
  ld.shared.u32 %r5, [%r4];
  ld.shared.u32 %r6, [%r1];
  add.u32 %r5, %r5, %r6;
  st.shared.u32 [%r1], %r5;
SKIP:
  shr.u32 %r3, %r3, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra LOOP;
  bar.sync 0;
  ld.shared.u32 %r7, [%r0];
  add.u32 %r7, %r7, %t;
  st.global.u32 [%mine], %r7;
  ret;)",
                                       ".shared .align 4 .b32 s[128];");

// Blocks that do not see each other: the same memory whatever the seed and the
// number of host threads.
TEST(Grid, IsTheSameOnOneAndTwoHostThreads) {
  // long enough for other threads to take part
  std::vector<uint32_t> in(2000 * 128);
  for (uint32_t i = 0; i < in.size(); ++i) {
    in[i] = i * 2654435761u;
  }
  const auto expected = runPTX(blockSum, in, grid(2000, 128));
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 128; ++i) {
    sum += in[128 * 7 + i];
  }
  EXPECT_EQ(expected[128 * 7 + 5], sum + 5);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    for (int threads : {1, 2, 3}) {
      ASSERT_EQ(runPTX(blockSum, in, grid(2000, 128, seed, threads)), expected)
          << "seed " << seed << ", " << threads << " threads";
    }
  }
}

// The finding of the lowest block wins, whichever is found first.
TEST(Grid, ReportsTheLowestBlock) {
  const std::string ptx = kernelPTX(R"(
  rem.u32 %r0, %block, 10;
  setp.eq.u32 %p0, %r0, 7;
  mov.u32 %r1, 0;
  setp.gt.u32 %p1, %block, 30;
  @%p1 bra FAST;
SLOW:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 3000;
  @%p2 bra SLOW;
FAST:
  @%p0 trap;
  ret;)");
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (int threads : {1, 2, 4}) {
      try {
        runPTX(ptx, {0}, grid(200, 64, seed, threads));
        FAIL();
      } catch (const Finding &finding) {
        EXPECT_EQ(finding.place.block[0], 7u);
        EXPECT_EQ(finding.rule, "trap");
      }
    }
  }
}

// Blocks add to a counter; which one is last is a matter of the seed, but the
// sum is not.
TEST(Grid, LastBlockDoneSeesWhatAllHaveWritten) {
  const std::string ptx = kernelPTX(R"(
  add.u32 %r0, %thread, 5;
  st.global.u32 [%mine+8], %r0;
  bar.sync 0;
  setp.ne.u32 %p0, %t, 0;
  @%p0 exit;
  fence.acq_rel.gpu;
  atom.global.add.u32 %r1, [%out], 1;
  fence.acq_rel.gpu;
  mov.u32 %r2, %nctaid.x;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p1, %r1, %r2;
  @%p1 exit;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
  mov.u32 %r6, %ntid.x;
  add.u32 %r2, %r2, 1;
  mul.lo.u32 %r6, %r6, %r2;
LOOP:
  mad.wide.u32 %rd0, %r3, 4, %out;
  ld.global.u32 %r5, [%rd0+8];
  add.u32 %r4, %r4, %r5;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, %r6;
  @%p2 bra LOOP;
  st.global.u32 [%out+4], %r4;
  ret;)");
  for (uint64_t seed = 0; seed < 4; ++seed) {
    for (int threads : {1, 2}) {
      auto out = runPTX(ptx, std::vector<uint32_t>(2 + 50 * 64),
                        grid(50, 64, seed, threads));
      EXPECT_EQ(out[0], 50u);
      EXPECT_EQ(out[1], 3200u * 3199 / 2 + 3200 * 5);
    }
  }
}

// One seed, one interleaving: what depends on the order of blocks is the same
// on one and two host threads, and other seeds have other orders.
TEST(Grid, SeedDeterminesTheInterleaving) {
  const std::string ptx = kernelPTX(R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 exit;
  atom.global.add.u32 %r0, [%out], 1;
  mad.wide.u32 %rd0, %block, 4, %out;
  st.global.u32 [%rd0+4], %r0;
  ret;)");
  std::vector<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto one = runPTX(ptx, std::vector<uint32_t>(65), grid(64, 32, seed, 1));
    auto two = runPTX(ptx, std::vector<uint32_t>(65), grid(64, 32, seed, 2));
    EXPECT_EQ(one, two);
    orders.push_back(one);
  }
  EXPECT_NE(orders[0], orders[1]);
}

// A lock that blocks take in turn.
TEST(Grid, BlocksShareALock) {
  const std::string ptx = kernelPTX(R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra END;
SPIN:
  atom.acquire.gpu.global.cas.b32 %r0, [%out], 0, 1;
  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra SPIN;
  ld.global.u32 %r1, [%out+4];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%out+4], %r1;
  fence.acq_rel.gpu;
  st.release.gpu.global.u32 [%out], 0;
END:
  ret;)");
  for (uint64_t seed = 0; seed < 5; ++seed) {
    auto out = runPTX(ptx, {0, 0}, grid(70, 64, seed));
    EXPECT_EQ(out, (std::vector<uint32_t>{0, 70}));
  }
}

/// Word 0 counts arrivals; each block writes word 1 + block, waits for all, and
/// adds up what the others wrote.
const std::string gridBarrier = kernelPTX(R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra MEET;
  mad.wide.u32 %rd0, %block, 4, %out;
  st.global.u32 [%rd0+4], 1;
  fence.acq_rel.gpu;
  red.release.gpu.global.add.u32 [%out], 1;
  mov.u32 %r1, %nctaid.x;
SPIN:
  ld.acquire.gpu.global.u32 %r0, [%out];
  setp.lt.u32 %p1, %r0, %r1;
  @%p1 bra SPIN;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
SUM:
  mad.wide.u32 %rd1, %r2, 4, %out;
  ld.global.u32 %r4, [%rd1+4];
  add.u32 %r3, %r3, %r4;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, %r1;
  @%p2 bra SUM;
  mad.wide.u32 %rd2, %r1, 4, %rd0;
  st.global.u32 [%rd2+4], %r3;
MEET:
  bar.sync 0;
  ret;)");

TEST(Grid, ResidentBlocksMeetAtABarrierOfTheGrid) {
  // 4 multiprocessors hold 32 blocks each of 32 threads
  for (uint64_t seed = 0; seed < 3; ++seed) {
    auto out =
        runPTX(gridBarrier, std::vector<uint32_t>(257), grid(128, 32, seed));
    for (uint32_t i = 0; i < 128; ++i) {
      ASSERT_EQ(out[129 + i], 128u);
    }
  }
}

TEST(Grid, MoreBlocksThanAreResidentCannotMeet) {
  try {
    runPTX(gridBarrier, std::vector<uint32_t>(400), grid(129, 32));
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "deadlock");
    EXPECT_NE(std::string(finding.what())
                  .find("1 clusters have not started: the GPU holds 128 at "
                        "once"),
              std::string::npos)
        << finding.what();
  }
}

// Each block waits for the sum of the one before it: blocks start in ascending
// order, so a GPU that holds few of them comes to the end, too.
TEST(Grid, BlocksLookBack) {
  const std::string ptx = kernelPTX(R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 exit;
  mov.u32 %r1, 0;
  setp.eq.u32 %p1, %block, 0;
  mad.wide.u32 %rd0, %block, 8, %out;
  @%p1 bra WRITE;
SPIN:
  ld.acquire.gpu.global.u32 %r0, [%rd0+-4];
  setp.eq.u32 %p2, %r0, 0;
  @%p2 bra SPIN;
  ld.global.u32 %r1, [%rd0+-8];
WRITE:
  add.u32 %r1, %r1, %block;
  st.global.u32 [%rd0], %r1;
  st.release.gpu.global.u32 [%rd0+4], 1;
  ret;)");
  RunOptions options = grid(300, 64);
  options.multiprocessors = 1;
  for (options.seed = 0; options.seed < 4; ++options.seed) {
    auto out = runPTX(ptx, std::vector<uint32_t>(600), options);
    for (uint32_t i = 0; i < 300; ++i) {
      ASSERT_EQ(out[2 * i], i * (i + 1) / 2);
    }
  }
}

// PTX ISA, "Special Registers: %ctaid" and its kin, in three dimensions.
TEST(Grid, BlocksAndThreadsKnowTheirIndices) {
  RunOptions options;
  options.grid = {3, 2, 2};
  options.block = {4, 3, 5};
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r0, %ctaid.z; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.y;
  mad.lo.u32 %r0, %r0, %r2, %r1; mov.u32 %r2, %nctaid.x;
  mad.lo.u32 %r0, %r0, %r2, %block;
  mov.u32 %r3, %tid.z; mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.y;
  mad.lo.u32 %r3, %r3, %r2, %r1; mov.u32 %r2, %ntid.x;
  mad.lo.u32 %r3, %r3, %r2, %t;
  mad.lo.u32 %r0, %r0, 60, %r3;
  mad.wide.u32 %rd0, %r0, 4, %out;
  mov.u32 %r4, %warpid; mov.u32 %r5, %laneid; mov.u32 %r6, %nwarpid;
  mad.lo.u32 %r4, %r4, 32, %r5;
  mad.lo.u32 %r4, %r6, 1000, %r4;
  st.global.u32 [%rd0], %r4;
  ret;)"),
                    std::vector<uint32_t>(12 * 60), options);
  for (uint32_t i = 0; i < 12 * 60; ++i) {
    ASSERT_EQ(out[i], 2000 + i % 60);
  }
}

// Local memory is a thread's own.
TEST(Grid, ThreadsHaveLocalMemory) {
  const std::string ptx = kernelPTX(R"(
  .local .align 4 .b32 l[4];
  mov.u64 %rd0, l;
  and.b32 %r0, %t, 3;
  mad.wide.u32 %rd1, %r0, 4, %rd0;
  st.local.u32 [%rd1], %thread;
  bar.sync 0;
  cvta.local.u64 %rd2, %rd1;
  ld.u32 %r1, [%rd2];
  st.global.u32 [%mine], %r1;
  ret;)");
  auto out = runPTX(ptx, std::vector<uint32_t>(256), grid(2, 128));
  for (uint32_t i = 0; i < 256; ++i) {
    ASSERT_EQ(out[i], i);
  }
}

} // namespace
