// Kernels that allocate, print and assert, as a program sees them: the driver
// API, "Context Management: cuCtxSetLimit" and "Data types: CUresult".
#include "Fixture.h"

namespace cheems::emulator::driver {
namespace {

class SystemCalls : public DriverTest {
protected:
  CUresult launch(CUfunction function, CUdeviceptr pointer) {
    void *parameters[] = {&pointer};
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                          nullptr);
  }
};

/// Writes the address of 4096 bytes of the heap, or zero.
const std::string take = std::string(header) + R"(
.extern .func (.param .b64 pointer) malloc (.param .b64 bytes);
.visible .entry take(.param .u64 out) {
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.b64 %rd1, 4096;
  call (%rd2), malloc, (%rd1);
  st.global.u64 [%rd0], %rd2;
  ret;
}
)";

TEST_F(SystemCalls, theHeapHasTheLimitOfTheContext) {
  size_t limit = 0;
  EXPECT_OK(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
  EXPECT_EQ(limit, size_t(8) << 20);
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 8192));
  CUfunction function = this->function(take, "take");
  CUdeviceptr out = allocate(8);
  CUdeviceptr got[3];
  for (CUdeviceptr &one : got) {
    EXPECT_OK(launch(function, out));
    EXPECT_OK(cuMemcpyDtoH_v2(&one, out, 8));
  }
  EXPECT_NE(got[0], 0u);
  EXPECT_NE(got[1], 0u);
  EXPECT_NE(got[0], got[1]);
  EXPECT_EQ(got[2], 0u);
  // "before launching any kernel that uses malloc() or free()"
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 21));
}

// "memory allocated by malloc() cannot be used with" calls of the host
TEST_F(SystemCalls, theHostKnowsNoMemoryOfTheHeap) {
  CUdeviceptr out = allocate(8), got = 0;
  EXPECT_OK(launch(function(take, "take"), out));
  EXPECT_OK(cuMemcpyDtoH_v2(&got, out, 8));
  EXPECT_EQ(cuMemFree_v2(got), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8_v2(got, 0, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(got, &got, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemGetAddressRange_v2(nullptr, nullptr, got),
            CUDA_ERROR_NOT_FOUND);
}

const std::string assertion = std::string(header) + R"(
.extern .func __assertfail (.param .b64 message, .param .b64 file,
  .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 text[6] = {105, 32, 60, 32, 110, 0};
.visible .entry check(.param .u64 wrong) {
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd0, [wrong];
  mov.b64 %rd1, text;
  setp.ne.u64 %p, %rd0, 0;
  @%p call __assertfail, (%rd1, %rd1, 12, %rd1, 1);
  ret;
}
)";

TEST_F(SystemCalls, anAssertionThatFailsHasItsOwnCode) {
  CUfunction function = this->function(assertion, "check");
  EXPECT_OK(launch(function, 0));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(launch(function, 1));
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("i < n:12: i < n: the assertion 'i < n'"));
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 4), CUDA_ERROR_ASSERT);
}

} // namespace
} // namespace cheems::emulator::driver
