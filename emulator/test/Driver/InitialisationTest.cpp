//===- InitialisationTest.cpp ---------------------------------------------===//
#include "Fixture.h"

using namespace cheems::emulator::driver;

namespace {

class InitialisationTest : public DriverTest {};

void *address(const char *name, int version, cuuint64_t flags = 0) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  EXPECT_OK(cuGetProcAddress_v2(name, &found, version, flags, &status));
  EXPECT_EQ(found != nullptr, status == CU_GET_PROC_ADDRESS_SUCCESS);
  return found;
}

CUdriverProcAddressQueryResult status(const char *name, int version) {
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  EXPECT_OK(cuGetProcAddress_v2(name, &found, version, 0, &status));
  return status;
}

template <typename F> void *pointer(F *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace

TEST_F(InitialisationTest, tellsItsVersion) {
  int version = 0;
  EXPECT_OK(cuDriverGetVersion(&version));
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InitialisationTest, namesErrors) {
  const char *text = nullptr;
  EXPECT_OK(cuGetErrorName(CUDA_ERROR_LAUNCH_FAILED, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_OK(cuGetErrorString(CUDA_ERROR_LAUNCH_FAILED, &text));
  EXPECT_STREQ(text, "unspecified launch failure");
  EXPECT_EQ(cuGetErrorName(CUresult(98), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(cuGetErrorString(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InitialisationTest, baseNamesMapByVersion) {
  EXPECT_EQ(address("cuMemAlloc", 13000), pointer(cuMemAlloc_v2));
  EXPECT_EQ(address("cuMemAlloc", 3020), pointer(cuMemAlloc_v2));
  EXPECT_NE(address("cuMemAlloc", 2000), pointer(cuMemAlloc_v2));
  EXPECT_EQ(address("cuCtxSynchronize", 12090), pointer(cuCtxSynchronize));
  EXPECT_EQ(address("cuCtxSynchronize", 13000), pointer(cuCtxSynchronize_v2));
  EXPECT_EQ(address("cuGraphInstantiate", 12000),
            pointer(cuGraphInstantiateWithFlags));
  EXPECT_EQ(address("cuGetProcAddress", 12000), pointer(cuGetProcAddress_v2));
  EXPECT_EQ(address("cuGetProcAddress", 11030), pointer(cuGetProcAddress));
}

TEST_F(InitialisationTest, defaultStreamsOfThreadsHaveTheirOwnFunctions) {
  const auto perThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(address("cuMemcpyHtoD", 13000, perThread),
            pointer(cuMemcpyHtoD_v2_ptds));
  EXPECT_EQ(address("cuLaunchKernel", 13000, perThread),
            pointer(cuLaunchKernel_ptsz));
  EXPECT_EQ(address("cuLaunchKernel", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM),
            pointer(cuLaunchKernel));
  // a function without a stream has one form
  EXPECT_EQ(address("cuMemAlloc", 13000, perThread), pointer(cuMemAlloc_v2));
}

TEST_F(InitialisationTest, unknownNamesAndVersionsAreTold) {
  EXPECT_EQ(status("cuMemAllocate", 13000),
            CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(status("cuLaunchKernelEx", 11000),
            CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  void *found = nullptr;
  EXPECT_EQ(cuGetProcAddress("cuMemAllocate", &found, 13000, 0),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuGetProcAddress(nullptr, &found, 13000, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress("cuInit", &found, 13000, 3),
            CUDA_ERROR_INVALID_VALUE);
}

/// What is missing is one function under many names, whatever their types.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
CUresult allocateManaged(void *function, CUdeviceptr *pointer) {
  return reinterpret_cast<CUresult (*)(CUdeviceptr *, size_t, unsigned)>(
      function)(pointer, 16, 1);
}

TEST_F(InitialisationTest, whatIsMissingSaysSo) {
  void *found = address("cuMemAllocManaged", 13000);
  ASSERT_NE(found, nullptr);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(allocateManaged(found, &pointer), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(address("cuTexObjectCreate", 13000), nullptr);
}

TEST_F(InitialisationTest, profilersAreNoError) {
  EXPECT_OK(cuProfilerStart());
  EXPECT_OK(cuProfilerStop());
}

TEST_F(InitialisationTest, tellsOfTheDevice) {
  int value = 0, count = 0;
  CUdevice device = 7;
  EXPECT_OK(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 1);
  EXPECT_OK(cuDeviceGet(&device, 0));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  auto attribute = [&](CUdevice_attribute which) {
    EXPECT_OK(cuDeviceGetAttribute(&value, which, 0));
    return value;
  };
  const char *architecture = std::getenv("CHEEMS_EMULATOR_ARCH");
  bool isOld = architecture && std::string(architecture) == "80";
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            isOld ? 8 : 9);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            isOld ? 108 : 132);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            isOld ? 166912 : 232448);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 0);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CUdevice_attribute(0), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CUdevice_attribute(5000), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1),
            CUDA_ERROR_INVALID_DEVICE);
  char name[8];
  EXPECT_OK(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_STREQ(name, "Cheems ");
  size_t bytes = 0;
  EXPECT_OK(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_EQ(bytes, size_t(256) << 20);
  CUuuid uuid;
  EXPECT_OK(cuDeviceGetUuid_v2(&uuid, 0));
  EXPECT_OK(cuDeviceGetByPCIBusId(&device, "01:00.0"));
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, "02:00.0"),
            CUDA_ERROR_INVALID_DEVICE);
}
