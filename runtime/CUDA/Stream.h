// Work on a GPU, one piece after the other.
#ifndef CHEEMS_RUNTIME_CUDA_STREAM_H
#define CHEEMS_RUNTIME_CUDA_STREAM_H

#include "runtime/CUDA/Device.h"

namespace cheems::cuda {

/// A stream that waits for no other. Work is only begun when a call returns;
/// `synchronize` waits for all of it, and throws what went wrong in it.
class Stream {
public:
  /// Throws DriverError, as all below.
  explicit Stream(std::shared_ptr<const Context> context);
  /// Waits for what was begun, which may use memory that goes next.
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  CUstream handle() const { return stream; }
  const std::shared_ptr<const Context> &context() const { return owner; }

  // Memory of the host that is not pinned is read before a call returns.
  void copyToDevice(CUdeviceptr to, const void *from, int64_t bytes) const;
  void copyToHost(void *to, CUdeviceptr from, int64_t bytes) const;
  void copyOnDevice(CUdeviceptr to, CUdeviceptr from, int64_t bytes) const;
  void zero(CUdeviceptr to, int64_t bytes) const;
  void synchronize() const;
  /// Waits after a failure, whose own error counts.
  void drain() const noexcept;

private:
  std::shared_ptr<const Context> owner;
  CUstream stream = nullptr;
};

} // namespace cheems::cuda

#endif
