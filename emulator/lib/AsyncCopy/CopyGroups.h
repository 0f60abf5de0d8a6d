//===- CopyGroups.h - Groups of cp.async of a warp --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_COPYGROUPS_H
#define CHEEMS_EMULATOR_ASYNCCOPY_COPYGROUPS_H

#include "Decode/Instruction.h"
#include "Machine/Block.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace cheems::emulator {

/// The copies of one cp.async that have not happened yet. Those of lanes that
/// are no longer in `lanes` have.
struct LateCopy {
  LaneMask lanes;
  uint8_t bytes;                       ///< at each destination
  uint8_t sourceBytes[warpLanes];      ///< zeros follow these
  const std::byte *sources[warpLanes]; ///< null if there are no bytes
  uint32_t destinations[warpLanes];    ///< offsets in the block's memory
};

/// cp.async-groups are a matter of each thread (PTX ISA, "Async-group
/// mechanism"). Lanes of a warp commit and wait together as a rule, so a group
/// here belongs to all lanes that have committed it together.
class CopyGroups {
public:
  /// Copies of `lanes` that no group has yet. `copy` is null if they have
  /// happened at once.
  void issue(const Instruction &instruction, LaneMask lanes,
             const LateCopy *copy);
  /// `last` is Block::asyncOperations.
  void commit(LaneMask lanes, uint64_t last);
  /// cp.async.wait_group: calls done(lanes, last, copies) for what has ended
  /// with it, the newest first. All copies of `copies` for `lanes` are due.
  template <typename F> void wait(LaneMask waiting, size_t keep, F done) {
    if (keep >= groups.size()) {
      return;
    }
    // seen[k]: lanes that have at least k newer groups.
    std::vector<LaneMask> seen(keep + 1);
    seen[0] = allLanes;
    for (size_t i = groups.size(); i-- > 0;) {
      Group &group = groups[i];
      LaneMask ended = waiting & group.lanes & seen[keep];
      for (size_t k = keep; k > 0; --k) {
        seen[k] |= seen[k - 1] & group.lanes;
      }
      if (ended == 0) {
        continue;
      }
      done(ended, group.last, group.copies);
      group.lanes &= ~ended;
      group.pending &= ~ended;
    }
    while (!groups.empty() && groups.front().lanes == 0) {
      groups.pop_front();
    }
  }
  /// cp.async.mbarrier.arrive: the barrier is told of all copies of `lanes` so
  /// far, so that nobody needs to wait for their groups. Gives those that have
  /// not happened yet.
  std::vector<LateCopy> track(LaneMask lanes);

  /// The instruction of a copy that nobody has waited for; null: there is none.
  const Instruction *pending() const;

private:
  struct Group {
    LaneMask lanes;   ///< that have not waited for it
    LaneMask pending; ///< of these, those that have copies in it
    uint64_t last;
    const Instruction *instruction;
    std::vector<LateCopy> copies;
  };

  LaneMask open = 0; ///< lanes with copies that no group has
  const Instruction *openInstruction = nullptr;
  std::vector<LateCopy> openCopies;
  std::deque<Group> groups; ///< the oldest first
};

/// Does the copies of `lanes`.
void perform(Block &block, LateCopy &copy, LaneMask lanes);

} // namespace cheems::emulator

#endif
