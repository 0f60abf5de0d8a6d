//===- PointerEntries.cpp -------------------------------------------------===//
#include "Functions.h"
#include "Memory.h"
#include "Process.h"

#include <cstring>

namespace cheems::emulator::driver {
namespace {

/// What is known of the memory behind a pointer.
struct Found {
  CUdeviceptr address; ///< of the pointer; 0: the host's registered memory
  CUdeviceptr base = 0;
  uint64_t bytes = 0;
  const Allocation *allocation = nullptr; ///< null: a variable of a module
  bool isHost = false;
};

Found find(Context &context, CUdeviceptr pointer) {
  const auto *host = reinterpret_cast<const void *>(pointer);
  Found found{};
  if (auto pinned = context.pinnedAddress(host)) {
    found.address = *pinned;
  } else if (context.isDeviceAddress(pointer)) {
    found.address = pointer;
  } else {
    require(context.isPageLocked(host));
    auto registered = std::prev(context.registrations.upper_bound(pointer));
    found.base = registered->first;
    found.bytes = registered->second.bytes;
    found.isHost = true;
    return found;
  }
  auto range = context.device.memory.find(found.address);
  require(range);
  found.base = range->address;
  found.bytes = range->bytes;
  auto known = context.allocations.find(found.base);
  if (known != context.allocations.end()) {
    found.allocation = &known->second;
    found.isHost = known->second.kind == Allocation::Kind::pinned;
  }
  return found;
}

template <typename T> void put(void *data, T value) {
  std::memcpy(data, &value, sizeof value);
}

void answer(Context &context, void *data, CUpointer_attribute attribute,
            CUdeviceptr pointer) {
  require(data);
  Found found = find(context, pointer);
  GlobalMemory &memory = context.device.memory;
  bool isPooled =
      found.allocation && found.allocation->kind == Allocation::Kind::pooled;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return put(data, context.handle);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put(data, unsigned(found.isHost ? CU_MEMORYTYPE_HOST
                                           : CU_MEMORYTYPE_DEVICE));
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    require(found.address); // kernels do not reach registered memory
    return put(data, found.address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    require(found.isHost);
    return put<void *>(data, found.address
                                 ? memory.data(found.address)
                                 : reinterpret_cast<std::byte *>(pointer));
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return put(data, 0);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return put(data, 0u);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return put(data,
               (unsigned long long)(found.allocation ? found.allocation->id
                                                     : found.base));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put(data, 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return put(data, found.base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return put(data, size_t(found.bytes));
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put(data, 1);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put(data, 0ull);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return put(data, unsigned(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(data, isPooled ? found.allocation->pool->handle : nullptr);
  case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    fail(CUDA_ERROR_NOT_SUPPORTED);
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

} // namespace

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  return callInContext(
      [&](Context &context) { answer(context, data, attribute, pointer); });
}

CUresult cuPointerGetAttributes(unsigned numAttributes,
                                CUpointer_attribute *attributes, void **data,
                                CUdeviceptr pointer) {
  return callInContext([&](Context &context) {
    require(numAttributes > 0 && attributes && data);
    // A pointer that nothing is known of is no error here; its answers are 0.
    for (unsigned i = 0; i < numAttributes; ++i) {
      try {
        answer(context, data[i], attributes[i], pointer);
      } catch (const Failure &) {
        require(data[i]);
        switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_CONTEXT:
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
          put(data[i], uint64_t(0));
          break;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
          put(data[i], -2); // CU_DEVICE_INVALID
          break;
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_MAPPED:
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
          put(data[i], 0u);
          break;
        default:
          throw;
        }
      }
    }
  });
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  return callInContext([&](Context &context) {
    require(value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    find(context, pointer);
    int on = 0;
    std::memcpy(&on, value, sizeof on);
    require(!on, CUDA_ERROR_NOT_SUPPORTED);
  });
}

} // namespace cheems::emulator::driver
