// Rates of CUDA C++ Programming Guide, "Throughput of Native Arithmetic
// Instructions", and peaks of the data sheets.
#include "Count/Rates.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

TEST(Rates, arithmeticAsTheGuideSays) {
  const Detail fma{Pipe::fma, "fma.rn.f32"}, add{Pipe::alu, "add.s32"},
      exponential{Pipe::mufu, "ex2.approx.ftz.f32"};
  EXPECT_EQ(cyclesOf(fma, 90), 0.25);
  EXPECT_EQ(cyclesOf(fma, 80), 0.5);
  EXPECT_EQ(cyclesOf({Pipe::fma, "mad.lo.s32"}, 90), 0.5);
  EXPECT_EQ(cyclesOf(add, 90), 0.5);
  EXPECT_EQ(cyclesOf(exponential, 90), 2);
  EXPECT_EQ(cyclesOf({Pipe::fp64, "fma.rn.f64"}, 80), 1);
  EXPECT_EQ(cyclesOf({Pipe::conversion, "cvt.rn.bf16x2.f32"}, 90), 0.5);
  EXPECT_EQ(cyclesOf({Pipe::conversion, "cvt.rn.f32.s64"}, 90), 2);
  EXPECT_EQ(cyclesOf({Pipe::control, "bra.uni"}, 90), 0);
}

TEST(Rates, aMatmulHasTheMultiplyAddsOfItsShape) {
  const Detail mma{Pipe::tensor,
                   "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"},
      wgmma{Pipe::tensor,
            "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"},
      bytes{Pipe::tensor,
            "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3"},
      tf32{Pipe::tensor, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"};
  EXPECT_EQ(multiplyAddsOf(mma), 16u * 8 * 16);
  EXPECT_EQ(multiplyAddsOf(wgmma), 64u * 128 * 16 / 4);
  EXPECT_EQ(multiplyAddsOf({Pipe::tensor,
                            "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"}),
            4u * 8 * 8 * 4);
  EXPECT_EQ(multiplyAddsOf({Pipe::tensor,
                            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"}),
            8u * 8 * 4);
  EXPECT_EQ(cyclesOf(mma, 90), 1);
  EXPECT_EQ(cyclesOf(mma, 80), 2);
  EXPECT_EQ(cyclesOf(wgmma, 90), 16);
  EXPECT_EQ(cyclesOf(bytes, 90), 64.0 * 64 * 32 / 4 / 4096);
  EXPECT_EQ(cyclesOf(tf32, 90), 1);
}

TEST(Rates, fencesOfMatmulsMultiplyNothing) {
  EXPECT_EQ(multiplyAddsOf({Pipe::tensor, "wgmma.fence.sync.aligned"}), 0u);
  EXPECT_EQ(multiplyAddsOf({Pipe::lsu, "ldmatrix.sync.aligned.m8n8.x4.b16"}),
            0u);
}

} // namespace
