//===- CpAsyncTest.cpp - cp.async ---------------------------------------===//
#include "RunCopy.h"

#include "Support/Error.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// %d3: this thread's 16 bytes of `in`, %r2: its place in s, %d4: in `out`.
const char *places = R"(
  mul.wide.u32 %d9, %r0, 16;
  add.u64 %d3, %d0, %d9;
  add.u64 %d4, %d1, %d9;
  mov.u32 %r2, s;
  mad.lo.u32 %r2, %r0, 16, %r2;
)";
const char *storeBack = R"(
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];
  st.global.v4.u32 [%d4], {%r4, %r5, %r6, %r7};
)";

std::string copyAndWait(const std::string &copies, const std::string &wait) {
  return places + copies + wait + storeBack;
}

} // namespace

// PTX ISA, "cp.async": sizes, cache operators and hints
TEST(AsyncCopy, formsCopyTheSame) {
  const char *forms[] = {
      "cp.async.cg.shared.global [%r2], [%d3], 16;",
      "cp.async.ca.shared::cta.global [%r2], [%d3], 16;",
      "cp.async.cg.shared.global.L2::128B [%r2], [%d3], 16, 16;",
      "mov.u64 %d8, 0; "
      "cp.async.ca.shared.global.L2::cache_hint.L2::64B [%r2], [%d3], 16, %d8;",
      "mov.u64 %d8, 0; setp.ne.u32 %p1, %r0, %r0;"
      "cp.async.ca.shared.global.L2::cache_hint [%r2], [%d3], 16, %p1, %d8;",
      "cp.async.ca.shared.global [%r2], [%d3], 8;"
      "cp.async.ca.shared.global [%r2 + 8], [%d3 + 8], 8;",
      "cp.async.ca.shared.global [%r2], [%d3], 4;"
      "cp.async.ca.shared.global [%r2 + 4], [%d3 + 4], 4, 4;"
      "cp.async.ca.shared.global [%r2 + 8], [%d3 + 8], 8;",
  };
  const char *waits[] = {
      "cp.async.wait_all;",
      "cp.async.commit_group; cp.async.wait_group 0;",
      "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1;",
  };
  for (const char *form : forms) {
    for (const char *wait : waits) {
      inBothModes([&](Trial &run) {
        run.threads = 64;
        run(copyAndWait(form, wait));
        ASSERT_EQ(run.rule, "") << run.what << form << wait;
        expectPattern(run, 1024);
      });
    }
  }
}

// PTX ISA, "Addresses as Operands". LLVM makes such sums of loops.
TEST(AsyncCopy, addressesOf32BitsWrapAround) {
  inBothModes([&](Trial &run) {
    run.threads = 64;
    run(copyAndWait("sub.u32 %r3, %r2, 16384;"
                    "cp.async.cg.shared.global [%r3 + 16384], [%d3], 16;",
                    "cp.async.wait_all;"));
    ASSERT_EQ(run.rule, "") << run.what;
    expectPattern(run, 1024);
  });
}

// PTX ISA, "cp.async": the remaining bytes are zeros; ignore-src gives zeros
TEST(AsyncCopy, missingBytesAreZeros) {
  inBothModes([](Trial &run) {
    run(copyAndWait("and.b32 %r3, %r0, 15;"
                    "cp.async.cg.shared.global [%r2], [%d3], 16, %r3;",
                    "cp.async.wait_all;"));
    ASSERT_EQ(run.rule, "") << run.what;
    for (size_t i = 0; i < 512; ++i) {
      bool isCopied = i % 16 < i / 16 % 16;
      ASSERT_EQ(run.out[i], isCopied ? Trial::pattern(i) : std::byte(0)) << i;
    }
    run(copyAndWait("and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0;"
                    "cp.async.ca.shared.global [%r2], [%d3], 16, !%p1;",
                    "cp.async.wait_all;"));
    ASSERT_EQ(run.rule, "") << run.what;
    for (size_t i = 0; i < 512; ++i) {
      bool isCopied = i / 16 % 2 == 0;
      ASSERT_EQ(run.out[i], isCopied ? Trial::pattern(i) : std::byte(0)) << i;
    }
  });
}

// A source that is not read may lie anywhere (PTX ISA, "cp.async": "the data
// from the source location should be ignored completely").
TEST(AsyncCopy, ignoredSourcesMayBeOutOfBounds) {
  inBothModes([](Trial &run) {
    run(copyAndWait("mov.u64 %d3, 0; mov.u32 %r3, 0;"
                    "cp.async.cg.shared.global [%r2], [%d3], 16, %r3;",
                    "cp.async.wait_all;"));
    EXPECT_EQ(run.rule, "") << run.what;
    run(copyAndWait("mov.u64 %d3, 0; mov.u32 %r3, 4;"
                    "cp.async.cg.shared.global [%r2], [%d3], 16, %r3;",
                    "cp.async.wait_all;"));
    EXPECT_EQ(run.rule, "out-of-bounds");
  });
}

// PTX ISA, "cp.async.wait_group": example, groups 1 and 2 are complete
TEST(AsyncCopy, newestGroupsMayBePending) {
  std::string body = places;
  body += "cp.async.ca.shared.global [%r2], [%d3], 4; cp.async.commit_group;"
          "cp.async.ca.shared.global [%r2 + 4], [%d3 + 4], 4;"
          "cp.async.commit_group;"
          "cp.async.ca.shared.global [%r2 + 8], [%d3 + 8], 8;"
          "cp.async.commit_group; cp.async.wait_group 1;";
  inBothModes([&](Trial &run) {
    run(body + "ld.shared.v2.u32 {%r4, %r5}, [%r2];"
               "st.global.v2.u32 [%d4], {%r4, %r5};"
               "cp.async.wait_group 0;");
    EXPECT_EQ(run.rule, "") << run.what;
    EXPECT_EQ(run.out[7], Trial::pattern(7));
  });
  Trial run;
  run(body + storeBack + "cp.async.wait_group 0;");
  EXPECT_EQ(run.rule, "missing-wait");
}

// PTX ISA, "cp.async.mbarrier.arrive": examples 1 and 2
TEST(AsyncCopy, barriersTrackCopies) {
  for (bool noinc : {false, true}) {
    inBothModes([&](Trial &run) {
      run.threads = 64;
      std::string count = noinc ? "128" : "64";
      std::string suffix = noinc ? ".noinc" : "";
      run(std::string(places) +
          "setp.eq.u32 %p0, %r0, 0;"
          "@%p0 mbarrier.init.shared.b64 [b0], " +
          count +
          "; bar.sync 0;"
          "cp.async.cg.shared.global [%r2], [%d3], 16;"
          "cp.async.mbarrier.arrive" +
          suffix +
          ".shared.b64 [b0];"
          "mbarrier.arrive.shared.b64 %d5, [b0];\n"
          "wait: mbarrier.test_wait.shared.b64 %p1, [b0], %d5;"
          "@!%p1 bra wait;"
          // another thread's copy
          "xor.b32 %r3, %r0, 33; mov.u32 %r2, s; mad.lo.u32 %r2, %r3, 16, %r2;"
          "mul.wide.u32 %d9, %r3, 16; add.u64 %d4, %d1, %d9;" +
          storeBack);
      ASSERT_EQ(run.rule, "") << run.what;
      expectPattern(run, 1024);
    });
  }
}

TEST(AsyncCopy, missingWaitsAreFound) {
  Trial run;
  const char *copy = "cp.async.cg.shared.global [%r2], [%d3], 16;";
  run(copyAndWait(copy, "cp.async.commit_group; cp.async.wait_group 1;"));
  EXPECT_EQ(run.rule, "missing-wait");
  run(copyAndWait(copy, "cp.async.wait_group 0;")); // no group was committed
  EXPECT_EQ(run.rule, "missing-wait");
  // "two or more cp.async operations within a cp.async-group copying data to
  // the same location results in undefined behavior"
  run(copyAndWait(std::string(copy) + copy, "cp.async.wait_all;"));
  EXPECT_EQ(run.rule, "missing-wait");
  inBothModes([&](Trial &run) {
    run(std::string(places) + copy);
    EXPECT_EQ(run.rule, "copy-in-flight-at-exit");
    run(std::string(places) + copy + "cp.async.commit_group;");
    EXPECT_EQ(run.rule, "copy-in-flight-at-exit");
  });
}

// PTX ISA, "Addresses as Operands" and "cp.async"
TEST(AsyncCopy, misuseIsFound) {
  inBothModes([](Trial &run) {
    run(copyAndWait("cp.async.cg.shared.global [%r2], [%d3 + 8], 16;",
                    "cp.async.wait_all;"));
    EXPECT_EQ(run.rule, "misaligned-address");
    run(copyAndWait("cp.async.cg.shared.global [%r2 + 4], [%d3], 16;",
                    "cp.async.wait_all;"));
    EXPECT_EQ(run.rule, "misaligned-address");
    run(copyAndWait("cp.async.cg.shared.global [%r2 + 32768], [%d3], 16;",
                    "cp.async.wait_all;"));
    EXPECT_EQ(run.rule, "out-of-bounds");
    run(copyAndWait("mov.u32 %r3, 17;"
                    "cp.async.cg.shared.global [%r2], [%d3], 16, %r3;",
                    "cp.async.wait_all;"));
    EXPECT_EQ(run.rule, "copy-size");
  });
}

TEST(AsyncCopy, formsThatTheIsaDoesNotHaveAreRefused) {
  refused("cp.async.cg.shared.global [%r2], [%d3], 8;", "cp-size");
  refused("cp.async.ca.shared.global [%r2], [%d3], 12;", "cp-size");
  refused("cp.async.shared.global [%r2], [%d3], 16;", ".ca");
  refused("cp.async.ca.shared::cluster.global [%r2], [%d3], 16;", "shared");
  refused("cp.async.ca.shared [%r2], [%d3], 16;", "global");
  refused("cp.async.wait_group %r1;", "");
  refused("cp.async.mbarrier.arrive.shared::cluster.b64 [b0];", "cluster");
}
