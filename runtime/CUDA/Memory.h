// Memory of a GPU, and memory of the host that a GPU reads and writes itself.
#ifndef CHEEMS_RUNTIME_CUDA_MEMORY_H
#define CHEEMS_RUNTIME_CUDA_MEMORY_H

#include "runtime/CUDA/Device.h"
#include <algorithm>

namespace cheems::cuda {

/// Throws Error "cannot allocate N bytes of GPU memory for `purpose`" with what
/// is free, where that is less; DriverError.
void requireFree(const Context &context, int64_t bytes,
                 const std::string &purpose);

/// `bytes`, up to a multiple of 256: where the next part of an allocation may
/// begin. Kernels read 16 bytes at a time, and the driver's own allocations
/// begin at such multiples.
constexpr int64_t aligned(int64_t bytes) {
  return (bytes + 255) & ~int64_t{255};
}

class DeviceMemory {
public:
  /// What `bytes` is for a block of so many.
  static int64_t sizeOf(int64_t bytes) { return std::max<int64_t>(bytes, 1); }

  enum class Content { any, zero };
  /// At least one byte, at a multiple of 256. Throws as requireFree.
  DeviceMemory(std::shared_ptr<const Context> context, int64_t bytes,
               const std::string &purpose, Content content = Content::any);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  CUdeviceptr address() const { return begin; }
  int64_t bytes() const { return size; }

private:
  DeviceMemory(std::shared_ptr<const Context> context, int64_t bytes);

  std::shared_ptr<const Context> context;
  CUdeviceptr begin = 0;
  int64_t size;
};

/// Copies between it and a GPU run beside the host's own work.
class PinnedMemory {
public:
  /// Allocates at least one byte, page-aligned. Throws what DeviceMemory
  /// throws.
  PinnedMemory(std::shared_ptr<const Context> context, int64_t bytes,
               const std::string &purpose);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory &) = delete;
  PinnedMemory &operator=(const PinnedMemory &) = delete;

  char *data() const { return static_cast<char *>(begin); }
  int64_t bytes() const { return size; }

private:
  std::shared_ptr<const Context> context;
  void *begin = nullptr;
  int64_t size;
};

} // namespace cheems::cuda

#endif
