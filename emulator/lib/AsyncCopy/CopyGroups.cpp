//===- CopyGroups.cpp - Groups of cp.async of a warp ----------------------===//
#include "CopyGroups.h"

#include "Lanes/Loop.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator {
namespace {

/// Moves the part of `lanes` out of `from`.
void moveLanes(std::vector<LateCopy> &from, LaneMask lanes,
               std::vector<LateCopy> &to) {
  for (LateCopy &copy : from) {
    if (LaneMask moved = copy.lanes & lanes) {
      to.push_back(copy);
      to.back().lanes = moved;
      copy.lanes &= ~moved;
    }
  }
  std::erase_if(from, [](const LateCopy &copy) { return copy.lanes == 0; });
}

} // namespace

void CopyGroups::issue(const Instruction &instruction, LaneMask lanes,
                       const LateCopy *copy) {
  open |= lanes;
  openInstruction = &instruction;
  if (copy) {
    openCopies.push_back(*copy);
  }
}

void CopyGroups::commit(LaneMask lanes, uint64_t last) {
  Group group = {.lanes = lanes,
                 .pending = open & lanes,
                 .last = last,
                 .instruction = openInstruction,
                 .copies = {}};
  if ((open & ~lanes) == 0) {
    group.copies.swap(openCopies);
  } else {
    moveLanes(openCopies, lanes, group.copies);
  }
  open &= ~lanes;
  groups.push_back(std::move(group));
}

std::vector<LateCopy> CopyGroups::track(LaneMask lanes) {
  std::vector<LateCopy> copies;
  for (Group &group : groups) {
    moveLanes(group.copies, lanes, copies);
    group.pending &= ~lanes;
  }
  moveLanes(openCopies, lanes, copies);
  open &= ~lanes;
  return copies;
}

const Instruction *CopyGroups::pending() const {
  for (const Group &group : groups) {
    if (group.pending != 0) {
      return group.instruction;
    }
  }
  return open != 0 ? openInstruction : nullptr;
}

void perform(Block &block, LateCopy &copy, LaneMask lanes) {
  forLanes(copy.lanes & lanes, [&](int lane) {
    constexpr uint32_t most = 16;
    if (copy.sourceBytes[lane] == most) { // so that its size is known here
      const uint32_t to = copy.destinations[lane];
      std::memcpy(block.shared(to), copy.sources[lane], most);
      std::fill_n(block.sharedState(to), most, SharedState::initialised);
      return;
    }
    uint32_t offset = copy.destinations[lane], bytes = copy.sourceBytes[lane];
    std::byte *destination = block.shared(offset);
    if (bytes != 0) {
      std::memcpy(destination, copy.sources[lane], bytes);
    }
    std::memset(destination + bytes, 0, copy.bytes - bytes);
    std::fill_n(block.sharedState(offset), copy.bytes,
                SharedState::initialised);
  });
  copy.lanes &= ~lanes;
}

} // namespace cheems::emulator
