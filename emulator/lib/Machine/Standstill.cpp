//===- Standstill.cpp - Loops that nothing will end ----------------------===//
#include "Standstill.h"

#include <bit>

using namespace cheems::emulator;

namespace {

/// Long computations shall not pay for this.
constexpr uint64_t roundsBefore = 1024;

} // namespace

bool Standstill::check(const Block &block) {
  if (changes != block.grid.changes()) {
    changes = block.grid.changes();
    meetings = block.grid.meetings;
    rounds = 0;
    return false;
  }
  if (++rounds < roundsBefore) {
    return false;
  }
  // States are kept at rounds that are powers of two: a loop of any length has
  // come round between two of them at last.
  const bool keep = std::has_single_bit(rounds);
  warps.resize(block.warps.size());
  bool all = true;
  for (size_t i = 0; i < warps.size(); ++i) {
    const Warp &warp = block.warps[i];
    Seen &seen = warps[i];
    // Who sleeps goes on only if somebody comes to its barrier.
    const bool sleeps = !warp.isAwake();
    if (warp.isDone() || (sleeps && meetings == block.grid.meetings)) {
      continue;
    }
    if (keep) {
      seen.state = warp.state();
      seen.again = false;
    } else if (!seen.again) {
      seen.again = sleeps ? warp.state() == seen.state : warp.isIn(seen.state);
    }
    all &= seen.again;
  }
  return all;
}
