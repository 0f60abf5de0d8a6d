//===- GraphNodeEntries.cpp -----------------------------------------------===//
#include "Copy.h"
#include "Functions.h"
#include "KernelWork.h"
#include "NodeParameters.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

/// `make(context)` gives the new node's work.
template <typename Make>
CUresult add(CUgraphNode *result, CUgraph graph,
             const CUgraphNode *dependencies, const CUgraphEdgeData *data,
             size_t count, Make make) {
  return addNode(
      result, graph, dependencies, data, count,
      [&](Context &context, const Graph &) { return make(context); });
}

CUevent &eventOfNode(CUgraphNode node, CUgraphNodeType kind) {
  EventWork &work = workAs<EventWork>(node);
  require(work.kind == kind);
  return work.event;
}

CUresult getEvent(CUgraphNode node, CUgraphNodeType kind, CUevent *event) {
  return call([&] {
    require(event);
    *event = eventOfNode(node, kind);
  });
}

CUresult setEvent(CUgraphNode node, CUgraphNodeType kind, CUevent event) {
  return call([&] {
    findEvent(event);
    eventOfNode(node, kind) = event;
  });
}

} // namespace

CUresult cuGraphAddKernelNode_v2(CUgraphNode *graphNode, CUgraph graph,
                                 const CUgraphNode *dependencies,
                                 size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [&](Context &context) { return kernelOf(context, nodeParams); });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                       CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return call([&] {
    require(nodeParams);
    KernelWork &work = workAs<KernelWork>(node);
    const Launch &launch = work.launch;
    *nodeParams = {work.function->handle,
                   launch.grid.x,
                   launch.grid.y,
                   launch.grid.z,
                   launch.block.x,
                   launch.block.y,
                   launch.block.z,
                   launch.dynamicSharedBytes,
                   work.parameterPointers.data(),
                   nullptr,
                   nullptr,
                   nullptr};
  });
}

CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                              const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return callInContext([&](Context &context) {
    Node &found = findNode(node);
    replace(found, kernelOf(context, nodeParams, found.work.get()));
  });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node,
                                       CUlaunchAttributeID attribute,
                                       CUlaunchAttributeValue *value) {
  return call([&] {
    require(value);
    KernelWork &work = workAs<KernelWork>(node);
    *value = {};
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      value->cooperative = work.launch.cooperative;
      return;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      value->priority = work.priority;
      return;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      value->clusterDim = {work.launch.cluster.x, work.launch.cluster.y,
                           work.launch.cluster.z};
      return;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return; // hints, which are not kept
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node,
                                       CUlaunchAttributeID attribute,
                                       const CUlaunchAttributeValue *value) {
  return callInContext([&](Context &context) {
    require(value);
    KernelWork &work = workAs<KernelWork>(node);
    LaunchRequest request = work.request();
    CUlaunchAttribute one{attribute, {}, *value};
    takeAttributes(request, {&one, 1});
    replace(findNode(node), makeKernelWork(context, work.function, request));
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *graphNode, CUgraph graph,
                              const CUgraphNode *dependencies,
                              size_t numDependencies,
                              const CUDA_MEMCPY3D *copyParams, CUcontext) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [&](Context &context) { return copyOf(context, copyParams); });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node,
                                    CUDA_MEMCPY3D *nodeParams) {
  return call([&] {
    require(nodeParams);
    *nodeParams = workAs<CopyWork>(node).parameters;
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D *nodeParams) {
  return callInContext([&](Context &context) {
    replace(findNode(node), copyOf(context, nodeParams));
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode *graphNode, CUgraph graph,
                              const CUgraphNode *dependencies,
                              size_t numDependencies,
                              const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                              CUcontext) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [&](Context &context) { return setOf(context, memsetParams); });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS *nodeParams) {
  return call([&] {
    require(nodeParams);
    *nodeParams = workAs<SetWork>(node).parameters;
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
  return callInContext([&](Context &context) {
    replace(findNode(node), setOf(context, nodeParams));
  });
}

CUresult cuGraphAddHostNode(CUgraphNode *graphNode, CUgraph graph,
                            const CUgraphNode *dependencies,
                            size_t numDependencies,
                            const CUDA_HOST_NODE_PARAMS *nodeParams) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [&](Context &) { return hostOf(nodeParams); });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node,
                                  CUDA_HOST_NODE_PARAMS *nodeParams) {
  return call([&] {
    require(nodeParams);
    HostWork &work = workAs<HostWork>(node);
    *nodeParams = {work.function, work.data};
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS *nodeParams) {
  return call([&] { replace(findNode(node), hostOf(nodeParams)); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode *graphNode, CUgraph graph,
                             const CUgraphNode *dependencies,
                             size_t numDependencies) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [](Context &) { return std::make_unique<EmptyWork>(); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *graphNode, CUgraph graph,
                                  const CUgraphNode *dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [&](Context &) {
               require(childGraph != graph);
               return childOf(childGraph);
             });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  return call([&] {
    require(graph);
    *graph = workAs<ChildGraphWork>(node).graph->handle;
  });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *graphNode, CUgraph graph,
                                   const CUgraphNode *dependencies,
                                   size_t numDependencies, CUevent event) {
  return add(graphNode, graph, dependencies, nullptr, numDependencies,
             [&](Context &) {
               return eventOf(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
             });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  return getEvent(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return setEvent(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *graphNode, CUgraph graph,
                                 const CUgraphNode *dependencies,
                                 size_t numDependencies, CUevent event) {
  return add(
      graphNode, graph, dependencies, nullptr, numDependencies,
      [&](Context &) { return eventOf(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event); });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  return getEvent(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return setEvent(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
}

CUresult cuGraphAddNode(CUgraphNode *graphNode, CUgraph graph,
                        const CUgraphNode *dependencies, size_t numDependencies,
                        CUgraphNodeParams *nodeParams) {
  return cuGraphAddNode_v2(graphNode, graph, dependencies, nullptr,
                           numDependencies, nodeParams);
}

CUresult cuGraphAddNode_v2(CUgraphNode *graphNode, CUgraph graph,
                           const CUgraphNode *dependencies,
                           const CUgraphEdgeData *dependencyData,
                           size_t numDependencies,
                           CUgraphNodeParams *nodeParams) {
  return addNode(graphNode, graph, dependencies, dependencyData,
                 numDependencies, [&](Context &context, const Graph &found) {
                   return workOf(context, nodeParams, nullptr, &found);
                 });
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *nodeParams) {
  return callInContext([&](Context &context) {
    Node &found = findNode(node);
    replace(found, workOf(context, nodeParams, found.work.get()));
  });
}

} // namespace cheems::emulator::driver
