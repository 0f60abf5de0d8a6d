//===- LaneOrder.h - Which lane comes first ---------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_LANEORDER_H
#define CHEEMS_EMULATOR_MACHINE_LANEORDER_H

#include "Decode/Instruction.h"

namespace cheems::emulator {

class Warp;

/// Lanes of a warp, one after the other.
struct LaneOrder {
  uint32_t first = 0;
  uint32_t step = 1; ///< odd

  template <typename F> void forLanes(LaneMask lanes, F body) const {
    for (uint32_t i = 0, lane = first; i < warpLanes; ++i, lane += step) {
      if (lanes >> lane % warpLanes & 1) {
        body(static_cast<int>(lane % warpLanes));
      }
    }
  }
};

/// The order in which lanes of an atomic operation act, or which of them acts
/// for all, if the ISA leaves it open. The seed determines it, together with
/// the point in its execution that the warp has reached; with the seed 1 the
/// order ascends.
LaneOrder atomicOrder(const Warp &warp, const Instruction &instruction);

/// Which of the members elect.sync elects. The ISA only says that it is always
/// the same one. The seed determines it; with the seed 1 it is the lowest.
int electedLane(const Warp &warp, LaneMask members);

} // namespace cheems::emulator

#endif
