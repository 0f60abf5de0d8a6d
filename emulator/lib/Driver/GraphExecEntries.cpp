//===- GraphExecEntries.cpp -----------------------------------------------===//
#include "Functions.h"
#include "GraphMemory.h"
#include "KernelWork.h"
#include "NodeParameters.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

std::shared_ptr<GraphExec> find(CUgraphExec handle) {
  return process().executables.get(handle, CUDA_ERROR_INVALID_VALUE);
}

CUgraphExec instantiate(CUgraph graph, unsigned long long flags) {
  constexpr unsigned long long known =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
      CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
      CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  require(!(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
          CUDA_ERROR_NOT_SUPPORTED);
  require(!(flags & ~known));
  auto source = findGraph(graph);
  if (hasMemoryNodes(*source)) {
    // "Only one instantiation of the graph may exist at any point in time."
    require(source->instance.expired());
  }
  auto made = std::make_shared<GraphExec>();
  source->instance = made;
  made->flags = flags;
  made->graph = source->clone(false);
  made->handle = process().executables.add(made);
  return made->handle;
}

/// `make(context, old)` gives the node's new work.
template <typename Make>
CUresult update(CUgraphExec graphExec, CUgraphNode node, Make make) {
  return callInContext([&](Context &context) {
    Node &target = find(graphExec)->at(node);
    replace(target, make(context, *target.work));
  });
}

/// Whether two graphs have the same nodes in the same order with the same
/// edges. `differs` is the first node of `to` that is in the way.
CUgraphExecUpdateResult compare(const Graph &from, const Graph &to,
                                CUgraphNode &differs) {
  if (from.nodes.size() != to.nodes.size()) {
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  std::map<const Node *, size_t> fromIndex, toIndex;
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    fromIndex[from.nodes[i].get()] = i;
    toIndex[to.nodes[i].get()] = i;
  }
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    const Node &a = *from.nodes[i], &b = *to.nodes[i];
    differs = b.handle;
    if (a.work->type() != b.work->type()) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    }
    if (a.before.size() != b.before.size()) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (size_t k = 0; k < a.before.size(); ++k) {
      if (fromIndex[a.before[k].node] != toIndex[b.before[k].node]) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
      }
    }
    auto *memory = dynamic_cast<const GraphAllocateWork *>(a.work.get());
    auto *freed = dynamic_cast<const GraphFreeWork *>(a.work.get());
    if ((memory &&
         memory->memory !=
             dynamic_cast<const GraphAllocateWork &>(*b.work).memory) ||
        (freed && freed->memory !=
                      dynamic_cast<const GraphFreeWork &>(*b.work).memory)) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    }
    auto *kernel = dynamic_cast<const KernelWork *>(a.work.get());
    if (kernel &&
        kernel->launch.cooperative !=
            dynamic_cast<const KernelWork &>(*b.work).launch.cooperative) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    }
  }
  differs = nullptr;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

} // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec *graphExec, CUgraph graph,
                                     unsigned long long flags) {
  return callInContext([&](Context &) {
    require(graphExec);
    *graphExec = instantiate(graph, flags);
  });
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *graphExec, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
  return callInContext([&](Context &) {
    require(graphExec && instantiateParams);
    instantiateParams->hErrNode_out = nullptr;
    instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    *graphExec = instantiate(graph, instantiateParams->flags);
    instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  });
}

CUresult cuGraphUpload(CUgraphExec graphExec, CUstream stream) {
  return callInContext([&](Context &context) {
    find(graphExec);
    Stream &target = findStream(context, stream);
    refuseInCapture(target);
    enqueue(context, target, std::make_unique<EmptyWork>());
  });
}

CUresult cuGraphLaunch(CUgraphExec graphExec, CUstream handle) {
  return callInContext([&](Context &context) {
    auto launched = find(graphExec);
    Stream &stream = findStream(context, handle);
    if (stream.capture) {
      // It becomes one node of the graph that is captured.
      require(launched->disabled.empty(), CUDA_ERROR_NOT_SUPPORTED);
      refuseMemoryNodes(*launched->graph);
      enqueue(context, stream,
              std::make_unique<ChildGraphWork>(launched->graph->clone(false)));
      return;
    }
    // Launches of one executable graph come one after the other.
    if (launched->last && !launched->last->isDone()) {
      stream.tails.push_back({launched->last, false});
    }
    startMemoryNodes(context, stream, *launched->graph,
                     launched->flags &
                         CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    launchGraph(context, stream, *launched->graph, launched->disabled);
    launched->last = stream.tails.front().on;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec graphExec) {
  return call([&] {
    find(graphExec);
    process().executables.remove(graphExec);
  });
}

CUresult cuGraphExecGetFlags(CUgraphExec graphExec, cuuint64_t *flags) {
  return call([&] {
    require(flags);
    *flags = find(graphExec)->flags;
  });
}

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec graphExec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return update(graphExec, node, [&](Context &context, Work &old) {
    return kernelOf(context, nodeParams, &old);
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec graphExec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *copyParams,
                                        CUcontext) {
  return update(graphExec, node, [&](Context &context, Work &) {
    return copyOf(context, copyParams);
  });
}

CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec graphExec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                               CUcontext) {
  return update(graphExec, node, [&](Context &context, Work &) {
    return setOf(context, memsetParams);
  });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec graphExec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *nodeParams) {
  return update(graphExec, node,
                [&](Context &, Work &) { return hostOf(nodeParams); });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec graphExec, CUgraphNode node,
                                  CUgraphNodeParams *nodeParams) {
  return update(graphExec, node, [&](Context &context, Work &old) {
    return workOf(context, nodeParams, &old);
  });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec graphExec, CUgraph graph,
                              CUgraphExecUpdateResultInfo *resultInfo) {
  return callInContext([&](Context &) {
    require(resultInfo);
    auto target = find(graphExec);
    auto source = findGraph(graph);
    *resultInfo = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
    resultInfo->result =
        compare(*target->graph, *source, resultInfo->errorNode);
    require(resultInfo->result == CU_GRAPH_EXEC_UPDATE_SUCCESS,
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    for (size_t i = 0; i < source->nodes.size(); ++i) {
      target->graph->nodes[i]->work = source->nodes[i]->work->clone();
    }
  });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec graphExec, CUgraphNode node,
                               unsigned isEnabled) {
  return call([&] {
    auto found = find(graphExec);
    CUgraphNodeType type = found->at(node).work->type();
    require(type == CU_GRAPH_NODE_TYPE_KERNEL ||
            type == CU_GRAPH_NODE_TYPE_MEMCPY ||
            type == CU_GRAPH_NODE_TYPE_MEMSET);
    found->disabled[node] = !isEnabled;
  });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec graphExec, CUgraphNode node,
                               unsigned *isEnabled) {
  return call([&] {
    require(isEnabled);
    auto found = find(graphExec);
    found->at(node);
    auto disabled = found->disabled.find(node);
    *isEnabled = disabled == found->disabled.end() || !disabled->second;
  });
}

} // namespace cheems::emulator::driver
