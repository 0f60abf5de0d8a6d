// How long a step of generation takes on a device, by what it has to read and
// to compute: how --device auto chooses. docs/abi.md has the formula.
#ifndef CHEEMS_RUNTIME_ARTIFACT_DEVICECOST_H
#define CHEEMS_RUNTIME_ARTIFACT_DEVICECOST_H

#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/Artifact/Metadata.h"
#include "runtime/CUDA/Device.h"
#include <vector>

namespace cheems {

/// What a device reaches.
struct DeviceSpeed {
  double bytes = 0;      ///< a second, from memory
  double operations = 0; ///< a second, of matmuls
  double launch = 0;     ///< seconds that each kernel adds

  /// Returns the speed that GPUs.def gives. A GPU that is not there is as
  /// fast as the slowest one there.
  static DeviceSpeed of(const cuda::DeviceInfo &gpu);
  /// Returns the speed of a CPU with so many physical cores.
  static DeviceSpeed ofCPU(int cores);
};

/// Kernels that run in a step that decodes one sequence of 512 tokens. A launch
/// that the step does not have runs none, nor does one without blocks: those of
/// a window that drops no entry, or else the ones without it, and those of
/// embeddings that nobody wants. Throws Error
/// where the plan's numbers do not fit.
int64_t decodeLaunches(const Metadata &metadata, const cuda::LaunchPlan &plan);

/// Seconds of such a step, by the code for a target; `launches` is 0 on a CPU.
double decodeSeconds(const Metadata &metadata, const std::string &target,
                     const DeviceSpeed &speed, int64_t launches);

/// A GPU, and what the code that it runs launches in such a step.
struct UsableGPU {
  cuda::DeviceInfo device;
  int64_t launches = 0;
};

/// The GPU that takes the shortest time; among equals the first. Null where
/// there is none, or, with `cores` above 0, where a CPU with so many takes no
/// longer.
const UsableGPU *fastestGPU(const Metadata &metadata,
                            const std::vector<UsableGPU> &gpus, int cores);

} // namespace cheems

#endif
