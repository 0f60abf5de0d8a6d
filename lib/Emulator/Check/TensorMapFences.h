//===- TensorMapFences.h - Tensor maps that kernels change ------*- C++ -*-===//
#ifndef CHEEMS_LIB_EMULATOR_CHECK_TENSORMAPFENCES_H
#define CHEEMS_LIB_EMULATOR_CHECK_TENSORMAPFENCES_H

#include "cheems/Emulator/Machine/Observer.h"
#include "cheems/Emulator/Support/Error.h"

#include <cstdint>
#include <map>

namespace cheems::emulator {

/// Tensor maps in global memory that a block changes by tensormap.replace or
/// tensormap.cp_fenceproxy, and then uses itself. In between it must release
/// the change and acquire the map (PTX ISA, "membar / fence":
/// fence.proxy.tensormap). Which of its threads do so is not checked, nor are
/// maps that other blocks have changed.
class TensorMapFences {
public:
  void access(const Warp &warp, const Access &access);
  void fence(LaneMask lanes, const Fence &fence);
  /// An asynchronous copy reads a map.
  void use(const Warp &warp, const Instruction &instruction,
           const AsyncRange &range) const;

private:
  struct Change {
    Place place;
    bool isReleased = false, isAcquired = false;
  };
  std::map<uint64_t, Change> changes; ///< by address
};

} // namespace cheems::emulator

#endif
