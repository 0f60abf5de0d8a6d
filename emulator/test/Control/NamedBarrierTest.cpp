//===- NamedBarrierTest.cpp - bar and barrier ----------------------------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

// Each test is of PTX ISA, "Parallel Synchronization and Communication
// Instructions: bar, barrier".
namespace {

const std::vector<uint32_t> zeros(512);
const std::string shared = ".shared .align 4 .b32 s[256];";

RunOptions threads(uint32_t count, uint64_t seed = 1) {
  RunOptions options;
  options.block = {count, 1, 1};
  options.seed = seed;
  return options;
}

/// Each thread writes a word and reads that of the thread after it.
std::string exchange(const std::string &barrier) {
  return kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  st.shared.u32 [%r1], %t;
  )" + barrier + R"(
  mov.u32 %r2, %ntid.x;
  add.u32 %r3, %t, 1;
  rem.u32 %r3, %r3, %r2;
  mad.lo.u32 %r1, %r3, 4, %r0;
  ld.shared.u32 %r4, [%r1];
  st.global.u32 [%mine], %r4;
  ret;)",
                   shared);
}

TEST(NamedBarrier, AllThreadsOfTheBlockMeet) {
  for (const char *barrier :
       {"bar.sync 0;", "bar.cta.sync 3;", "barrier.sync 15;",
        "barrier.cta.sync.aligned 1;", "mov.u32 %r5, 4; bar.sync %r5;",
        "bar.sync 0, 128;", "mov.u32 %r5, 128; barrier.sync 0, %r5;"}) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      auto out = runPTX(exchange(barrier), zeros, threads(128, seed));
      for (uint32_t i = 0; i < 128; ++i) {
        ASSERT_EQ(out[i], (i + 1) % 128) << barrier;
      }
    }
  }
}

TEST(NamedBarrier, WithoutItTheValueIsNotThere) {
  EXPECT_EQ(findingOf(exchange(""), zeros, threads(128)), "uninitialised-read");
}

// A block whose size is no multiple of a warp's: its last warp counts as 32.
TEST(NamedBarrier, LastWarpMayBeSmaller) {
  auto out = runPTX(exchange("bar.sync 0;"), zeros, threads(70));
  for (uint32_t i = 0; i < 70; ++i) {
    EXPECT_EQ(out[i], (i + 1) % 70);
  }
}

// "wait for all non-exited threads"
TEST(NamedBarrier, ThreadsThatHaveExitedAreNotWaitedFor) {
  const std::string ptx = kernelPTX(R"(
  setp.ge.u32 %p0, %t, 72;
  @%p0 bra END;
  bar.sync 0;
  st.global.u32 [%mine], %t;
END:
  ret;)");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    auto out = runPTX(ptx, zeros, threads(160, seed));
    EXPECT_EQ(out[71], 71u);
    EXPECT_EQ(out[72], 0u);
  }
}

// The ISA's example: producers arrive and go on, consumers wait; then the other
// way round with another barrier.
TEST(NamedBarrier, ProducerAndConsumerTakeTurns) {
  const std::string ptx = kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r0, %t, 4, %r0;
  mov.u32 %r2, 0;
  setp.ge.u32 %p0, %t, 32;
  @%p0 bra CONSUMER;
PRODUCE:
  mad.lo.u32 %r1, %r2, 1000, %t;
  st.shared.u32 [%r0], %r1;
  bar.arrive 0, 64;
  bar.sync 1, 64;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 5;
  @%p1 bra PRODUCE;
  ret;
CONSUMER:
  mov.u32 %r4, 0;
CONSUME:
  bar.sync 0, 64;
  ld.shared.u32 %r3, [%r0+-128];
  add.u32 %r4, %r4, %r3;
  bar.arrive 1, 64;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 5;
  @%p1 bra CONSUME;
  st.global.u32 [%mine], %r4;
  ret;)",
                                    shared);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    auto out = runPTX(ptx, zeros, threads(64, seed));
    for (uint32_t i = 32; i < 64; ++i) {
      EXPECT_EQ(out[i], 10000 + 5 * (i - 32));
    }
  }
}

// ".popc is the number of threads with a True predicate, while .and and .or
// indicate if all the threads had a True predicate or if any of the threads
// had."
TEST(NamedBarrier, ReductionsCountPredicates) {
  for (const char *bar : {"bar", "barrier"}) {
    const std::string b = bar;
    auto out = runPTX(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 40;
  )" + b + R"(.red.popc.u32 %r0, 0, %p0;
  )" + b + R"(.red.popc.u32 %r1, 1, !%p0;
  )" + b + R"(.red.and.pred %p1, 2, 96, %p0;
  )" + b + R"(.red.or.pred %p2, 0, %p0;
  setp.lt.u32 %p3, %t, 96;
  )" + b + R"(.red.and.pred %p4, 0, %p3;
  )" + b + R"(.red.or.pred %p5, 0, !%p3;
  selp.u32 %r2, 1, 0, %p1;
  selp.u32 %r3, 2, 0, %p2;
  selp.u32 %r4, 4, 0, %p4;
  selp.u32 %r5, 8, 0, %p5;
  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;
  mad.lo.u32 %r2, %r2, 1000, %r0;
  mad.lo.u32 %r2, %r2, 1000, %r1;
  st.global.u32 [%mine], %r2;
  ret;)"),
                      zeros, threads(96));
    for (uint32_t i = 0; i < 96; ++i) {
      ASSERT_EQ(out[i], 6u * 1000000 + 40 * 1000 + 56) << b;
    }
  }
}

// The same barrier again and again: a fast warp is a phase ahead.
TEST(NamedBarrier, IsReusedAtOnce) {
  const std::string ptx = kernelPTX(R"(
  mov.u32 %r0, 0;
  mov.u32 %r4, 0;
LOOP:
  and.b32 %r1, %t, 1;
  setp.eq.u32 %p0, %r1, 0;
  bar.red.popc.u32 %r2, 0, %p0;
  mad.lo.u32 %r4, %r4, 2, %r2;
  bar.sync 0;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r0, 10;
  @%p1 bra LOOP;
  st.global.u32 [%mine], %r4;
  ret;)");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    auto out = runPTX(ptx, zeros, threads(256, seed));
    for (uint32_t i = 0; i < 256; ++i) {
      ASSERT_EQ(out[i], 128u * 1023);
    }
  }
}

// Lanes of a warp may come to different instructions of a barrier without
// .aligned: "causes executing thread to wait for all non-exited threads from
// its warp".
TEST(NamedBarrier, WithoutAlignedLanesMayStandApart) {
  const std::string ptx = kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  st.shared.u32 [%r1], %t;
  and.b32 %r2, %t, 1;
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra EVEN;
  barrier.sync 0;
  bra DONE;
EVEN:
  barrier.sync 0;
DONE:
  xor.b32 %r2, %t, 63;
  mad.lo.u32 %r1, %r2, 4, %r0;
  ld.shared.u32 %r3, [%r1];
  @%p0 barrier.sync 1;
  @!%p0 barrier.sync 1;
  st.global.u32 [%mine], %r3;
  ret;)",
                                    shared);
  for (uint64_t seed = 0; seed < 6; ++seed) {
    auto out = runPTX(ptx, zeros, threads(64, seed));
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(out[i], 63 - i);
    }
  }
}

// "an aligned barrier{.cta} instruction should only be used if it is known that
// all threads in CTA evaluate the condition identically"
TEST(NamedBarrier, DivergenceAtAnAlignedBarrierIsFound) {
  EXPECT_EQ(findingOf(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 7;
  @%p0 bar.sync 0;
  ret;)"),
                      zeros),
            "divergent-barrier");
  EXPECT_EQ(findingOf(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 7;
  @%p0 bra A;
  bar.sync 0;
  bra B;
A:
  bar.sync 0;
B:
  ret;)"),
                      zeros),
            "divergent-barrier");
}

TEST(NamedBarrier, MisuseIsFound) {
  // "bar.arrive followed by any other barrier{.cta} instruction to the same
  // barrier"
  EXPECT_EQ(findingOf(kernelPTX("bar.arrive 0, 64; bar.sync 0, 64; ret;"),
                      zeros, threads(64)),
            "barrier-twice");
  // "the value must be a multiple of the warp size"
  EXPECT_EQ(findingOf(kernelPTX("bar.sync 0, 48; ret;"), zeros, threads(64)),
            "barrier-count");
  EXPECT_EQ(findingOf(kernelPTX("bar.sync 0, 96; ret;"), zeros, threads(64)),
            "barrier-count");
  // "Each CTA instance has sixteen barriers numbered 0..15."
  EXPECT_EQ(findingOf(kernelPTX("mov.u32 %r0, 16; bar.sync %r0; ret;"), zeros),
            "barrier-number");
  // "a non-zero thread count is required for barrier{.cta}.arrive"
  EXPECT_EQ(
      findingOf(kernelPTX("mov.u32 %r0, 0; bar.arrive 0, %r0; ret;"), zeros),
      "barrier-count");
  // two counts in one phase
  EXPECT_EQ(findingOf(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 32;
  @%p0 bra A;
  bar.sync 0, 64;
  ret;
A:
  bar.sync 0, 96;
  ret;)"),
                      zeros, threads(96)),
            "barrier-count");
  // "barrier{.cta}.red should not be intermixed with barrier{.cta}.sync"
  EXPECT_EQ(findingOf(kernelPTX(R"(
  setp.lt.u32 %p0, %t, 32;
  @%p0 bra A;
  bar.sync 0, 64;
  ret;
A:
  bar.red.popc.u32 %r0, 0, 64, %p0;
  ret;)"),
                      zeros, threads(64)),
            "barrier-mixed");
  // lanes with different numbers
  EXPECT_EQ(
      findingOf(kernelPTX("and.b32 %r0, %t, 1; bar.sync %r0; ret;"), zeros),
      "divergent-barrier");
}

// A count that the kernel gives counts warps that have exited, too.
TEST(NamedBarrier, WaitingForAWarpThatHasExitedIsADeadlock) {
  try {
    runPTX(kernelPTX(R"(
  setp.ge.u32 %p0, %t, 64;
  @%p0 bra END;
  bar.sync 2, 96;
END:
  ret;)"),
           zeros, threads(96));
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_EQ(finding.rule, "deadlock");
    const std::string what = finding.what();
    EXPECT_NE(what.find("warp 0 lanes 0xffffffff waits at line"),
              std::string::npos)
        << what;
    EXPECT_NE(what.find("barrier 2 has 64 threads of 96, of warps 0 1"),
              std::string::npos)
        << what;
  }
}

TEST(NamedBarrier, UnknownFormsAreRefused) {
  for (const char *wrong :
       {"bar.sync;", "bar.arrive 0;", "bar.sync 0, 32, 1;", "bar.wait 0;",
        "bar.sync.aligned 0;", "bar.red.xor.pred %p0, 0, %p1;",
        "bar.red.popc.pred %p0, 0, %p1;", "bar.red.and.pred %p0, 0;",
        "barrier.sync.arrive 0, 32;"}) {
    EXPECT_THROW(runPTX(kernelPTX(std::string(wrong) + " ret;"), zeros),
                 Refusal)
        << wrong;
  }
}

} // namespace
