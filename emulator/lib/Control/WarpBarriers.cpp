//===- WarpBarriers.cpp - bar.warp.sync ----------------------------------===//
#include "Families.h"
#include "Machine/Block.h"

#include <bit>

using namespace cheems::emulator;

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// bar.warp.sync"
namespace {

void tellMeeting(Warp &warp, const Instruction &instruction, LaneMask members) {
  const LaneMask lanes = members & warp.live();
  const Meeting meeting{Meeting::Kind::warp, members, &warp.block,
                        warp.clock(instruction)};
  warp.block.observe([&](BlockObserver &observer) {
    observer.arrive(warp, instruction, lanes, meeting);
    observer.leave(warp, instruction, lanes, meeting);
  });
}

LaneMask lanesWith(const uint32_t *masks, LaneMask lanes, uint32_t mask) {
  LaneMask same = 0;
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    same |= LaneMask(masks[lane] == mask) << lane;
  }
  return same;
}

/// "bar.warp.sync will cause executing thread to wait until all threads
/// corresponding to membermask have executed a bar.warp.sync with the same
/// membermask value": a bar.warp.sync, so another one counts, too.
/// slots: membermask
Step synchronise(Warp &warp, const Instruction &instruction, LaneMask active) {
  if (active != warp.together()) {
    warp.branch(instruction, active,
                warp.block.program().index(instruction)); // alone
    return Step::moved;
  }
  const uint32_t *masks = warp.source<uint32_t>(instruction.slots[0]);
  const uint32_t members = masks[std::countr_zero(active)];
  if (lanesWith(masks, active, members) == active) {
    auto same = [&](const Instruction &other, LaneMask lanes) {
      const uint32_t *others = warp.source<uint32_t>(other.slots[0]);
      return other.handler == synchronise &&
             lanesWith(others, lanes, members) == lanes;
    };
    uint32_t others = 0;
    if (!warp.areSomewhere(instruction, active, members, same, others)) {
      return Step::converge;
    }
    tellMeeting(warp, instruction, members);
    warp.goOn(others);
    return Step::next;
  }
  // Several sets of threads, each with its own mask.
  for (LaneMask rest = active; rest;) {
    const int lane = std::countr_zero(rest);
    const LaneMask same = lanesWith(masks, active, masks[lane]);
    if (same & ~masks[lane]) {
      warp.fail(instruction, "wrong-member-mask",
                "a thread executes bar.warp.sync with a member mask that "
                "leaves it out",
                std::countr_zero(same & ~masks[lane]));
    }
    if (masks[lane] & warp.live() & ~same) {
      return Step::converge;
    }
    rest &= ~same;
  }
  for (LaneMask rest = active; rest;) {
    const LaneMask mask = masks[std::countr_zero(rest)];
    tellMeeting(warp, instruction, mask);
    rest &= ~mask;
  }
  return Step::next;
}

void decode(Statement &statement) {
  statement.take("warp");
  statement.takeOne({"sync"});
  statement.end(1);
  statement.emit(synchronise, Pipe::control, {statement.source(0, Type::b32)});
}

constexpr Opcode warpBarriersOpcodes[] = {{"bar", decode, "warp"}};

} // namespace

std::span<const Opcode> cheems::emulator::warpBarriers() {
  return warpBarriersOpcodes;
}
