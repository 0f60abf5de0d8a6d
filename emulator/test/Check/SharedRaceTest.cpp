// Order in shared memory: PTX ISA, "Memory Consistency Model". Each kernel that
// is refused has a twin that differs by what it lacks, and passes.
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// %r1: shared memory; %r2: this thread's word of it; %r3: that of the thread
/// 32 further; %p1: thread 0; %p2: the second warp.
const std::string begin =
    "mov.u32 %r1, sv; shl.b32 %r2, %lane, 2; add.u32 %r2, %r1, %r2;"
    "xor.b32 %r3, %lane, 32; shl.b32 %r3, %r3, 2; add.u32 %r3, %r1, %r3;"
    "mov.u32 %r9, %tid.x; setp.eq.u32 %p1, %r9, 0; setp.ge.u32 %p2, %r9, 32;";
const RunOptions twoWarps = {.block = {64, 1, 1}};

/// The rule that the body breaks in one of some seeds.
std::string broken(const std::string &body, RunOptions options = twoWarps) {
  startChecking();
  std::string rule;
  for (uint64_t seed = 1; seed <= 8 && rule.empty(); ++seed) {
    options.seed = seed;
    try {
      run(begin + body, std::vector<uint32_t>(64, 7), 256, options);
    } catch (const Finding &finding) {
      rule = finding.rule;
      EXPECT_TRUE(finding.other || rule != "race");
    }
  }
  setObserver(ObserverKind::checker, nullptr);
  return rule;
}

TEST(SharedRace, readersWaitForWritersAtABarrier) {
  // Reads of what nobody wrote are a finding of their own.
  const std::string write = "st.shared.u32 [%r2], 0; bar.sync 0;"
                            "st.shared.u32 [%r2], %lane;",
                    read = "ld.shared.u32 %r4, [%r3];";
  EXPECT_EQ(broken(write + read), "race");
  EXPECT_EQ(broken(write + "bar.sync 0;" + read), "");
}

TEST(SharedRace, writersWaitForReaders) {
  const std::string read = "st.shared.u32 [%r2], 0; bar.sync 0;"
                           "ld.shared.u32 %r4, [%r3];",
                    write = "st.shared.u32 [%r2], %lane;";
  EXPECT_EQ(broken(read + write), "race");
  EXPECT_EQ(broken(read + "bar.sync 0;" + write), "");
}

TEST(SharedRace, aBarrierOfOtherWarpsOrdersNothing) {
  const std::string write = "st.shared.u32 [%r2], 0; bar.sync 0;"
                            "@!%p2 st.shared.u32 [%r2], %lane;",
                    read = "@%p2 ld.shared.u32 %r4, [%r3];";
  EXPECT_EQ(broken(write + "@%p2 bar.sync 1, 32;" + read), "race");
  EXPECT_EQ(
      broken(write + "@!%p2 bar.arrive 1, 64; @%p2 bar.sync 1, 64;" + read),
      "");
}

TEST(SharedRace, writesOfOneValueAreCounted) {
  startChecking();
  run(begin + "st.shared.u32 [%r1], 5;", {}, 32, twoWarps);
  setObserver(ObserverKind::checker, nullptr);
  EXPECT_EQ(sameValueWrites(), 1u);
  EXPECT_EQ(broken("st.shared.u32 [%r1], %r9;"), "race");
}

TEST(SharedRace, lanesOfAWarpAreThreads) {
  const RunOptions one = {.block = {32, 1, 1}};
  const std::string write =
      "xor.b32 %r3, %lane, 1; shl.b32 %r3, %r3, 2; add.u32 %r3, %r1, %r3;"
      "st.shared.u32 [%r2], %lane;";
  EXPECT_EQ(broken(write + "ld.shared.u32 %r4, [%r3];", one), "race");
  EXPECT_EQ(broken(write + "bar.warp.sync -1; ld.shared.u32 %r4, [%r3];", one),
            "");
}

TEST(SharedRace, allLanesThatWriteToAPlaceAreAfterItsReaders) {
  const RunOptions one = {.block = {32, 1, 1}};
  const std::string read = "@%p1 st.shared.u32 [%r1], 5; bar.warp.sync -1;"
                           "@%p1 ld.shared.u32 %r4, [%r1];",
                    write = "st.shared.u32 [%r1], 5;";
  EXPECT_EQ(broken(read + write, one), "race");
  EXPECT_EQ(broken(read + "bar.warp.sync -1;" + write, one), "");
}

TEST(SharedRace, bytesOfAWordAreApart) {
  const std::string write = "add.u32 %r5, %r1, %r9; cvt.u16.u32 %h1, %r9;"
                            "st.shared.u8 [%r5], %h1;";
  EXPECT_EQ(broken(write + "ld.shared.u8 %h2, [%r5];"), "");
  EXPECT_EQ(broken(write + "bar.sync 0; @%p1 ld.shared.u32 %r6, [%r1];"
                           "add.u16 %h1, %h1, 1; st.shared.u8 [%r5], %h1;"),
            "race");
}

TEST(SharedRace, atomicsDoNotRace) {
  const std::string add = "@%p1 st.shared.u32 [%r1], 0; bar.sync 0;"
                          "atom.shared.add.u32 %r4, [%r1], 1;";
  EXPECT_EQ(broken(add), "");
  EXPECT_EQ(broken(add + "ld.shared.u32 %r4, [%r1];"), "race");
}

// Which lane is the last one depends on the order in which they act.
TEST(SharedRace, theLastLaneLearnsFromTheOthers) {
  const RunOptions one = {.block = {32, 1, 1}};
  const std::string tickets =
                        "@%p1 st.shared.u32 [%r1+128], 0; bar.warp.sync -1;"
                        "st.shared.u32 [%r2], %lane;",
                    readAll = "setp.eq.u32 %p3, %r4, 31; @!%p3 bra DONE;"
                              "ld.shared.u32 %r5, [%r1];"
                              "ld.shared.u32 %r5, [%r1+124];\nDONE:";
  EXPECT_EQ(broken(tickets +
                       "atom.acq_rel.cta.shared.add.u32 %r4, [%r1+128], 1;" +
                       readAll,
                   one),
            "");
  EXPECT_EQ(broken(tickets +
                       "atom.relaxed.cta.shared.add.u32 %r4, [%r1+128], 1;" +
                       readAll,
                   one),
            "race");
}

/// Thread 0 writes a value, then a flag. Thread 32 polls the flag, then reads
/// the value.
std::string message(const std::string &publish, const std::string &poll,
                    const std::string &after = "") {
  return "@%p1 st.shared.u32 [%r1], 0; @%p1 st.shared.u32 [%r1+4], 0;"
         "bar.sync 0; setp.eq.u32 %p3, %r9, 32;"
         "@%p1 st.shared.u32 [%r1+4], 9;" +
         publish + "\n@!%p3 bra DONE;\nPOLL: " + poll +
         "setp.eq.u32 %p4, %r5, 0; @%p4 bra POLL;\n" + after +
         "ld.shared.u32 %r6, [%r1+4];\nDONE:";
}
const std::string storeReleases = "@%p1 st.release.cta.shared.u32 [%r1], 1;",
                  storeIsRelaxed = "@%p1 st.relaxed.cta.shared.u32 [%r1], 1;",
                  loadAcquires = "ld.acquire.cta.shared.u32 %r5, [%r1];",
                  loadIsRelaxed = "ld.relaxed.cta.shared.u32 %r5, [%r1];",
                  fence = "fence.acq_rel.cta;";

TEST(SharedRace, releaseAndAcquireOrderAMessage) {
  EXPECT_EQ(broken(message(storeReleases, loadAcquires)), "");
  EXPECT_EQ(broken(message(storeIsRelaxed, loadAcquires)), "race");
  EXPECT_EQ(broken(message(storeReleases, loadIsRelaxed)), "race");
}

TEST(SharedRace, fencesAroundRelaxedAccessesOrderAMessage) {
  EXPECT_EQ(broken(message(fence + storeIsRelaxed, loadIsRelaxed, fence)), "");
  EXPECT_EQ(broken(message(fence + storeIsRelaxed, loadIsRelaxed)), "race");
  EXPECT_EQ(broken(message(storeIsRelaxed, loadIsRelaxed, fence)), "race");
}

/// Thread 0 arrives at an mbarrier after its write; the second warp waits.
std::string overMbarrier(const std::string &arrive) {
  return "@%p1 mbarrier.init.shared.b64 [%r1], 1; bar.sync 0;"
         "@%p1 st.shared.u32 [%r1+8], 9;"
         "@%p1 " +
         arrive +
         "\n@!%p2 bra DONE;\n"
         "WAIT: mbarrier.test_wait.parity.shared.b64 %p5, [%r1], 0;"
         "@!%p5 bra WAIT;\nld.shared.u32 %r6, [%r1+8];\nDONE:";
}

TEST(SharedRace, aPhaseOfAnMbarrierIsOrder) {
  EXPECT_EQ(broken(overMbarrier("mbarrier.arrive.shared.b64 _, [%r1];")), "");
  EXPECT_EQ(broken(overMbarrier(
                "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r1];")),
            "race");
}

/// Threads 0 and 1 copy 16 bytes each, the second warp reads them.
std::string asyncCopy(const std::string &wait, const std::string &meet) {
  return "shl.b32 %r5, %lane, 4; and.b32 %r5, %r5, 0x1f; add.u32 %r6, %r1, %r5;"
         "cvt.u64.u32 %l1, %r5; add.s64 %l1, %in, %l1;"
         "setp.lt.u32 %p4, %r9, 2;"
         "@%p4 cp.async.ca.shared.global [%r6], [%l1], 16;" +
         wait + meet + "@%p2 ld.shared.u32 %r7, [%r1];cp.async.wait_all;";
}

TEST(SharedRace, copiesAreWaitedForAndThenMet) {
  const std::string wait = "cp.async.wait_all;", meet = "bar.sync 0;";
  EXPECT_EQ(broken(asyncCopy(wait, meet)), "");
  EXPECT_NE(broken(asyncCopy(wait, "")), "");
  EXPECT_EQ(broken(asyncCopy("", meet)), "race");
}

TEST(SharedRace, aClustersBarrierOrdersWhatItsBlocksWrite) {
  const RunOptions two = {
      .grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}};
  const std::string meet = "barrier.cluster.arrive; barrier.cluster.wait;",
                    read = "ld.shared.u32 %r7, [%r2];";
  const std::string remote =
      "st.shared.u32 [%r2], 1;" + meet +
      "mov.u32 %r5, %cluster_ctarank; xor.b32 %r5, %r5, 1;"
      "mapa.shared::cluster.u32 %r6, %r2, %r5;"
      "st.shared::cluster.u32 [%r6], %lane;";
  EXPECT_EQ(broken(remote + meet + read + meet, two), "");
  EXPECT_EQ(broken(remote + read + meet, two), "race");
}

/// A bulk store reads what threads have written.
std::string bulkStore(const std::string &between) {
  return "st.shared.u32 [%r2], 0; bar.sync 0; st.shared.u32 [%r2], %lane;" +
         between +
         "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 256;"
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
}

TEST(ProxyFence, theAsyncProxySeesGenericWritesAfterAFence) {
  const std::string fence = "fence.proxy.async.shared::cta;",
                    meet = "bar.sync 0;";
  EXPECT_EQ(broken(bulkStore(fence + meet)), "");
  EXPECT_EQ(broken(bulkStore(meet + fence)), "");
  EXPECT_EQ(broken(bulkStore(meet)), "missing-proxy-fence");
  EXPECT_EQ(broken(bulkStore(fence)), "race");
  // The fence must follow the write.
  EXPECT_EQ(broken(fence + bulkStore(meet)), "missing-proxy-fence");
}

} // namespace
