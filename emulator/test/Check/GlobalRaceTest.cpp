// Order in global memory: PTX ISA, "Memory Consistency Model". Each kernel that
// is refused has a twin that differs by what it lacks, and passes.
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

constexpr RunOptions twoWarps = {.block = {64, 1, 1}},
                     twoBlocks = {.grid = {2, 1, 1}},
                     twoOfACluster = {.grid = {2, 1, 1}, .cluster = {2, 1, 1}};

/// %r1: the neighbour's number in the other warp or block; %rd1: the address of
/// its word. %p1: the first thread of a block; %p2: of the first block.
const std::string begin =
    "xor.b32 %r1, %thread, 32; mad.wide.u32 %rd1, %r1, 4, %out;"
    "setp.eq.u32 %p1, %t, 0; setp.eq.u32 %p2, %block, 0;";

/// The finding of one of some seeds, or nothing.
std::optional<Finding> found(const std::string &body, RunOptions options) {
  startChecking();
  std::optional<Finding> result;
  for (uint64_t seed = 1; seed <= 8 && !result; ++seed) {
    options.seed = seed;
    try {
      runPTX(kernelPTX(begin + body + "ret;",
                       ".extern .shared .align 128 .b8 sv[];"),
             std::vector<uint32_t>(256), options);
    } catch (const Finding &finding) {
      result.emplace(finding);
    }
  }
  setObserver(ObserverKind::checker, nullptr);
  return result;
}

std::string broken(const std::string &body, const RunOptions &options) {
  const auto finding = found(body, options);
  return finding ? finding->rule : "";
}

// -- In a block

TEST(GlobalRace, readersWaitForWritersAtABarrier) {
  const std::string write = "st.global.u32 [%mine], %t;",
                    read = "ld.global.u32 %r2, [%rd1];";
  EXPECT_EQ(broken(write + read, twoWarps), "race");
  EXPECT_EQ(broken(write + "bar.sync 0;" + read, twoWarps), "");
}

TEST(GlobalRace, writersWaitForReaders) {
  const std::string read = "ld.global.u32 %r2, [%rd1];",
                    write = "st.global.u32 [%mine], %t;";
  EXPECT_EQ(broken(read + write, twoWarps), "race");
  EXPECT_EQ(broken(read + "bar.sync 0;" + write, twoWarps), "");
}

TEST(GlobalRace, partsOfAWordAreApart) {
  const std::string byte = "mad.wide.u32 %rd2, %t, 1, %out;";
  EXPECT_EQ(broken(byte + "st.global.u8 [%rd2], %t;", twoWarps), "");
  EXPECT_EQ(broken("shr.u32 %r2, %t, 1; mad.wide.u32 %rd2, %r2, 1, %out;"
                   "st.global.u8 [%rd2], %t;"
                   "and.b32 %r3, %t, 63; xor.b32 %r3, %r3, 62;"
                   "mad.wide.u32 %rd3, %r3, 1, %out; ld.global.u8 %r4, [%rd3];",
                   twoWarps),
            "race");
}

TEST(GlobalRace, writesOfOneValueAreCounted) {
  startChecking();
  const std::string body = begin + "st.global.u32 [%out], 5; ret;";
  runPTX(kernelPTX(body), {0}, {.block = {64, 1, 1}});
  EXPECT_EQ(sameValueWrites(), 1u);
  runPTX(kernelPTX(body), {0}, {.grid = {3, 1, 1}});
  EXPECT_EQ(sameValueWrites(), 1u + 2 * 4) << "bytes of two later blocks";
  setObserver(ObserverKind::checker, nullptr);
}

// -- Blocks that nothing orders

TEST(GlobalRace, independentBlocksDoNotReadWhatOthersWrite) {
  const std::string write = "st.global.u32 [%mine], %t;",
                    read = "ld.global.u32 %r2, [%rd1];",
                    own = "ld.global.u32 %r2, [%mine];";
  EXPECT_EQ(broken(write + read, twoBlocks), "race");
  EXPECT_EQ(broken(read + write, twoBlocks), "race");
  EXPECT_EQ(broken(own + write + own, twoBlocks), "");
}

TEST(GlobalRace, independentBlocksDoNotWriteOtherValues) {
  const std::string line = "mad.wide.u32 %rd2, %t, 4, %out;";
  EXPECT_EQ(broken(line + "st.global.u32 [%rd2], %block;", twoBlocks), "race");
  EXPECT_EQ(broken(line + "st.global.u32 [%rd2], %t;", twoBlocks), "");
}

TEST(GlobalRace, reportsAreTheSameOnSeveralHostThreads) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a race of the kernel is one of the host's threads, too";
#endif
  const std::string body =
      "shr.u32 %r2, %thread, 6; mad.wide.u32 %rd2, %r2, 4, %out;"
      "st.global.u32 [%rd2], %thread;";
  std::string reports[2];
  for (int threads : {1, 2}) {
    RunOptions options = {.grid = {32, 1, 1}};
    options.threads = threads;
    const auto finding = found(body, options);
    ASSERT_TRUE(finding && finding->other);
    const Place &first = *finding->other, &second = finding->place;
    reports[threads - 1] =
        std::to_string(*finding->address) + " " +
        std::to_string(first.block[0]) + " " + std::to_string(first.lane) +
        " " + std::to_string(second.block[0]) + " " +
        std::to_string(second.lane) + " " + std::to_string(second.line);
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST(GlobalRace, aReportNamesBothThreads) {
  const auto finding = found("@%p2 st.global.v4.u32 [%mine], {%t, %t, %t, %t};"
                             "@!%p2 ld.global.u32 %r2, [%out + 72];",
                             {.grid = {2, 1, 1}, .block = {1, 1, 1}});
  EXPECT_FALSE(finding) << "other bytes";
  const std::string wide = "mad.wide.u32 %rd2, %t, 16, %out;"
                           "@%p2 st.global.v4.u32 [%rd2], {%t, %t, %t, %t};"
                           "@!%p2 ld.global.u32 %r2, [%out + 72];";
  const auto race = found(wide, twoBlocks);
  ASSERT_TRUE(race && race->other);
  EXPECT_EQ(race->other->block[0], 0u);
  EXPECT_EQ(race->other->lane, 4) << "72 / 16";
  EXPECT_EQ(race->place.block[0], 1u);
}

// -- Blocks that tell each other

/// Each block stores a word; the one that counts last reads them all.
std::string lastBlock(const std::string &release, const std::string &acquire) {
  return "st.global.u32 [%mine + 64], 1;" + release +
         "atom.global.add.u32 %r2, [%out], 1; setp.ne.u32 %p3, %r2, 3;"
         "@%p3 bra done;" +
         acquire +
         "ld.global.u32 %r3, [%out + 64]; ld.global.u32 %r4, [%out + 68];"
         "ld.global.u32 %r5, [%out + 72]; st.global.u32 [%out], 0;\ndone:\n";
}
constexpr RunOptions fourThreads = {.grid = {4, 1, 1}, .block = {1, 1, 1}};

TEST(GlobalRace, theLastBlockSeesTheOthersByFences) {
  EXPECT_EQ(broken(lastBlock("membar.gl;", "membar.gl;"), fourThreads), "");
  EXPECT_EQ(broken(lastBlock("", "membar.gl;"), fourThreads), "race");
  EXPECT_EQ(broken(lastBlock("membar.gl;", ""), fourThreads), "race");
}

TEST(GlobalRace, aFenceOfTheBlockDoesNotReachOthers) {
  const std::string narrow = "fence.acq_rel.cta;";
  EXPECT_EQ(broken(lastBlock(narrow, "membar.gl;"), fourThreads), "race");
  EXPECT_EQ(broken(lastBlock("membar.gl;", narrow), fourThreads), "race");
}

std::string message(const std::string &store, const std::string &load) {
  return "@!%p2 bra reader; st.global.u32 [%out + 64], 7;" + store +
         "bra done;\nreader:\n" + load +
         "setp.eq.u32 %p3, %r2, 0; @%p3 bra reader;"
         "ld.global.u32 %r3, [%out + 64];\ndone:\n";
}
constexpr RunOptions twoThreads = {.grid = {2, 1, 1}, .block = {1, 1, 1}};

TEST(GlobalRace, anAcquireSeesWhatAReleaseTells) {
  const std::string release = "st.release.gpu.global.u32 [%out], 1;",
                    acquire = "ld.acquire.gpu.global.u32 %r2, [%out];",
                    relaxed = "ld.relaxed.gpu.global.u32 %r2, [%out];";
  EXPECT_EQ(broken(message(release, acquire), twoThreads), "");
  EXPECT_EQ(broken(message(release, relaxed), twoThreads), "race");
  EXPECT_EQ(broken(message("st.relaxed.gpu.global.u32 [%out], 1;", acquire),
                   twoThreads),
            "race");
  EXPECT_EQ(broken(message("fence.acq_rel.gpu;"
                           "st.relaxed.gpu.global.u32 [%out], 1;",
                           acquire),
                   twoThreads),
            "");
}

TEST(GlobalRace, oneWeakBesideOneStrongIsARace) {
  EXPECT_EQ(broken("@%p2 atom.global.add.u32 %r2, [%out], 1;"
                   "@!%p2 ld.global.u32 %r3, [%out];",
                   twoThreads),
            "race");
  EXPECT_EQ(broken("@%p2 atom.global.add.u32 %r2, [%out], 1;"
                   "@!%p2 ld.relaxed.gpu.global.u32 %r3, [%out];",
                   twoThreads),
            "");
}

TEST(GlobalRace, strongAccessesOfTheBlockAreWeakToOthers) {
  EXPECT_EQ(
      broken("atom.cta.global.add.u32 %r2, [%out], 1; membar.gl;", twoThreads),
      "race");
}

TEST(GlobalRace, whoHasSeenAStrongWriteMayWriteWeakly) {
  const std::string wait = "\nwait:\nld.relaxed.gpu.global.u32 %r2, [%out];"
                           "setp.eq.u32 %p3, %r2, 0; @%p3 bra wait;";
  EXPECT_EQ(broken("@!%p2 bra wait; st.relaxed.gpu.global.u32 [%out], 1;"
                   "bra done;" +
                       wait + "st.global.u32 [%out], 0;\ndone:\n",
                   twoThreads),
            "");
}

TEST(GlobalRace, aLockOrdersItsOwners) {
  auto lock = [](const std::string &take, const std::string &give) {
    return "\nspin:\natom" + take +
           ".gpu.global.cas.b32 %r2, [%out], 0, 1; setp.ne.u32 %p3, %r2, 0;"
           "@%p3 bra spin; ld.global.u32 %r3, [%out + 64];"
           "add.u32 %r3, %r3, 1; st.global.u32 [%out + 64], %r3;"
           "atom" +
           give + ".gpu.global.exch.b32 %r4, [%out], 0;";
  };
  EXPECT_EQ(broken(lock(".acquire", ".release"), fourThreads), "");
  EXPECT_EQ(broken(lock(".relaxed", ".release"), fourThreads), "race");
  EXPECT_EQ(broken(lock(".acquire", ".relaxed"), fourThreads), "race");
}

TEST(GlobalRace, blocksOfAClusterMeetAtItsBarrier) {
  const std::string write = "st.global.u32 [%mine], %t;",
                    read = "ld.global.u32 %r2, [%rd1];",
                    barrier = "barrier.cluster.arrive;barrier.cluster.wait;",
                    relaxed = "barrier.cluster.arrive.relaxed;"
                              "barrier.cluster.wait;";
  EXPECT_EQ(broken(write + barrier + read, twoOfACluster), "");
  EXPECT_EQ(broken(write + relaxed + read, twoOfACluster), "race");
}

// -- Proxies

/// A bulk copy of 64 bytes from `out` to shared memory, and a wait for it.
const std::string bulkLoad =
    "@!%p1 bra done; mov.u32 %r5, sv; add.u32 %r6, %r5, 128;"
    "mbarrier.init.shared.b64 [%r6], 1; fence.proxy.async.shared::cta;"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r6], 64;"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], "
    "[%out], 64, [%r6];\nwait:\n"
    "mbarrier.try_wait.parity.shared.b64 %p3, [%r6], 0; @!%p3 bra wait;\n"
    "done:\n";
constexpr RunOptions oneWarp = {.dynamicSharedBytes = 256};

TEST(GlobalProxy, bulkCopiesReadWhatAFenceFollows) {
  const std::string write = "st.global.u32 [%mine], %t;";
  EXPECT_EQ(broken(write + "bar.sync 0;" + bulkLoad, oneWarp),
            "missing-proxy-fence");
  EXPECT_EQ(
      broken(write + "fence.proxy.async.shared::cta; bar.sync 0;" + bulkLoad,
             oneWarp),
      "missing-proxy-fence");
  EXPECT_EQ(broken(write + "fence.proxy.async.global; bar.sync 0;" + bulkLoad,
                   oneWarp),
            "");
  EXPECT_EQ(
      broken(write + "fence.proxy.async; bar.sync 0;" + bulkLoad, oneWarp), "");
  EXPECT_EQ(broken(bulkLoad, oneWarp), "");
}

TEST(GlobalProxy, independentBlocksDoNotCopyWhatOthersWrite) {
  RunOptions options = twoBlocks;
  options.dynamicSharedBytes = 256;
  EXPECT_EQ(broken("@%p2 st.global.u32 [%mine], %t; @!%p2 bra copy; bra done;"
                   "\ncopy:\n" +
                       bulkLoad,
                   options),
            "race");
  EXPECT_EQ(broken("st.global.u32 [%mine + 512], %t;" + bulkLoad, options), "");
}

/// The same from shared memory to `out`.
std::string bulkStore(const std::string &wait) {
  return "mov.u32 %r5, sv; mad.lo.u32 %r6, %t, 4, %r5;"
         "st.shared.u32 [%r6], %t; fence.proxy.async.shared::cta; bar.sync 0;"
         "@!%p1 bra joined;"
         "cp.async.bulk.global.shared::cta.bulk_group [%out], [%r5], 64;"
         "cp.async.bulk.commit_group;" +
         wait + "\njoined:\nbar.sync 0;";
}

TEST(GlobalProxy, whatABulkCopyStoresIsThereAfterAWait) {
  const std::string read = "ld.global.u32 %r7, [%out];";
  EXPECT_EQ(broken(bulkStore("cp.async.bulk.wait_group 0;") + read, oneWarp),
            "");
  EXPECT_EQ(broken(bulkStore("cp.async.bulk.wait_group.read 0;") + read +
                       "@%p1 cp.async.bulk.wait_group 0;",
                   oneWarp),
            "race");
}

/// The first block changes a tensor map, and the second one uses it. What it
/// makes is no valid map, which is found when all else is right.
std::string sharedMap(const std::string &fence) {
  return "mov.u32 %r5, sv; mad.lo.u32 %r6, %t, 4, %r5; mov.u32 %r7, 0;"
         "st.shared.u32 [%r6], %r7; add.u64 %rd2, %out, 512;"
         "add.u32 %r8, %r5, 128; bar.sync 0; @!%p2 bra user;\n"
         "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
         ".release.gpu.sync.aligned [%rd2], [%r5], 128;"
         "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;"
         "@%p1 st.release.gpu.global.u32 [%out], 1; bra done;\n"
         "user:\nld.acquire.gpu.global.u32 %r2, [%out];"
         "setp.eq.u32 %p3, %r2, 0; @%p3 bra user;" +
         fence +
         "@%p1 cp.async.bulk.tensor.1d.shared::cta.global.tile"
         ".mbarrier::complete_tx::bytes [%r5], [%rd2, {0}], [%r8];\ndone:\n";
}

TEST(GlobalProxy, eachBlockAcquiresATensorMapThatAnotherHasChanged) {
  RunOptions options = twoBlocks;
  options.dynamicSharedBytes = 256;
  EXPECT_EQ(broken(sharedMap(""), options), "missing-proxy-fence");
  EXPECT_EQ(
      broken(sharedMap("fence.proxy.tensormap::generic.acquire.gpu [%rd2], "
                       "128;"),
             options),
      "tensor-map");
}

} // namespace
