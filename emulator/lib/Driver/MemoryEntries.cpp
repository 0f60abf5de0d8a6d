//===- MemoryEntries.cpp --------------------------------------------------===//
#include "Memory.h"

#include "Functions.h"
#include "GraphMemory.h"
#include "Process.h"

#include <cstring>

namespace cheems::emulator::driver {

CUdeviceptr allocate(Context &context, Allocation::Kind kind, uint64_t bytes,
                     uint64_t alignment) {
  require(bytes > 0);
  GlobalMemory &memory = context.device.memory;
  auto address = memory.allocate(bytes, alignment);
  if (!address && !context.queue.isIdle()) {
    context.queue.finishAll();
    address = memory.allocate(bytes, alignment);
  }
  require(address, CUDA_ERROR_OUT_OF_MEMORY);
  Allocation &made = context.allocations[*address];
  made.kind = kind;
  made.bytes = bytes;
  made.id = ++process().bufferIds;
  return *address;
}

void release(Context &context, CUdeviceptr address) {
  auto found = context.allocations.find(address);
  if (found != context.allocations.end()) {
    if (found->second.pool) {
      found->second.pool->used -= found->second.bytes;
    }
    context.allocations.erase(found);
  }
  context.device.memory.free(address);
}

Allocation &allocationAt(Context &context, CUdeviceptr address,
                         Allocation::Kind kind) {
  auto found = context.allocations.find(address);
  require(found != context.allocations.end() && found->second.kind == kind);
  return found->second;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return callInContext([&](Context &context) {
    require(free && total);
    // Pinned memory lies in the GPU's range so that kernels reach it, but it
    // is the host's.
    *free = context.device.memory.freeBytes() + context.pinnedBytes;
    *total = context.device.memory.totalBytes();
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return callInContext([&](Context &context) {
    require(pointer);
    refuseUnsafeCall();
    *pointer = allocate(context, Allocation::Kind::device, bytes);
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch,
                            size_t widthInBytes, size_t height,
                            unsigned elementSizeBytes) {
  return callInContext([&](Context &context) {
    require(pointer && pitch && widthInBytes > 0 && height > 0);
    require(elementSizeBytes == 4 || elementSizeBytes == 8 ||
            elementSizeBytes == 16);
    require(widthInBytes <= size_t(1) << 40 && height <= size_t(1) << 20,
            CUDA_ERROR_OUT_OF_MEMORY);
    refuseUnsafeCall();
    *pitch = (widthInBytes + 511) / 512 * 512;
    *pointer = allocate(context, Allocation::Kind::device, *pitch * height);
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return callInContext([&](Context &context) {
    if (!pointer) {
      return;
    }
    refuseUnsafeCall();
    auto found = context.allocations.find(pointer);
    require(found != context.allocations.end() &&
            found->second.kind != Allocation::Kind::pinned &&
            !found->second.freeing);
    // What uses the memory ends first, as on a GPU.
    context.queue.finishAll();
    if (!freeGraphMemory(context, pointer, nullptr)) {
      release(context, pointer);
    }
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes,
                                 CUdeviceptr pointer) {
  return callInContext([&](Context &context) {
    auto found = context.device.memory.find(pointer);
    require(found && context.device.isOfHost(pointer, 1), CUDA_ERROR_NOT_FOUND);
    if (base) {
      *base = found->address;
    }
    if (bytes) {
      *bytes = found->bytes;
    }
  });
}

} // namespace cheems::emulator::driver
