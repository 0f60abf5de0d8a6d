// State pools in the memory of a GPU. What goes to and from the host passes
// through a small pinned buffer.
#ifndef CHEEMS_RUNTIME_STATE_DEVICEPOOLS_H
#define CHEEMS_RUNTIME_STATE_DEVICEPOOLS_H

#include "runtime/CUDA/Memory.h"
#include "runtime/CUDA/Stream.h"
#include "runtime/State/StatePools.h"
#include <deque>

namespace cheems {

/// All that they do is done when it returns; steps must have ended before.
class DevicePools : public StatePools {
public:
  /// Zeroed, but for positions: entry e of each head has the position e. Code
  /// for GPUs writes none where no entry is dropped. Throws Error naming the
  /// bytes when they cannot be had, and DriverError.
  DevicePools(const std::shared_ptr<const cuda::Context> &context,
              const Metadata &metadata, int64_t slots, const PoolSizes &sizes);

  /// One base per kind, in the artefact's order.
  const std::vector<cuda::CUdeviceptr> &addresses() const { return pools; }

  void read(int64_t slot, int64_t entries, const Reader &reader) const override;
  void fill(int64_t slot, int64_t entries, const Writer &writer) override;
  void copy(int64_t from, int64_t to, int64_t entries) override;
  /// The memory stays: a GPU has it for these pools alone.
  void release(int64_t slot) override {}

private:
  void number(cuda::CUdeviceptr pool, int64_t bytes) const;
  /// Bytes of one pool that fit in the buffer.
  struct Address {
    cuda::CUdeviceptr address;
    int64_t size;
    bool counts;
  };
  template <typename Handle>
  void inParts(int64_t slot, int64_t entries, const Handle &handle) const;

  std::deque<cuda::DeviceMemory> memory; ///< one per pool, in place
  std::vector<cuda::CUdeviceptr> pools;
  cuda::PinnedMemory buffer;
  cuda::Stream stream; ///< goes first, and waits
};

} // namespace cheems

#endif
