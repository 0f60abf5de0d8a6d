//===- ContextTest.cpp ----------------------------------------------------===//
#include "Fixture.h"

#include <thread>

using namespace cheems::emulator::driver;

namespace {

class ContextTest : public DriverTest {};

} // namespace

TEST_F(ContextTest, callsNeedAContext) {
  CUdeviceptr pointer = 0;
  EXPECT_OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext popped = nullptr;
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
  std::thread([&] {
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_OK(cuCtxSetCurrent(context));
    EXPECT_OK(cuMemAlloc_v2(&pointer, 16));
  }).join();
}

TEST_F(ContextTest, contextsAreAStack) {
  CUcontext first = nullptr, second = nullptr, current = nullptr;
  EXPECT_OK(cuCtxCreate_v2(&first, 0, 0));
  EXPECT_OK(cuCtxCreate_v4(&second, nullptr, CU_CTX_MAP_HOST, 0));
  EXPECT_OK(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, second);
  EXPECT_OK(cuCtxPopCurrent_v2(&current));
  EXPECT_EQ(current, second);
  EXPECT_OK(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, first);
  EXPECT_OK(cuCtxPushCurrent_v2(second));
  unsigned flags = 0;
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, unsigned(CU_CTX_MAP_HOST));
  // a destroyed context leaves the stack of its thread
  EXPECT_OK(cuCtxDestroy_v2(second));
  EXPECT_OK(cuCtxGetCurrent(&current));
  EXPECT_EQ(current, first);
  EXPECT_EQ(cuCtxPushCurrent_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxDestroy_v2(first));
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxCreate_v2(&first, 0x1000, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&first, 0, 3), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(ContextTest, contextsHaveTheirOwnHandles) {
  CUstream stream = this->stream();
  CUcontext other = nullptr;
  EXPECT_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(ContextTest, thePrimaryContextIsCounted) {
  CUcontext again = nullptr;
  unsigned flags = 1;
  int active = 0;
  EXPECT_OK(cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(again, context);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&again, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(ContextTest, whatIsLeftIsToldAtTheEnd) {
  allocate(100);
  testing::internal::CaptureStderr();
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("leak: 1 allocations of 100 bytes"));
}

TEST_F(ContextTest, limitsAreKept) {
  size_t value = 0;
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_SHMEM_SIZE),
            CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
  int least = 1, greatest = 1;
  EXPECT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
}
