#include "runtime/CUDA/Device.h"
#include <unistd.h>

using namespace cheems;
using namespace cheems::cuda;

namespace {

/// How the software GPU names itself (emulator/lib/Driver/DeviceEntries.cpp).
constexpr char softwareName[] = "Cheems emulator";

int count(const Driver &driver) {
  int result = 0;
  driver.cuDeviceGetCount(&result);
  return result;
}

DeviceInfo describe(const Driver &driver, int index) {
  DeviceInfo info;
  info.index = index;
  CUdevice device = 0;
  driver.cuDeviceGet(&device, index);
  char name[256] = {};
  driver.cuDeviceGetName(name, sizeof(name) - 1, device);
  info.name = name;
  info.software = info.name.rfind(softwareName, 0) == 0;
  driver.cuDeviceGetAttribute(
      &info.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver.cuDeviceGetAttribute(
      &info.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  size_t bytes = 0;
  driver.cuDeviceTotalMem(&bytes, device);
  info.memoryBytes = static_cast<int64_t>(bytes);
  return info;
}

DeviceInfo find(const Driver &driver, int index) {
  int all = count(driver);
  if (index < 0 || index >= all) {
    throw Error(Status::unsupported,
                "there is no GPU cuda:" + std::to_string(index) +
                    ": the CUDA driver finds " + std::to_string(all) +
                    ", counted from 0; see --list-devices");
  }
  return describe(driver, index);
}

} // namespace

std::vector<DeviceInfo> cuda::listDevices() {
  const Driver &driver = Driver::get();
  std::vector<DeviceInfo> devices;
  for (int index = 0, all = count(driver); index < all; ++index) {
    devices.push_back(describe(driver, index));
  }
  return devices;
}

DeviceInfo cuda::describeDevice(int index) {
  return find(Driver::get(), index);
}

Context::Context(int index)
    : cuda(Driver::get()), info(find(cuda, index)), process(getpid()) {
  cuda.cuDeviceGet(&gpu, index);
  cuda.cuDevicePrimaryCtxRetain(&handle, gpu);
}

Context::~Context() {
  if (isOfThisProcess()) {
    cuda.cuDevicePrimaryCtxRelease.result(gpu);
  }
}

bool Context::isOfThisProcess() const { return process == getpid(); }

Context::Current::Current(const Context &context) : context(context) {
  if (!context.isOfThisProcess()) {
    throw Error(Status::usage,
                "what is on the GPU belongs to the process that put it there, "
                "and this one was forked from it; open the model here");
  }
  context.cuda.cuCtxPushCurrent(context.handle);
}

Context::Current::~Current() { context.pop(); }

bool Context::pushForCleanUp() const noexcept {
  // Tried again: what is not given back now stays until the process ends.
  return isOfThisProcess() &&
         (cuda.cuCtxPushCurrent.result(handle) == CUDA_SUCCESS ||
          cuda.cuCtxPushCurrent.result(handle) == CUDA_SUCCESS);
}

void Context::pop() const noexcept {
  CUcontext ignored;
  cuda.cuCtxPopCurrent.result(&ignored);
}
