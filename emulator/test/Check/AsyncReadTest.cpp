// Writes after asynchronous reads: PTX ISA, "Asynchronous Operations", and
// "cp.async.bulk.wait_group", "wgmma.wait_group". Each kernel that is refused
// has a twin that differs by what it lacks, and passes.
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// In how many of eight runs, of both modes and four seeds, the body breaks
/// "race" or "missing-wait": which one depends on whether somebody has waited
/// yet.
int broken(const std::string &body, uint32_t threads) {
  startChecking();
  int findings = 0;
  for (Asynchrony asynchrony : {Asynchrony::early, Asynchrony::late}) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      try {
        run(body, std::vector<uint32_t>(1024, 0x3f803f80), 256,
            {.block = {threads, 1, 1}, .asynchrony = asynchrony, .seed = seed});
      } catch (const Finding &finding) {
        EXPECT_TRUE(finding.rule == "race" || finding.rule == "missing-wait")
            << finding.rule;
        ++findings;
      }
    }
  }
  setObserver(ObserverKind::checker, nullptr);
  return findings;
}

/// %r1: shared memory; %r2: this thread's word of it; %p1: thread 0; %p2: the
/// second warp.
const std::string begin =
    "mov.u32 %r1, sv; shl.b32 %r2, %lane, 2; add.u32 %r2, %r1, %r2;"
    "setp.eq.u32 %p1, %lane, 0; setp.ge.u32 %p2, %lane, 32;";
const std::string meet = "bar.sync 0;";

/// Thread 0 asks for a store of 256 bytes. Then the second warp writes its part
/// of them anew.
std::string bulkStore(const std::string &wait, const std::string &between) {
  return begin + "st.shared.u32 [%r2], 0; fence.proxy.async;" + meet +
         "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], 256;"
         "@%p1 cp.async.bulk.commit_group;" +
         wait + between + "@%p2 st.shared.u32 [%r2], %lane;" +
         "@%p1 cp.async.bulk.wait_group 0;";
}

TEST(AsyncReads, aStoresSourceIsFreeAfterAWaitThatItsWritersKnowOf) {
  const std::string wait = "@%p1 cp.async.bulk.wait_group.read 0;";
  EXPECT_EQ(broken(bulkStore(wait, meet), 64), 0);
  EXPECT_EQ(broken(bulkStore("", meet), 64), 8);
  EXPECT_EQ(broken(bulkStore(wait, ""), 64), 8);
}

TEST(AsyncReads, aThreadWritesAfterItsOwnWait) {
  const std::string wait = "@%p1 cp.async.bulk.wait_group.read 0;",
                    write = "@%p1 st.shared.u32 [%r2], 1;";
  EXPECT_EQ(broken(bulkStore(wait, write + meet), 64), 0);
  EXPECT_EQ(broken(bulkStore("", write + wait + meet), 64), 8);
}

/// The first 128 threads multiply what lies in shared memory; then the warp
/// after them writes over it, when the last instructions let it.
std::string product(const std::string &wait, const std::string &between) {
  return begin + R"(
setp.lt.u32 %p3, %lane, 128;
MORE: st.shared.u32 [%r2], 0x3f803f80; add.u32 %r2, %r2, 640;
add.u32 %r3, %r1, 3456; setp.lt.u32 %p4, %r2, %r3; @%p4 bra MORE;
fence.proxy.async; bar.sync 0;
shr.u32 %r4, %r1, 4; cvt.u64.u32 %l0, %r4;
mov.b64 %l2, 0x0000000800400000; or.b64 %l2, %l2, %l0;
mov.b64 %l3, 0x0000000800080000; or.b64 %l3, %l3, %l0;
mov.b32 %f0, 0f00000000; mov.b32 %f1, %f0; mov.b32 %f2, %f0; mov.b32 %f3, %f0;
@!%p3 bra WRITE;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %l2, %l3, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
)" + wait +
         between +
         "wgmma.wait_group.sync.aligned 0;\nbra.uni DONE;\nWRITE: " + between +
         "st.shared.u32 [%r1], 7;\nDONE:";
}

TEST(AsyncReads, aMatmulsOperandsAreFreeAfterAWaitThatTheirWritersKnowOf) {
  const std::string wait = "wgmma.wait_group.sync.aligned 0;",
                    met = "bar.sync 1, 160;";
  EXPECT_EQ(broken(product(wait, met), 160), 0);
  EXPECT_EQ(broken(product("", met), 160), 8);
  // One of the four warps is enough.
  const std::string oneTells = "mov.u32 %r5, %warpid; setp.eq.u32 %p5, %r5, 2;"
                               "setp.eq.u32 %p6, %r5, 4; or.pred %p5, %p5, %p6;"
                               "@%p5 bar.sync 1, 64;";
  EXPECT_EQ(broken(product(wait, oneTells), 160), 0);
}

TEST(AsyncReads, aWaitForOlderMatmulsFreesNothingElse) {
  const std::string wait = "wgmma.wait_group.sync.aligned 1;",
                    met = "bar.sync 1, 160;";
  EXPECT_EQ(broken(product(wait, met), 160), 8);
}

} // namespace
