// Which findings are warnings, and what is beside them and is none: README.md,
// "Severity". Kernels of CUTLASS and CuTe do what the first tests do.
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/OneKernel.h"
#include "Support/Warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

class Warning : public testing::Test {
protected:
  void SetUp() override { startChecking(); }
  void TearDown() override { setObserver(ObserverKind::checker, nullptr); }

  /// Runs one warpgroup.
  static Ending run(const std::string &body, Asynchrony asynchrony,
                    bool isStrict, Extent grid = {}, int hostThreads = 1) {
    std::vector<uint32_t> in(1024);
    for (size_t i = 0; i < in.size(); ++i) { // pairs of bf16 near 1
      in[i] = 0x3f803f80 + static_cast<uint32_t>(i % 37 << 16 | i % 29);
    }
    return endingOf(body, in, 1024,
                    {.grid = grid,
                     .block = {128, 1, 1},
                     .asynchrony = asynchrony,
                     .threads = hostThreads,
                     .isStrict = isStrict});
  }

  /// The body has one warning of this rule, or an error of it in strict mode.
  static void expectWarning(const std::string &body, const std::string &rule) {
    for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
      SCOPED_TRACE(body);
      const Ending lenient = run(body, asynchrony, false);
      EXPECT_EQ(lenient.error, "");
      EXPECT_THAT(lenient.warnings, ElementsAre(rule));
      const Ending strict = run(body, asynchrony, true);
      EXPECT_EQ(strict.error, rule);
      EXPECT_THAT(strict.warnings, IsEmpty());
    }
  }
  /// It has an error of this rule in either mode.
  static void expectError(const std::string &body,
                          const testing::Matcher<std::string> &rule) {
    for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
      for (bool isStrict : {false, true}) {
        SCOPED_TRACE(body);
        const Ending ending = run(body, asynchrony, isStrict);
        EXPECT_THAT(ending.error, rule);
      }
    }
  }
  static void expectNothing(const std::string &body) {
    for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
      SCOPED_TRACE(body);
      const Ending ending = run(body, asynchrony, true);
      EXPECT_EQ(ending.error, "");
      EXPECT_THAT(ending.warnings, IsEmpty());
    }
  }
};

/// %r1: this thread's first 16 bytes of `sv`, which has 4096; %l1: those of
/// `in`. The other 16 are 2048 bytes further.
const std::string places =
    "mov.u32 %r0, sv; shl.b32 %r1, %lane, 4; add.u32 %r1, %r0, %r1;"
    "mul.wide.u32 %l1, %lane, 16; add.s64 %l1, %in, %l1;"
    "setp.eq.u32 %p1, %lane, 0;";
const std::string fence = "fence.proxy.async.shared::cta;";
const std::string meet = "bar.sync 0;";

/// Both halves of this thread, by 16 bytes.
std::string copies(const std::string &cached) {
  const std::string copy = "cp.async." + cached + ".shared.global ";
  return copy + "[%r1], [%l1], 16;" + copy + "[%r1 + 2048], [%l1 + 2048], 16;";
}
const std::string waited = "cp.async.commit_group; cp.async.wait_group 0;";

/// D = A * B of what lies in `sv`, without swizzling: A at its begin, B 2048
/// bytes further.
const std::string multiply = R"(
shr.u32 %r4, %r0, 4; cvt.u64.u32 %l0, %r4;
mov.b64 %l2, 0x0000000800400000; or.b64 %l2, %l2, %l0;
mov.b64 %l3, 0x0000000800080000; add.s64 %l0, %l0, 128; or.b64 %l3, %l3, %l0;
mov.b32 %f0, 0f00000000; mov.b32 %f1, %f0; mov.b32 %f2, %f0; mov.b32 %f3, %f0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %l2, %l3, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
)";
const std::string store = "mul.wide.u32 %l0, %lane, 16; add.s64 %l0, %out, %l0;"
                          "st.global.v4.f32 [%l0], {%f0, %f1, %f2, %f3};";

const std::string halves =
    "cp.async.ca.shared.global [%r1], [%l1], 8;"
    "cp.async.ca.shared.global [%r1 + 8], [%l1 + 8], 8;"
    "cp.async.ca.shared.global [%r1 + 2048], [%l1 + 2048], 4;"
    "cp.async.ca.shared.global [%r1 + 2052], [%l1 + 2052], 4;"
    "cp.async.ca.shared.global [%r1 + 2056], [%l1 + 2056], 8;";

/// Copies that an mbarrier waits for.
const std::string tracked = R"(
.shared .align 8 .b64 full;
@%p1 mbarrier.init.shared::cta.b64 [full], 128;
bar.sync 0;
)";
const std::string arrive =
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [full];";
const std::string untilFull = R"(
UNTIL: mbarrier.try_wait.parity.shared::cta.b64 %p2, [full], 0; @!%p2 bra UNTIL;
)";

} // namespace

// -- No proxy fence between cp.async and wgmma

TEST_F(Warning, matmulsOfCopiesNeedAFenceByTheTextAlone) {
  const std::string forms[] = {
      copies("cg") + waited + meet,
      copies("ca") + waited + meet,
      copies("cg") + "cp.async.wait_all;" + meet,
      // The newest group need not be done.
      copies("cg") + "cp.async.commit_group;" + "cp.async.commit_group;" +
          "cp.async.wait_group 1;" + meet,
      tracked + copies("cg") + arrive + untilFull,
  };
  for (const std::string &form : forms) {
    const std::string begin = places + form;
    expectWarning(begin + multiply + store, "missing-proxy-fence");
    expectNothing(places + form + fence + meet + multiply + store);
    for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
      EXPECT_EQ(
          run(begin + multiply + store, asynchrony, false).out,
          run(begin + fence + meet + multiply + store, asynchrony, true).out)
          << form;
    }
  }
}

TEST_F(Warning, eachStatementThatWroteIsOne) {
  for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
    const Ending ending =
        run(places + halves + waited + meet + multiply + multiply, asynchrony,
            false);
    EXPECT_EQ(ending.error, "");
    // Five statements, in pairs of lines: both are on one line here, and so are
    // the two wgmma.
    EXPECT_FALSE(ending.warnings.empty());
    EXPECT_THAT(ending.warnings, testing::Each("missing-proxy-fence"));
  }
}

TEST_F(Warning, storesBeforeMatmulsAreErrors) {
  const std::string stores =
      places + "st.shared.v4.b32 [%r1], {%r1, %r1, %r1, %r1};"
               "st.shared.v4.b32 [%r1 + 2048], {%r1, %r1, %r1, %r1};";
  expectError(stores + meet + multiply + store, "missing-proxy-fence");
  expectNothing(stores + fence + meet + multiply + store);
  // The fence is needed for a copy that a thread has changed, too.
  expectError(places + copies("cg") + waited +
                  "st.shared.b32 [%r1 + 2048], 0x3f803f80;" + meet + multiply +
                  store,
              "missing-proxy-fence");
}

TEST_F(Warning, bulkStoresOfCopiesAreErrors) {
  const std::string bulk =
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 256;"
      "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;";
  expectError(places + copies("cg") + waited + meet + bulk,
              "missing-proxy-fence");
  expectNothing(places + copies("cg") + waited + fence + meet + bulk);
}

TEST_F(Warning, aMissingWaitIsAnError) {
  expectError(places + copies("cg") + "cp.async.commit_group;" + meet +
                  multiply + store + "cp.async.wait_all;",
              testing::AnyOf("race", "missing-wait"));
}

// -- Exit with a cp.async in flight

TEST_F(Warning, blocksMayEndBeforeCopiesDo) {
  const std::string ends[] = {
      "",
      "cp.async.commit_group;",
      "cp.async.commit_group; cp.async.wait_group 1;",
      "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 2;",
      "cp.async.wait_group 0;",            // no group was committed
      "@!%p1 ret; cp.async.commit_group;", // most threads end at once
  };
  for (const char *cached : {"cg", "ca"}) {
    for (const std::string &end : ends) {
      expectWarning(places + copies(cached) + end, "copy-in-flight-at-exit");
    }
    expectNothing(places + copies(cached) + waited);
  }
  expectWarning(places + halves, "copy-in-flight-at-exit");
}

TEST_F(Warning, whatCameBeforeTheExitIsDone) {
  const std::string body = places + copies("cg") + waited +
                           "ld.shared.u32 %r6, [%r1]; st.global.u32 [%outl], "
                           "%r6;" +
                           copies("ca");
  for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
    const Ending ending = run(body, asynchrony, false);
    EXPECT_EQ(ending.error, "");
    EXPECT_THAT(ending.warnings, ElementsAre("copy-in-flight-at-exit"));
    for (size_t lane = 0; lane < 128; ++lane) {
      EXPECT_EQ(ending.out[lane],
                0x3f803f80 + (4 * lane % 37 << 16) + 4 * lane % 29)
          << lane;
    }
  }
}

/// An mbarrier will be told of the copy, and nobody waits for it. Early, the
/// copy has ended by then.
TEST_F(Warning, copiesThatAnMbarrierTracksMayBeInFlight) {
  const std::string body = places + tracked + copies("cg") + arrive;
  Ending ending = run(body, Asynchrony::late, false);
  EXPECT_EQ(ending.error, "");
  EXPECT_THAT(ending.warnings, ElementsAre("copy-in-flight-at-exit"));
  EXPECT_EQ(run(body, Asynchrony::late, true).error, "copy-in-flight-at-exit");
  expectNothing(body + untilFull);
}

TEST_F(Warning, bulkCopiesInFlightAreErrors) {
  const std::string load =
      places + ".shared .align 8 .b64 full;\n"
               "@%p1 mbarrier.init.shared::cta.b64 [full], 1;"
               "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;"
               "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
               "::bytes [%r0], [%in], 256, [full];";
  for (bool isStrict : {false, true}) {
    const Ending ending = run(load, Asynchrony::late, isStrict);
    EXPECT_EQ(ending.error, "copy-in-flight-at-exit");
  }
  const std::string bulkStore =
      places + copies("cg") + waited + fence + meet +
      "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0], 256;"
      "@%p1 cp.async.bulk.commit_group;";
  expectError(bulkStore, "copy-in-flight-at-exit");
}

// -- Reports

TEST_F(Warning, reportsAreOfTheFirstBlockForAnyNumberOfThreads) {
  const std::string body = places +
                           "mov.u32 %r9, %ctaid.x;"
                           "setp.lt.u32 %p4, %r9, 40; @%p4 ret;" +
                           copies("cg");
  for (int threads : {1, 2, 4}) {
    PTXRunner runner(
        kernelAround(body, 90),
        {.grid = {64, 1, 1}, .block = {128, 1, 1}, .threads = threads});
    const std::vector<uint32_t> zeros(1024);
    runner.run("k",
               parameterBytes({runner.buffer(zeros), runner.buffer(zeros)}));
    ASSERT_EQ(runner.device.warnings.size(), 1u) << threads;
    const Finding &warning = runner.device.warnings[0];
    EXPECT_THAT(warning.place.block, ElementsAre(40, 0, 0)) << threads;
    EXPECT_THAT(describeWarning(warning),
                testing::StartsWith("warning: copy-in-flight-at-exit: "));
  }
}

TEST(Warnings, whatComesAfterAnErrorIsNotTold) {
  Warnings warnings(false);
  auto at = [](int line) {
    Place place;
    place.line = line;
    return Finding("rule", "what", place);
  };
  warnings.add(7, at(1));
  warnings.add(3, at(1)); // the same statement in an earlier cluster
  warnings.add(9, at(2));
  warnings.dropAfter(5);
  const std::vector<Finding> taken = warnings.take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].place.line, 1);
  warnings.add(1, at(1));
  EXPECT_THAT(warnings.take(), IsEmpty()) << "it was told";
  EXPECT_THROW(Warnings(true).add(0, at(1)), Finding);
}
