// Warnings as a program sees them: README.md, "Severity", and
// cheems/emulator.h.
#include "Fixture.h"
#include "cheems/emulator.h"

#include <dlfcn.h>

namespace cheems::emulator::driver {
namespace {

using Warnings = DriverTest;

/// Each thread copies 16 bytes into shared memory, and waits for nothing.
const std::string copy = std::string(header) + R"(
.visible .entry copy(.param .u64 words) {
  .reg .b64 %rd<2>;
  .shared .align 16 .b8 s[16];
  ld.param.u64 %rd0, [words];
  cp.async.cg.shared.global [s], [%rd0], 16;
  ret;
}
)";

TEST_F(Warnings, areReportedOnceAndCountedAndTheContextLives) {
  cheems_emulator emulator{};
  ASSERT_EQ(cheems_emulator_find(dlsym, RTLD_DEFAULT, &emulator), 1);
  const char *strict = std::getenv("CHEEMS_EMULATOR_STRICT");
  if (strict && *strict == '1') {
    GTEST_SKIP() << "warnings are errors in this process";
  }
  CUdeviceptr words = this->words(32, 5);
  void *parameters[] = {&words};
  CUfunction function = this->function(copy, "copy");
  const uint64_t before = emulator.warnings();
  auto launch = [&] {
    testing::internal::CaptureStderr();
    EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                             nullptr));
    EXPECT_OK(cuCtxSynchronize());
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(launch(),
              testing::StartsWith(
                  "cheems-emulator: warning: copy-in-flight-at-exit: "));
  EXPECT_EQ(launch(), "") << "it was told";
  EXPECT_EQ(emulator.warnings(), before + 2);
  EXPECT_EQ(readWord(words), 5u);
}

/// cuInit reads the variables once, so this is a process of its own, and no
/// fixture has called it there.
TEST(StrictWarnings, areErrors) {
  auto run = [] {
    setenv("CHEEMS_EMULATOR_STRICT", "1", 1);
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr words = 0;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
        cuCtxSetCurrent(context) || cuMemAlloc_v2(&words, 128) ||
        cuMemsetD32_v2(words, 5, 32) ||
        cuModuleLoadData(&module, copy.c_str()) ||
        cuModuleGetFunction(&function, module, "copy")) {
      std::_Exit(1);
    }
    void *parameters[] = {&words};
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
    std::_Exit(cuCtxSynchronize() == CUDA_ERROR_LAUNCH_FAILED ? 7 : 2);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(), testing::ExitedWithCode(7),
              "cheems-emulator: copy-in-flight-at-exit");
}

TEST(EmulatorHeader, otherDriversHaveNoneOfIt) {
  cheems_emulator emulator{};
  EXPECT_EQ(cheems_emulator_find(
                [](void *, const char *) -> void * { return nullptr; }, nullptr,
                &emulator),
            0);
  EXPECT_EQ(emulator.counts, nullptr);
}

} // namespace
} // namespace cheems::emulator::driver
