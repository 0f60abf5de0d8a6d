//===- TensorMapFences.h - Tensor maps that kernels change ------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_TENSORMAPFENCES_H
#define CHEEMS_EMULATOR_CHECK_TENSORMAPFENCES_H

#include "Machine/Observer.h"
#include "Support/Error.h"

#include <cstdint>
#include <map>
#include <set>

namespace cheems::emulator {

/// Tensor maps in global memory that blocks of a grid change by
/// tensormap.replace or tensormap.cp_fenceproxy. The block that changes one
/// must release the change, and each block that uses the map then must acquire
/// it (PTX ISA, "membar / fence": fence.proxy.tensormap). Which of a block's
/// threads do so is not checked.
class TensorMapFences {
public:
  void access(const Warp &warp, const Access &access);
  void fence(const Block &block, LaneMask lanes, const Fence &fence);
  /// An asynchronous copy reads a map.
  void use(const Warp &warp, const Instruction &instruction,
           const AsyncRange &range) const;

private:
  struct Change {
    Place place;
    uint64_t block; ///< that made it
    bool isReleased = false;
    std::set<uint64_t> acquirers; ///< blocks
  };
  std::map<uint64_t, Change> changes; ///< by address
};

} // namespace cheems::emulator

#endif
