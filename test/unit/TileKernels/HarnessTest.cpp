// What the tests of kernels stand on: findings become failures that name the
// rule, and the GPU works on after one.
#include "TileHarness.h"
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

using namespace cheems::test;
using testing::HasSubstr;

namespace {

/// Stores 1 in as many words as the launch has threads.
std::string store() {
  return ".version 8.0\n.target " + GPU::get().architecture() +
         R"(
.address_size 64
.visible .entry store(.param .u64 to) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [to];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd0, %rd0, %rd1;
  mov.b32 %r1, 1;
  st.global.b32 [%rd0], %r1;
  ret;
}
)";
}

GPU::Launch launchOf(GPU::Address target, uint32_t threads) {
  std::vector<std::byte> bits(sizeof(target));
  std::memcpy(bits.data(), &target, sizeof(target));
  return {"store", {1, 1, 1}, threads, 0, {bits}};
}

TEST(GPU, RunsAKernel) {
  GPUMemory memory(32 * 4);
  GPU::get().launch(store(), launchOf(memory.address(), 32));
  std::vector<uint32_t> got(32);
  GPU::get().read(got.data(), memory.address(), 128);
  EXPECT_THAT(got, testing::Each(1U));
}

TEST(GPU, TellsWhatItFoundAndWorksOn) {
  {
    GPUMemory memory(16 * 4);
    try {
      GPU::get().launch(store(), launchOf(memory.address(), 32));
      FAIL() << "a store past the end was not found";
    } catch (const GPUError &error) {
      EXPECT_THAT(error.what(), HasSubstr("out-of-bounds"));
      EXPECT_THAT(error.what(), HasSubstr("store"));
    }
  }
  GPUMemory memory(32 * 4);
  EXPECT_NO_THROW(GPU::get().launch(store(), launchOf(memory.address(), 32)));
}

TEST(Array, RoundsAsTheTypeDoes) {
  for (Number number : {Number::F32, Number::BF16, Number::F16}) {
    Array array(number, {3});
    array.set(0, -1.5);
    array.set(1, 1.0 + 0x1p-9); // to even in bf16
    EXPECT_EQ(array.get(0), -1.5);
    EXPECT_EQ(array.get(1), number == Number::BF16 ? 1.0 : 1.0 + 0x1p-9);
    EXPECT_TRUE(std::isnan(array.get(2)));
  }
  Array whole(Number::I32, {1});
  EXPECT_EQ(whole.get(0), -1);
  whole.set(0, -7);
  EXPECT_EQ(whole.get(0), -7);
}

TEST(Array, RoundsOnceToBF16) {
  // Beside the middle of two numbers, by less than f32 can tell.
  EXPECT_EQ(nearest(1 + 0x1p-8, Number::BF16), 1);
  EXPECT_EQ(nearest(1 + 0x1p-8 + 0x1p-40, Number::BF16), 1 + 0x1p-7);
  EXPECT_EQ(nearest(-1 - 0x3p-8, Number::BF16), -1 - 0x1p-6);
  EXPECT_EQ(nearest(-1 - 0x3p-8 + 0x1p-40, Number::BF16), -1 - 0x1p-7);
  EXPECT_EQ(nearest(0x1.ffp127, Number::BF16), HUGE_VAL);
  EXPECT_EQ(nearest(0x1.feffffffffp127, Number::BF16), 0x1.fep127);
  EXPECT_EQ(nearest(1e300, Number::BF16), HUGE_VAL);
  EXPECT_EQ(nearest(0x1p-134, Number::BF16), 0);
  EXPECT_EQ(nearest(0x1.000001p-134, Number::BF16), 0x1p-133);
  EXPECT_EQ(nearest(1e-300, Number::BF16), 0);
  EXPECT_TRUE(std::isnan(nearest(std::nan(""), Number::BF16)));
}

TEST(TileModule, RefusesOpsThatNoPlanHas) {
  auto module = TileModule::compile(R"(
    cheems_tile.kernel @nothing(%x: memref<?xf32>) warps(1) {
      cheems_tile.return
    }
    func.func @f(%x: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %v = arith.constant 0.0 : f32
      memref.store %v, %x[%c0] : memref<?xf32>
      return
    })");
  ASSERT_NE(module, nullptr);
  Array x(Number::F32, {1});
  EXPECT_NONFATAL_FAILURE(
      module->call("f", {&x}),
      "'memref.store' op is nothing that a plan of launches has");
  EXPECT_NONFATAL_FAILURE(module->call("f", {int64_t(1)}), "");
}

} // namespace
