//===- Members.h - Which lanes a membermask means ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_SHUFFLEVOTE_MEMBERS_H
#define CHEEMS_EMULATOR_SHUFFLEVOTE_MEMBERS_H

#include "Lanes/Loop.h"

namespace cheems::emulator {

/// Calls `body(lanes)` with lanes that act together: all live lanes of one
/// membermask. Tiles of a warp may execute one instruction with a mask each, so
/// there can be several such sets. False, and nothing is done, if lanes of one
/// are not here yet: the handler returns Step::converge.
template <typename F>
[[gnu::always_inline]] inline bool
forMembers(Warp &warp, const Instruction &instruction, LaneMask active,
           Slot membermask, F body) {
  const uint32_t *masks = warp.source<uint32_t>(membermask);
  LaneMask common = allLanes;
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    common &= masks[lane];
  }
  if (active == allLanes && common == allLanes) {
    body(allLanes);
    return true;
  }
  LaneMask sets[warpLanes];
  int count = 0;
  for (LaneMask rest = active; rest; rest &= ~sets[count++]) {
    LaneMask members = masks[__builtin_ctz(rest)];
    LaneMask lanes = 0;
    forLanes(rest, [&](int lane) {
      lanes |= LaneMask(masks[lane] == members) << lane;
    });
    if (active & members & ~lanes) {
      warp.fail(instruction, "membermask",
                "Lanes that name each other in a membermask have different "
                "ones.",
                __builtin_ctz(active & members & ~lanes));
    }
    if (!warp.areHere(instruction, lanes, members)) {
      return false;
    }
    sets[count] = lanes;
  }
  for (int i = 0; i < count; ++i) {
    body(sets[i]);
  }
  return true;
}

} // namespace cheems::emulator

#endif
