//===- FormsTest.cpp - Arithmetic that is taken and refused ---------------===//
#include "Support/Forms.h"

using namespace cheems::emulator::test;

TEST(LanesForms, areTaken) {
  expectTaken({
      "add.u16 %h1, %h2, 5;",
      "mov.u32 %r1, sv;",
      "mov.u64 %l1, gv+8;",
      "cvta.global.u64 %l1, gv;",
      "cvta.param.u64 %l1, pv;",
      "mov.b32 %r1, {%h1, %h2};",
      "setp.lt.and.u32 %p1|_, %r1, 7, !%p2;",
      "cvt.rn.f16.f32 %g1, %f1;",
      "cvt.u32.u8 %r1, %r2;",
      "fma.rn.f64 %d1, %d2, 0d3ff0000000000000, %d3;",
      "lop3.or.b32 _|%p1, %r1, %r2, %r3, 0x96, %p2;",
      "prmt.b32 %r1, %r2, 0, 0x4140;",
      "min.f32 %f1, %f2, 0f7f800000;",
  });
}

TEST(LanesForms, areRefused) {
  expectRefused({
      {"add.f31 %f1, %f2, %f3;", ""},
      {"add.rn.s32 %r1, %r2, %r3;", "rn"},
      {"add.sat.u32 %r1, %r2, %r3;", ".u32"},
      {"add.f64.sat %d1, %d2, %d3;", "sat"},
      {"add.u8 %h1, %h2, %h3;", ".u8"},
      {"fma.f32 %f1, %f2, %f3, %f4;", "rounding"},
      {"div.f32 %f1, %f2, %f3;", "rounding"},
      {"mul.u32 %r1, %r2, %r3;", ""},
      {"mul.wide.u64 %l1, %l2, %l3;", ".u64"},
      {"abs.u32 %r1, %r2;", ".u32"},
      {"setp.lt.b32 %p1, %r1, %r2;", "bits"},
      {"setp.lo.s32 %p1, %r1, %r2;", "unsigned"},
      {"setp.ltu.s32 %p1, %r1, %r2;", "no such comparison"},
      {"setp.lt.f16x2 %p1, %r1, %r2;", "two results"},
      {"set.eq.u16.f32 %h1, %f1, %f2;", "types"},
      {"lop3.b32 %r1, %r2, %r3, %r4, 256;", "0 to 255"},
      {"lop3.b32 %r1|%p1, %r2, %r3, %r4, 3;", "and"},
      {"cvt.f16.f32 %h1, %f1;", "rounding"},
      {"cvt.rn.f32.f16 %f1, %h1;", "not rounded"},
      {"cvt.s32.f32 %r1, %f1;", "rounding"},
      {"cvt.rni.f32.s32 %f1, %r1;", "rounding"},
      {"cvt.ftz.u32.u16 %r1, %h1;", ".ftz"},
      {"cvt.sat.u32.u16 %r1, %h1;", ".sat"},
      {"cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "satfinite"},
      {"ex2.f32 %f1, %f2;", ".approx"},
      {"min.xorsign.f32 %f1, %f2, %f3;", ".abs"},
      {"mov.b64 {%h1, %h2}, %l1;", ""},
      {"bfe.b32 %r1, %r2, 1, 2;", ".b32"},
      {"shl.u32 %r1, %r2, 1;", ".u32"},
  });
}

// PTX ISA, "Target ISA Notes" of these instructions
TEST(LanesForms, needArchitectures) {
  expectRefused(
      {
          {"add.bf16 %h1, %h2, %h3;", "sm_90"},
          {"add.u16x2 %r1, %r2, %r3;", "sm_90"},
          {"min.xorsign.abs.f32 %f1, %f2, %f3;", "sm_86"},
          {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "sm_89"},
          {"cvt.rn.tf32.f32 %r1, %f1;", "sm_90"},
      },
      80);
  expectRefused({
      {"add.f32x2 %l1, %l2, %l3;", "sm_100"},
      {"max.f32 %f1, %f2, %f3, %f4;", "sm_100"},
      {"cvt.rn.satfinite.e2m1x2.f32 %c1, %f1, %f2;", "sm_100"},
  });
}

TEST(LanesForms, notModelled) {
  expectRefused({
      {"vadd.s32.s32.s32 %r1, %r2, %r3;", "not modelled"},
      {"vset4.u32.u32.lt %r1, %r2, %r3, %r4;", "not modelled"},
      {"isspacep.const %p1, %l1;", "not modelled"},
      {"fma.rn.oob.f16 %h1, %h2, %h3, %h4;", "not modelled"},
      {"cvta.global.u32 %r1, %r2;", "not modelled"},
  });
}
