//===- AtomicFormsTest.cpp - What of atom and red is taken ----------------===//
// PTX ISA, "Parallel Synchronization and Communication Instructions"
#include "Support/Forms.h"

using namespace cheems::emulator::test;

namespace {

// "atom"
TEST(AtomicForms, Atomics) {
  expectTaken({
      "atom.global.add.u32 %r1,[%l1],%r2;",
      "atom.add.u32 %r1,[%l1],%r2;",
      "atom.add.s32 %r1,[%l1],%r2;",
      "atom.add.u64 %l3,[%l1],%l2;",
      "atom.add.f32 %f1,[%l1],%f2;",
      "atom.add.f64 %d1,[%l1],%d2;",
      "atom.add.noftz.f16 %h1,[%l1],%h2;",
      "atom.add.noftz.f16x2 %r1,[%l1],%r2;",
      "atom.add.noftz.bf16 %h1,[%l1],%h2;",
      "atom.add.noftz.bf16x2 %r1,[%l1],%r2;",
      "atom.max.s64 %l3,[%l1],%l2;",
      "atom.max.u32 %r3,[%l1],%r2;",
      "atom.inc.u32 %r3,[%l1],%r2;",
      "atom.and.b32 %r3,[%l1],%r2;",
      "atom.xor.b64 %l3,[%l1],%l2;",
      "atom.exch.b32 %r3,[%l1],%r2;",
      "atom.exch.b128 %x3,[%l1],%x2;",
      "atom.cas.b16 %h3,[%l1],%h2,%h4;",
      "atom.cas.b32 %r3,[%l1],%r2,%r4;",
      "atom.cas.b64 %l3,[%l1],%l2,%l4;",
      "atom.cas.b128 %x3,[%l1],%x2,%x4;",
      "atom.global.add.L2::cache_hint.u32 %r1,[%l1],%r2,%l2;",
      "atom.add.L2::cache_hint.u32 %r1,[%l1],%r2,%l2;",
      "atom.shared.add.u32 %r1,[sv],%r2;",
      "atom.shared::cluster.add.u32 %r1,[%r5],%r2;",
      "atom.shared.add.noftz.f16x2 %r1,[sv],%r2;",
      "atom.shared.add.f64 %d1,[sv],%d2;",
      "atom.shared.cas.b128 %x1,[sv],%x2,%x3;",
      "atom.relaxed.cluster.global.add.u32 %r1,[%l1],%r2;",
      "atom.acq_rel.sys.global.add.u32 %r1,[%l1],%r2;",
      "atom.acquire.global.add.u32 %r1,[%l1],%r2;",
      "atom.gpu.global.add.u32 %r1,[%l1],%r2;",
      "atom.global.add.u32 _,[%l1],%r2;",
      "atom.global.cas.b32 _,[%l1],%r2,%r3;",
      "atom.global.v2.f32.add {%f1,%f2},[%l1],{%f3,%f4};",
      "atom.global.add.v2.f32 {%f1,%f2},[%l1],{%f3,%f4};",
      "atom.global.add.v4.f32 {%f1,%f2,%f3,%f4},[%l1],{%f3,%f4,%f5,%f6};",
      "atom.add.v2.f32 {%f1,%f2},[%l1],{%f3,%f4};",
      "atom.global.add.noftz.v2.f16 {%h1,%h2},[%l1],{%h3,%h4};",
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one form
      "atom.global.add.noftz.v8.f16 "
      "{%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8},[%l1],{%h1,%h2,%h3,%h4,%h5,%h6,%h7,%"
      "h8};",
      "atom.global.max.noftz.v4.bf16 "
      "{%h1,%h2,%h3,%h4},[%l1],{%h1,%h2,%h3,%h4};",
      "atom.global.min.noftz.v4.bf16x2 "
      "{%r1,%r2,%r3,%r4},[%l1],{%r1,%r2,%r3,%r4};",
      "atom.global.add.noftz.v2.f16x2 {%r1,%r2},[%l1],{%r1,%r2};",
      "atom.global.add.v2.f32 {%f1,_},[%l1],{%f3,%f4};",
      "atom.add.u32 %r1,[%l1+4],5;",
      "atom.add.f32 %f1,[%l1+4],0f3f800000;",
      "atom.add.f32 %r1,[%l1],%r2;",
  });
  expectRefused({
      {"atom.add.b32 %r1,[%l1],%r2;", "there is no .add.b32"},
      {"atom.add.s64 %l3,[%l1],%l2;", "there is no .add.s64"},
      {"atom.add.noftz.f32 %f1,[%l1],%f2;", ".noftz is not for .f32"},
      {"atom.add.f16 %h1,[%l1],%h2;", ".f16 needs .noftz"},
      {"atom.min.noftz.f16x2 %r1,[%l1],%r2;", ".min.f16x2 is for vectors"},
      {"atom.min.f32 %f1,[%l1],%f2;", "there is no .min.f32"},
      {"atom.max.b32 %r3,[%l1],%r2;", "there is no .max.b32"},
      {"atom.inc.s32 %r3,[%l1],%r2;", "there is no .inc.s32"},
      {"atom.inc.u64 %l3,[%l1],%l2;", "there is no .inc.u64"},
      {"atom.and.u32 %r3,[%l1],%r2;", "there is no .and.u32"},
      {"atom.exch.u32 %r3,[%l1],%r2;", "there is no .exch.u32"},
      {"atom.exch.f32 %f3,[%l1],%f2;", "there is no .exch.f32"},
      {"atom.exch.b16 %h3,[%l1],%h2;", "there is no .exch.b16"},
      {"atom.cas.u32 %r3,[%l1],%r2,%r4;", "there is no .cas.u32"},
      {"atom.cas.s32 %r3,[%l1],%r2,%r4;", "there is no .cas.s32"},
      {"atom.cas.f32 %f3,[%l1],%f2,%f4;", "there is no .cas.f32"},
      {"atom.cas.b128.L2::cache_hint %x3,[%l1],%x2,%x4,%l2;",
       "the modifier '.L2::cache_hint' is unknown or does not fit here"},
      {"atom.cas.L2::cache_hint.b32 %r3,[%l1],%r2,%r4,%l2;",
       "the modifier '.L2::cache_hint' is unknown or does not fit here"},
      {"atom.shared.add.L2::cache_hint.u32 %r1,[sv],%r2,%l2;",
       ".L2::cache_hint is for global and generic addresses"},
      {"atom.local.add.u32 %r1,[lv],%r2;", "it has no access to .local"},
      {"atom.sc.gpu.global.add.u32 %r1,[%l1],%r2;",
       "the modifier '.sc' is unknown or does not fit here"},
      {"atom.volatile.global.add.u32 %r1,[%l1],%r2;",
       "the modifier '.volatile' is unknown or does not fit here"},
      {"atom.weak.global.add.u32 %r1,[%l1],%r2;",
       "the modifier '.weak' is unknown or does not fit here"},
      {"atom.global.min.v2.f32 {%f1,%f2},[%l1],{%f3,%f4};",
       "there is no .min.f32"},
      {"atom.global.add.v8.f32 "
       "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},[%l1],{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%"
       "f8};",
       "there are no vectors of 8 .f32"},
      {"atom.shared.add.v2.f32 {%f1,%f2},[sv],{%f3,%f4};",
       "vectors are for global and generic addresses"},
      {"atom.global.max.v4.bf16 {%h1,%h2,%h3,%h4},[%l1],{%h1,%h2,%h3,%h4};",
       ".bf16 needs .noftz"},
      {"atom.global.add.noftz.v8.f16x2 "
       "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},[%l1],{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%"
       "r8};",
       "there are no vectors of 8 .f16x2"},
      {"atom.global.add.v2.u32 {%r1,%r2},[%l1],{%r1,%r2};",
       "there are no vectors of 2 .u32"},
      {"atom.global.min.noftz.f16 %h1,[%l1],%h2;", ".min.f16 is for vectors"},
      {"atom.global.add.ftz.f32 %f1,[%l1],%f2;",
       "the modifier '.ftz' is unknown or does not fit here"},
      {"atom.add.u32 %l3,[%l1],%r2;",
       "the register '%l3' of type '.b64' does not fit type '.u32'"},
      {"atom.cas.b16 %r3,[%l1],%r2,%r4;",
       "the register '%r2' of type '.b32' does not fit type '.b16'"},
  });
  expectRefused(
      {
          {"atom.exch.b128 %x3,[%l1],%x2;", ".b128 needs sm_90"},
          {"atom.cas.b128 %x3,[%l1],%x2,%x4;", ".b128 needs sm_90"},
          {"atom.add.noftz.bf16 %h1,[%l1],%h2;", ".bf16 needs sm_90"},
          {"atom.add.noftz.bf16x2 %r1,[%l1],%r2;", ".bf16x2 needs sm_90"},
          {"atom.global.add.v2.f32 {%f1,%f2},[%l1],{%f3,%f4};",
           "a vector needs sm_90"},
      },
      80);
}

// "red"
TEST(AtomicForms, Reductions) {
  expectTaken({
      "red.global.add.u32 [%l1],%r2;",
      "red.relaxed.gpu.global.add.u32 [%l1],%r2;",
      "red.release.gpu.global.add.u32 [%l1],%r2;",
      "red.inc.u32 [%l1],%r2;",
      "red.shared.add.f32 [sv],%f2;",
      "red.global.add.noftz.bf16 [%l1],%h2;",
      "red.global.add.noftz.v8.bf16 [%l1],{%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};",
      "red.global.v4.f32.add [%l1],{%f1,%f2,%f3,%f4};",
      "red.global.add.L2::cache_hint.v4.f32 [%l1],{%f1,%f2,%f3,%f4},%l2;",
  });
  expectRefused({
      {"red.acquire.gpu.global.add.u32 [%l1],%r2;",
       "the modifier '.acquire' is unknown or does not fit here"},
      {"red.acq_rel.gpu.global.add.u32 [%l1],%r2;",
       "the modifier '.acq_rel' is unknown or does not fit here"},
      {"red.add.s64 [%l1],%l2;", "there is no .add.s64"},
      {"red.add.b32 [%l1],%r2;", "there is no .add.b32"},
      {"red.exch.b32 [%l1],%r2;",
       "it must have one of .and, .or, .xor, .add, .inc, .dec, .min, .max"},
      {"red.cas.b32 [%l1],%r2,%r3;",
       "it must have one of .and, .or, .xor, .add, .inc, .dec, .min, .max"},
  });
}

// "st.bulk"
TEST(AtomicForms, BulkStoresNeedALaterGPU) {
  expectRefused({
      {"st.bulk.shared::cta [%l1], 64, 0;", "it needs sm_100"},
  });
}

} // namespace
