//===- Loop.h - Loops over the lanes of a warp ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LANES_LOOP_H
#define CHEEMS_EMULATOR_LANES_LOOP_H

#include "Machine/Warp.h"
#if defined(CHEEMS_LANES_INSTRUCTION_SET)
#include "Multiversion.h"
#endif

#include <cstdint>

/// Lanes do not depend on each other: slots are the same or do not overlap.
/// Clang would unroll short bodies 32 times before it makes vectors, and then
/// makes none.
#if defined(__clang__)
#define CHEEMS_LANES_LOOP                                                      \
  _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CHEEMS_LANES_LOOP _Pragma("GCC ivdep")
#endif

#if defined(CHEEMS_LANES_INSTRUCTION_SET)
// Compiled for the instruction set of `compute`, or that could not become a
// part of the loop.
CHEEMS_LANES_BEGIN
/// destination[l] = compute(sources[l]...) of active lanes. The value is
/// computed for all lanes, so `compute` must not fault for any value.
template <typename D, typename F, typename... S>
[[gnu::always_inline]] inline void eachLane(D *destination, LaneMask active,
                                            F compute, const S *...sources) {
  if (active == allLanes) {
    CHEEMS_LANES_LOOP
    for (int lane = 0; lane < warpLanes; ++lane) {
      destination[lane] = compute(sources[lane]...);
    }
  } else {
    CHEEMS_LANES_LOOP
    for (int lane = 0; lane < warpLanes; ++lane) {
      D value = compute(sources[lane]...);
      destination[lane] = active >> lane & 1 ? value : destination[lane];
    }
  }
}

/// A bit a lane.
template <typename F, typename... S>
[[gnu::always_inline]] inline LaneMask laneBits(F compute,
                                                const S *...sources) {
  LaneMask mask = 0;
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    mask |= compute(sources[lane]...) ? LaneMask(1) << lane : 0;
  }
  return mask;
}

CHEEMS_LANES_END
#endif

namespace cheems::emulator {

/// Runs `body` with each active lane, in ascending order.
template <typename F>
[[gnu::always_inline]] inline void forLanes(LaneMask active, F body) {
  for (LaneMask rest = active; rest; rest &= rest - 1) {
    body(__builtin_ctz(rest));
  }
}

} // namespace cheems::emulator

#endif
