//===- Graph.h - Graphs, their nodes and instances --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_FUNCTIONS_GRAPH_H
#define CHEEMS_EMULATOR_DRIVER_FUNCTIONS_GRAPH_H

#include "Driver/Types.h"
#include "Linkage.h"

namespace cheems::emulator::driver {

CHEEMS_DRIVER_API CUresult cuGraphCreate(CUgraph *graph, unsigned flags);
CHEEMS_DRIVER_API CUresult cuGraphDestroy(CUgraph graph);
CHEEMS_DRIVER_API CUresult cuGraphClone(CUgraph *graphClone,
                                        CUgraph originalGraph);
CHEEMS_DRIVER_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes,
                                           size_t *numNodes);
CHEEMS_DRIVER_API CUresult cuGraphGetRootNodes(CUgraph graph,
                                               CUgraphNode *rootNodes,
                                               size_t *numRootNodes);
CHEEMS_DRIVER_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from,
                                           CUgraphNode *to, size_t *numEdges);
CHEEMS_DRIVER_API CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from,
                                              CUgraphNode *to,
                                              CUgraphEdgeData *edgeData,
                                              size_t *numEdges);
CHEEMS_DRIVER_API CUresult cuGraphAddDependencies(CUgraph graph,
                                                  const CUgraphNode *from,
                                                  const CUgraphNode *to,
                                                  size_t numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphAddDependencies_v2(
    CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
    const CUgraphEdgeData *edgeData, size_t numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphRemoveDependencies(CUgraph graph,
                                                     const CUgraphNode *from,
                                                     const CUgraphNode *to,
                                                     size_t numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphRemoveDependencies_v2(
    CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
    const CUgraphEdgeData *edgeData, size_t numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphDestroyNode(CUgraphNode node);
CHEEMS_DRIVER_API CUresult cuGraphNodeGetType(CUgraphNode node,
                                              CUgraphNodeType *type);
CHEEMS_DRIVER_API CUresult cuGraphNodeGetDependencies(CUgraphNode node,
                                                      CUgraphNode *dependencies,
                                                      size_t *numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphNodeGetDependencies_v2(
    CUgraphNode node, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
    size_t *numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphNodeGetDependentNodes(
    CUgraphNode node, CUgraphNode *dependentNodes, size_t *numDependentNodes);
CHEEMS_DRIVER_API CUresult cuGraphNodeGetDependentNodes_v2(
    CUgraphNode node, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
    size_t *numDependentNodes);
CHEEMS_DRIVER_API CUresult cuGraphNodeFindInClone(CUgraphNode *node,
                                                  CUgraphNode originalNode,
                                                  CUgraph clonedGraph);

CHEEMS_DRIVER_API CUresult cuGraphAddKernelNode_v2(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphKernelNodeGetParams_v2(
    CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphKernelNodeSetParams_v2(
    CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult
cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
                              CUlaunchAttributeValue *value);
CHEEMS_DRIVER_API CUresult
cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
                              const CUlaunchAttributeValue *value);
CHEEMS_DRIVER_API CUresult cuGraphAddMemcpyNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext context);
CHEEMS_DRIVER_API CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *nodeParams);
CHEEMS_DRIVER_API CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphAddMemsetNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams,
    CUcontext context);
CHEEMS_DRIVER_API CUresult cuGraphMemsetNodeGetParams(
    CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphMemsetNodeSetParams(
    CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphAddHostNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult
cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphHostNodeSetParams(
    CUgraphNode node, const CUDA_HOST_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphAddEmptyNode(CUgraphNode *graphNode,
                                               CUgraph graph,
                                               const CUgraphNode *dependencies,
                                               size_t numDependencies);
CHEEMS_DRIVER_API CUresult cuGraphAddChildGraphNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, CUgraph childGraph);
CHEEMS_DRIVER_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node,
                                                         CUgraph *graph);
CHEEMS_DRIVER_API CUresult cuGraphAddEventRecordNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, CUevent event);
CHEEMS_DRIVER_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node,
                                                          CUevent *event);
CHEEMS_DRIVER_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node,
                                                          CUevent event);
CHEEMS_DRIVER_API CUresult cuGraphAddEventWaitNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, CUevent event);
CHEEMS_DRIVER_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node,
                                                        CUevent *event);
CHEEMS_DRIVER_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node,
                                                        CUevent event);
CHEEMS_DRIVER_API CUresult cuGraphAddNode(CUgraphNode *graphNode, CUgraph graph,
                                          const CUgraphNode *dependencies,
                                          size_t numDependencies,
                                          CUgraphNodeParams *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphAddNode_v2(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    const CUgraphEdgeData *dependencyData, size_t numDependencies,
    CUgraphNodeParams *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphNodeSetParams(CUgraphNode node,
                                                CUgraphNodeParams *nodeParams);

CHEEMS_DRIVER_API CUresult cuGraphAddMemAllocNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphMemAllocNodeGetParams(
    CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CHEEMS_DRIVER_API CUresult cuGraphAddMemFreeNode(
    CUgraphNode *graphNode, CUgraph graph, const CUgraphNode *dependencies,
    size_t numDependencies, CUdeviceptr pointer);
CHEEMS_DRIVER_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node,
                                                       CUdeviceptr *pointer);
CHEEMS_DRIVER_API CUresult cuDeviceGraphMemTrim(CUdevice device);
CHEEMS_DRIVER_API CUresult cuDeviceGetGraphMemAttribute(
    CUdevice device, CUgraphMem_attribute attribute, void *value);
CHEEMS_DRIVER_API CUresult cuDeviceSetGraphMemAttribute(
    CUdevice device, CUgraphMem_attribute attribute, void *value);

CHEEMS_DRIVER_API CUresult cuGraphInstantiateWithFlags(
    CUgraphExec *graphExec, CUgraph graph, unsigned long long flags);
CHEEMS_DRIVER_API CUresult
cuGraphInstantiateWithParams(CUgraphExec *graphExec, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams);
CHEEMS_DRIVER_API CUresult cuGraphUpload(CUgraphExec graphExec,
                                         CUstream stream);
CHEEMS_DRIVER_API CUresult cuGraphLaunch(CUgraphExec graphExec,
                                         CUstream stream);
CHEEMS_DRIVER_API CUresult cuGraphExecDestroy(CUgraphExec graphExec);
CHEEMS_DRIVER_API CUresult cuGraphExecGetFlags(CUgraphExec graphExec,
                                               cuuint64_t *flags);
CHEEMS_DRIVER_API CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec graphExec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphExecMemcpyNodeSetParams(
    CUgraphExec graphExec, CUgraphNode node, const CUDA_MEMCPY3D *copyParams,
    CUcontext context);
CHEEMS_DRIVER_API CUresult cuGraphExecMemsetNodeSetParams(
    CUgraphExec graphExec, CUgraphNode node,
    const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext context);
CHEEMS_DRIVER_API CUresult
cuGraphExecHostNodeSetParams(CUgraphExec graphExec, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS *nodeParams);
CHEEMS_DRIVER_API CUresult cuGraphExecNodeSetParams(
    CUgraphExec graphExec, CUgraphNode node, CUgraphNodeParams *nodeParams);
CHEEMS_DRIVER_API CUresult
cuGraphExecUpdate_v2(CUgraphExec graphExec, CUgraph graph,
                     CUgraphExecUpdateResultInfo *resultInfo);
CHEEMS_DRIVER_API CUresult cuGraphNodeSetEnabled(CUgraphExec graphExec,
                                                 CUgraphNode node,
                                                 unsigned isEnabled);
CHEEMS_DRIVER_API CUresult cuGraphNodeGetEnabled(CUgraphExec graphExec,
                                                 CUgraphNode node,
                                                 unsigned *isEnabled);
CHEEMS_DRIVER_API CUresult cuGraphInstantiateWithParams_ptsz(
    CUgraphExec *graphExec, CUgraph graph,
    CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams);
CHEEMS_DRIVER_API CUresult cuGraphLaunch_ptsz(CUgraphExec graphExec,
                                              CUstream stream);
CHEEMS_DRIVER_API CUresult cuGraphUpload_ptsz(CUgraphExec graphExec,
                                              CUstream stream);

} // namespace cheems::emulator::driver

#endif
