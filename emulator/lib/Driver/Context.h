//===- Context.h - A context and what belongs to it -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_CONTEXT_H
#define CHEEMS_EMULATOR_DRIVER_CONTEXT_H

#include "Capture.h"
#include "Failure.h"
#include "Machine/Launch.h"
#include "Queue.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace cheems::emulator::driver {

class GraphMemory;
struct MemoryPool;

/// A stream of its own, or one of the two default streams.
struct Stream {
  CUstream handle;
  std::weak_ptr<Context> context;
  unsigned flags = CU_STREAM_DEFAULT;
  int priority = 0;
  uint64_t id = 0;
  /// What the next operation comes after.
  std::vector<Dependency> tails;
  /// Not null while the stream records.
  std::optional<CapturePoint> capture;

  bool isLegacy() const { return handle == reinterpret_cast<CUstream>(1); }
  bool isBlocking() const { return !(flags & CU_STREAM_NON_BLOCKING); }
};

struct Event {
  CUevent handle;
  std::weak_ptr<Context> context;
  unsigned flags = 0;
  /// The operation after which it was recorded; null: never, or in a capture.
  std::shared_ptr<Operation> recorded;
  std::optional<CapturePoint> captured;
};

/// Memory that a caller asked for.
struct Allocation {
  enum class Kind { device, pinned, pooled, graph } kind = Kind::device;
  uint64_t bytes = 0;
  unsigned flags = 0; ///< of cuMemHostAlloc
  uint64_t id = 0;
  std::shared_ptr<MemoryPool> pool;
  /// cuMemFreeAsync was called; the memory goes when its turn in the stream
  /// comes.
  bool freeing = false;
  std::shared_ptr<GraphMemory> graphMemory; ///< of Kind::graph
};

/// Memory of the host that cuMemHostRegister made known.
struct Registration {
  uint64_t bytes;
  unsigned flags;
};

struct Context : std::enable_shared_from_this<Context> {
  Context(const Options &options, uint64_t id, std::mutex &lock);

  CUcontext handle = nullptr;
  const uint64_t id;
  bool isPrimary = false;
  bool isDestroyed = false;
  unsigned flags = 0;
  /// A kernel failed; every call answers this until the context goes.
  CUresult broken = CUDA_SUCCESS;
  Device device;
  Queue queue;

  std::shared_ptr<Stream> legacy;
  /// The key is a thread (ThreadState::number).
  std::map<uint64_t, std::shared_ptr<Stream>> perThread;
  /// What streams that were destroyed still have to do.
  std::vector<Dependency> orphans;
  std::map<uint64_t, Allocation> allocations;
  std::map<uintptr_t, Registration> registrations;
  uint64_t pinnedBytes = 0;
  /// The key is an address, whether it is allocated or not.
  std::map<uint64_t, std::weak_ptr<GraphMemory>> graphMemory;
  uint64_t graphMemoryUsed = 0, graphMemoryUsedHigh = 0,
           graphMemoryReserved = 0, graphMemoryReservedHigh = 0;
  std::map<CUlimit, size_t> limits;
  /// A kernel was launched that calls malloc or free; that calls vprintf.
  bool heapIsUsed = false, printfIsUsed = false;
  CUfunc_cache cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  CUsharedconfig sharedConfig = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;

  /// The device's address range (AddressSpaces/GlobalMemory.h).
  bool isDeviceAddress(uint64_t address) const {
    return address - GlobalMemory::base < device.memory.totalBytes();
  }
  /// The pinned allocation, and its device address, that has `pointer` in it.
  std::optional<uint64_t> pinnedAddress(const void *pointer) const;
  /// Whether copies of this memory of the host are asynchronous.
  bool isPageLocked(const void *pointer) const;

  /// Memory that nobody freed, as one line where findings go.
  void reportLeaks() const;
};

/// What work of the context has to come after to come after the event; null if
/// nothing. An event of another context is waited for now.
std::shared_ptr<Operation> recordedHere(Context &context, Event &event);

/// Adds work after all that the stream orders before it, or a node if the
/// stream captures. Gives null for a node.
std::shared_ptr<Operation> enqueue(Context &context, Stream &stream,
                                   std::unique_ptr<Work> work,
                                   bool programmatic = false);
/// Runs until nothing of the stream is left.
void synchronise(Context &context, Stream &stream);
/// What the stream's next operation comes after, with what the default stream
/// adds.
std::vector<Dependency> before(Context &context, Stream &stream);

} // namespace cheems::emulator::driver

#endif
