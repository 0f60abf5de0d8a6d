//===- OrderFormsTest.cpp - What of fences and hints is taken -------------===//
// PTX ISA, the sections that stand above each test
#include "Support/Forms.h"

using namespace cheems::emulator::test;

namespace {

// "prefetch, prefetchu", "applypriority", "discard"
TEST(OrderForms, CacheControl) {
  expectTaken({
      "prefetch.global.L1 [%l1];",
      "prefetch.L2 [%l1];",
      "prefetch.local.L2 [lv];",
      "prefetch.global.L2::evict_last [%l1];",
      "prefetch.L2::evict_last [%l1];",
      "prefetch.tensormap [%l1];",
      "prefetch.const.tensormap [cv];",
      "prefetch.param.tensormap [pv];",
      "prefetchu.L1 [%l1];",
      "applypriority.global.L2::evict_normal [%l1],128;",
      "applypriority.L2::evict_normal [%l1],128;",
      "discard.global.L2 [%l1],128;",
      "discard.L2 [%l1],128;",
  });
  expectRefused({
      {"prefetch.shared.L2 [sv];", "it has no access to .shared"},
      {"prefetch.global.L2::evict_first [%l1];",
       "it must have one of .L1, .L2, .L2::evict_last, .L2::evict_normal"},
      {"prefetch.global.tensormap [%l1];",
       "a tensor map is prefetched from .const, .param or a generic address"},
      {"prefetch.param::entry.tensormap [pv];",
       "it has no access to .param::entry"},
      {"prefetchu.L2 [%l1];", "it needs .L1"},
      {"prefetchu.global.L1 [%l1];",
       "the modifier '.global' is unknown or does not fit here"},
      {"applypriority.L2::evict_normal [%l1],64;", "the size must be 128"},
      {"applypriority.L2::evict_last [%l1],128;", "it needs .L2::evict_normal"},
      {"discard.L2 [%l1],64;", "the size must be 128"},
      {"discard.L1 [%l1],128;", "it needs .L2"},
  });
  expectRefused(
      {
          {"prefetch.tensormap [%l1];", ".tensormap needs sm_90"},
      },
      80);
}

// "createpolicy"
TEST(OrderForms, CachePolicies) {
  expectTaken({
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one form
      "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 "
      "%l2,[%l1],%r1,%r2;",
      "createpolicy.range.L2::evict_last.b64 %l2,[%l1],0x100,0x200;",
      "createpolicy.range.L2::evict_last.b64 %l2,[%l1],%r1,0x200;",
      "createpolicy.fractional.L2::evict_last.b64 %l2,1.0;",
      "createpolicy.fractional.L2::evict_last.b64 %l2,0.25;",
      "createpolicy.fractional.L2::evict_last.b64 %l2,0f3e800000;",
      "createpolicy.fractional.L2::evict_last.b64 %l2;",
      "createpolicy.fractional.L2::evict_last.b64 %l2,%f1;",
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %l2,0.5;",
      "createpolicy.fractional.L2::evict_unchanged.b64 %l2,0.5;",
      "createpolicy.cvt.L2.b64 %l2,%l3;",
      "createpolicy.cvt.L2.b64 %l2,5;",
  });
  expectRefused({
      {"createpolicy.range.L2::evict_first.L2::evict_last.b64 "
       "%l2,[%l1],%r1,0x200;",
       ".L2::evict_last is no secondary priority"},
      {"createpolicy.fractional.L2::evict_last.b64 %l2,2.0;",
       "the fraction is a real number in (0, 1]"},
      {"createpolicy.fractional.L2::evict_last.b64 %l2,0.0;",
       "the fraction is a real number in (0, 1]"},
  });
}

// "mapa", "getctarank"
TEST(OrderForms, ClusterAddresses) {
  expectTaken({
      "mapa.shared::cluster.u32 %r1,%r2,%r3;",
      "mapa.shared::cluster.u32 %r1,sv,%r3;",
      "mapa.shared::cluster.u32 %r1,sv+8,1;",
      "mapa.shared::cluster.u64 %l3,sv,1;",
      "mapa.u64 %l3,%l2,%r3;",
      "getctarank.shared::cluster.u32 %r1,%r2;",
      "getctarank.shared::cluster.u64 %r1,%l2;",
      "getctarank.u64 %r1,%l2;",
      "getctarank.shared::cluster.u32 %r1,sv;",
  });
  expectRefused({
      {"mapa.shared.u32 %r3,%r2,%r3;", "a generic address has 64 bits"},
      {"mapa.u64 %l3,%l2,%l4;",
       "the register '%l4' of type '.b64' does not fit type '.u32'"},
      {"getctarank.u64 %l1,%l2;",
       "the register '%l1' of type '.b64' does not fit type '.u32'"},
  });
  // The assembler takes 32-bit generic addresses; ours have 64.
  expectRefused({
      {"mapa.u32 %r3,%r2,%r3;", "a generic address has 64 bits"},
      {"getctarank.u32 %r1,%r2;", "a generic address has 64 bits"},
  });
  expectRefused(
      {
          {"mapa.u64 %l3,%l2,%r3;", "it needs sm_90"},
          {"getctarank.u64 %r1,%l2;", "it needs sm_90"},
      },
      80);
}

// "membar / fence"
TEST(OrderForms, Fences) {
  expectTaken({
      "fence.sc.cta;",
      "fence.acq_rel.cluster;",
      "fence.gpu;",
      "fence.sys;",
      "fence.acquire.gpu;",
      "fence.release.gpu;",
      "fence.acquire.sync_restrict::shared::cluster.cluster;",
      "fence.release.sync_restrict::shared::cta.cluster;",
      "fence.mbarrier_init.release.cluster;",
      "fence.proxy.alias;",
      "fence.proxy.async;",
      "fence.proxy.async.global;",
      "fence.proxy.async.shared::cta;",
      "fence.proxy.async.shared::cluster;",
      "fence.proxy.tensormap::generic.release.gpu;",
      "fence.proxy.tensormap::generic.release.cta;",
      "fence.proxy.tensormap::generic.acquire.gpu [%l1],128;",
      "fence.proxy.tensormap::generic.acquire.sys [%l1],128;",
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one form
      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster."
      "cluster;",
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
      "membar.cta;",
      "membar.gl;",
      "membar.sys;",
      "membar.proxy.alias;",
  });
  expectRefused({
      {"fence.sc;", "it needs a scope: .cta, .cluster, .gpu or .sys"},
      {"fence.acquire.sync_restrict::shared::cta.cluster;",
       "it needs .sync_restrict::shared::cluster"},
      {"fence.release.sync_restrict::shared::cta.gpu;",
       "it needs the scope .cluster"},
      {"fence.mbarrier_init.release.gpu;",
       "it is .mbarrier_init.release.cluster alone"},
      {"fence.mbarrier_init.acquire.cluster;",
       "it is .mbarrier_init.release.cluster alone"},
      {"fence.proxy.async.shared;",
       "the modifier '.shared' is unknown or does not fit here"},
      {"fence.proxy.async.local;",
       "the modifier '.local' is unknown or does not fit here"},
      {"fence.proxy.tensormap;", "it must have one of .alias, .async, "
                                 ".async::generic, .tensormap::generic"},
      {"fence.proxy.tensormap::generic.acquire.gpu [%l1],64;",
       "a tensor map has 128 bytes"},
      {"fence.proxy.tensormap::generic.acquire.gpu;",
       "it has 0 operands instead of 2"},
      {"fence.proxy.tensormap::generic.acq_rel.sys [%l1],128;",
       "it must have one of .acquire, .release"},
      {"fence.proxy.async::generic.release.cluster;",
       "it needs .sync_restrict::shared::cta"},
      {"membar.gpu;", "it must have one of .cta, .gl, .sys"},
      {"membar.sc.gl;", "the modifier '.sc' is unknown or does not fit here"},
      {"membar.proxy.async;", "its only proxy is .alias"},
      {"membar.proxy.async.global;", "its only proxy is .alias"},
  });
  expectRefused(
      {
          {"fence.proxy.async;", "it needs sm_90"},
          {"fence.mbarrier_init.release.cluster;", "it needs sm_90"},
          {"fence.proxy.tensormap::generic.release.gpu;", "it needs sm_90"},
          {"fence.acquire.sync_restrict::shared::cluster.cluster;",
           "it needs sm_90"},
      },
      80);
}

// "Texture Instructions", "Surface Instructions", "multimem.red"
TEST(OrderForms, TexturesAndMulticastAreNotModelled) {
  const char *textures = "access to textures and surfaces is not modelled";
  expectRefused({
      {"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%l1, {%r1}];", textures},
      {"txq.width.b32 %r1, [%l1];", textures},
      {"suld.b.1d.b32.trap %r1, [%l1, {%r2}];", textures},
      {"sust.b.1d.b32.trap [%l1, {%r2}], %r1;", textures},
      {"multimem.red.relaxed.sys.global.add.u32 [%l1], %r1;",
       "multicast memory is not modelled"},
  });
}

// "Stack Manipulation Instructions", "Scalar Video Instructions"
TEST(OrderForms, StacksAndVideoInstructionsAreNotModelled) {
  const char *stack = "a stack of a size that a thread chooses is not modelled";
  expectRefused({
      {"stacksave.u64 %l1;", stack},
      {"alloca.u64 %l1, %l2, 16;", stack},
      {"vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
       "a video instruction is not modelled"},
  });
}

} // namespace
