//===- GraphMemoryEntries.cpp ---------------------------------------------===//
#include "Functions.h"
#include "GraphMemory.h"
#include "NodeParameters.h"
#include "Process.h"

#include <cstring>

namespace cheems::emulator::driver {

CUresult cuGraphAddMemAllocNode(CUgraphNode *graphNode, CUgraph graph,
                                const CUgraphNode *dependencies,
                                size_t numDependencies,
                                CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams) {
  return addNode(graphNode, graph, dependencies, nullptr, numDependencies,
                 [&](Context &context, const Graph &) {
                   return allocationOf(context, nodeParams);
                 });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node,
                                      CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return call([&] {
    require(params);
    *params = workAs<GraphAllocateWork>(node).parameters;
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *graphNode, CUgraph graph,
                               const CUgraphNode *dependencies,
                               size_t numDependencies, CUdeviceptr pointer) {
  return addNode(graphNode, graph, dependencies, nullptr, numDependencies,
                 [&](Context &context, const Graph &found) {
                   return freeOf(context, found, pointer);
                 });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *pointer) {
  return call([&] {
    require(pointer);
    *pointer = workAs<GraphFreeWork>(node).memory->address;
  });
}

// Memory of graphs is the current context's. Nothing unused is kept.

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return call([&] { requireDevice(device); });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attribute,
                                      void *value) {
  return callInContext([&](Context &context) {
    requireDevice(device);
    require(value);
    auto put = [&](uint64_t from) { std::memcpy(value, &from, sizeof from); };
    switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      return put(context.graphMemoryUsed);
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      return put(context.graphMemoryUsedHigh);
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      return put(context.graphMemoryReserved);
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      return put(context.graphMemoryReservedHigh);
    }
    fail(CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attribute,
                                      void *value) {
  return callInContext([&](Context &context) {
    requireDevice(device);
    require(value);
    uint64_t wanted;
    std::memcpy(&wanted, value, sizeof wanted);
    require(wanted == 0); // a high watermark is reset
    if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) {
      context.graphMemoryUsedHigh = context.graphMemoryUsed;
    } else {
      require(attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
      context.graphMemoryReservedHigh = context.graphMemoryReserved;
    }
  });
}

} // namespace cheems::emulator::driver
