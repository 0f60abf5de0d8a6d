//===- ClusterBarrierTest.cpp - barrier.cluster --------------------------===//
#include "Support/RunPTX.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

// Each test is of PTX ISA, "Parallel Synchronization and Communication
// Instructions: barrier.cluster".
namespace {

const std::vector<uint32_t> zeros(1024);

RunOptions clusters(uint64_t seed = 1, int threads = 1) {
  RunOptions options;
  options.grid = {8, 1, 1};
  options.block = {64, 1, 1};
  options.cluster = {4, 1, 1};
  options.seed = seed;
  options.threads = threads;
  return options;
}

/// Each thread reads what a thread of the next block has written.
std::string neighbours(const std::string &arrive, const std::string &wait,
                       const std::string &last) {
  return kernelPTX(R"(
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  st.shared.u32 [%r1], %thread;
  )" + arrive + wait + R"(
  mov.u32 %r2, %cluster_ctarank;
  add.u32 %r2, %r2, 1;
  and.b32 %r2, %r2, 3;
  mapa.shared::cluster.u32 %r3, %r1, %r2;
  ld.shared::cluster.u32 %r4, [%r3];
  st.global.u32 [%mine], %r4;
  )" + last + "\nret;",
                   ".shared .align 4 .b32 s[64];");
}

TEST(ClusterBarrier, BlocksOfAClusterMeet) {
  for (const char *aligned : {"", ".aligned"}) {
    const std::string a = aligned;
    const std::string arrive = "barrier.cluster.arrive.release" + a + ";\n";
    const std::string wait = "barrier.cluster.wait.acquire" + a + ";\n";
    for (uint64_t seed = 0; seed < 4; ++seed) {
      for (int threads : {1, 2}) {
        auto out = runPTX(neighbours(arrive, wait, arrive + wait), zeros,
                          clusters(seed, threads));
        for (uint32_t i = 0; i < 512; ++i) {
          const uint32_t block = i / 64;
          const uint32_t next = block / 4 * 4 + (block + 1) % 4;
          ASSERT_EQ(out[i], next * 64 + i % 64);
        }
      }
    }
  }
}

TEST(ClusterBarrier, WithoutItTheNeighbourMayNotHaveWritten) {
  int found = 0;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    found += !findingOf(neighbours("", "", ""), zeros, clusters(seed)).empty();
  }
  EXPECT_EQ(found, 4);
}

// A block that ends while another one of its cluster still reads its memory.
TEST(ClusterBarrier, TheOwnerOfSharedMemoryMustStay) {
  const std::string meet =
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
  const std::string ptx = kernelPTX(R"(
  mov.u32 %r0, s;
  st.shared.u32 [%r0], 5;
  )" + meet + R"(
  mov.u32 %r2, %cluster_ctarank;
  setp.ne.u32 %p0, %r2, 0;
  @%p0 exit;
  mov.u32 %r5, 0;
WAIT:
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, 20000;
  @%p1 bra WAIT;
  mapa.shared::cluster.u32 %r3, %r0, 2;
  ld.shared::cluster.u32 %r4, [%r3];
  ret;)",
                                    ".shared .align 4 .b32 s[1];");
  EXPECT_EQ(findingOf(ptx, zeros, clusters()), "exited-peer");
}

// "for all non-exited threads of the cluster"
TEST(ClusterBarrier, BlocksThatHaveExitedAreNotWaitedFor) {
  const std::string ptx = kernelPTX(R"(
  mov.u32 %r2, %cluster_ctarank;
  setp.eq.u32 %p0, %r2, 3;
  @%p0 exit;
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.aligned;
  st.global.u32 [%mine], 1;
  ret;)");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    auto out = runPTX(ptx, zeros, clusters(seed));
    EXPECT_EQ(out[0], 1u);
    EXPECT_EQ(out[3 * 64], 0u);
    EXPECT_EQ(out[6 * 64 + 63], 1u);
  }
}

// "Each thread must arrive at the barrier only once before the barrier
// completes."
TEST(ClusterBarrier, MisuseIsFound) {
  EXPECT_EQ(findingOf(kernelPTX("barrier.cluster.arrive; "
                                "barrier.cluster.arrive; ret;"),
                      zeros, clusters()),
            "cluster-barrier");
  EXPECT_EQ(
      findingOf(kernelPTX("barrier.cluster.wait; ret;"), zeros, clusters()),
      "cluster-barrier");
  EXPECT_EQ(findingOf(kernelPTX(R"(
  mov.u32 %r2, %cluster_ctarank;
  setp.eq.u32 %p0, %r2, 3;
  @%p0 bra OTHER;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
OTHER:
  bar.sync 0, 64;
  setp.lt.u32 %p1, %t, 32;
  @%p1 bar.sync 1, 64;
  ret;)"),
                      zeros, clusters()),
            "deadlock");
}

// A grid without clusters: each block is one of its own ("Cluster of
// Cooperative Thread Arrays").
TEST(ClusterBarrier, ABlockAloneIsACluster) {
  RunOptions options;
  options.block = {64, 1, 1};
  auto out = runPTX(kernelPTX(R"(
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r0, %cluster_nctarank;
  st.global.u32 [%mine], %r0;
  ret;)"),
                    zeros, options);
  EXPECT_EQ(out[63], 1u);
}

// PTX ISA, "Special Registers: %cluster_ctaid, %clusterid" and their kin.
TEST(ClusterRegisters, SayWhereABlockIs) {
  RunOptions options;
  options.grid = {4, 4, 2};
  options.cluster = {2, 2, 1};
  auto out = runPTX(kernelPTX(R"(
  mov.u32 %r0, %ctaid.y; mov.u32 %r1, %ctaid.z;
  mov.u32 %r2, %nctaid.x; mad.lo.u32 %r0, %r1, 4, %r0;
  mad.lo.u32 %r0, %r0, %r2, %block;
  mad.wide.u32 %rd0, %r0, 4, %out;
  mov.u32 %r3, %clusterid.x; mov.u32 %r4, %clusterid.y; mov.u32 %r5, %clusterid.z;
  mov.u32 %r6, %cluster_ctarank;
  mov.u32 %r7, %cluster_ctaid.x; mov.u32 %r8, %cluster_ctaid.y;
  mad.lo.u32 %r9, %r3, 10, %r4; mad.lo.u32 %r9, %r9, 10, %r5;
  mad.lo.u32 %r9, %r9, 10, %r6; mad.lo.u32 %r9, %r9, 10, %r7;
  mad.lo.u32 %r9, %r9, 10, %r8;
  st.global.u32 [%rd0], %r9;
  ret;)"),
                    zeros, options);
  for (uint32_t z = 0; z < 2; ++z) {
    for (uint32_t y = 0; y < 4; ++y) {
      for (uint32_t x = 0; x < 4; ++x) {
        const uint32_t rank = x % 2 + y % 2 * 2;
        EXPECT_EQ(out[(z * 4 + y) * 4 + x], x / 2 * 100000 + y / 2 * 10000 +
                                                z * 1000 + rank * 100 +
                                                x % 2 * 10 + y % 2);
      }
    }
  }
}

} // namespace
