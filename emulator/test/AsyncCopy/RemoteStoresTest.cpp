//===- RemoteStoresTest.cpp - st.async and red.async ----------------------===//
#include "RunCopy.h"

#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/Error.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// Each block has the barrier b0 of `bytes` bytes. %r2 is the own word of lane
/// %r0 in s, %r5 the peer's, %r6 the peer's barrier, %r10 and %r11 s and b0 as
/// the peer has them.
std::string begin(int bytes) {
  return R"(
    setp.eq.u32 %p0, %r0, 0;
    mov.u32 %r3, s;
    mad.lo.u32 %r2, %r0, 4, %r3;
    st.shared.u32 [%r2], 1000;
    @%p0 mbarrier.init.shared::cta.b64 [b0], 1;
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], )" +
         std::to_string(bytes) + R"(;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    xor.b32 %r4, %r1, 1;
    mov.u32 %r12, b0;
    mapa.shared::cluster.u32 %r5, %r2, %r4;
    mapa.shared::cluster.u32 %r6, %r12, %r4;
    mapa.shared::cluster.u32 %r10, %r3, %r4;
    mad.lo.u32 %r7, %r1, 100, %r0;
)";
}
/// Writes the own word to out, by block and lane.
const std::string end = R"(
  ld.shared.u32 %r8, [%r2];
  mad.lo.u32 %r9, %r1, 32, %r0;
  mad.wide.u32 %d5, %r9, 4, %d1;
  st.global.u32 [%d5], %r8;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";
const std::string mechanism = ".mbarrier::complete_tx::bytes";

/// Runs `act` in both modes, with and without the checks of order.
template <typename F> void inPairs(F act) {
  for (bool isChecked : {false, true}) {
    SCOPED_TRACE(isChecked ? "checked" : "unchecked");
    if (isChecked) {
      startChecking();
    }
    inBothModes([&](Trial &run) {
      run.blocks = run.cluster = 2;
      act(run);
    });
    setObserver(ObserverKind::checker, nullptr);
  }
}

// PTX ISA, "st.async": "complete-tx operation, with completeCount argument
// equal to amount of data stored in bytes"
TEST(RemoteStores, reachThePeerAndSignalItsBarrier) {
  for (const char *space :
       {".weak.cluster.shared::cluster", ".shared::cluster", ""}) {
    // Without a space the addresses are generic.
    const std::string generic = *space ? "" : R"(
      cvta.shared.u64 %d6, %d16; cvta.shared.u64 %d7, %d17;)";
    const std::string wide =
        "cvt.u64.u32 %d16, %r5; cvt.u64.u32 %d17, %r6;" + generic;
    const std::string operands =
        *space ? " [%r5], %r7, [%r6];" : " [%d6], %r7, [%d7];";
    inPairs([&](Trial &run) {
      run(begin(128) + wide + "st.async" + space + mechanism + ".u32" +
          operands + wait0 + end);
      ASSERT_EQ(run.rule, "") << run.what;
      for (uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(run.at<uint32_t>(i), (i < 32 ? 100 : 0) + i % 32) << i;
      }
    });
  }
}

TEST(RemoteStores, mayBeVectors) {
  inPairs([&](Trial &run) {
    run(begin(128) + R"(
      setp.lt.u32 %p2, %r0, 8;
      mad.lo.u32 %r13, %r0, 16, %r10;
      add.u32 %r14, %r7, 10; add.u32 %r15, %r7, 20; add.u32 %r16, %r7, 30;
      @%p2 st.async.shared::cluster)" +
        mechanism + ".v4.b32 [%r13], {%r7, %r14, %r15, %r16}, [%r6];" + wait0 +
        end);
    ASSERT_EQ(run.rule, "") << run.what;
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(run.at<uint32_t>(i),
                (i < 32 ? 100 : 0) + i % 32 / 4 + i % 4 * 10)
          << i;
    }
  });
}

// PTX ISA, "red.async"
TEST(RemoteStores, reductionsOfAllLanesAdd) {
  inPairs([&](Trial &run) {
    run(begin(128) + "red.async.relaxed.cluster.shared::cluster" + mechanism +
        ".add.u32 [%r10], %r7, [%r6];" + wait0 + end);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(0), 1000u + 32 * 100 + 496);
    EXPECT_EQ(run.at<uint32_t>(32), 1000u + 496);
    EXPECT_EQ(run.at<uint32_t>(1), 1000u);
  });
}

TEST(RemoteStores, reductionsHaveTheOperationsOfTheISA) {
  struct Case {
    const char *operation;
    uint32_t operand, result;
  };
  const Case cases[] = {{"inc.u32", 1000, 0},
                        {"inc.u32", 1001, 1001},
                        {"dec.u32", 5, 5},
                        {"dec.u32", 2000, 999},
                        {"min.u32", 7, 7},
                        {"min.s32", 0xffffffff, 0xffffffff},
                        {"min.u32", 0xffffffff, 1000},
                        {"max.s32", 0xffffffff, 1000},
                        {"max.u32", 0xffffffff, 0xffffffff},
                        {"and.b32", 0xf0, 1000 & 0xf0},
                        {"or.b32", 0xf, 1000 | 0xf},
                        {"xor.b32", 0xff, 1000 ^ 0xff},
                        {"add.s32", 0xffffffff, 999}};
  for (const Case &one : cases) {
    SCOPED_TRACE(one.operation);
    inBothModes([&](Trial &run) {
      run.blocks = run.cluster = 2;
      run(begin(128) + "red.async.relaxed.cluster.shared::cluster" + mechanism +
          "." + one.operation + " [%r5], " + std::to_string(one.operand) +
          ", [%r6];" + wait0 + end);
      ASSERT_EQ(run.rule, "") << run.what;
      EXPECT_EQ(run.at<uint32_t>(3), one.result);
    });
  }
}

TEST(RemoteStores, reductionsOf64BitsCountEightBytes) {
  inPairs([&](Trial &run) {
    run(begin(8) +
        "mov.b64 %d9, 0x300000000;\n"
        "@%p0 red.async.relaxed.cluster.shared::cluster" +
        mechanism + ".add.u64 [%r10], %d9, [%r6];" + wait0 + end);
    ASSERT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.at<uint32_t>(0), 1000u);
    EXPECT_EQ(run.at<uint32_t>(1), 1003u);
  });
}

TEST(RemoteStores, mustBeWaitedFor) {
  for (const std::string &instruction :
       std::vector<std::string>{"st.async.shared::cluster" + mechanism + ".u32",
                                "red.async.relaxed.cluster.shared::cluster" +
                                    mechanism + ".add.u32"}) {
    Trial run;
    run.blocks = run.cluster = 2;
    run(begin(128) + instruction + " [%r5], %r7, [%r6];" +
        "barrier.cluster.arrive; barrier.cluster.wait;" + end);
    EXPECT_EQ(run.rule, "missing-wait");
    // Bytes that nobody expected end no phase.
    run(begin(124) + instruction + " [%r5], %r7, [%r6];" + wait0 + end);
    EXPECT_NE(run.rule, "");
  }
}

// "they belong to the same CTA", which "is different from the CTA of the
// executing thread"
TEST(RemoteStores, goToTheBlockOfTheBarrierWhichIsAnother) {
  const std::string instruction = "st.async.shared::cluster" + mechanism;
  inBothModes([&](Trial &run) {
    run.blocks = run.cluster = 2;
    run(begin(128) + instruction + ".u32 [%r2], %r7, [%r12];" + end);
    EXPECT_EQ(run.rule, "wrong-space");
    run(begin(128) + instruction + ".u32 [%r5], %r7, [%r12];" + end);
    EXPECT_EQ(run.rule, "wrong-space");
    run(begin(128) + instruction + ".u32 [%r5+2], %r7, [%r6];" + end);
    EXPECT_EQ(run.rule, "misaligned-address");
    run(begin(128) + instruction + ".u32 [%r5], %r7, [%r10];" + end);
    EXPECT_EQ(run.rule, "no-barrier");
    run(begin(128) + instruction + ".u32 [%r6], %r7, [%r6];" + end);
    EXPECT_EQ(run.rule, "barrier-overlap");
  });
}

TEST(RemoteStores, reductionsNeedAValue) {
  inBothModes([&](Trial &run) {
    run.blocks = run.cluster = 2;
    run(begin(128) + "red.async.relaxed.cluster.shared::cluster" + mechanism +
        ".add.u32 [%r10+4096], %r7, [%r6];" + wait0 + end);
    EXPECT_EQ(run.rule, "uninitialised-read");
  });
}

TEST(RemoteStores, formsThatAreNotThereAreRefused) {
  refused("st.async.release.gpu.global.u32 [%d1], %r7;",
          ".release requires sm_100");
  refused("st.async.shared::cluster.mbarrier::complete_tx::bytes.b16 [%r5], "
          "%r7, [%r6];",
          "b16");
  refused("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r5], "
          "{%d1, %d1, %d1, %d1}, [%r6];",
          "128 bits");
  refused("red.async.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
          "[%r5], %r7, [%r6];",
          "relaxed");
  refused("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
          "bytes.add.b32 [%r5], %r7, [%r6];",
          "there is no .add.b32");
}

} // namespace
