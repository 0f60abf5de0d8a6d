// How long a step of generation takes on a device, by what it has to read and
// to compute: how --device auto chooses. docs/abi.md has the formula.
#ifndef CHEEMS_RUNTIME_ARTIFACT_DEVICECOST_H
#define CHEEMS_RUNTIME_ARTIFACT_DEVICECOST_H

#include "runtime/Artifact/Metadata.h"
#include "runtime/CUDA/Device.h"
#include <vector>

namespace cheems {

/// What a device reaches.
struct DeviceSpeed {
  double bytes = 0;      ///< a second, from memory
  double operations = 0; ///< a second, of products
  double launch = 0;     ///< seconds that each kernel adds

  /// As Cards.def tells it. A card that is not there is as fast as the slowest
  /// one there.
  static DeviceSpeed of(const cuda::DeviceInfo &card);
  /// Of a CPU with so many physical cores.
  static DeviceSpeed ofCPU(int cores);
};

/// Seconds of a step that decodes one sequence of 512 tokens, by the code for a
/// target.
double decodeSeconds(const Metadata &metadata, const std::string &target,
                     const DeviceSpeed &speed);

/// The card that takes the shortest time; among equals the first. Null where
/// there is none, or, with `cores` above 0, where a CPU with so many takes no
/// longer.
const cuda::DeviceInfo *fastestCard(const Metadata &metadata,
                                    const std::vector<cuda::DeviceInfo> &cards,
                                    int cores);

} // namespace cheems

#endif
