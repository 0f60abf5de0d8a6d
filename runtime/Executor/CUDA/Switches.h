// What the environment switches off on a GPU, to find out what is wrong there.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_SWITCHES_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_SWITCHES_H

#include <optional>

namespace cheems::cuda {

struct Switches {
  /// CHEEMS_CUDA_GRAPHS, on or off: whether steps of decoding become graphs.
  bool graphs = true;
  /// CHEEMS_CUDA_OVERLAP, on or off: whether a kernel may begin before the one
  /// before it has ended.
  bool overlap = true;
  /// CHEEMS_CUDA_CARVEOUT: percent of a multiprocessor's memory that the driver
  /// is asked to share out among blocks, of all kernels; none: as it likes.
  std::optional<int> carveout;

  /// Throws Error (usage) where a variable has another value.
  static Switches ofEnvironment();
};

} // namespace cheems::cuda

#endif
