//===- Fixture.h - A current context for tests of the driver ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_DRIVER_FIXTURE_H
#define CHEEMS_EMULATOR_TEST_DRIVER_FIXTURE_H

#include "Driver/Functions.h"

#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace cheems::emulator::driver {

#define EXPECT_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, CUDA_SUCCESS)

/// The primary context is current; it is reset after each test.
class DriverTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("CHEEMS_EMULATOR_MEMORY", "256M", 1);
    ASSERT_OK(cuInit(0));
    ASSERT_OK(cuDevicePrimaryCtxRetain(&context, 0));
    ASSERT_OK(cuCtxSetCurrent(context));
  }
  void TearDown() override {
    cuDevicePrimaryCtxReset_v2(0);
    cuCtxSetCurrent(nullptr);
  }

  /// False: the GPU is sm_80.
  static bool isHopper() {
    int major = 0;
    EXPECT_OK(cuDeviceGetAttribute(
        &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    return major >= 9;
  }

  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr pointer = 0;
    EXPECT_OK(cuMemAlloc_v2(&pointer, bytes));
    return pointer;
  }
  /// Words of the GPU, filled with `value`.
  CUdeviceptr words(size_t count, unsigned value) {
    CUdeviceptr pointer = allocate(4 * count);
    EXPECT_OK(cuMemsetD32_v2(pointer, value, count));
    return pointer;
  }
  unsigned *pinnedWords(size_t count, unsigned value) {
    void *pointer = nullptr;
    EXPECT_OK(cuMemAllocHost_v2(&pointer, 4 * count));
    auto *words = static_cast<unsigned *>(pointer);
    std::fill_n(words, count, value);
    return words;
  }
  unsigned readWord(CUdeviceptr pointer) {
    unsigned value = 0xdeadbeef;
    EXPECT_OK(cuMemcpyDtoH_v2(&value, pointer, 4));
    return value;
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream made = nullptr;
    EXPECT_OK(cuStreamCreate(&made, flags));
    return made;
  }
  CUevent event(unsigned flags = 0) {
    CUevent made = nullptr;
    EXPECT_OK(cuEventCreate(&made, flags));
    return made;
  }
  CUmodule load(const std::string &ptx) {
    CUmodule module = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, ptx.c_str()));
    return module;
  }
  CUfunction function(const std::string &ptx, const char *name) {
    CUfunction found = nullptr;
    EXPECT_OK(cuModuleGetFunction(&found, load(ptx), name));
    return found;
  }

  CUcontext context = nullptr;
};

inline const char *const header =
    ".version 8.0\n.target sm_80\n.address_size 64\n";

/// add(words, n): adds n to the word of each thread.
inline const std::string addKernel = std::string(header) + R"(
.visible .entry add(.param .u64 words, .param .u32 n) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [words];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r3, %r1, %r2, %r3;
  mul.wide.u32 %rd1, %r3, 4;
  add.s64 %rd0, %rd0, %rd1;
  ld.global.u32 %r4, [%rd0];
  add.s32 %r4, %r4, %r0;
  st.global.u32 [%rd0], %r4;
  ret;
}
)";

/// Adds n to `blocks` * `threads` words.
inline CUresult launchAdd(CUfunction function, CUdeviceptr words, unsigned n,
                          CUstream stream = nullptr, unsigned blocks = 1,
                          unsigned threads = 32) {
  void *parameters[] = {&words, &n};
  return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream,
                        parameters, nullptr);
}

} // namespace cheems::emulator::driver

#endif
