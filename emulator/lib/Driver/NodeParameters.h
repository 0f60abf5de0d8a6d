//===- NodeParameters.h - Work from the parameters of a node ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_NODEPARAMETERS_H
#define CHEEMS_EMULATOR_DRIVER_NODEPARAMETERS_H

#include "Graph.h"
#include "Process.h"

#include <memory>

namespace cheems::emulator::driver {

struct Context;

/// Checked as a submission to a stream would be. `old` is the work that a
/// node has so far: what parameters do not say is kept from it.
std::unique_ptr<Work> kernelOf(Context &context,
                               const CUDA_KERNEL_NODE_PARAMS *parameters,
                               const Work *old = nullptr);
std::unique_ptr<Work> copyOf(Context &context, const CUDA_MEMCPY3D *parameters);
std::unique_ptr<Work> setOf(Context &context,
                            const CUDA_MEMSET_NODE_PARAMS *parameters);
std::unique_ptr<Work> hostOf(const CUDA_HOST_NODE_PARAMS *parameters);
std::unique_ptr<Work> eventOf(CUgraphNodeType kind, CUevent event);
std::unique_ptr<Work> childOf(CUgraph graph);
/// Any kind of node that this driver knows; those of memory only for a new node
/// of `graph`.
std::unique_ptr<Work> workOf(Context &context, CUgraphNodeParams *parameters,
                             const Work *old = nullptr,
                             const Graph *graph = nullptr);

/// Gives a node other work of the same type.
void replace(Node &node, std::unique_ptr<Work> work);

/// The node's work, which must be a T.
template <typename T> T &workAs(CUgraphNode node) {
  T *work = dynamic_cast<T *>(findNode(node).work.get());
  require(work);
  return *work;
}

/// `make(context, graph)` gives the new node's work.
template <typename Make>
CUresult addNode(CUgraphNode *result, CUgraph graph,
                 const CUgraphNode *dependencies, const CUgraphEdgeData *data,
                 size_t count, Make make) {
  return callInContext([&](Context &context) {
    require(result && (dependencies || count == 0));
    auto found = findGraph(graph);
    std::vector<Edge> before;
    for (size_t i = 0; i < count; ++i) {
      Node &node = findNode(dependencies[i]);
      require(node.graph == found.get());
      before.push_back({&node, data ? data[i] : CUgraphEdgeData{}});
    }
    *result = found->add(make(context, *found), before).handle;
  });
}

} // namespace cheems::emulator::driver

#endif
