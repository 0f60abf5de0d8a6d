//===- GraphTest.cpp ------------------------------------------------------===//
#include "Fixture.h"

using namespace cheems::emulator::driver;

namespace {

class GraphTest : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    word = words(4, 0);
    add = function(addKernel, "add");
    ASSERT_OK(cuCtxSynchronize());
    ASSERT_OK(cuGraphCreate(&graph, 0));
  }

  CUDA_MEMSET_NODE_PARAMS setOf(unsigned index, unsigned value) {
    return {word + 4 * index, 0, value, 4, 1, 1};
  }
  CUgraphNode set(unsigned index, unsigned value,
                  std::vector<CUgraphNode> before = {}) {
    CUgraphNode node = nullptr;
    CUDA_MEMSET_NODE_PARAMS parameters = setOf(index, value);
    EXPECT_OK(cuGraphAddMemsetNode(&node, graph, before.data(), before.size(),
                                   &parameters, context));
    return node;
  }
  CUDA_MEMCPY3D copyOf(unsigned to, unsigned from) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = word + 4 * from;
    copy.dstDevice = word + 4 * to;
    copy.WidthInBytes = 4;
    copy.Height = copy.Depth = 1;
    return copy;
  }
  CUgraphNode copy(unsigned to, unsigned from,
                   std::vector<CUgraphNode> before) {
    CUgraphNode node = nullptr;
    CUDA_MEMCPY3D parameters = copyOf(to, from);
    EXPECT_OK(cuGraphAddMemcpyNode(&node, graph, before.data(), before.size(),
                                   &parameters, context));
    return node;
  }
  CUDA_KERNEL_NODE_PARAMS kernelOf(void **parameters) {
    return {add, 1, 1, 1, 1, 1, 1, 0, parameters, nullptr, nullptr, nullptr};
  }
  CUgraphNode kernel(unsigned index, unsigned n,
                     std::vector<CUgraphNode> before = {}) {
    CUdeviceptr at = word + 4 * index;
    void *parameters[] = {&at, &n};
    CUDA_KERNEL_NODE_PARAMS node = kernelOf(parameters);
    CUgraphNode made = nullptr;
    EXPECT_OK(cuGraphAddKernelNode_v2(&made, graph, before.data(),
                                      before.size(), &node));
    return made;
  }
  CUgraphExec instantiate() {
    CUgraphExec exec = nullptr;
    EXPECT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
  }
  void run(CUgraphExec exec) {
    EXPECT_OK(cuGraphLaunch(exec, nullptr));
    EXPECT_OK(cuCtxSynchronize());
  }

  CUgraph graph = nullptr;
  CUdeviceptr word = 0;
  CUfunction add = nullptr;
};

} // namespace

TEST_F(GraphTest, nodesRunAfterThoseTheyDependOn) {
  CUgraphNode first = set(0, 5);
  CUgraphNode second = kernel(0, 2, {first});
  CUgraphNode third = copy(1, 0, {second});
  CUgraphNode last = nullptr;
  EXPECT_OK(cuGraphAddEmptyNode(&last, graph, &third, 1));
  CUgraphExec exec = instantiate();
  for (int i = 0; i < 3; ++i) {
    run(exec);
    EXPECT_EQ(readWord(word + 4), 7u);
  }
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, theGraphTellsItsShape) {
  CUgraphNode first = set(0, 1), second = kernel(0, 1, {first}),
              third = copy(1, 0, {first});
  size_t count = 0;
  EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 3u);
  CUgraphNode nodes[4], from[4], to[4];
  count = 4;
  EXPECT_OK(cuGraphGetNodes(graph, nodes, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(nodes[1], second);
  EXPECT_EQ(nodes[3], nullptr);
  count = 4;
  EXPECT_OK(cuGraphGetRootNodes(graph, nodes, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], first);
  count = 4;
  EXPECT_OK(cuGraphGetEdges(graph, from, to, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(from[1], first);
  EXPECT_EQ(to[1], third);
  count = 4;
  EXPECT_OK(cuGraphNodeGetDependencies(second, nodes, &count));
  EXPECT_EQ(count, 1u);
  count = 4;
  EXPECT_OK(cuGraphNodeGetDependentNodes(first, nodes, &count));
  EXPECT_EQ(count, 2u);
  CUgraphNodeType type;
  EXPECT_OK(cuGraphNodeGetType(second, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
  EXPECT_OK(cuGraphDestroyNode(second));
  EXPECT_EQ(cuGraphNodeGetType(second, &type), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, cyclesAreRefused) {
  CUgraphNode first = set(0, 1), second = set(1, 1, {first});
  EXPECT_EQ(cuGraphAddDependencies(graph, &second, &first, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddDependencies(graph, &first, &second, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphRemoveDependencies(graph, &first, &second, 1));
  EXPECT_OK(cuGraphAddDependencies(graph, &second, &first, 1));
  CUgraph other = nullptr;
  EXPECT_OK(cuGraphCreate(&other, 0));
  CUgraphNode alien = nullptr;
  EXPECT_EQ(cuGraphAddEmptyNode(&alien, other, &first, 1),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, parametersOfAnInstanceChange) {
  CUgraphNode first = set(0, 1), second = kernel(0, 10, {first}),
              third = copy(1, 0, {second});
  CUgraphExec exec = instantiate();
  CUdeviceptr at = word;
  unsigned n = 20;
  void *parameters[] = {&at, &n};
  CUDA_KERNEL_NODE_PARAMS node = kernelOf(parameters);
  EXPECT_OK(cuGraphExecKernelNodeSetParams_v2(exec, second, &node));
  run(exec);
  EXPECT_EQ(readWord(word + 4), 21u);
  CUDA_MEMSET_NODE_PARAMS set = setOf(0, 100);
  EXPECT_OK(cuGraphExecMemsetNodeSetParams(exec, first, &set, context));
  CUDA_MEMCPY3D copy = copyOf(2, 0);
  EXPECT_OK(cuGraphExecMemcpyNodeSetParams(exec, third, &copy, context));
  run(exec);
  EXPECT_EQ(readWord(word + 8), 120u);
  // the graph itself is as it was
  CUgraphExec again = instantiate();
  run(again);
  EXPECT_EQ(readWord(word + 4), 11u);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, first, &node),
            CUDA_ERROR_INVALID_VALUE);
  node.gridDimX = 0;
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, second, &node),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, parametersOfNodesAreKept) {
  CUgraphNode node = kernel(0, 10);
  CUDA_KERNEL_NODE_PARAMS parameters;
  EXPECT_OK(cuGraphKernelNodeGetParams_v2(node, &parameters));
  EXPECT_EQ(parameters.func, add);
  EXPECT_EQ(*static_cast<unsigned *>(parameters.kernelParams[1]), 10u);
  parameters.gridDimX = 4;
  EXPECT_OK(cuGraphKernelNodeSetParams_v2(node, &parameters));
  EXPECT_OK(cuGraphKernelNodeGetParams_v2(node, &parameters));
  EXPECT_EQ(parameters.gridDimX, 4u);
  EXPECT_EQ(*static_cast<unsigned *>(parameters.kernelParams[1]), 10u);
  CUlaunchAttributeValue value{};
  value.cooperative = 1;
  EXPECT_OK(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                          &value));
  value = {};
  EXPECT_OK(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                          &value));
  EXPECT_EQ(value.cooperative, 1);
}

TEST_F(GraphTest, anInstanceIsUpdatedFromAGraphOfTheSameShape) {
  set(0, 1);
  CUgraphExec exec = instantiate();
  CUgraph other = nullptr;
  EXPECT_OK(cuGraphCreate(&other, 0));
  CUgraphNode node = nullptr;
  CUDA_MEMSET_NODE_PARAMS parameters = setOf(0, 2);
  EXPECT_OK(
      cuGraphAddMemsetNode(&node, other, nullptr, 0, &parameters, context));
  CUgraphExecUpdateResultInfo info;
  EXPECT_OK(cuGraphExecUpdate_v2(exec, other, &info));
  run(exec);
  EXPECT_EQ(readWord(word), 2u);
  EXPECT_OK(cuGraphAddEmptyNode(&node, other, nullptr, 0));
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, other, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(GraphTest, nodesOfAnInstanceAreTurnedOff) {
  CUgraphNode first = set(0, 1), second = set(1, 1, {first});
  CUgraphExec exec = instantiate();
  EXPECT_OK(cuGraphNodeSetEnabled(exec, first, 0));
  unsigned isOn = 1;
  EXPECT_OK(cuGraphNodeGetEnabled(exec, first, &isOn));
  EXPECT_EQ(isOn, 0u);
  EXPECT_OK(cuGraphNodeGetEnabled(exec, second, &isOn));
  EXPECT_EQ(isOn, 1u);
  run(exec);
  EXPECT_EQ(readWord(word), 0u);
  EXPECT_EQ(readWord(word + 4), 1u);
}

TEST_F(GraphTest, graphsAreNodesOfGraphs) {
  CUgraphNode first = set(0, 3);
  copy(1, 0, {first});
  CUgraph outer = nullptr;
  EXPECT_OK(cuGraphCreate(&outer, 0));
  CUgraphNode child = nullptr;
  EXPECT_OK(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  CUgraph inside = nullptr;
  EXPECT_OK(cuGraphChildGraphNodeGetGraph(child, &inside));
  EXPECT_NE(inside, graph);
  graph = outer;
  copy(2, 1, {child});
  run(instantiate());
  EXPECT_EQ(readWord(word + 8), 3u);
}

TEST_F(GraphTest, clonesKnowTheirOriginals) {
  CUgraphNode first = set(0, 3), found = nullptr;
  CUgraph clone = nullptr;
  EXPECT_OK(cuGraphClone(&clone, graph));
  EXPECT_OK(cuGraphNodeFindInClone(&found, first, clone));
  EXPECT_NE(found, first);
  CUDA_MEMSET_NODE_PARAMS parameters{};
  EXPECT_OK(cuGraphMemsetNodeGetParams(found, &parameters));
  EXPECT_EQ(parameters.value, 3u);
  EXPECT_OK(cuGraphDestroy(graph));
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuGraphMemsetNodeGetParams(found, &parameters));
}

TEST_F(GraphTest, hostNodesAndEventNodes) {
  int calls = 0;
  CUDA_HOST_NODE_PARAMS host{[](void *data) { ++*static_cast<int *>(data); },
                             &calls};
  CUgraphNode node = nullptr, recorded = nullptr;
  CUevent done = event();
  EXPECT_OK(cuGraphAddHostNode(&node, graph, nullptr, 0, &host));
  EXPECT_OK(cuGraphAddEventRecordNode(&recorded, graph, &node, 1, done));
  CUgraphExec exec = instantiate();
  EXPECT_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(calls, 0);
  EXPECT_OK(cuEventSynchronize(done));
  EXPECT_EQ(calls, 1);
}

TEST_F(GraphTest, genericNodesHaveTheSameWork) {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_MEMSET;
  parameters.memset = {word, 0, 8, 4, 1, 1, nullptr};
  CUgraphNode node = nullptr;
  EXPECT_OK(cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &parameters));
  CUgraphExec exec = instantiate();
  parameters.memset.value = 9;
  EXPECT_OK(cuGraphExecNodeSetParams(exec, node, &parameters));
  run(exec);
  EXPECT_EQ(readWord(word), 9u);
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, 0, &parameters),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphAddNode(&node, graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, kernelsOfAnEndedContextAreRefused) {
  kernel(0, 10);
  CUgraphExec exec = instantiate();
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_OK(cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuGraphExecDestroy(exec));
  EXPECT_OK(cuGraphDestroy(graph));
}
