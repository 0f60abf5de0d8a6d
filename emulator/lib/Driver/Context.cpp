//===- Context.cpp --------------------------------------------------------===//
#include "Context.h"

#include "Process.h"
#include "Report.h"

#include <sstream>

namespace cheems::emulator::driver {

Context::Context(const Options &options, uint64_t id, std::mutex &lock)
    : id(id), device(options), queue(*this, lock, options.seed) {
  limits = {{CU_LIMIT_STACK_SIZE, 1024},
            {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20},
            {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
            {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2},
            {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
            {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
            {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0}};
}

std::optional<uint64_t> Context::pinnedAddress(const void *pointer) const {
  const std::byte *begin = device.memory.data(GlobalMemory::base);
  uint64_t offset = static_cast<const std::byte *>(pointer) - begin;
  if (offset >= device.memory.totalBytes()) {
    return std::nullopt;
  }
  auto after = allocations.upper_bound(GlobalMemory::base + offset);
  if (after == allocations.begin()) {
    return std::nullopt;
  }
  const auto &[address, allocation] = *std::prev(after);
  uint64_t within = GlobalMemory::base + offset - address;
  if (allocation.kind != Allocation::Kind::pinned ||
      within >= allocation.bytes) {
    return std::nullopt;
  }
  return GlobalMemory::base + offset;
}

bool Context::isPageLocked(const void *pointer) const {
  if (pinnedAddress(pointer)) {
    return true;
  }
  auto at = reinterpret_cast<uintptr_t>(pointer);
  auto after = registrations.upper_bound(at);
  return after != registrations.begin() &&
         at - std::prev(after)->first < std::prev(after)->second.bytes;
}

void Context::reportLeaks() const {
  uint64_t count = 0, bytes = 0;
  const std::pair<const uint64_t, Allocation> *first = nullptr;
  for (const auto &entry : allocations) {
    if (!entry.second.freeing) {
      first = first ? first : &entry;
      bytes += entry.second.bytes;
      ++count;
    }
  }
  if (count == 0 || broken) {
    return; // after a finding nobody frees
  }
  std::ostringstream out;
  out << "cheems-emulator: leak: " << count << " allocations of " << bytes
      << " bytes are not freed at the context's end; the first one is "
      << (first->second.kind == Allocation::Kind::pinned ? "pinned memory, "
                                                         : "")
      << first->second.bytes << " bytes at 0x" << std::hex << first->first
      << "\n";
  write(device.options, out.str());
}

std::shared_ptr<Operation> recordedHere(Context &context, Event &event) {
  auto recorded = event.recorded;
  auto owner = event.context.lock();
  if (recorded && owner && owner.get() != &context) {
    owner->queue.finish(recorded);
    return nullptr;
  }
  return recorded;
}

std::vector<Dependency> before(Context &context, Stream &stream) {
  std::vector<Dependency> all = stream.tails;
  auto add = [&](const std::vector<Dependency> &tails) {
    for (const Dependency &tail : tails) {
      if (!tail.on->isDone()) {
        // Only in its own stream may a kernel start before its primary ends.
        all.push_back({tail.on, false});
      }
    }
  };
  if (stream.isLegacy()) {
    add(context.orphans);
    for (const auto &[number, other] : context.perThread) {
      add(other->tails);
    }
    for (const auto &[number, other] : process().streams.all()) {
      if (other->isBlocking() && other->context.lock().get() == &context) {
        add(other->tails);
      }
    }
  } else if (stream.isBlocking()) {
    add(context.legacy->tails);
  }
  return all;
}

std::shared_ptr<Operation> enqueue(Context &context, Stream &stream,
                                   std::unique_ptr<Work> work,
                                   bool programmatic) {
  if (stream.capture) {
    CapturePoint &point = *stream.capture;
    require(!point.capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    auto edges = point.tails;
    for (Edge &edge : edges) {
      if (programmatic && edge.node->work->releasesDependents()) {
        edge.data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
        edge.data.from_port = 1; // CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
      }
    }
    point.tails = {{&point.capture->graph->add(std::move(work), edges)}};
    return nullptr;
  }
  if (stream.isLegacy()) {
    refuseImplicitDependency(context);
  }
  auto dependencies = before(context, stream);
  for (size_t i = 0; i < stream.tails.size(); ++i) {
    dependencies[i].programmatic =
        programmatic && dependencies[i].on->releasesDependents;
  }
  auto operation = context.queue.add(std::move(work), dependencies);
  stream.tails = {{operation}};
  if (stream.isLegacy()) {
    context.orphans.clear();
  }
  return operation;
}

void synchronise(Context &context, Stream &stream) {
  if (stream.isLegacy()) {
    refuseImplicitDependency(context);
  }
  for (const Dependency &dependency : before(context, stream)) {
    context.queue.finish(dependency.on);
  }
}

std::shared_ptr<Context> makeContext(unsigned flags) {
  auto context = std::make_shared<Context>(
      *process().options, ++process().contextIds, process().lock);
  context->flags = flags;
  context->legacy = std::make_shared<Stream>();
  context->legacy->handle = reinterpret_cast<CUstream>(1);
  context->legacy->context = context;
  context->legacy->id = ++process().streamIds;
  return context;
}

void destroy(const std::shared_ptr<Context> &context) {
  context->isDestroyed = true;
  context->queue.abandon(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  context->reportLeaks();
  Process &all = process();
  auto belongs = [&](const auto &object) {
    auto owner = object.context.lock();
    return !owner || owner == context;
  };
  all.streams.removeIf(belongs);
  all.events.removeIf(belongs);
  for (auto &[number, library] : all.libraries.all()) {
    library->modules.erase(context.get());
  }
  auto isOfContext = [&](const LoadedModule &module) {
    return module.context == context;
  };
  all.functions.removeIf([&](const Function &function) {
    auto module = function.module.lock();
    return !module || isOfContext(*module);
  });
  all.modules.removeIf(isOfContext);
  context->perThread.clear();
  if (context->handle) {
    all.contexts.remove(context->handle);
  }
}

} // namespace cheems::emulator::driver
