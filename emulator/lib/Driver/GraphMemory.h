//===- GraphMemory.h - Memory that nodes of graphs allocate -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_GRAPHMEMORY_H
#define CHEEMS_EMULATOR_DRIVER_GRAPHMEMORY_H

#include "Graph.h"

#include <cstdint>
#include <memory>

namespace cheems::emulator::driver {

/// What one allocation node gives: an address that stays the same "over the
/// lifetime of the graph". Nodes, copies of them and launches share it. Bytes
/// there may be accessed from the node's turn in a launch to a free.
class GraphMemory {
public:
  GraphMemory(Context &context, uint64_t bytes);
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;

  /// Follows the order of submissions: true from a launch with the node to a
  /// free.
  bool isAllocated = false;
  const std::weak_ptr<Context> context;
  const uint64_t address, bytes;
};

class GraphAllocateWork : public Work {
public:
  GraphAllocateWork(std::shared_ptr<GraphMemory> memory,
                    const CUDA_MEM_ALLOC_NODE_PARAMS &parameters)
      : memory(std::move(memory)), parameters(parameters) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<GraphAllocateWork>(*this);
  }
  Progress run(Context &context, bool) override;

  const std::shared_ptr<GraphMemory> memory;
  const CUDA_MEM_ALLOC_NODE_PARAMS parameters;
};

class GraphFreeWork : public Work {
public:
  explicit GraphFreeWork(std::shared_ptr<GraphMemory> memory)
      : memory(std::move(memory)) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<GraphFreeWork>(*this);
  }
  Progress run(Context &context, bool) override;

  const std::shared_ptr<GraphMemory> memory;
};

/// The work of an allocation node. Throws Failure.
std::unique_ptr<Work> allocationOf(Context &context,
                                   CUDA_MEM_ALLOC_NODE_PARAMS *parameters);
/// The work of a free node of that graph: an address of an allocation node,
/// which no other node of the graph frees.
std::unique_ptr<Work> freeOf(Context &context, const Graph &graph,
                             CUdeviceptr address);

/// Graphs with nodes that allocate or free are neither copied, nor changed but
/// by new nodes, nor instantiated twice, nor nodes of others.
bool hasMemoryNodes(const Graph &graph);
void refuseMemoryNodes(const Graph &graph);

/// A launch of the graph: nothing is allocated twice, and what is freed is
/// allocated. With `frees`, what launches before have left is freed first.
/// Changes nothing if it throws.
void startMemoryNodes(Context &context, Stream &stream, const Graph &graph,
                      bool frees);
/// A node of the graph is submitted.
void submitMemoryNode(Context &context, Work &work);
/// The host frees it: with a stream at its turn there. False: it is no
/// allocated memory of a graph.
bool freeGraphMemory(Context &context, CUdeviceptr address, Stream *stream);

} // namespace cheems::emulator::driver

#endif
