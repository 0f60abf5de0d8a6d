//===- MBarrier.cpp - mbarrier.init, .inval, .arrive, counts of bytes -----===//
#include "BarrierOperand.h"
#include "Barriers.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Lanes/Loop.h"

namespace cheems::emulator {
namespace {

// -- mbarrier.init and mbarrier.inval

/// Where the object of a lane is, or is to be. Observers are told of a store.
uint32_t placeOfObject(Warp &warp, const Instruction &instruction, int lane) {
  const BarrierOperand &operand = instruction.as<BarrierOperand>();
  const SharedPlace place =
      sharedPlace(warp, instruction, lane, operand.address.space,
                  operand.address.of(warp, instruction.slots[0], lane),
                  operand.reach, barrierBytes, barrierBytes);
  uint64_t addresses[warpLanes];
  addresses[lane] = place.offset;
  tellBarrierAccess(warp, instruction, LaneMask(1) << lane, addresses,
                    place.owner, Effect::store);
  return place.offset;
}

/// Slots: address, count. "mbarrier.init"
Step initialise(Warp &warp, const Instruction &instruction, LaneMask active) {
  const uint32_t *counts = warp.source<uint32_t>(instruction.slots[1]);
  Barriers &barriers = warp.block.extension<Barriers>();
  forLanes(active, [&](int lane) {
    barriers.make(warp, instruction, lane,
                  placeOfObject(warp, instruction, lane), counts[lane]);
  });
  return Step::next;
}

/// Slots: address. "mbarrier.inval"
Step invalidate(Warp &warp, const Instruction &instruction, LaneMask active) {
  Barriers &barriers = warp.block.extension<Barriers>();
  forLanes(active, [&](int lane) {
    barriers.invalidate(warp, instruction, lane,
                        placeOfObject(warp, instruction, lane));
  });
  return Step::next;
}

void decodeInit(Statement &statement) {
  statement.take("init");
  BarrierOperand operand = takeBarrier(statement, false);
  statement.takeOne({"b64"});
  statement.end(2);
  Slot address = takeAddress(statement, 0, operand);
  statement.emit(initialise, Pipe::lsu,
                 {address, statement.source(1, Type::u32)},
                 statement.keep(operand));
}

void decodeInval(Statement &statement) {
  statement.take("inval");
  BarrierOperand operand = takeBarrier(statement, false);
  statement.takeOne({"b64"});
  statement.end(1);
  Slot address = takeAddress(statement, 0, operand);
  statement.emit(invalidate, Pipe::lsu, {address}, statement.keep(operand));
}

// -- mbarrier.arrive and mbarrier.arrive_drop

struct Arrival : BarrierOperand {
  bool drop = false;
  bool expect = false; ///< slot 1 is txCount, else the count
  bool noComplete = false;
  bool hasState = false; ///< slot 2
};

/// "For each phase of the mbarrier object, at least one test_wait or try_wait
/// operation must be performed which returns True for waitComplete before an
/// arrive-on operation in the subsequent phase" ("Phase of the mbarrier
/// object").
void checkSeen(Warp &warp, const Instruction &instruction, int lane,
               const Barrier &barrier) {
  if (barrier.seen < barrier.counts.phase()) {
    warp.fail(instruction, "phase-not-seen",
              "an arrival in phase " + std::to_string(barrier.counts.phase()) +
                  " of an mbarrier, but no wait has seen the end of the phase "
                  "before",
              lane, barrier.offset);
  }
}

/// One lane's arrival. Returns the state before it.
uint64_t arriveOne(Warp &warp, const Instruction &instruction, int lane,
                   const Arrival &arrival, uint32_t number, Barrier &barrier) {
  PhaseCounts &counts = barrier.counts;
  checkSeen(warp, instruction, lane, barrier);
  uint64_t state = PhaseToken{.pending = counts.pending(),
                              .noComplete = arrival.noComplete,
                              .phase = static_cast<uint32_t>(counts.phase()),
                              .barrier = barrier.number}
                       .encode();
  uint32_t count = number;
  if (arrival.expect) {
    settle(warp, instruction, lane, barrier, counts.expect(number));
    count = 1;
  }
  PhaseResult result = arrival.drop ? counts.drop(count) : counts.arrive(count);
  if (arrival.noComplete && result == PhaseResult::complete) {
    warp.fail(instruction, "barrier-completed",
              "an arrival with .noComplete has completed the phase", lane,
              barrier.offset);
  }
  settle(warp, instruction, lane, barrier, result);
  return state;
}

/// Slots: address, count or txCount, state.
Step arrive(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Arrival &arrival = instruction.as<Arrival>();
  const uint32_t *numbers = warp.source<uint32_t>(instruction.slots[1]);
  uint64_t *states = arrival.hasState
                         ? warp.destination<uint64_t>(instruction.slots[2])
                         : nullptr;
  uint64_t offsets[warpLanes];
  // Lanes that arrive at the same phase of the same barrier are told together.
  Barrier *last = nullptr;
  uint64_t phase = 0;
  LaneMask together = 0;
  auto tell = [&] {
    if (together == 0) {
      return;
    }
    tellBarrierAccess(warp, instruction, together, offsets, last->owner,
                      Effect::atomic);
    Meeting meeting = last->meeting(phase, arrival.semantics, arrival.scope);
    warp.block.observe([&](BlockObserver &observer) {
      observer.arrive(warp, instruction, together, meeting);
    });
    together = 0;
  };
  forLanes(active, [&](int lane) {
    Barrier &barrier = barrierAt(
        warp, instruction, lane, arrival.address.space,
        arrival.address.of(warp, instruction.slots[0], lane), arrival.reach);
    if (&barrier != last || barrier.counts.phase() != phase) {
      tell();
    }
    last = &barrier;
    phase = barrier.counts.phase();
    offsets[lane] = barrier.offset;
    together |= LaneMask(1) << lane;
    if (states && barrier.owner != &warp.block) {
      warp.fail(instruction, "wrong-space",
                "an arrival on an mbarrier of another block gives no state",
                lane, barrier.offset);
    }
    uint64_t state =
        arriveOne(warp, instruction, lane, arrival, numbers[lane], barrier);
    if (states) {
      states[lane] = state;
    }
  });
  tell();
  return Step::next;
}

void decodeArrival(Statement &statement, bool drop) {
  Arrival arrival;
  static_cast<BarrierOperand &>(arrival) = takeBarrier(statement, true);
  arrival.drop = drop;
  arrival.expect = statement.take("expect_tx");
  arrival.noComplete = statement.take("noComplete");
  takeOrder(statement, arrival, {"release", "relaxed"});
  statement.takeOne({"b64"});
  if (arrival.expect && arrival.noComplete) {
    statement.refuse("expect_tx and noComplete exclude each other");
  }
  if (arrival.expect || arrival.noComplete) {
    statement.end(3);
  } else {
    statement.end(2, 3);
  }
  bool isRemote =
      arrival.address.space == Space::shared && arrival.reach == Reach::cluster;
  if (isRemote || arrival.expect || arrival.scope == Scope::cluster ||
      arrival.semantics == Semantics::relaxed ||
      (statement.operands() == 3 && !arrival.noComplete)) {
    requireSm90(statement, "this form");
  }
  if (arrival.noComplete && (isRemote || arrival.scope == Scope::cluster ||
                             arrival.semantics == Semantics::relaxed)) {
    statement.refuse("noComplete is for .release.cta and .shared::cta");
  }
  bool isSink = std::holds_alternative<ptx::Sink>(statement.operand(0).value);
  if (isRemote && !isSink) {
    statement.refuse("an arrival at .shared::cluster gives no state; write _");
  }
  arrival.hasState = !isSink;
  Slot address = takeAddress(statement, 1, arrival);
  Slot number = statement.operands() == 3 ? statement.source(2, Type::u32)
                                          : statement.constant(1, 32);
  Slot state =
      isSink ? statement.constant(0, 64) : statement.destination(0, Type::b64);
  statement.emit(arrive, Pipe::lsu, {address, number, state},
                 statement.keep(arrival));
}

void decodeArrive(Statement &statement) {
  statement.take("arrive");
  decodeArrival(statement, false);
}
void decodeArriveDrop(Statement &statement) {
  statement.take("arrive_drop");
  decodeArrival(statement, true);
}

// -- mbarrier.expect_tx and mbarrier.complete_tx

/// Slots: address, txCount.
template <PhaseResult (PhaseCounts::*change)(uint32_t)>
Step changeBytes(Warp &warp, const Instruction &instruction, LaneMask active) {
  const BarrierOperand &operand = instruction.as<BarrierOperand>();
  const uint32_t *bytes = warp.source<uint32_t>(instruction.slots[1]);
  forLanes(active, [&](int lane) {
    Barrier &barrier = signalledBarrier(
        warp, instruction, lane, operand.address.space,
        operand.address.of(warp, instruction.slots[0], lane), operand.reach);
    settle(warp, instruction, lane, barrier,
           (barrier.counts.*change)(bytes[lane]));
  });
  return Step::next;
}

void decodeBytes(Statement &statement, Handler handler) {
  requireSm90(statement, "a transaction count");
  BarrierOperand operand = takeBarrier(statement, true);
  takeOrder(statement, operand, {"relaxed"});
  statement.takeOne({"b64"});
  statement.end(2);
  Slot address = takeAddress(statement, 0, operand);
  statement.emit(handler, Pipe::lsu, {address, statement.source(1, Type::u32)},
                 statement.keep(operand));
}

void decodeExpect(Statement &statement) {
  statement.take("expect_tx");
  decodeBytes(statement, changeBytes<&PhaseCounts::expect>);
}
void decodeComplete(Statement &statement) {
  statement.take("complete_tx");
  decodeBytes(statement, changeBytes<&PhaseCounts::complete>);
}

// -- mbarrier.pending_count

/// Slots: count, state.
Step pendingCount(Warp &warp, const Instruction &instruction, LaneMask active) {
  uint32_t *counts = warp.destination<uint32_t>(instruction.slots[0]);
  const uint64_t *states = warp.source<uint64_t>(instruction.slots[1]);
  forLanes(active, [&](int lane) {
    PhaseToken token = PhaseToken::decode(states[lane]);
    if (!token.noComplete) {
      warp.fail(instruction, "wrong-state",
                "the state does not come from an arrival with .noComplete",
                lane);
    }
    counts[lane] = token.pending;
  });
  return Step::next;
}

void decodePendingCount(Statement &statement) {
  statement.take("pending_count");
  statement.takeOne({"b64"});
  statement.end(2);
  statement.emit(
      pendingCount, Pipe::alu,
      {statement.destination(0, Type::u32), statement.source(1, Type::b64)});
}

constexpr Opcode mbarriersOpcodes[] = {
    {"mbarrier", decodeInit, "init"},
    {"mbarrier", decodeInval, "inval"},
    {"mbarrier", decodeArrive, "arrive"},
    {"mbarrier", decodeArriveDrop, "arrive_drop"},
    {"mbarrier", decodeExpect, "expect_tx"},
    {"mbarrier", decodeComplete, "complete_tx"},
    {"mbarrier", decodePendingCount, "pending_count"},
};

} // namespace

std::span<const Opcode> mbarriers() { return mbarriersOpcodes; }

} // namespace cheems::emulator
