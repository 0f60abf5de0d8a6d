#include "SoftwareGPU.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;
using namespace cheems::cuda;

namespace {

TEST(Device, theSoftwareGPUIsListedAsWhatItIs) {
  useSoftwareGPU();
  std::vector<DeviceInfo> devices = listDevices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].index, 0);
  EXPECT_TRUE(devices[0].software);
  EXPECT_EQ(devices[0].major, 9);
  EXPECT_EQ(devices[0].minor, 0);
  EXPECT_EQ(devices[0].memoryBytes, gpuBytes);
  EXPECT_EQ(devices[0].name, "Cheems emulator of sm_90a");
}

TEST(Device, aGPUThatIsNotThereIsRefused) {
  useSoftwareGPU();
  for (int index : {-1, 1}) {
    EXPECT_EQ(refusal([&] { Context context(index); }),
              "3: there is no GPU cuda:" + std::to_string(index) +
                  ": the CUDA driver finds 1, counted from 0; see "
                  "--list-devices");
  }
}

TEST(Device, aContextIsCurrentWhereAThreadSaysSo) {
  const FaultyDriver &faulty = useSoftwareGPU();
  long before = faulty.alive();
  {
    auto context = std::make_shared<Context>(0);
    EXPECT_EQ(context->device().name, "Cheems emulator of sm_90a");
    const Driver &driver = context->driver();
    EXPECT_THROW(driver.cuCtxSynchronize(), DriverError);
    {
      Context::Current outer(*context);
      Context::Current inner(*context);
      driver.cuCtxSynchronize();
      std::thread([&] {
        EXPECT_THROW(driver.cuCtxSynchronize(), DriverError);
        Context::Current own(*context);
        driver.cuCtxSynchronize();
      }).join();
    }
    EXPECT_THROW(driver.cuCtxSynchronize(), DriverError);
  }
  EXPECT_EQ(faulty.alive(), before);
}

TEST(Device, aForkedChildCanDoNothingAndEnds) {
  useSoftwareGPU();
  auto context = std::make_shared<Context>(0);
  pid_t child = fork();
  if (child == 0) {
    std::string text = refusal([&] { Context::Current current(*context); });
    context.reset();
    _exit(text.rfind("2: what is on the GPU belongs", 0) == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Context::Current current(*context); // here it is as before
  context->driver().cuCtxSynchronize();
}

} // namespace
