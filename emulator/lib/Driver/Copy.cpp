//===- Copy.cpp -----------------------------------------------------------===//
#include "Copy.h"

#include "Count/Counter.h"
#include "Process.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator::driver {
namespace {

/// How many bytes lie from the first byte of a box to its last one, with both.
uint64_t span(const CopyEnd &end, size_t width, size_t height, size_t depth) {
  return (depth - 1) * end.slice + (height - 1) * end.pitch + width;
}

/// No memory is as large, and sums and products of three such numbers are
/// exact.
constexpr unsigned __int128 largest = uint64_t(1) << 48;

CopyEnd makeEnd(Context &context, CUmemorytype type, const void *host,
                CUdeviceptr device, size_t pitch, size_t rows, size_t x,
                size_t y, size_t z, const CUDA_MEMCPY3D &box) {
  CopyEnd end;
  require(type != CU_MEMORYTYPE_ARRAY, CUDA_ERROR_NOT_SUPPORTED);
  require(type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
          type == CU_MEMORYTYPE_UNIFIED);
  end.onDevice = type != CU_MEMORYTYPE_HOST;
  if (type == CU_MEMORYTYPE_UNIFIED && !context.isDeviceAddress(device)) {
    end.onDevice = false;
    host = reinterpret_cast<const void *>(device);
  }
  end.pitch = pitch ? pitch : x + box.WidthInBytes;
  require(!__builtin_mul_overflow(end.pitch, rows ? rows : y + box.Height,
                                  &end.slice));
  require(box.Height <= 1 || end.pitch >= x + box.WidthInBytes);
  require(box.Depth <= 1 || end.slice >= end.pitch * (y + box.Height));
  unsigned __int128 last = (box.Depth + (unsigned __int128)z) * end.slice +
                           (box.Height + (unsigned __int128)y) * end.pitch;
  require(end.pitch < largest && end.slice < largest && x < largest &&
          box.WidthInBytes < largest && last < largest);
  uint64_t offset = z * end.slice + y * end.pitch + x;
  if (end.onDevice) {
    end.device = device + offset;
    require(context.device.isOfHost(
        end.device, span(end, box.WidthInBytes, box.Height, box.Depth)));
  } else {
    require(host);
    end.host =
        const_cast<std::byte *>(static_cast<const std::byte *>(host)) + offset;
  }
  return end;
}

[[noreturn]] void findFreed(const char *what, uint64_t address) {
  throw Finding("use-after-free",
                std::string(what) +
                    " ran after the memory had been freed in another stream",
                Place{what}, address);
}

} // namespace

std::unique_ptr<CopyWork> makeCopy(Context &context,
                                   const CUDA_MEMCPY3D &parameters) {
  auto copy = std::make_unique<CopyWork>();
  const CUDA_MEMCPY3D &p = parameters;
  copy->parameters = p;
  copy->width = p.WidthInBytes;
  copy->height = p.Height;
  copy->depth = p.Depth;
  require(!p.srcLOD && !p.dstLOD);
  if (copy->width == 0 || copy->height == 0 || copy->depth == 0) {
    copy->width = copy->height = copy->depth = 0;
    return copy;
  }
  copy->from =
      makeEnd(context, p.srcMemoryType, p.srcHost, p.srcDevice, p.srcPitch,
              p.srcHeight, p.srcXInBytes, p.srcY, p.srcZ, p);
  copy->to = makeEnd(context, p.dstMemoryType, p.dstHost, p.dstDevice,
                     p.dstPitch, p.dstHeight, p.dstXInBytes, p.dstY, p.dstZ, p);
  return copy;
}

Progress CopyWork::run(Context &context, bool) {
  if (width == 0) {
    return Progress::done;
  }
  GlobalMemory &memory = context.device.memory;
  for (const CopyEnd *end : {&from, &to}) {
    if (end->onDevice && !context.device.isOfHost(
                             end->device, span(*end, width, height, depth))) {
      findFreed("cuMemcpy", end->device);
    }
  }
  for (size_t z = 0; z < depth; ++z) {
    for (size_t y = 0; y < height; ++y) {
      uint64_t source = z * from.slice + y * from.pitch;
      uint64_t target = z * to.slice + y * to.pitch;
      const std::byte *read = staged ? staged->data() + (z * height + y) * width
                              : from.onDevice
                                  ? memory.data(from.device + source)
                                  : from.host + source;
      std::byte *write =
          to.onDevice ? memory.data(to.device + target) : to.host + target;
      std::memmove(write, read, width);
      if (to.onDevice && from.onDevice) {
        // What was never written stays so in the copy.
        memory.copyStates(to.device + target, from.device + source, width);
      } else if (to.onDevice) {
        memory.setStates(to.device + target, width, ByteState::initialised);
      }
    }
  }
  if (from.onDevice != to.onDevice || from.onDevice) {
    countCopy(!from.onDevice ? CopyDirection::toDevice
              : to.onDevice  ? CopyDirection::withinDevice
                             : CopyDirection::toHost,
              uint64_t(width) * height * depth);
  }
  return Progress::done;
}

uint64_t CopyWork::nanoseconds() const {
  // 25 bytes a nanosecond to and from the host, 1000 within the GPU
  uint64_t bytes = uint64_t(width) * height * depth;
  return 1000 + bytes / (from.onDevice && to.onDevice ? 1000 : 25);
}

std::unique_ptr<SetWork> makeSet(Context &context,
                                 const CUDA_MEMSET_NODE_PARAMS &parameters) {
  const CUDA_MEMSET_NODE_PARAMS &p = parameters;
  require(p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4);
  require(p.dst % p.elementSize == 0 && p.pitch % p.elementSize == 0);
  auto set = std::make_unique<SetWork>();
  set->parameters = p;
  if (p.width > 0 && p.height > 0) {
    require(p.width <= UINT64_MAX / p.elementSize);
    uint64_t row = p.width * p.elementSize;
    require(p.height == 1 || p.pitch >= row);
    require(p.height == 1 || p.pitch <= UINT64_MAX / p.height);
    require(context.device.isOfHost(p.dst, (p.height - 1) * p.pitch + row));
  }
  return set;
}

Progress SetWork::run(Context &context, bool) {
  const CUDA_MEMSET_NODE_PARAMS &p = parameters;
  if (p.width == 0 || p.height == 0) {
    return Progress::done;
  }
  GlobalMemory &memory = context.device.memory;
  uint64_t row = p.width * p.elementSize;
  if (!context.device.isOfHost(p.dst, (p.height - 1) * p.pitch + row)) {
    findFreed("cuMemset", p.dst);
  }
  for (size_t y = 0; y < p.height; ++y) {
    std::byte *at = memory.data(p.dst + y * p.pitch);
    if (p.elementSize == 1) {
      std::memset(at, int(p.value & 0xff), row);
    } else {
      for (size_t x = 0; x < p.width; ++x) {
        std::memcpy(at + x * p.elementSize, &p.value, p.elementSize);
      }
    }
    memory.setStates(p.dst + y * p.pitch, row, ByteState::initialised);
  }
  return Progress::done;
}

uint64_t SetWork::nanoseconds() const {
  return 1000 +
         parameters.width * parameters.elementSize * parameters.height / 1000;
}

} // namespace cheems::emulator::driver
