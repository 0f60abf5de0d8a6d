//===- WarpControl.cpp - How lanes part and end --------------------------===//
#include "Block.h"
#include "Warp.h"

#include <algorithm>
#include <bit>

using namespace cheems::emulator;

namespace {

/// Calls within calls. A GPU's stack ends somewhere, too.
constexpr uint32_t maximumDepth = 1024;

} // namespace

bool Warp::isAligned(const Instruction &instruction, LaneMask active) {
  return areHere(instruction, active, allLanes);
}

bool Warp::areHere(const Instruction &instruction, LaneMask active,
                   LaneMask members) {
  if (active & ~members) {
    fail(instruction, "wrong-member-mask",
         "a thread executes the instruction that its member mask leaves out",
         std::countr_zero(active & ~members));
  }
  if (LaneMask left = together() & members & ~active) {
    fail(instruction, "divergent-instruction",
         "threads of a warp must execute the instruction together, but the "
         "guard or the member mask of one of them leaves it out",
         std::countr_zero(left));
  }
  return !(members & liveLanes & ~active);
}

Step Warp::waitFor(const uint64_t &word) {
  groups[running].word = &word;
  groups[running].old = word;
  return Step::wait;
}

// Sends the lanes of the running group that are in `lanes` to `target`, the
// others to the instruction after.
void Warp::split(const Instruction &instruction, LaneMask lanes,
                 uint32_t target) {
  const uint32_t pc = numberOf(instruction);
  backward += target <= pc;
  Group &group = groups[running];
  if (lanes == group.mask) {
    group.pc = target;
    absorb(running);
    return;
  }
  group.mask &= ~lanes;
  group.pc = pc + 1;
  const int added = groupCount++;
  groups[added] = {target, lanes, group.depth};
  absorb(added);
  absorb(running);
}

void Warp::branchEach(const Instruction &instruction, LaneMask lanes,
                      const uint32_t *targets) {
  const uint32_t pc = numberOf(instruction);
  const LaneMask stay = groups[running].mask & ~lanes;
  for (LaneMask rest = lanes; rest;) {
    const uint32_t target = targets[std::countr_zero(rest)];
    LaneMask same = 0;
    for (LaneMask others = rest; others; others &= others - 1) {
      const int lane = std::countr_zero(others);
      same |= LaneMask(targets[lane] == target) << lane;
    }
    rest &= ~same;
    backward += target <= pc;
    if (rest || stay) {
      groups[running].mask &= ~same;
      groups[groupCount++] = {target, same, groups[running].depth};
    } else {
      groups[running].pc = target;
    }
  }
  if (stay) {
    groups[running].pc = pc + 1;
  }
  // Groups that were made may stand where others do.
  for (int i = 0; i < groupCount; ++i) {
    const int before = groupCount;
    absorb(i);
    if (groupCount != before) {
      i = -1;
    }
  }
}

void Warp::call(const Instruction &instruction, LaneMask lanes,
                const uint32_t *targets) {
  const uint32_t back = numberOf(instruction) + 1;
  uint32_t depth = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (depths[lane] == maximumDepth) {
      fail(instruction, "stack-overflow",
           std::to_string(maximumDepth) + " calls within calls", lane);
    }
    if (depths[lane] == returns.size()) {
      returns.emplace_back();
    }
    returns[depths[lane]++][lane] = back;
    depth = std::max(depth, depths[lane]);
  }
  descend(instruction, lanes, depth);
  branchEach(instruction, lanes, targets);
}

// The lanes of the running group that a call or a return moves are alone in it,
// because their depth changes. What it leaves behind is at the next
// instruction.
void Warp::descend(const Instruction &instruction, LaneMask lanes,
                   uint32_t depth) {
  Group &group = groups[running];
  if (lanes != group.mask) {
    groups[groupCount++] = {numberOf(instruction) + 1, group.mask & ~lanes,
                            group.depth};
    group.mask = lanes;
  }
  group.depth = depth;
}

void Warp::returnFromCall(const Instruction &instruction, LaneMask lanes) {
  // Lanes that are in the entry are so together: nobody calls an entry.
  if (!depths[std::countr_zero(lanes)]) {
    exit(instruction, lanes);
    return;
  }
  std::array<uint32_t, warpLanes> targets;
  uint32_t depth = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    targets[lane] = returns[--depths[lane]][lane];
    depth = std::max(depth, depths[lane]);
  }
  descend(instruction, lanes, depth);
  const int loops = backward;
  branchEach(instruction, lanes, targets.data());
  backward = loops; // a return is no loop
}

void Warp::exit(const Instruction &instruction, LaneMask lanes) {
  block.observe([&](BlockObserver &observer) {
    observer.exit(*this, instruction, lanes);
  });
  liveLanes &= ~lanes;
  block.liveThreads -= std::popcount(lanes);
  progressed();
  Group &group = groups[running];
  group.mask &= ~lanes;
  if (group.mask) {
    group.pc = numberOf(instruction) + 1;
    absorb(running);
  } else {
    remove(running);
    preferred = -1;
    running = 0;
  }
  // What is executed by all lanes together no longer needs these.
  for (int i = 0; i < groupCount; ++i) {
    if (groups[i].state == Group::State::converges) {
      groups[i].state = Group::State::ready;
    }
  }
  if (!liveLanes) {
    leaveBarriers(*this);
  }
}
