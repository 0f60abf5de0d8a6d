//===- GraphMemory.cpp ----------------------------------------------------===//
#include "GraphMemory.h"

#include "Memory.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {
namespace {

void endAllocation(Context &context, GraphMemory &memory) {
  memory.isAllocated = false;
  context.graphMemoryUsed -= memory.bytes;
  context.allocations.erase(memory.address);
}

GraphAllocateWork *allocationIn(const Node &node) {
  return dynamic_cast<GraphAllocateWork *>(node.work.get());
}
GraphFreeWork *freeIn(const Node &node) {
  return dynamic_cast<GraphFreeWork *>(node.work.get());
}

} // namespace

GraphMemory::GraphMemory(Context &context, uint64_t bytes)
    : context(context.weak_from_this()), address([&] {
        require(bytes > 0);
        auto found = context.device.memory.allocate(bytes);
        require(found, CUDA_ERROR_OUT_OF_MEMORY);
        return *found;
      }()),
      bytes(bytes) {
  context.device.memory.setStates(address, bytes, ByteState::unallocated);
  context.graphMemoryReserved += bytes;
  context.graphMemoryReservedHigh =
      std::max(context.graphMemoryReservedHigh, context.graphMemoryReserved);
}

GraphMemory::~GraphMemory() {
  if (auto alive = context.lock()) {
    alive->device.memory.free(address);
    alive->graphMemoryReserved -= bytes;
    alive->graphMemory.erase(address);
  }
}

Progress GraphAllocateWork::run(Context &context, bool) {
  context.device.memory.setStates(memory->address, memory->bytes,
                                  ByteState::uninitialised);
  return Progress::done;
}

Progress GraphFreeWork::run(Context &context, bool) {
  context.device.memory.setStates(memory->address, memory->bytes,
                                  ByteState::freed);
  return Progress::done;
}

std::unique_ptr<Work> allocationOf(Context &context,
                                   CUDA_MEM_ALLOC_NODE_PARAMS *parameters) {
  require(parameters);
  const CUmemPoolProps &pool = parameters->poolProps;
  require(pool.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
          pool.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
          pool.handleTypes == CU_MEM_HANDLE_TYPE_NONE);
  requireDevice(pool.location.id);
  require(parameters->accessDescs || parameters->accessDescCount == 0);
  for (size_t i = 0; i < parameters->accessDescCount; ++i) {
    const CUmemAccessDesc &access = parameters->accessDescs[i];
    require(access.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
            access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    requireDevice(access.location.id);
  }
  auto memory = std::make_shared<GraphMemory>(context, parameters->bytesize);
  context.graphMemory[memory->address] = memory;
  parameters->dptr = memory->address;
  CUDA_MEM_ALLOC_NODE_PARAMS kept = *parameters;
  kept.accessDescs = nullptr; // the caller's
  kept.accessDescCount = 0;
  return std::make_unique<GraphAllocateWork>(std::move(memory), kept);
}

std::unique_ptr<Work> freeOf(Context &context, const Graph &graph,
                             CUdeviceptr address) {
  auto found = context.graphMemory.find(address);
  auto memory =
      found == context.graphMemory.end() ? nullptr : found->second.lock();
  require(memory != nullptr);
  for (const auto &node : graph.nodes) {
    auto *other = freeIn(*node);
    require(!other || other->memory != memory);
  }
  return std::make_unique<GraphFreeWork>(std::move(memory));
}

bool hasMemoryNodes(const Graph &graph) {
  return std::ranges::any_of(graph.nodes, [](const auto &node) {
    return allocationIn(*node) || freeIn(*node);
  });
}

void refuseMemoryNodes(const Graph &graph) { require(!hasMemoryNodes(graph)); }

void startMemoryNodes(Context &context, Stream &stream, const Graph &graph,
                      bool frees) {
  std::vector<GraphMemory *> left, made;
  for (Node *node : graph.inOrder()) {
    if (auto *allocation = allocationIn(*node)) {
      GraphMemory &memory = *allocation->memory;
      require(memory.context.lock().get() == &context,
              CUDA_ERROR_INVALID_HANDLE);
      require(!memory.isAllocated || frees);
      if (memory.isAllocated) {
        left.push_back(&memory);
      }
      made.push_back(&memory);
    } else if (auto *free = freeIn(*node)) {
      require(free->memory->isAllocated ||
              std::ranges::find(made, free->memory.get()) != made.end());
    }
  }
  for (GraphMemory *memory : left) {
    freeGraphMemory(context, memory->address, &stream);
  }
}

void submitMemoryNode(Context &context, Work &work) {
  if (auto *allocation = dynamic_cast<GraphAllocateWork *>(&work)) {
    GraphMemory &memory = *allocation->memory;
    memory.isAllocated = true;
    Allocation &made = context.allocations[memory.address];
    made = {};
    made.bytes = memory.bytes;
    made.kind = Allocation::Kind::graph;
    made.id = ++process().bufferIds;
    made.graphMemory = allocation->memory;
    context.graphMemoryUsed += memory.bytes;
    context.graphMemoryUsedHigh =
        std::max(context.graphMemoryUsedHigh, context.graphMemoryUsed);
  } else if (auto *free = dynamic_cast<GraphFreeWork *>(&work)) {
    endAllocation(context, *free->memory);
  }
}

bool freeGraphMemory(Context &context, CUdeviceptr address, Stream *stream) {
  auto found = context.allocations.find(address);
  if (found == context.allocations.end() ||
      found->second.kind != Allocation::Kind::graph) {
    return false;
  }
  auto memory = found->second.graphMemory;
  endAllocation(context, *memory);
  auto work = std::make_unique<GraphFreeWork>(memory);
  if (stream) {
    enqueue(context, *stream, std::move(work));
  } else {
    work->run(context, false);
  }
  return true;
}

} // namespace cheems::emulator::driver
