//===- HostMemoryEntries.cpp ----------------------------------------------===//
#include "Functions.h"
#include "Memory.h"
#include "Process.h"

#include <cstring>

namespace cheems::emulator::driver {
namespace {

constexpr unsigned portable = 1, deviceMap = 2, writeCombined = 4;
constexpr uint64_t pageBytes = 4096;

/// Pinned memory is a part of the GPU's range: the host uses its bytes,
/// kernels its device address.
CUresult allocatePinned(void **pointer, size_t bytes, unsigned flags) {
  return callInContext([&](Context &context) {
    require(pointer && bytes > 0);
    require(!(flags & ~(portable | deviceMap | writeCombined)));
    refuseUnsafeCall();
    CUdeviceptr address =
        allocate(context, Allocation::Kind::pinned, bytes, pageBytes);
    context.allocations[address].flags = flags | deviceMap;
    context.pinnedBytes += bytes;
    GlobalMemory &memory = context.device.memory;
    // What the host writes is not seen, so nothing counts as unwritten.
    memory.setStates(address, bytes, ByteState::initialised);
    *pointer = memory.data(address);
  });
}

CUdeviceptr pinnedBase(Context &context, const void *pointer) {
  auto address = context.pinnedAddress(pointer);
  require(address);
  return std::prev(context.allocations.upper_bound(*address))->first;
}

} // namespace

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return allocatePinned(pointer, bytes, 0);
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return allocatePinned(pointer, bytes, flags);
}

CUresult cuMemFreeHost(void *pointer) {
  return callInContext([&](Context &context) {
    if (!pointer) {
      return;
    }
    refuseUnsafeCall();
    CUdeviceptr base = pinnedBase(context, pointer);
    require(context.device.memory.data(base) == pointer);
    context.queue.finishAll();
    context.pinnedBytes -= context.allocations[base].bytes;
    release(context, base);
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *devicePointer, void *pointer,
                                      unsigned flags) {
  return callInContext([&](Context &context) {
    require(devicePointer && pointer && flags == 0);
    if (auto address = context.pinnedAddress(pointer)) {
      *devicePointer = *address;
      return;
    }
    require(context.isPageLocked(pointer));
    noteOnce("access of kernels to memory of cuMemHostRegister is not modelled "
             "by this emulator");
    fail(CUDA_ERROR_NOT_SUPPORTED);
  });
}

CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  return callInContext([&](Context &context) {
    require(flags && pointer);
    *flags = context.allocations[pinnedBase(context, pointer)].flags;
  });
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  return callInContext([&](Context &context) {
    require(pointer && bytes > 0 && flags <= 0xf);
    require(!(flags & 4), CUDA_ERROR_NOT_SUPPORTED); // memory of a device
    require(!context.pinnedAddress(pointer),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    auto begin = reinterpret_cast<uintptr_t>(pointer);
    auto after = context.registrations.lower_bound(begin);
    bool overlaps =
        (after != context.registrations.end() &&
         after->first - begin < bytes) ||
        (after != context.registrations.begin() &&
         begin - std::prev(after)->first < std::prev(after)->second.bytes);
    require(!overlaps, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    refuseUnsafeCall();
    context.registrations[begin] = {bytes, flags};
  });
}

CUresult cuMemHostUnregister(void *pointer) {
  return callInContext([&](Context &context) {
    require(pointer);
    auto begin = reinterpret_cast<uintptr_t>(pointer);
    require(context.registrations.count(begin),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    refuseUnsafeCall();
    context.queue.finishAll();
    context.registrations.erase(begin);
  });
}

} // namespace cheems::emulator::driver
