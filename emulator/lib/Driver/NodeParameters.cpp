//===- NodeParameters.cpp -------------------------------------------------===//
#include "NodeParameters.h"

#include "Copy.h"
#include "GraphMemory.h"
#include "KernelWork.h"
#include "Process.h"

namespace cheems::emulator::driver {

std::unique_ptr<Work> kernelOf(Context &context,
                               const CUDA_KERNEL_NODE_PARAMS *parameters,
                               const Work *old) {
  require(parameters);
  const CUDA_KERNEL_NODE_PARAMS &p = *parameters;
  require(p.func || p.kern);
  LaunchRequest request;
  request.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  request.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  request.sharedBytes = p.sharedMemBytes;
  request.parameters = p.kernelParams;
  request.extra = p.extra;
  if (const auto *kernel = dynamic_cast<const KernelWork *>(old)) {
    request.cluster = kernel->launch.cluster;
    request.hasCluster = kernel->hasCluster;
    request.cooperative = kernel->launch.cooperative;
    request.priority = kernel->priority;
  }
  CUfunction handle = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  return makeKernelWork(context, findFunction(context, handle), request);
}

std::unique_ptr<Work> copyOf(Context &context,
                             const CUDA_MEMCPY3D *parameters) {
  require(parameters);
  return makeCopy(context, *parameters);
}

std::unique_ptr<Work> setOf(Context &context,
                            const CUDA_MEMSET_NODE_PARAMS *parameters) {
  require(parameters);
  return makeSet(context, *parameters);
}

std::unique_ptr<Work> hostOf(const CUDA_HOST_NODE_PARAMS *parameters) {
  require(parameters && parameters->fn);
  return std::make_unique<HostWork>(parameters->fn, parameters->userData);
}

std::unique_ptr<Work> eventOf(CUgraphNodeType kind, CUevent event) {
  findEvent(event);
  return std::make_unique<EventWork>(kind, event);
}

std::unique_ptr<Work> childOf(CUgraph graph) {
  refuseMemoryNodes(*findGraph(graph));
  auto copy = findGraph(graph)->clone(true);
  copy->handle = process().graphs.add(copy);
  return std::make_unique<ChildGraphWork>(copy);
}

std::unique_ptr<Work> workOf(Context &context, CUgraphNodeParams *parameters,
                             const Work *old, const Graph *graph) {
  require(parameters);
  switch (parameters->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return kernelOf(context, &parameters->kernel, old);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return copyOf(context, &parameters->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const CUDA_MEMSET_NODE_PARAMS_v2 &set = parameters->memset;
    CUDA_MEMSET_NODE_PARAMS plain{set.dst,         set.pitch, set.value,
                                  set.elementSize, set.width, set.height};
    return setOf(context, &plain);
  }
  case CU_GRAPH_NODE_TYPE_HOST:
    return hostOf(&parameters->host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return childOf(parameters->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return std::make_unique<EmptyWork>();
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return eventOf(parameters->type, parameters->eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return eventOf(parameters->type, parameters->eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    require(graph); // such nodes do not change
    return allocationOf(context, &parameters->alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    require(graph);
    return freeOf(context, *graph, parameters->free.dptr);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    noteOnce("graph nodes of type " + std::to_string(parameters->type) +
             " are not modelled by this emulator");
    fail(CUDA_ERROR_NOT_SUPPORTED);
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

void replace(Node &node, std::unique_ptr<Work> work) {
  require(node.work->type() == work->type());
  node.work = std::move(work);
}

} // namespace cheems::emulator::driver
