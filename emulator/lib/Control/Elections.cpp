//===- Elections.cpp - elect.sync and activemask -------------------------===//
#include "Families.h"
#include "Machine/LaneOrder.h"
#include "Machine/Warp.h"

#include <algorithm>
#include <bit>

using namespace cheems::emulator;

namespace {

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// elect.sync": "the same leader thread is elected for the same membermask every
// time."
// slots: membermask, p, d
template <bool hasLane>
Step elect(Warp &warp, const Instruction &instruction, LaneMask active) {
  const uint32_t *masks = warp.source<uint32_t>(instruction.slots[0]);
  // One mask after the other; all must be complete before the first is served.
  LaneMask leaders = 0;
  uint32_t leader[warpLanes];
  for (LaneMask rest = active; rest;) {
    const int first = std::countr_zero(rest);
    LaneMask same = 0;
    for (LaneMask others = rest; others; others &= others - 1) {
      const int lane = std::countr_zero(others);
      same |= LaneMask(masks[lane] == masks[first]) << lane;
    }
    if (!warp.areHere(instruction, same, masks[first])) {
      return Step::converge;
    }
    const int elected = electedLane(warp, masks[first]);
    leaders |= LaneMask(1) << elected;
    for (LaneMask others = same; others; others &= others - 1) {
      leader[std::countr_zero(others)] = static_cast<uint32_t>(elected);
    }
    rest &= ~same;
  }
  warp.setPredicate(instruction.slots[1], leaders, active);
  if (hasLane) {
    uint32_t *to = warp.destination<uint32_t>(instruction.slots[2]);
    for (LaneMask rest = active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      to[lane] = leader[lane];
    }
  }
  return Step::next;
}

void decodeElect(Statement &statement) {
  statement.takeOne({"sync"});
  statement.end(2);
  if (statement.architecture() < 90) {
    statement.refuse("it is for sm_90 and later");
  }
  const auto [lane, predicate] = statement.pair(statement.operand(0));
  if (!predicate) {
    statement.refuse("it has the results d|p");
  }
  const Slot members = statement.source(1, Type::b32);
  const bool hasLane = !std::holds_alternative<ptx::Sink>(lane->value);
  const Slot leader = statement.predicateDestination(*predicate);
  if (hasLane) {
    statement.emit(elect<true>, Pipe::alu,
                   {members, leader, statement.destination(*lane, Type::b32)});
  } else {
    statement.emit(elect<false>, Pipe::alu, {members, leader});
  }
}

// PTX ISA, "Parallel Synchronization and Communication Instructions:
// activemask"
Step activeMask(Warp &warp, const Instruction &instruction, LaneMask active) {
  uint32_t *to = warp.destination<uint32_t>(instruction.slots[0]);
  for (LaneMask rest = active; rest; rest &= rest - 1) {
    to[std::countr_zero(rest)] = active;
  }
  return Step::next;
}

void decodeActiveMask(Statement &statement) {
  statement.takeType({Type::b32});
  statement.end(1);
  statement.emit(activeMask, Pipe::alu, {statement.destination(0, Type::b32)});
}

constexpr Opcode electionsOpcodes[] = {{"elect", decodeElect},
                                       {"activemask", decodeActiveMask}};

} // namespace

std::span<const Opcode> cheems::emulator::elections() {
  return electionsOpcodes;
}
