//===- MBarrierWait.cpp - mbarrier.test_wait and mbarrier.try_wait --------===//
#include "BarrierOperand.h"
#include "Barriers.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Lanes/Loop.h"

namespace cheems::emulator {
namespace {

struct Wait : BarrierOperand {
  bool parity = false; ///< slot 2 is phaseParity, else a state
};

/// The phase that a lane asks for has ended.
bool hasEnded(Warp &warp, const Instruction &instruction, int lane,
              const Wait &wait, const Barrier &barrier) {
  const PhaseCounts &counts = barrier.counts;
  if (wait.parity) {
    // "the valid values of phaseParity operand are 0 and 1"; but compilers
    // that run on GPUs hand over a negated 1-bit number with all bits set.
    uint32_t parity = warp.source<uint32_t>(instruction.slots[2])[lane] & 1;
    return counts.hasEnded(parity);
  }
  // "mbarrier.test_wait": the state is one of the current or of the immediately
  // preceding phase of the same object.
  PhaseToken token =
      PhaseToken::decode(warp.source<uint64_t>(instruction.slots[2])[lane]);
  constexpr uint32_t phases = 1u << PhaseToken::phaseBits;
  constexpr uint32_t numbers = 1u << PhaseToken::barrierBits;
  if (token.barrier != barrier.number % numbers) {
    warp.fail(instruction, "wrong-state",
              "the state comes from another mbarrier", lane, barrier.offset);
  }
  uint32_t age = (static_cast<uint32_t>(counts.phase()) - token.phase) % phases;
  if (age > 1) {
    warp.fail(instruction, "stale-phase",
              "the state is of phase " + std::to_string(token.phase) +
                  ", but the current phase is " +
                  std::to_string(counts.phase()),
              lane, barrier.offset);
  }
  return age == 1;
}

/// Slots: the predicate, address, phaseParity or state. A wait that fails lets
/// others run and counts as a poll; .try_wait may be suspended for any time, so
/// it needs no more, and its time hint says nothing.
Step testPhase(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Wait &wait = instruction.as<Wait>();
  LaneMask ended = 0, rest = active;
  while (rest != 0) {
    // Lanes that ask for the same barrier are done at once.
    int first = __builtin_ctz(rest);
    Slot base = instruction.slots[1];
    uint64_t address = wait.address.of(warp, base, first);
    LaneMask same = 0;
    forLanes(rest, [&](int lane) {
      same |= LaneMask(wait.address.of(warp, base, lane) == address) << lane;
    });
    rest &= ~same;
    Barrier &barrier = barrierAt(warp, instruction, first, wait.address.space,
                                 address, wait.reach);
    LaneMask over = 0;
    forLanes(same, [&](int lane) {
      over |= LaneMask(hasEnded(warp, instruction, lane, wait, barrier))
              << lane;
    });
    ended |= over;
    uint64_t phase = barrier.counts.phase();
    if (over == 0 || phase == 0) {
      continue;
    }
    barrier.seen = phase;
    uint64_t offsets[warpLanes];
    std::fill_n(offsets, warpLanes, barrier.offset);
    tellBarrierAccess(warp, instruction, over, offsets, barrier.owner,
                      Effect::load);
    Meeting meeting = barrier.meeting(phase - 1, wait.semantics, wait.scope);
    warp.block.observe([&](BlockObserver &observer) {
      observer.leave(warp, instruction, over, meeting);
    });
  }
  warp.setPredicate(instruction.slots[0], ended, active);
  if (ended == active) {
    return Step::next;
  }
  warp.polled();
  return Step::yield;
}

void decodeWait(Statement &statement, bool isTry) {
  Wait wait;
  static_cast<BarrierOperand &>(wait) = takeBarrier(statement, false);
  wait.parity = statement.take("parity");
  takeOrder(statement, wait, {"acquire", "relaxed"});
  statement.takeOne({"b64"});
  if (isTry) {
    requireSm90(statement, "try_wait");
    statement.end(3, 4);
    if (statement.operands() == 4) {
      statement.source(3, Type::u32); // suspendTimeHint
    }
  } else {
    statement.end(3);
  }
  if (wait.scope == Scope::cluster || wait.semantics == Semantics::relaxed) {
    requireSm90(statement, "this form");
  }
  Slot result = statement.predicateDestination(0);
  Slot address = takeAddress(statement, 1, wait);
  Slot phase = statement.source(2, wait.parity ? Type::u32 : Type::b64);
  statement.emit(testPhase, Pipe::lsu, {result, address, phase},
                 statement.keep(wait));
}

void decodeTestWait(Statement &statement) {
  statement.take("test_wait");
  decodeWait(statement, false);
}
void decodeTryWait(Statement &statement) {
  statement.take("try_wait");
  decodeWait(statement, true);
}

constexpr Opcode mbarrierWaitsOpcodes[] = {
    {"mbarrier", decodeTestWait, "test_wait"},
    {"mbarrier", decodeTryWait, "try_wait"},
};

} // namespace

std::span<const Opcode> mbarrierWaits() { return mbarrierWaitsOpcodes; }

} // namespace cheems::emulator
