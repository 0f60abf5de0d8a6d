// CUDA driver API, "Graph Management: cuGraphAddMemAllocNode" and
// "cuGraphAddMemFreeNode"; CUDA C++ Programming Guide, "Graph Memory Nodes".
#include "Fixture.h"

namespace cheems::emulator::driver {
namespace {

class GraphMemoryTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    EXPECT_OK(cuGraphCreate(&graph, 0));
    word = words(1, 0);
  }

  static CUDA_MEM_ALLOC_NODE_PARAMS parametersOf(size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    parameters.bytesize = bytes;
    return parameters;
  }
  CUgraphNode allocateNode(CUdeviceptr &pointer, size_t bytes = 256) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters = parametersOf(bytes);
    CUgraphNode node = nullptr;
    EXPECT_OK(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters));
    pointer = parameters.dptr;
    return node;
  }
  CUgraphNode set(CUdeviceptr to, unsigned value, CUgraphNode after) {
    CUDA_MEMSET_NODE_PARAMS parameters{to, 0, value, 4, 1, 1};
    CUgraphNode node = nullptr;
    EXPECT_OK(
        cuGraphAddMemsetNode(&node, graph, &after, 1, &parameters, context));
    return node;
  }
  /// Copies a word to `word`.
  CUgraphNode copy(CUdeviceptr from, CUgraphNode after) {
    CUDA_MEMCPY3D parameters{};
    parameters.srcMemoryType = parameters.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    parameters.srcDevice = from;
    parameters.dstDevice = word;
    parameters.WidthInBytes = 4;
    parameters.Height = parameters.Depth = 1;
    CUgraphNode node = nullptr;
    EXPECT_OK(
        cuGraphAddMemcpyNode(&node, graph, &after, 1, &parameters, context));
    return node;
  }
  CUgraphNode freeNode(CUdeviceptr pointer, CUgraphNode after) {
    CUgraphNode node = nullptr;
    EXPECT_OK(cuGraphAddMemFreeNode(&node, graph, &after, 1, pointer));
    return node;
  }
  CUgraphExec instantiate(unsigned long long flags = 0) {
    CUgraphExec made = nullptr;
    EXPECT_OK(cuGraphInstantiateWithFlags(&made, graph, flags));
    return made;
  }
  uint64_t memory(CUgraphMem_attribute attribute) {
    uint64_t value = 99;
    EXPECT_OK(cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
  }

  CUgraph graph = nullptr;
  CUdeviceptr word = 0;
};

TEST_F(GraphMemoryTest, isAllocatedFromItsNodeToItsFree) {
  CUdeviceptr pointer = 0;
  CUgraphNode allocation = allocateNode(pointer);
  EXPECT_NE(pointer, 0u);
  CUgraphNode last = copy(pointer, set(pointer, 7, allocation));
  CUgraphNode free = freeNode(pointer, last);
  CUDA_MEM_ALLOC_NODE_PARAMS got{};
  EXPECT_OK(cuGraphMemAllocNodeGetParams(allocation, &got));
  EXPECT_EQ(got.dptr, pointer);
  EXPECT_EQ(got.bytesize, 256u);
  CUdeviceptr freed = 0;
  EXPECT_OK(cuGraphMemFreeNodeGetParams(free, &freed));
  EXPECT_EQ(freed, pointer);
  EXPECT_EQ(cuGraphMemFreeNodeGetParams(allocation, &freed),
            CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = instantiate();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(cuMemsetD32_v2(word, 0, 1));
    EXPECT_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_EQ(readWord(word), 7u);
  }
  // Nothing of it is left: a free is an error, a kernel's access a finding.
  EXPECT_EQ(memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_EQ(memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 256u);
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  testing::internal::CaptureStderr();
  EXPECT_OK(launchAdd(function(addKernel, "add"), pointer, 1));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("use-after-free"));
}

TEST_F(GraphMemoryTest, mayOutliveItsGraphUntilTheHostFreesIt) {
  CUdeviceptr pointer = 0;
  CUgraphNode first = allocateNode(pointer);
  set(pointer, 5, first);
  CUgraphExec exec = nullptr;
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_OK(cuGraphCreate(&graph, 0));
  CUgraphNode allocation = allocateNode(pointer);
  set(pointer, 5, allocation);
  exec = instantiate();
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  // "already allocated": the launch would allocate it twice.
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(readWord(pointer), 5u);
  EXPECT_EQ(memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 256u);
  EXPECT_OK(cuMemFree_v2(pointer));
  EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0u);
}

TEST_F(GraphMemoryTest, canBeFreedInAStreamAndByAnotherGraph) {
  CUdeviceptr pointer = 0;
  CUgraphNode first = allocateNode(pointer);
  set(pointer, 5, first);
  CUgraphExec exec = instantiate(), other = nullptr;
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_OK(cuMemFreeAsync(pointer, nullptr));
  EXPECT_EQ(cuMemFreeAsync(pointer, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  CUgraph second = nullptr;
  CUgraphNode node = nullptr;
  EXPECT_OK(cuGraphCreate(&second, 0));
  EXPECT_OK(cuGraphAddMemFreeNode(&node, second, nullptr, 0, pointer));
  EXPECT_OK(cuGraphInstantiateWithFlags(&other, second, 0));
  EXPECT_OK(cuGraphLaunch(other, nullptr));
  // It is free already.
  EXPECT_EQ(cuGraphLaunch(other, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(GraphMemoryTest, isFreedByTheNextLaunchIfThatIsAsked) {
  CUdeviceptr pointer = 0;
  CUgraphNode allocation = allocateNode(pointer);
  copy(pointer, set(pointer, 9, allocation));
  CUgraphExec exec =
      instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(cuGraphLaunch(exec, nullptr));
  }
  EXPECT_EQ(readWord(word), 9u);
  EXPECT_EQ(memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 256u);
  EXPECT_OK(cuMemFree_v2(pointer));
}

TEST_F(GraphMemoryTest, isUninitialisedInEachLaunch) {
  CUdeviceptr pointer = 0;
  CUgraphNode allocation = allocateNode(pointer);
  CUDA_KERNEL_NODE_PARAMS kernel{};
  unsigned n = 1;
  void *arguments[] = {&pointer, &n};
  kernel.func = function(addKernel, "add");
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  CUgraphNode node = nullptr;
  EXPECT_OK(cuGraphAddKernelNode_v2(&node, graph, &allocation, 1, &kernel));
  EXPECT_OK(cuGraphLaunch(instantiate(), nullptr));
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("uninitialised-read"));
}

TEST_F(GraphMemoryTest, comesFromStreamsThatAreCaptured) {
  CUstream captured = stream();
  CUdeviceptr pointer = 0, plain = allocate(16);
  EXPECT_OK(
      cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_OK(cuMemAllocAsync(&pointer, 256, captured));
  EXPECT_OK(cuMemsetD32Async(pointer, 3, 1, captured));
  EXPECT_OK(cuMemcpyDtoDAsync_v2(word, pointer, 4, captured));
  EXPECT_EQ(cuMemFreeAsync(plain, captured), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMemFreeAsync(pointer, captured));
  EXPECT_OK(cuStreamEndCapture(captured, &graph));
  CUgraphExec exec = instantiate();
  EXPECT_OK(cuGraphLaunch(exec, captured));
  EXPECT_OK(cuGraphLaunch(exec, captured));
  EXPECT_OK(cuStreamSynchronize(captured));
  EXPECT_EQ(readWord(word), 3u);
}

// "Graphs that contain one or more of these nodes": what must not be done.
TEST_F(GraphMemoryTest, restrictsWhatMayBeDoneWithItsGraph) {
  CUdeviceptr pointer = 0;
  CUgraphNode allocation = allocateNode(pointer);
  CUgraphNode used = set(pointer, 1, allocation), node = nullptr;
  freeNode(pointer, used);
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, nullptr, 0, pointer),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemFreeNode(&node, graph, nullptr, 0, word),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroyNode(used), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &allocation, &used, 1),
            CUDA_ERROR_INVALID_VALUE);
  CUgraph other = nullptr;
  EXPECT_EQ(cuGraphClone(&other, graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphCreate(&other, 0));
  EXPECT_EQ(cuGraphAddChildGraphNode(&node, other, nullptr, 0, graph),
            CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = instantiate(), second = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphInstantiateWithFlags(&second, graph, 0));
}

TEST_F(GraphMemoryTest, needsParametersThatTheGPUHas) {
  CUgraphNode node = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters = parametersOf(0);
  auto add = [&] {
    return cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters);
  };
  EXPECT_EQ(add(), CUDA_ERROR_INVALID_VALUE);
  parameters = parametersOf(size_t(1) << 40);
  EXPECT_EQ(add(), CUDA_ERROR_OUT_OF_MEMORY);
  parameters = parametersOf(16);
  parameters.poolProps.location.id = 1;
  EXPECT_EQ(add(), CUDA_ERROR_INVALID_DEVICE);
  parameters.poolProps = {};
  EXPECT_EQ(add(), CUDA_ERROR_INVALID_VALUE);
  // the same by the general function
  CUgraphNodeParams general{};
  general.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  general.alloc = parametersOf(16);
  EXPECT_OK(cuGraphAddNode(&node, graph, nullptr, 0, &general));
  EXPECT_NE(general.alloc.dptr, 0u);
  EXPECT_EQ(cuGraphNodeSetParams(node, &general), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr pointer = general.alloc.dptr;
  general = {};
  general.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  general.free.dptr = pointer;
  EXPECT_OK(cuGraphAddNode(&node, graph, &node, 1, &general));
  EXPECT_OK(cuDeviceGraphMemTrim(0));
  uint64_t none = 0;
  EXPECT_OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
                                         &none));
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
                                         &none),
            CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace cheems::emulator::driver
