//===- LaunchTest.cpp -----------------------------------------------------===//
#include "Fixture.h"

#include <set>

using namespace cheems::emulator::driver;

namespace {

class LaunchTest : public DriverTest {
protected:
  CUresult launch(CUfunction function, unsigned blocks, unsigned threads,
                  unsigned shared = 0, std::vector<void *> parameters = {}) {
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared,
                          nullptr, parameters.data(), nullptr);
  }
  CUresult launchEx(CUfunction function, unsigned blocks, unsigned threads,
                    std::vector<CUlaunchAttribute> attributes,
                    CUstream stream = nullptr,
                    std::vector<void *> parameters = {}) {
    CUlaunchConfig config{};
    config.gridDimX = blocks;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = threads;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    config.attrs = attributes.data();
    config.numAttrs = unsigned(attributes.size());
    return cuLaunchKernelEx(&config, function, parameters.data(), nullptr);
  }
};

CUlaunchAttribute cluster(unsigned x) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {x, 1, 1};
  return attribute;
}

CUlaunchAttribute flag(CUlaunchAttributeID id) {
  CUlaunchAttribute attribute{};
  attribute.id = id;
  attribute.value.cooperative = 1;
  return attribute;
}

/// Writes where nothing is.
const std::string badKernel = std::string(header) + R"(
.visible .entry bad() {
  .reg .b64 %rd<2>;
  mov.u64 %rd0, 4096;
  st.global.u32 [%rd0], 1;
  ret;
}
)";

const std::string emptyKernels = std::string(header) + R"(
.visible .entry plain() { ret; }
.visible .entry bounded() .maxntid 64, 1, 1 { ret; }
.visible .entry exact() .reqntid 64, 1, 1 { ret; }
)";

/// store(out, n): out[0] = n. `first` lets the next kernel start early, and
/// `second` copies a word, before and after griddepcontrol.wait.
const std::string dependentKernels = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u64 out, .param .u32 n) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [n];
  griddepcontrol.launch_dependents;
  st.global.u32 [%rd0], %r0;
  ret;
}
.visible .entry second(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r0, [%rd0];
  st.global.u32 [%rd1], %r0;
  griddepcontrol.wait;
  ld.global.u32 %r1, [%rd0];
  st.global.u32 [%rd1+4], %r1;
  ret;
}
// Each of its blocks reads the word, lets others start, and writes what it has
// read.
.visible .entry reader(.param .u64 in, .param .u64 out) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %rd1, %r1, 4, %rd1;
  ld.global.u32 %r0, [%rd0];
  griddepcontrol.launch_dependents;
  st.global.u32 [%rd1], %r0;
  ret;
}
// Writes the word, and lets others start then.
.visible .entry ahead(.param .u64 out, .param .u32 n) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [n];
  st.global.u32 [%rd0], %r0;
  griddepcontrol.launch_dependents;
  ret;
}
// Changes the word at once, and waits then.
.visible .entry eager(.param .u64 out, .param .u32 n) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd0, [out];
  ld.param.u32 %r0, [n];
  st.global.u32 [%rd0], %r0;
  griddepcontrol.wait;
  ret;
}
)";

/// Kernels for sm_90 are no kernels of sm_80.
class DependentTest : public LaunchTest {
protected:
  void SetUp() override {
    LaunchTest::SetUp();
    CUmodule old = nullptr;
    isModelled = isHopper();
    if (!isModelled) {
      EXPECT_EQ(cuModuleLoadData(&old, dependentKernels.c_str()),
                CUDA_ERROR_INVALID_PTX);
      return;
    }
    module = load(dependentKernels);
    queue = stream(CU_STREAM_DEFAULT);
  }
  CUfunction kernel(const char *name) {
    CUfunction found = nullptr;
    EXPECT_OK(cuModuleGetFunction(&found, module, name));
    return found;
  }

  /// `second` is launched early after a kernel that writes a word. In some
  /// rounds it sees the new value before its wait, in others the old one.
  void expectOldAndNew(const char *primary) {
    CUfunction first = kernel(primary), second = kernel("second");
    CUdeviceptr in = words(1, 0), out = words(2, 0);
    auto early = flag(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    std::set<unsigned> before;
    for (unsigned i = 1; i <= 32; ++i) {
      EXPECT_OK(launchEx(first, 1, 1, {}, queue, {&in, &i}));
      EXPECT_OK(launchEx(second, 1, 1, {early}, queue, {&in, &out}));
      unsigned seen = readWord(out);
      EXPECT_TRUE(seen == i || seen == i - 1) << seen << " in round " << i;
      before.insert(i - seen);
      EXPECT_EQ(readWord(out + 4), i);
    }
    EXPECT_EQ(before.size(), 2u) << "both have to come";
  }

  bool isModelled = false;
  CUmodule module = nullptr;
  CUstream queue = nullptr;
};

} // namespace

TEST_F(LaunchTest, kernelsRun) {
  CUdeviceptr data = words(64, 10);
  EXPECT_OK(launchAdd(function(addKernel, "add"), data, 5, nullptr, 2, 32));
  EXPECT_EQ(readWord(data), 15u);
  EXPECT_EQ(readWord(data + 4 * 63), 15u);
  // a kernel reaches pinned memory
  unsigned *pinned = pinnedWords(32, 7);
  CUdeviceptr device = 0;
  EXPECT_OK(cuMemHostGetDevicePointer_v2(&device, pinned, 0));
  EXPECT_OK(launchAdd(function(addKernel, "add"), device, 5));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(pinned[31], 12u);
}

TEST_F(LaunchTest, parametersComeInTwoForms) {
  CUdeviceptr data = words(32, 1);
  CUfunction add = function(addKernel, "add");
  struct {
    CUdeviceptr words;
    unsigned n;
  } buffer{data, 4};
  size_t size = sizeof buffer;
  void *extra[] = {reinterpret_cast<void *>(1), &buffer,
                   reinterpret_cast<void *>(2), &size, nullptr};
  EXPECT_OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(readWord(data), 5u);
  size = 8;
  EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchTest, parametersAreCopiedAtOnce) {
  CUdeviceptr data = words(32, 1);
  CUfunction add = function(addKernel, "add");
  unsigned n = 4;
  void *parameters[] = {&data, &n};
  CUstream first = stream(CU_STREAM_DEFAULT);
  EXPECT_OK(
      cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, first, parameters, nullptr));
  n = 100;
  EXPECT_OK(cuStreamSynchronize(first));
  EXPECT_EQ(readWord(data), 5u);
}

TEST_F(LaunchTest, limitsHaveTheirCodes) {
  CUmodule module = load(emptyKernels);
  CUfunction plain = nullptr, bounded = nullptr, exact = nullptr;
  EXPECT_OK(cuModuleGetFunction(&plain, module, "plain"));
  EXPECT_OK(cuModuleGetFunction(&bounded, module, "bounded"));
  EXPECT_OK(cuModuleGetFunction(&exact, module, "exact"));
  EXPECT_EQ(launch(plain, 0, 32), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(plain, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(plain, 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuLaunchKernel(plain, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuLaunchKernel(plain, 1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, nullptr),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(bounded, 1, 65), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_OK(launch(bounded, 1, 64));
  EXPECT_EQ(launch(exact, 1, 32), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(launch(exact, 1, 64));
  EXPECT_EQ(launch(plain, 1, 32, 49153), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuFuncSetAttribute(
      plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  EXPECT_OK(launch(plain, 1, 32, 100000));
  EXPECT_EQ(launch(plain, 1, 32, 100001), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(
                plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(LaunchTest, wrongHandlesAreRefused) {
  CUmodule module = load(emptyKernels);
  CUfunction plain = nullptr;
  EXPECT_OK(cuModuleGetFunction(&plain, module, "plain"));
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(module), 1, 1),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0,
                           reinterpret_cast<CUstream>(plain), nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_EQ(launch(plain, 1, 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernelEx(nullptr, plain, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchTest, cooperativeGridsMustBeResident) {
  CUfunction plain = function(emptyKernels, "plain");
  int blocks = 0, multiprocessors = 0;
  EXPECT_OK(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
  EXPECT_EQ(blocks, 2);
  EXPECT_OK(cuDeviceGetAttribute(&multiprocessors,
                                 CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  auto most = unsigned(blocks * multiprocessors);
  auto cooperative = flag(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_OK(launchEx(plain, most, 1024, {cooperative}));
  EXPECT_EQ(launchEx(plain, most + 1, 1024, {cooperative}),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(cuLaunchCooperativeKernel(plain, most + 1, 1, 1, 1024, 1, 1, 0,
                                      nullptr, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_OK(launch(plain, most + 1, 1024));
}

TEST_F(LaunchTest, clustersDivideTheGrid) {
  CUfunction plain = function(emptyKernels, "plain");
  EXPECT_EQ(launchEx(plain, 8, 32, {cluster(8)}),
            isHopper() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launchEx(plain, 9, 32, {cluster(2)}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launchEx(plain, 16, 32, {cluster(16)}),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  if (isHopper()) {
    EXPECT_EQ(launchEx(plain, 8, 32, {cluster(0)}), CUDA_ERROR_INVALID_VALUE);
  }
  CUlaunchAttribute unknown{};
  unknown.id = CUlaunchAttributeID(99);
  EXPECT_EQ(launchEx(plain, 8, 32, {unknown}), CUDA_ERROR_INVALID_VALUE);
  unknown.id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  EXPECT_EQ(launchEx(plain, 8, 32, {unknown}), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(LaunchTest, aFindingStaysUntilTheReset) {
  CUfunction bad = function(badKernel, "bad");
  EXPECT_OK(
      cuLaunchKernel(bad, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, 16), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuLaunchKernel(bad, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  CUcontext again = nullptr;
  EXPECT_OK(cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(again, context);
  EXPECT_OK(cuCtxSetCurrent(again));
  EXPECT_OK(cuMemAlloc_v2(&pointer, 16));
  EXPECT_EQ(cuLaunchKernel(bad, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// griddepcontrol": what the kernel before wrote is visible after the wait.
TEST_F(DependentTest, dependentsMayStartBeforeTheirPrimaryEnds) {
  if (!isModelled) {
    return;
  }
  expectOldAndNew("first");
  CUfunction first = kernel("first"), second = kernel("second");
  CUdeviceptr in = words(1, 0), out = words(2, 0);
  // without the attribute kernels of a stream come one after the other
  for (unsigned i = 100; i < 132; ++i) {
    EXPECT_OK(launchEx(first, 1, 1, {}, queue, {&in, &i}));
    EXPECT_OK(launchEx(second, 1, 1, {}, queue, {&in, &out}));
    EXPECT_EQ(readWord(out), i);
  }
}

// "can be scheduled as soon as all other CTAs in the grid issue the same
// instruction or have completed": not before.
TEST_F(DependentTest, dependentsStartAfterTheSignalOfAllBlocks) {
  if (!isModelled) {
    return;
  }
  CUfunction reader = kernel("reader"), eager = kernel("eager");
  // More blocks than the GPU holds at once.
  constexpr unsigned blocks = 5000;
  CUdeviceptr in = words(1, 0), out = words(blocks, 99);
  auto early = flag(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  std::vector<unsigned> got(blocks);
  for (unsigned i = 1; i <= 4; ++i) {
    EXPECT_OK(launchEx(reader, blocks, 1, {}, queue, {&in, &out}));
    EXPECT_OK(launchEx(eager, 1, 1, {early}, queue, {&in, &i}));
    EXPECT_OK(cuStreamSynchronize(queue));
    EXPECT_OK(cuMemcpyDtoH_v2(got.data(), out, 4 * blocks));
    EXPECT_THAT(got, testing::Each(i - 1));
    EXPECT_EQ(readWord(in), i);
  }
}

// Only .wait makes visible what prerequisite grids have written, even if they
// wrote it before their signal.
TEST_F(DependentTest, dependentsMayReadOldValuesWithoutAWait) {
  if (isModelled) {
    expectOldAndNew("ahead");
  }
}

TEST_F(DependentTest, aFindingInADependentEndsItsPrimaryToo) {
  for (int round = 0; isModelled && round < 8; ++round) {
    CUdeviceptr in = words(1, 0), out = 4096;
    unsigned n = 1;
    auto early = flag(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    EXPECT_OK(launchEx(kernel("ahead"), 1, 1, {}, queue, {&in, &n}));
    EXPECT_OK(launchEx(kernel("second"), 1, 1, {early}, queue, {&in, &out}));
    testing::internal::CaptureStderr();
    EXPECT_EQ(cuStreamSynchronize(queue), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::HasSubstr("out-of-bounds"));
    EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
    EXPECT_OK(cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT_OK(cuCtxSetCurrent(context));
    module = load(dependentKernels);
    queue = stream(CU_STREAM_DEFAULT);
  }
}

TEST_F(DependentTest, dependentsOfDependentsEndInOrder) {
  if (!isModelled) {
    return;
  }
  CUfunction first = kernel("first"), second = kernel("second");
  CUdeviceptr in = words(1, 0), out = words(2, 0);
  auto early = flag(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  for (unsigned i = 1; i <= 16; ++i) {
    unsigned n = 2 * i;
    EXPECT_OK(launchEx(first, 1, 1, {}, queue, {&in, &i}));
    EXPECT_OK(launchEx(first, 1, 1, {early}, queue, {&in, &n}));
    EXPECT_OK(launchEx(second, 1, 1, {early}, queue, {&in, &out}));
    unsigned seen = readWord(out + 4);
    EXPECT_TRUE(seen == i || seen == n) << seen << " in round " << i;
  }
}

TEST_F(LaunchTest, tensorMapsAreEncoded) {
  CUdeviceptr data = allocate(1024);
  CUtensorMap map;
  cuuint64_t dims[] = {16, 16}, strides[] = {64};
  cuuint32_t box[] = {8, 8}, steps[] = {1, 1};
  auto encode = [&](unsigned rank) {
    return cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank,
        reinterpret_cast<void *>(data), dims, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  if (!isHopper()) {
    EXPECT_EQ(encode(2), CUDA_ERROR_NOT_SUPPORTED);
    return;
  }
  EXPECT_OK(encode(2));
  EXPECT_EQ(encode(6), CUDA_ERROR_INVALID_VALUE);
  box[0] = 257;
  EXPECT_EQ(encode(2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuTensorMapReplaceAddress(&map, reinterpret_cast<void *>(data)));
  EXPECT_EQ(cuTensorMapReplaceAddress(nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}
