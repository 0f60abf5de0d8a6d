//===- BulkCopyTest.cpp - cp.async.bulk -----------------------------------===//
#include "RunCopy.h"

#include "Support/Error.h"

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

const char *load =
    "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 4096;\n"
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
    " [%r2], [%d0], 4096, [b0];\n";
const char *store =
    "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 4096;\n"
    "@%p0 cp.async.bulk.commit_group;\n";

std::string text(std::initializer_list<const char *> parts) {
  std::string all;
  for (const char *part : parts) {
    all += part;
  }
  return all;
}

} // namespace

// PTX ISA, "cp.async.bulk", with both completion mechanisms
TEST(BulkCopy, thereAndBack) {
  const char *loads[] = {
      load,
      "@%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
      " [%r2], [%d0], 4096, [b0];\n"
      "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 4096;\n",
      "mov.u64 %d8, 0; mov.u32 %r3, 2048;"
      "@%p0 mbarrier.expect_tx.shared::cta.b64 [b0], 4096;\n"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%r2 + 2048], [%d0 + 2048], %r3, [b0], %d8;\n"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%r2], [%d0], %r3, [b0];\n"
      "@%p0 mbarrier.arrive.shared::cta.b64 _, [b0];\n"};
  const char *waits[] = {
      "@%p0 cp.async.bulk.wait_group 0;",
      "@%p0 cp.async.bulk.wait_group.read 0;",
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 1;"};
  for (const char *from : loads) {
    for (const char *end : waits) {
      inBothModes([&](Trial &run) {
        run.threads = 64;
        run(text({init, from, wait0, store, end}));
        ASSERT_EQ(run.rule, "") << run.what << from << end;
        expectPattern(run, 4096);
      });
    }
  }
}

TEST(BulkCopy, missingWaitsAreFound) {
  Trial late;
  late(text({init, load, "ld.shared.u32 %r3, [%r2 + 16];", wait0}));
  EXPECT_EQ(late.rule, "missing-wait");
  late(text({init, load}));
  EXPECT_EQ(late.rule, "copy-in-flight-at-exit");
  inBothModes([](Trial &run) {
    // The source of a store is in use until its thread has waited (PTX ISA,
    // "cp.async.bulk.wait_group").
    run(text({init, load, wait0, store, "@%p0 st.shared.u32 [%r2 + 64], %r0;",
              "@%p0 cp.async.bulk.wait_group.read 0;"}));
    EXPECT_EQ(run.rule, "missing-wait");
    run(text({init, load, wait0, store, "@%p0 cp.async.bulk.wait_group 1;",
              "@%p0 st.shared.u32 [%r2 + 64], %r0;",
              "@%p0 cp.async.bulk.wait_group.read 0;"}));
    EXPECT_EQ(run.rule, "missing-wait");
    run(text({init, load, wait0, store, "@%p0 ld.shared.u32 %r5, [%r2 + 64];",
              "@%p0 cp.async.bulk.wait_group.read 0;",
              "@%p0 st.shared.u32 [%r2 + 64], %r0;"}));
    EXPECT_EQ(run.rule, "") << run.what;
    // Two stores of one source: both must have read it.
    run(text({init, load, wait0, store, store,
              "@%p0 cp.async.bulk.wait_group.read 1;",
              "@%p0 st.shared.u32 [%r2 + 64], %r0;",
              "@%p0 cp.async.bulk.wait_group.read 0;"}));
    EXPECT_EQ(run.rule, "missing-wait");
    run(text({init, load, wait0, store}));
    EXPECT_EQ(run.rule, "copy-in-flight-at-exit");
  });
}

// PTX ISA, "cp.async.bulk": sizes and alignments
TEST(BulkCopy, misuseIsFound) {
  auto finds = [](const std::string &change, const std::string &rule) {
    inBothModes([&](Trial &run) {
      run(text({init, change.c_str()}));
      EXPECT_EQ(run.rule, rule) << run.what << change;
    });
  };
  std::string copy =
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
  finds("mov.u32 %r3, 24;" + copy + "[%r2], [%d0], %r3, [b0];", "copy-size");
  finds(copy + "[%r2 + 8], [%d0], 32, [b0];", "misaligned-address");
  finds(copy + "[%r2], [%d0 + 4], 32, [b0];", "misaligned-address");
  finds(copy + "[%r2 + 16000], [%d0], 4096, [b0];", "out-of-bounds");
  finds(copy + "[%r2], [%d0 + 65520], 32, [b0];", "out-of-bounds");
  finds(copy + "[%r2], [%d0], 32, [b1];", "no-barrier");
  finds("@%p0 mbarrier.init.shared::cta.b64 [%r2 + 24], 1;" + copy +
            "[%r2], [%d0], 32, [b0];",
        "barrier-overlap");
  finds("@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], 16;",
        "uninitialised-read");
  // The mbarrier goes while a copy is in flight.
  Trial late;
  late(text({init, load, "@%p0 mbarrier.inval.shared::cta.b64 [b0];\n",
             "@%p0 mbarrier.init.shared::cta.b64 [b1], 1;", R"(
wait1:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [b1], 0;
  @!%p1 bra wait1;)"}));
  EXPECT_EQ(late.rule, "no-barrier") << late.what;
}

// Bytes that nobody has written may be copied, but not used.
TEST(BulkCopy, uninitialisedBytesStaySo) {
  const char *fromOut =
      "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 64;\n"
      "@%p0 st.global.u32 [%d1 + 16], %r0;"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%r2], [%d1], 64, [b0];\n";
  inBothModes([&](Trial &run) {
    run(text({init, fromOut, wait0, "ld.shared.u32 %r3, [%r2 + 16];"}));
    EXPECT_EQ(run.rule, "") << run.what;
    run(text({init, fromOut, wait0, "ld.shared.u32 %r3, [%r2 + 20];"}));
    EXPECT_EQ(run.rule, "uninitialised-read");
  });
}

// PTX ISA, "cp.async.bulk", .shared::cta to .shared::cluster, and a global
// source with a destination in another block
TEST(BulkCopy, blocksOfAClusterCopyToEachOther) {
  const char *cluster = R"(
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared::cta.b64 [b0], 1;
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 1024;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r2, s;
    mov.u32 %r3, b0;
    xor.b32 %r4, %r1, 1;
    mapa.shared::cluster.u32 %r5, %r2, %r4;
    mapa.shared::cluster.u32 %r6, %r3, %r4;
    mul.wide.u32 %d5, %r1, 1024;
    add.u64 %d6, %d0, %d5;
  )";
  const char *end = R"(
    mul.wide.u32 %d5, %r4, 1024;
    add.u64 %d6, %d1, %d5;
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%d6], [%r2], 1024;
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group 0;
    barrier.cluster.arrive;
    barrier.cluster.wait;
  )";
  const char *direct =
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%r5], [%d6], 1024, [%r6];\n";
  const char *through = R"(
    mad.lo.u32 %r7, %r0, 4, %r2;
    mul.wide.u32 %d7, %r0, 4;
    add.u64 %d7, %d6, %d7;
    mov.u32 %r9, 0;
  fill:
    ld.global.u32 %r8, [%d7];
    st.shared.u32 [%r7 + 2048], %r8;
    add.u64 %d7, %d7, 128;
    add.u32 %r7, %r7, 128;
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p3, %r9, 8;
    @%p3 bra fill;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    add.u32 %r10, %r2, 2048;
    @%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r10], 1024, [%r6];
  )";
  for (const char *copy : {direct, through}) {
    inBothModes([&](Trial &run) {
      run.blocks = run.cluster = 2;
      run(text({cluster, copy, wait0, end}));
      ASSERT_EQ(run.rule, "") << run.what;
      expectPattern(run, 2048);
    });
  }
  // "the destination has to be in the shared memory of a different CTA"
  inBothModes([&](Trial &run) {
    run(text({init, "@%p0 st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};"
                    "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                    "complete_tx::bytes [%r2 + 64], [%r2], 16, [b0];"}));
    EXPECT_EQ(run.rule, "wrong-space");
  });
}

// PTX ISA, "cp.async.bulk.prefetch"
TEST(BulkCopy, prefetchesAreHints) {
  inBothModes([](Trial &run) {
    run("cp.async.bulk.prefetch.L2.global [%d0], 64;");
    EXPECT_EQ(run.rule, "") << run.what;
    run("cp.async.bulk.prefetch.L2.global [%d0 + 8], 64;");
    EXPECT_EQ(run.rule, "misaligned-address");
  });
}

TEST(BulkCopy, formsThatAreNotThereAreRefused) {
  refused("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[s], [%d0], 24, [b0];",
          "multiple of 16");
  refused("cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes "
          "[%d0], [s], 16, [b0];",
          "bulk_group");
  refused("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
          "multicast::cluster [s], [%d0], 16, [b0], %r1;",
          "multicast is not modelled");
  refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d0], "
          "[s], 16;",
          "reduction is not modelled");
  refused("cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes "
          "[s], [s], 16, [b0];",
          "");
}
