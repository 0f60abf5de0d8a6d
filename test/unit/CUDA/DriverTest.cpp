// What stands in the way of a driver is one line that says what to do.
#include "runtime/CUDA/Driver.h"
#include "SoftwareGPU.h"
#include "test/unit/Support/TestPaths.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;
using cuda::Driver;

namespace {

/// Runs in a process of its own, which opens another driver.
[[noreturn]] void open(const char *path, const char *variable = nullptr,
                       const char *value = nullptr) {
  setenv("CHEEMS_CUDA_DRIVER", path, 1);
  setenv("FAULTY_DRIVER_BEHIND", cheems::test_paths::softwareGPU, 1);
  if (variable) {
    setenv(variable, value, 1);
  }
  int status = 0;
  try {
    Driver::get();
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = static_cast<int>(error.status);
  }
  _exit(status);
}

using testing::ExitedWithCode;

class DriverDeathTest : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DriverDeathTest, refusesWhatIsNoDriver) {
  EXPECT_EXIT(open("/nowhere/libcuda.so"), ExitedWithCode(3),
              "^cannot load /nowhere/libcuda.so, which CHEEMS_CUDA_DRIVER "
              "names: .*No such file[^\n]*\n$");
  EXPECT_EXIT(open("libdl.so.2"), ExitedWithCode(3),
              "^libdl.so.2 is no CUDA driver, or not a whole one: it has no "
              "cuDriverGetVersion\n$");
}

TEST_F(DriverDeathTest, refusesDriversOfBefore525) {
  EXPECT_EXIT(
      open(cheems::test_paths::faultyDriver, "FAULTY_DRIVER_VERSION", "11080"),
      ExitedWithCode(3),
      "^the CUDA driver is too old: it is of CUDA 11.8, and the least "
      "is driver 525 \\(CUDA 12.0\\); install a newer one, or use "
      "--device cpu\n$");
  EXPECT_EXIT(
      open(cheems::test_paths::faultyDriver, "FAULTY_DRIVER_VERSION", "12000"),
      ExitedWithCode(0), "^$");
}

TEST_F(DriverDeathTest, refusesMachinesWithoutAGPU) {
  EXPECT_EXIT(
      open(cheems::test_paths::faultyDriver, "FAULTY_DRIVER_INIT", "100"),
      ExitedWithCode(3), "^the CUDA driver finds no GPU; see [^\n]*\n$");
  EXPECT_EXIT(
      open(cheems::test_paths::faultyDriver, "FAULTY_DRIVER_INIT", "999"),
      ExitedWithCode(3),
      "does not start: CUDA_ERROR_UNKNOWN: unknown error; see [^\n]*"
      "\n$");
}

TEST_F(DriverDeathTest, refusesToBeUsedAfterAFork) {
  EXPECT_EXIT(
      {
        useSoftwareGPU();
        Driver::get();
        if (pid_t child = fork()) {
          int status = 0;
          waitpid(child, &status, 0);
          _exit(WEXITSTATUS(status));
        }
        open(cheems::test_paths::faultyDriver);
      },
      ExitedWithCode(2), "^the CUDA driver was opened before a fork[^\n]*\n$");
}

TEST(Driver, namesTheFunctionAndTheFailure) {
  const FaultyDriver &faulty = useSoftwareGPU();
  const Driver &driver = Driver::get();
  EXPECT_GE(driver.version(), 12000);
  int devices = 0;
  driver.cuDeviceGetCount(&devices);
  EXPECT_EQ(devices, 1);

  EXPECT_EQ(refusal([&] { driver.cuStreamSynchronize(nullptr); }),
            "1: cuStreamSynchronize failed: CUDA_ERROR_INVALID_CONTEXT: "
            "invalid device context");
  faulty.failCall(1, cuda::CUDA_ERROR_LAUNCH_FAILED);
  try {
    driver.cuCtxSynchronize();
    ADD_FAILURE();
  } catch (const cuda::DriverError &error) {
    EXPECT_EQ(error.code, cuda::CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_TRUE(error.lostContext());
    EXPECT_STREQ(error.what(),
                 "cuCtxSynchronize failed: CUDA_ERROR_LAUNCH_FAILED: "
                 "unspecified launch failure; what this program had on the "
                 "GPU is lost: start it again");
  }
  faulty.failCall(1, 12345);
  EXPECT_EQ(refusal([&] { driver.cuDeviceGetCount(&devices); }),
            "1: cuDeviceGetCount failed: error 12345");
}

} // namespace
