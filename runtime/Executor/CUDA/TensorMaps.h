// Tensor maps among the arguments of an entry's launches.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_TENSORMAPS_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_TENSORMAPS_H

#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/CUDA/Driver.h"
#include <deque>

namespace cheems::cuda {

/// The tensor map of one argument, which is encoded anew when its memory or its
/// extents are others.
class EncodedMap {
public:
  explicit EncodedMap(const LaunchPlan::TensorMap &map) : map(map) {}

  /// The 128 bytes of a launch, which stay in place.
  void *bytes() { return &encoded; }
  /// Throws Error where coordinates of 32 bits do not reach all of it.
  void verify(const std::vector<int64_t> &values) const;
  /// The extents are taken from `values`. Throws DriverError.
  void encode(const Driver &driver, CUdeviceptr address,
              const std::vector<int64_t> &values);

private:
  const LaunchPlan::TensorMap &map;
  CUtensorMap encoded{};
  CUdeviceptr address = 0;
  uint64_t rows = 0, columns = 0; ///< none yet
};

} // namespace cheems::cuda

#endif
