//===- Barriers.cpp - The mbarrier objects of a block ---------------------===//
#include "Barriers.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator {
namespace {

std::string name(const Barrier &barrier) {
  return "the mbarrier at offset " + std::to_string(barrier.offset);
}

std::string counts(const Barrier &barrier) {
  const PhaseCounts &counts = barrier.counts;
  return "phase " + std::to_string(counts.phase()) + ", " +
         std::to_string(counts.pending()) + " of " +
         std::to_string(counts.expected()) + " arrivals and " +
         std::to_string(counts.transactions()) + " bytes pending";
}

bool isBarrier(const SharedState *states) {
  return std::all_of(states, states + barrierBytes, [](SharedState state) {
    return state == SharedState::barrier;
  });
}

} // namespace

void Barriers::make(Warp &warp, const Instruction &instruction, int lane,
                    uint32_t offset, uint32_t count) {
  if (count == 0 || count > PhaseCounts::most) {
    warp.fail(instruction, "barrier-count",
              "the count of the mbarrier is " + std::to_string(count) +
                  "; 1 to 2^20 - 1 are allowed",
              lane, offset);
  }
  SharedState *states = block.sharedState(offset);
  for (uint32_t i = 0; i < barrierBytes; ++i) {
    if (states[i] == SharedState::barrier) {
      warp.fail(instruction, "barrier-reinitialised",
                "a valid mbarrier is initialised again without mbarrier.inval",
                lane, offset);
    }
    if (states[i] == SharedState::inFlight ||
        states[i] == SharedState::beingRead) {
      warp.fail(instruction, "missing-wait",
                "an mbarrier is made of bytes that an asynchronous copy uses",
                lane, offset);
    }
  }
  uint64_t number = barriers.size();
  barriers.push_back({.owner = &block,
                      .offset = offset,
                      .number = static_cast<uint32_t>(number),
                      .counts = PhaseCounts(count)});
  std::memcpy(block.shared(offset), &number, barrierBytes);
  std::fill_n(states, barrierBytes, SharedState::barrier);
}

void Barriers::invalidate(Warp &warp, const Instruction &instruction, int lane,
                          uint32_t offset) {
  at(warp, instruction, lane, offset).isValid = false;
  std::fill_n(block.sharedState(offset), barrierBytes,
              SharedState::uninitialised);
}

Barrier &Barriers::at(Warp &warp, const Instruction &instruction, int lane,
                      uint32_t offset) {
  if (isBarrier(block.sharedState(offset))) {
    uint64_t number;
    std::memcpy(&number, block.shared(offset), barrierBytes);
    if (number < barriers.size() && barriers[number].offset == offset) {
      return barriers[number];
    }
  }
  warp.fail(instruction, "no-barrier",
            "there is no valid mbarrier at this address", lane, offset);
}

std::string Barriers::describe(Block &) {
  std::string lines;
  for (const Barrier &barrier : barriers) {
    const PhaseCounts &counts = barrier.counts;
    bool isFresh =
        counts.pending() == counts.expected() && counts.transactions() == 0;
    if (barrier.isValid && !isFresh) {
      lines += name(barrier) + ": " + emulator::counts(barrier) + "\n";
    }
  }
  return lines;
}

Barrier &barrierAt(Warp &warp, const Instruction &instruction, int lane,
                   Space space, uint64_t address, Reach reach) {
  SharedPlace place = sharedPlace(warp, instruction, lane, space, address,
                                  reach, barrierBytes, barrierBytes);
  return place.owner->extension<Barriers>().at(warp, instruction, lane,
                                               place.offset);
}

Barrier &signalledBarrier(Warp &warp, const Instruction &instruction, int lane,
                          Space space, uint64_t address, Reach reach) {
  Barrier &barrier = barrierAt(warp, instruction, lane, space, address, reach);
  uint64_t offsets[warpLanes];
  offsets[lane] = barrier.offset;
  tellBarrierAccess(warp, instruction, LaneMask(1) << lane, offsets,
                    barrier.owner, Effect::atomic);
  return barrier;
}

void settle(Warp &warp, const Instruction &instruction, int lane,
            const Barrier &barrier, PhaseResult result) {
  auto fail = [&](const char *rule, const std::string &what) {
    warp.fail(instruction, rule, name(barrier) + " " + what, lane,
              barrier.offset);
  };
  switch (result) {
  case PhaseResult::incomplete:
    return;
  case PhaseResult::complete:
    warp.progressed();
    return;
  case PhaseResult::overArrival:
    fail("over-arrival", "gets more arrivals than it expects in a phase (" +
                             counts(barrier) + ")");
    return;
  case PhaseResult::countOutOfRange:
    fail("barrier-count", "gets a count of arrivals that is not 1 to 2^20 - 1");
    return;
  case PhaseResult::pendingOutOfRange:
    fail("barrier-count", "has more than 2^20 - 1 pending arrivals");
    return;
  case PhaseResult::transactionOverflow:
    fail("barrier-count", "has a tx-count beyond 2^20 - 1 bytes");
    return;
  }
}

namespace {

void checkStillValid(Warp &warp, const Instruction &instruction, int lane,
                     const Barrier &barrier) {
  if (!barrier.isValid) {
    warp.fail(instruction, "no-barrier",
              name(barrier) + " was invalidated before an asynchronous "
                              "operation has signalled it",
              lane, barrier.offset);
  }
}

} // namespace

void completeBytes(Warp &warp, const Instruction &instruction, int lane,
                   Barrier &barrier, uint32_t bytes) {
  checkStillValid(warp, instruction, lane, barrier);
  settle(warp, instruction, lane, barrier, barrier.counts.complete(bytes));
}

void arriveLater(Warp &warp, const Instruction &instruction, int lane,
                 Barrier &barrier) {
  checkStillValid(warp, instruction, lane, barrier);
  settle(warp, instruction, lane, barrier, barrier.counts.arrive(1));
}

void tellBarrierAccess(Warp &warp, const Instruction &instruction,
                       LaneMask lanes, const uint64_t *addresses, Block *owner,
                       Effect effect) {
  // mbarrier.init and mbarrier.inval are ordinary stores; the others are
  // atomic on the object ("mbarrier", "Memory Consistency Model").
  AccessKind kind;
  kind.effect = effect;
  kind.semantics =
      effect == Effect::store ? Semantics::weak : Semantics::relaxed;
  kind.scope = effect == Effect::store ? Scope::none : Scope::cluster;
  kind.space = Space::shared;
  kind.bytes = barrierBytes;
  kind.atomBytes = effect == Effect::store ? 0 : barrierBytes;
  Access access = {.kind = kind,
                   .instruction = instruction,
                   .space = Space::shared,
                   .lanes = lanes,
                   .addresses = addresses,
                   .contiguous = false,
                   .owner = owner};
  warp.block.observe(
      [&](BlockObserver &observer) { observer.access(warp, access); });
}

} // namespace cheems::emulator
