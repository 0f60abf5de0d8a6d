//===- MBarrierTest.cpp - mbarrier instructions ---------------------------===//
#include "RunCopy.h"

#include "Support/Error.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// Thread 0 initialises b0 with `count`; then all go on.
std::string initFor(int count) {
  return "setp.eq.u32 %p0, %r0, 0;\n"
         "@%p0 mbarrier.init.shared::cta.b64 [b0], " +
         std::to_string(count) +
         ";\n"
         "bar.sync 0;\n";
}

const char *storeResult = "mul.wide.u32 %d9, %r0, 4;\n"
                          "add.u64 %d9, %d1, %d9;\n"
                          "st.global.u32 [%d9], %r9;\n";

void finds(const std::string &body, const std::string &rule) {
  inBothModes([&](Trial &run) {
    run.threads = 1;
    run(body);
    EXPECT_EQ(run.rule, rule) << run.what << "\n" << body;
  });
}

} // namespace

// PTX ISA, "mbarrier.test_wait / mbarrier.try_wait", example 1
TEST(MBarrier, threadsMeetByState) {
  inBothModes([](Trial &run) {
    run.threads = 128;
    run(initFor(128) + R"(
      mul.lo.u32 %r2, %r0, 4;
      mov.u32 %r3, s;
      add.u32 %r3, %r3, %r2;
      st.shared.u32 [%r3], %r0;
      mbarrier.arrive.shared::cta.b64 %d5, [b0];
    wait:
      mbarrier.test_wait.shared::cta.b64 %p1, [b0], %d5;
      @!%p1 bra wait;
      xor.b32 %r4, %r2, 508;
      mov.u32 %r3, s;
      add.u32 %r3, %r3, %r4;
      ld.shared.u32 %r9, [%r3];
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
    for (uint32_t i = 0; i < 128; ++i) {
      EXPECT_EQ(run.at<uint32_t>(i), 127 - i);
    }
  });
}

// PTX ISA, the same section, example 2: one phase per iteration
TEST(MBarrier, parityFollowsThePhase) {
  inBothModes([](Trial &run) {
    run.threads = 64;
    run(initFor(64) + R"(
      mov.u32 %r2, 0;
      mov.u32 %r9, 0;
    loop:
      mbarrier.arrive.shared::cta.b64 _, [b0];
      and.b32 %r3, %r2, 1;
    wait:
      mbarrier.try_wait.parity.shared::cta.b64 %p1, [b0], %r3, 1000;
      @!%p1 bra wait;
      add.u32 %r9, %r9, 3;
      add.u32 %r2, %r2, 1;
      setp.lt.u32 %p2, %r2, 9;
      @%p2 bra loop;
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(63), 27u);
  });
}

// PTX ISA, the same section: the current phase gives False, the immediately
// preceding one True; before phase 0 lies one of parity 1.
TEST(MBarrier, testsSayWhatHasEnded) {
  inBothModes([](Trial &run) {
    run.threads = 1;
    run(initFor(1) + R"(
      mov.u32 %r9, 0;
      mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 0;
      @%p1 or.b32 %r9, %r9, 1;
      mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 1;
      @%p1 or.b32 %r9, %r9, 2;
      mbarrier.arrive.shared::cta.b64 %d5, [b0];
      mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 0;
      @%p1 or.b32 %r9, %r9, 4;
      mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 1;
      @%p1 or.b32 %r9, %r9, 8;
      mbarrier.test_wait.shared::cta.b64 %p1, [b0], %d5;
      @%p1 or.b32 %r9, %r9, 16;
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(0), 2u + 4 + 16);
  });
}

// PTX ISA, "mbarrier.arrive": count, noComplete; "mbarrier.pending_count"
TEST(MBarrier, countsAndPendingCounts) {
  inBothModes([](Trial &run) {
    run.threads = 1;
    run(initFor(7) + R"(
      mbarrier.arrive.noComplete.shared::cta.b64 %d5, [b0], 2;
      mbarrier.pending_count.b64 %r3, %d5;
      mbarrier.arrive.noComplete.shared::cta.b64 %d5, [b0], 1;
      mbarrier.pending_count.b64 %r4, %d5;
      mbarrier.arrive.shared::cta.b64 %d6, [b0], 4;
      mbarrier.test_wait.shared::cta.b64 %p1, [b0], %d6;
      selp.u32 %r5, 100, 0, %p1;
      mad.lo.u32 %r9, %r3, 10, %r4;
      add.u32 %r9, %r9, %r5;
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(0), 175u);
  });
}

// PTX ISA, "mbarrier.arrive_drop": later phases expect fewer
TEST(MBarrier, dropped) {
  inBothModes([](Trial &run) {
    run.threads = 64;
    run(initFor(64) + R"(
      mov.u32 %r9, 5;
      setp.ge.u32 %p3, %r0, 32;
      @%p3 mbarrier.arrive_drop.shared::cta.b64 _, [b0];
      @%p3 bra done;
      mbarrier.arrive.shared::cta.b64 _, [b0];
    wait:
      mbarrier.try_wait.parity.shared::cta.b64 %p1, [b0], 0;
      @!%p1 bra wait;
      mbarrier.arrive.shared::cta.b64 _, [b0];
    again:
      mbarrier.try_wait.parity.shared::cta.b64 %p1, [b0], 1;
      @!%p1 bra again;
    done:
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
  });
}

// PTX ISA, "expect-tx operation" and "complete-tx operation"
TEST(MBarrier, transactionsAreAwaited) {
  inBothModes([](Trial &run) {
    run.threads = 64;
    run(initFor(1) + R"(
      mov.u32 %r9, 3;
      @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 48;
      setp.eq.u32 %p2, %r0, 32;
      @%p2 mbarrier.complete_tx.shared::cta.b64 [b0], 16;
      @%p2 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [b0], 32;
      @%p2 mbarrier.complete_tx.shared::cta.b64 [b0], 64;
    wait:
      mbarrier.try_wait.parity.shared::cta.b64 %p1, [b0], 0;
      @!%p1 bra wait;
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
  });
}

// PTX ISA, "mbarrier.test_wait / mbarrier.try_wait", example 4: blocks of a
// cluster arrive at block 0's barrier.
TEST(MBarrier, remoteArrivals) {
  for (uint32_t blocks : {2u, 8u}) {
    inBothModes([&](Trial &run) {
      run.blocks = run.cluster = blocks;
      run(R"(
        setp.eq.u32 %p0, %r0, 0;
        mov.u32 %r2, %cluster_nctarank;
        mul.lo.u32 %r2, %r2, 32;
        @%p0 mbarrier.init.shared::cta.b64 [b0], %r2;
        fence.mbarrier_init.release.cluster;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        mov.u32 %r3, b0;
        mapa.shared::cluster.u32 %r4, %r3, 0;
        and.b32 %r5, %r0, 1;
        setp.eq.u32 %p2, %r5, 0;
        @%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
        mov.u64 %d3, b0;
        cvta.shared.u64 %d4, %d3;
        mapa.u64 %d5, %d4, 0;
        @!%p2 mbarrier.arrive.release.cluster.b64 _, [%d5];
        mov.u32 %r9, 11;
        setp.ne.u32 %p3, %r1, 0;
        @%p3 bra done;
      wait:
        mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [b0], 0;
        @!%p1 bra wait;
      done:
        barrier.cluster.arrive;
        barrier.cluster.wait;
      )" + std::string(storeResult));
      ASSERT_EQ(run.rule, "") << run.what;
      EXPECT_EQ(run.at<uint32_t>(0), 11u);
    });
  }
}

// PTX ISA, "mbarrier.init" and "mbarrier.inval": its memory can be used again
TEST(MBarrier, invalidatedMemoryIsOrdinary) {
  inBothModes([](Trial &run) {
    run.threads = 1;
    run(initFor(1) + R"(
      mbarrier.inval.shared::cta.b64 [b0];
      mov.u32 %r8, 77;
      st.shared.u32 [b0], %r8;
      ld.shared.u32 %r9, [b0];
      mbarrier.init.shared::cta.b64 [b0], 2;
      mbarrier.arrive.shared::cta.b64 _, [b0], 2;
      mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 0;
      selp.u32 %r7, 1, 0, %p1;
      add.u32 %r9, %r9, %r7;
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(0), 78u);
  });
}

// Undefined behaviour of the same sections
TEST(MBarrier, misuseIsFound) {
  // "mbarrier.init": of a valid mbarrier object
  finds(initFor(1) + "@%p0 mbarrier.init.shared::cta.b64 [b0], 1;",
        "barrier-reinitialised");
  // "mbarrier.inval": an operation on no valid object
  finds("mbarrier.arrive.shared::cta.b64 _, [b0];", "no-barrier");
  finds(initFor(1) + "@%p0 mbarrier.inval.shared::cta.b64 [b0];\n"
                     "@%p0 mbarrier.arrive.shared::cta.b64 _, [b0];",
        "no-barrier");
  finds(initFor(1) + "mov.u32 %r2, s; "
                     "@%p0 mbarrier.arrive.shared::cta.b64 _, [%r2 + 8];",
        "no-barrier");
  // "Size and alignment of mbarrier object"
  finds("mov.u32 %r2, s; mbarrier.init.shared::cta.b64 [%r2 + 4], 1;",
        "misaligned-address");
  finds("mov.u32 %r2, 0x100000; mbarrier.init.shared::cta.b64 [%r2], 1;",
        "out-of-bounds");
  // "Contents of the mbarrier object"
  finds("mov.u32 %r2, 0; mbarrier.init.shared::cta.b64 [b0], %r2;",
        "barrier-count");
  finds(initFor(1) + "mov.u32 %r2, 0x100000; @%p0 "
                     "mbarrier.expect_tx.shared::cta.b64 [b0], %r2;",
        "barrier-count");
  // More arrivals than expected: phase 0 cannot take them all.
  finds(initFor(2) + "@%p0 mbarrier.arrive.shared::cta.b64 _, [b0], 3;",
        "over-arrival");
  // "mbarrier.arrive": .noComplete must not complete
  finds(initFor(2) +
            "@%p0 mbarrier.arrive.noComplete.shared::cta.b64 _, [b0], 2;",
        "barrier-completed");
  // "Phase of the mbarrier object": a wait sees each phase end
  finds(initFor(1) + "@%p0 mbarrier.arrive.shared::cta.b64 _, [b0];\n"
                     "@%p0 mbarrier.arrive.shared::cta.b64 _, [b0];",
        "phase-not-seen");
  // "mbarrier.test_wait": the state is of the current or the preceding phase
  finds(initFor(1) + R"(
    mbarrier.arrive.shared::cta.b64 %d5, [b0];
    mbarrier.test_wait.shared::cta.b64 %p1, [b0], %d5;
    mbarrier.arrive.shared::cta.b64 %d6, [b0];
    mbarrier.test_wait.shared::cta.b64 %p1, [b0], %d5;
  )",
        "stale-phase");
  // of the same object
  finds(initFor(1) + R"(
    @%p0 mbarrier.init.shared::cta.b64 [b1], 1;
    @%p0 mbarrier.arrive.shared::cta.b64 %d5, [b0];
    @%p0 mbarrier.test_wait.shared::cta.b64 %p1, [b1], %d5;
  )",
        "wrong-state");
  // "mbarrier.pending_count": of an arrival with .noComplete
  finds(initFor(1) + "@%p0 mbarrier.arrive.shared::cta.b64 %d5, [b0];\n"
                     "@%p0 mbarrier.pending_count.b64 %r2, %d5;",
        "wrong-state");
  // Other accesses to a valid object
  finds(initFor(1) + "mov.u32 %r2, 5; st.shared.u32 [b0], %r2;",
        "barrier-overlap");
  // A generic address that is not shared
  finds("mbarrier.init.b64 [%d0], 1;", "wrong-space");
}

// Compilers give a parity with all bits set for 1; GPUs take its lowest bit.
TEST(MBarrier, parityIsTheLowestBit) {
  inBothModes([](Trial &run) {
    run.threads = 1;
    run(initFor(1) + R"(
      mov.u32 %r2, -1;
      mov.u32 %r3, 2;
      mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], %r2;
      mbarrier.test_wait.parity.shared::cta.b64 %p2, [b0], %r3;
      selp.u32 %r9, 1, 0, %p1;
      @%p2 add.u32 %r9, %r9, 2;
    )" + storeResult);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(0), 1u);
  });
}

// PTX ISA, "mbarrier.test_wait": a parity of two phases ago is that of the
// current one, which nobody ends.
TEST(MBarrier, parityTwoPhasesOldIsADeadlock) {
  finds(initFor(1) + R"(
    mbarrier.arrive.shared::cta.b64 _, [b0];
    mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 0;
    mbarrier.arrive.shared::cta.b64 _, [b0];
    mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 1;
  wait:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [b0], 0;
    @!%p1 bra wait;
  )",
        "deadlock");
}

TEST(MBarrier, formsThatTheIsaDoesNotHaveAreRefused) {
  refused("mbarrier.arrive.shared::cta.b64 [b0];", "operands");
  refused("mbarrier.arrive.shared::cluster.b64 %d5, [b0];", "no state");
  refused("mbarrier.arrive.release.shared::cta.b64 _, [b0];", "together");
  refused("mbarrier.arrive.cluster.shared::cta.b64 _, [b0];", "together");
  refused("mbarrier.arrive.noComplete.shared::cta.b64 _, [b0];", "operands");
  refused("mbarrier.arrive.acquire.cta.shared::cta.b64 _, [b0];", "acquire");
  refused("mbarrier.test_wait.parity.shared::cluster.b64 %p1, [b0], 1;",
          "shared::cluster");
  refused("mbarrier.test_wait.parity.shared::cta.b64 %p1, [b0], 1, 5;",
          "operands");
  refused("mbarrier.try_wait.release.cta.shared::cta.b64 %p1, [b0], %d5;",
          "release");
  refused("mbarrier.init.shared::cluster.b64 [b0], 1;", "shared::cluster");
  refused("mbarrier.init.shared::cta [b0], 1;", "b64");
}
