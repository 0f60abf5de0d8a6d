// How many threads a compute-bound process should start here.
#ifndef CHEEMS_RUNTIME_THREADPOOL_CORES_H
#define CHEEMS_RUNTIME_THREADPOOL_CORES_H

#include <string>
#include <vector>

namespace cheems {

/// What the kernel's files say; tests point `root` at a made-up tree.
struct CoreLimits {
  int logical = 1;  ///< CPUs this thread may run on
  int physical = 1; ///< distinct cores among them
  int quota = 0;    ///< whole CPUs of the tightest cgroup quota (v1 or v2), at
                    ///< least 1; 0: none set

  /// Threads that can run at once: the logical CPUs within the quota.
  int available() const {
    return quota != 0 && quota < logical ? quota : logical;
  }
  /// The default thread count: the physical cores within the quota.
  int threads() const {
    return quota != 0 && quota < physical ? quota : physical;
  }

  static CoreLimits read(const std::vector<int> &cpus,
                         const std::string &root = "");
  /// Those of the calling thread's affinity.
  static CoreLimits host();
};

} // namespace cheems

#endif
