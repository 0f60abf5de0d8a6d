//===- LaneOrder.cpp - Which lane comes first ----------------------------===//
#include "LaneOrder.h"

#include "Block.h"
#include "Random.h"

#include <bit>

using namespace cheems::emulator;

namespace {

uint64_t seedOf(const Warp &warp) {
  return warp.block.grid.device.options.seed;
}

} // namespace

LaneOrder cheems::emulator::atomicOrder(const Warp &warp,
                                        const Instruction &instruction) {
  if (seedOf(warp) == 1) {
    return {};
  }
  const uint64_t place = (warp.block.number * warpLanes + warp.index) << 32 ^
                         warp.clock(instruction);
  const uint64_t bits = mix(seedOf(warp) ^ mix(place));
  return {static_cast<uint32_t>(bits % warpLanes),
          static_cast<uint32_t>(bits >> 32 & (warpLanes - 1)) | 1};
}

int cheems::emulator::electedLane(const Warp &warp, LaneMask members) {
  uint64_t skipped = 0;
  if (seedOf(warp) != 1) {
    skipped = mix(seedOf(warp) ^ mix(members)) %
              static_cast<uint64_t>(std::popcount(members));
  }
  for (; skipped > 0; --skipped) {
    members &= members - 1;
  }
  return std::countr_zero(members);
}
