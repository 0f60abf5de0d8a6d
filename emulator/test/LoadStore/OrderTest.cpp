//===- OrderTest.cpp - Fences, hints and cluster addresses are executed ---===//
#include "Machine/Block.h"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

std::vector<Fence> fences;
std::vector<uint64_t> maps;

struct FenceWatcher : BlockObserver {
  void fence(Warp &, const Instruction &, LaneMask,
             const Fence &fence) override {
    fences.push_back(fence);
    if (fence.addresses) {
      maps.push_back(fence.addresses[0]);
    }
  }
};
struct GridWatcher : GridObserver {
  std::unique_ptr<BlockObserver> startBlock(Block &) override {
    return std::make_unique<FenceWatcher>();
  }
};

std::unique_ptr<GridObserver> watch(Device &, const Launch &) {
  return std::make_unique<GridWatcher>();
}

// PTX ISA, "Parallel Synchronization and Communication Instructions: membar /
// fence"
TEST(Fences, ObserversAreTold) {
  setObserver(ObserverKind::checker, watch);
  fences.clear();
  maps.clear();
  run(R"(
    fence.gpu; fence.sc.cta; fence.acquire.cluster; fence.release.sys; membar.cta; membar.gl; membar.sys;
    fence.proxy.alias; fence.proxy.async; fence.proxy.async.global; fence.proxy.async.shared::cta;
    fence.mbarrier_init.release.cluster;
    fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.sys [gv], 128;
    fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster;
    fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
  )");
  setObserver(ObserverKind::checker, nullptr);
  using Kind = Fence::Kind;
  const Fence expected[] = {
      {Semantics::acquireRelease, Scope::gpu},
      {Semantics::sequential, Scope::block},
      {Semantics::acquire, Scope::cluster},
      {Semantics::release, Scope::system},
      {Semantics::sequential, Scope::block},
      {Semantics::sequential, Scope::gpu},
      {Semantics::sequential, Scope::system},
      {Semantics::acquireRelease, Scope::block, Kind::proxyAlias},
      {Semantics::acquireRelease, Scope::block, Kind::proxyAsync},
      {Semantics::acquireRelease, Scope::block, Kind::proxyAsync,
       Space::global},
      {Semantics::acquireRelease, Scope::block, Kind::proxyAsync,
       Space::shared},
      {Semantics::release, Scope::cluster, Kind::mbarrierInit, Space::shared},
      {Semantics::release, Scope::gpu, Kind::proxyTensorMap},
      {Semantics::acquire, Scope::system, Kind::proxyTensorMap},
      {Semantics::acquire, Scope::cluster, Kind::thread, Space::shared},
      {Semantics::release, Scope::cluster, Kind::thread, Space::shared},
      {Semantics::release, Scope::cluster, Kind::proxyAsync, Space::shared},
  };
  ASSERT_EQ(fences.size(), std::size(expected));
  for (size_t i = 0; i < fences.size(); ++i) {
    EXPECT_EQ(fences[i].semantics, expected[i].semantics) << i;
    EXPECT_EQ(fences[i].scope, expected[i].scope) << i;
    EXPECT_EQ(fences[i].kind, expected[i].kind) << i;
    EXPECT_EQ(fences[i].space, expected[i].space) << i;
  }
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_GE(maps[0], GlobalMemory::base);
}

// PTX ISA, "Data Movement and Conversion Instructions: prefetch",
// "applypriority" and "createpolicy": nothing that can be seen.
TEST(CacheControl, HintsDoNothing) {
  std::vector<uint32_t> out = run(R"(
    prefetch.global.L1 [%in]; prefetch.L2 [%l1]; prefetchu.L1 [%in]; prefetch.global.L2::evict_last [%in];
    prefetch.param.tensormap [pv]; applypriority.global.L2::evict_normal [gv], 128;
    createpolicy.range.L2::evict_last.L2::evict_first.b64 %l2, [%in], 16, 32;
    createpolicy.cvt.L2.b64 %l3, %l2;
    st.global.b32 [%out], 1;
  )",
                                  {}, 1);
  EXPECT_EQ(out[0], 1u);
}

// PTX ISA, "Data Movement and Conversion Instructions: discard": "behaves like
// a weak write of an unstable indeterminate value"
TEST(CacheControl, DiscardedBytesAreNoLongerWritten) {
  const std::string write = "st.global.b32 [gv+4], 5; discard.global.L2 "
                            "[gv], 128;";
  EXPECT_EQ(finding(write + "ld.global.b32 %r1, [gv+4];"),
            "uninitialised-read");
  EXPECT_EQ(finding(write + "st.global.b32 [gv+4], 5;"
                            "ld.global.b32 %r1, [gv+4];"
                            "ld.global.b32 %r1, [gv+128];"),
            "");
  EXPECT_EQ(finding("discard.L2 [gv+64], 128;"), "misaligned-address");
  // All of a warp at once.
  const std::string all =
      "st.global.b32 [%outl], 5; ld.global.b32 %r1, [%outl];"
      "discard.global.L2 [%out], 128;";
  EXPECT_EQ(finding(all), "");
  EXPECT_EQ(finding(all + "ld.global.b32 %r1, [%outl];"), "uninitialised-read");
}

TEST(CacheControl, WrongPolicies) {
  EXPECT_EQ(finding("mov.f32 %f1, 0f40000000;"
                    "createpolicy.fractional.L2::evict_last.b64 %l1, %f1;"),
            "cache-policy");
  EXPECT_EQ(finding("createpolicy.range.L2::evict_last.b64 %l1, [%in], 9, 8;"),
            "cache-policy");
}

// PTX ISA, "Data Movement and Conversion Instructions: mapa" and "getctarank"
TEST(Clusters, BlocksReachEachOther) {
  RunOptions shape;
  shape.grid = shape.cluster = {4, 1, 1};
  std::vector<uint32_t> out = run(R"(
    mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3;
    add.u32 %r3, %r1, 40; st.shared.b32 [sv+4], %r3;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %r4, sv, %r2; ld.shared::cluster.b32 %r5, [%r4+4];
    cvta.shared.u64 %l1, sv; mapa.u64 %l2, %l1, %r2; ld.b32 %r6, [%l2+4];
    getctarank.shared::cluster.u32 %r7, %r4; getctarank.u64 %r8, %l2;
    getctarank.shared::cluster.u32 %r9, sv; getctarank.u64 %r10, %l1;
    st.shared::cluster.b32 [%r4+8], %r3; atom.shared::cluster.add.u32 %r11, [%r4+4], 1;
    mul.wide.u32 %l3, %r1, 32; add.s64 %l3, %l3, %out;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    ld.shared.b32 %r12, [sv+8]; ld.shared.b32 %r13, [sv+4];
    st.global.v4.b32 [%l3], {%r5, %r6, %r7, %r8};
    st.global.v4.b32 [%l3+16], {%r9, %r10, %r12, %r13};
  )",
                                  {}, 32, shape);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    uint32_t next = (rank + 1) % 4, last = (rank + 3) % 4;
    EXPECT_EQ(std::vector<uint32_t>(out.begin() + rank * 8,
                                    out.begin() + rank * 8 + 8),
              (std::vector<uint32_t>{next + 40, next + 40, next, next, rank,
                                     rank, last + 40, rank + 40 + 32}));
  }
  EXPECT_EQ(finding("mapa.shared::cluster.u32 %r4, sv, 4;", {}, shape),
            "cluster-rank");
  EXPECT_EQ(finding("mapa.u64 %l4, %in, 1;", {}, shape), "wrong-space");
}

} // namespace
