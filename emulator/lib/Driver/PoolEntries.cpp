//===- PoolEntries.cpp ----------------------------------------------------===//
#include "Functions.h"
#include "GraphMemory.h"
#include "Memory.h"
#include "Process.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator::driver {
namespace {

std::shared_ptr<MemoryPool> find(CUmemoryPool handle) {
  return process().pools.get(handle, CUDA_ERROR_INVALID_VALUE);
}

/// The default pool, which lives as long as the process.
std::shared_ptr<MemoryPool> defaultPool() {
  auto &pool = process().defaultPool;
  if (!pool) {
    pool = std::make_shared<MemoryPool>();
    pool->properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    pool->properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    pool->handle = process().pools.add(pool);
  }
  return pool;
}

std::shared_ptr<MemoryPool> currentPool() {
  auto &pool = process().currentPool;
  return pool ? pool : defaultPool();
}

/// The memory exists from here on in its stream, and for streams that wait.
class AllocateWork : public Work {
public:
  AllocateWork(CUdeviceptr address, uint64_t bytes)
      : address(address), bytes(bytes) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<AllocateWork>(*this);
  }
  Progress run(Context &context, bool) override {
    context.device.memory.setStates(address, bytes, ByteState::uninitialised);
    return Progress::done;
  }

private:
  CUdeviceptr address;
  uint64_t bytes;
};

class FreeWork : public Work {
public:
  explicit FreeWork(CUdeviceptr address) : address(address) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<FreeWork>(*this);
  }
  Progress run(Context &context, bool) override {
    release(context, address);
    return Progress::done;
  }

private:
  CUdeviceptr address;
};

void allocateFrom(Context &context, CUdeviceptr *pointer, size_t bytes,
                  std::shared_ptr<MemoryPool> pool, CUstream handle) {
  require(pointer);
  Stream &stream = findStream(context, handle);
  if (stream.capture) {
    CUDA_MEM_ALLOC_NODE_PARAMS node{};
    node.poolProps = pool->properties;
    node.bytesize = bytes;
    enqueue(context, stream, allocationOf(context, &node));
    *pointer = node.dptr;
    return;
  }
  require(!pool->properties.maxSize ||
              pool->used + bytes <= pool->properties.maxSize,
          CUDA_ERROR_OUT_OF_MEMORY);
  CUdeviceptr address = allocate(context, Allocation::Kind::pooled, bytes);
  pool->used += bytes;
  pool->usedHigh = std::max(pool->usedHigh, pool->used);
  pool->reservedHigh = std::max(pool->reservedHigh, pool->used);
  Allocation &allocation = context.allocations[address];
  allocation.pool = std::move(pool);
  context.device.memory.setStates(address, bytes, ByteState::unallocated);
  enqueue(context, stream, std::make_unique<AllocateWork>(address, bytes));
  *pointer = address;
}

void freeLater(Context &context, CUdeviceptr pointer, CUstream handle) {
  Stream &stream = findStream(context, handle);
  if (stream.capture) {
    enqueue(context, stream,
            freeOf(context, *stream.capture->capture->graph, pointer));
    return;
  }
  if (freeGraphMemory(context, pointer, &stream)) {
    return;
  }
  Allocation &allocation =
      allocationAt(context, pointer, Allocation::Kind::pooled);
  require(!allocation.freeing);
  allocation.freeing = true;
  enqueue(context, stream, std::make_unique<FreeWork>(pointer));
}

void requireLocation(const CUmemLocation &location) {
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  requireDevice(location.id);
}

} // namespace

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  return callInContext([&](Context &context) {
    allocateFrom(context, pointer, bytes, currentPool(), stream);
  });
}
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *pointer, size_t bytes,
                              CUstream stream) {
  return cuMemAllocAsync(pointer, bytes, perThread(stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes,
                                 CUmemoryPool pool, CUstream stream) {
  return callInContext([&](Context &context) {
    allocateFrom(context, pointer, bytes, find(pool), stream);
  });
}
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *pointer, size_t bytes,
                                      CUmemoryPool pool, CUstream stream) {
  return cuMemAllocFromPoolAsync(pointer, bytes, pool, perThread(stream));
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return callInContext(
      [&](Context &context) { freeLater(context, pointer, stream); });
}
CUresult cuMemFreeAsync_ptsz(CUdeviceptr pointer, CUstream stream) {
  return cuMemFreeAsync(pointer, perThread(stream));
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  return call([&] {
    require(pool && properties);
    require(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    require(properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE,
            CUDA_ERROR_NOT_SUPPORTED);
    requireLocation(properties->location);
    auto made = std::make_shared<MemoryPool>();
    made->properties = *properties;
    made->handle = process().pools.add(made);
    *pool = made->handle;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return call([&] {
    auto pool = find(handle);
    require(pool != process().defaultPool);
    if (process().currentPool == pool) {
      process().currentPool = nullptr;
    }
    process().pools.remove(handle); // its allocations live on
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return call([&] { find(pool); }); // nothing unused is kept
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle,
                               CUmemPool_attribute attribute, void *value) {
  return call([&] {
    auto pool = find(handle);
    require(value);
    auto flag = [&](int &to) { std::memcpy(&to, value, sizeof to); };
    auto toZero = [&](uint64_t &high, uint64_t now) {
      uint64_t wanted;
      std::memcpy(&wanted, value, sizeof wanted);
      require(wanted == 0);
      high = now;
    };
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return flag(pool->followEventDependencies);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return flag(pool->allowOpportunistic);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return flag(pool->allowInternalDependencies);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      std::memcpy(&pool->releaseThreshold, value, sizeof(uint64_t));
      return;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return toZero(pool->reservedHigh, pool->used);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return toZero(pool->usedHigh, pool->used);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle,
                               CUmemPool_attribute attribute, void *value) {
  return call([&] {
    auto pool = find(handle);
    require(value);
    auto put = [&](auto from) { std::memcpy(value, &from, sizeof from); };
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      return put(pool->followEventDependencies);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      return put(pool->allowOpportunistic);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      return put(pool->allowInternalDependencies);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return put(pool->releaseThreshold);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return put(pool->used);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return put(pool->reservedHigh);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return put(pool->usedHigh);
    }
    fail(CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map,
                            size_t count) {
  return call([&] {
    find(pool);
    require(map || count == 0);
    for (size_t i = 0; i < count; ++i) {
      requireLocation(map[i].location);
      // The device that a pool is of always has access.
      require(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    }
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
                            CUmemLocation *location) {
  return call([&] {
    find(pool);
    require(flags && location);
    requireLocation(*location);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return call([&] {
    require(pool);
    requireDevice(device);
    *pool = defaultPool()->handle;
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return call([&] {
    require(pool);
    requireDevice(device);
    *pool = currentPool()->handle;
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return call([&] {
    requireDevice(device);
    process().currentPool = find(pool);
  });
}

} // namespace cheems::emulator::driver
