//===- BulkCopy.cpp - cp.async.bulk and its groups ------------------------===//
#include "BarrierOperand.h"
#include "BulkGroups.h"
#include "BulkOperands.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Flights.h"
#include "Lanes/Loop.h"

#include <cstring>

namespace cheems::emulator {
namespace {

/// "cp.async.bulk": addresses are aligned to 16 bytes, and sizes are multiples
/// of 16.
constexpr uint32_t bulkUnit = 16;

struct BulkCopy {
  AddressOperand destination, source, barrier;
  Reach reach = Reach::block; ///< of the destination and the mbarrier
};

uint32_t checkedSize(Warp &warp, const Instruction &instruction, Slot slot,
                     int lane) {
  uint32_t bytes = warp.source<uint32_t>(slot)[lane];
  if (bytes % bulkUnit != 0) {
    warp.fail(instruction, "copy-size",
              "the size " + std::to_string(bytes) + " is no multiple of 16",
              lane);
  }
  return bytes;
}

Barrier &signalled(Warp &warp, const Instruction &instruction, int lane,
                   const BulkCopy &copy, Slot base) {
  return signalledBarrier(warp, instruction, lane, Space::shared,
                          copy.barrier.of(warp, base, lane), copy.reach);
}

/// Slots: destination, source, size, mbarrier.
Step globalToShared(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  const BulkCopy &copy = instruction.as<BulkCopy>();
  const Slot *slots = instruction.slots;
  forLanes(active, [&](int lane) {
    Asker asker = {warp, instruction, lane, ++warp.block.asyncOperations};
    uint32_t bytes = checkedSize(warp, instruction, slots[2], lane);
    SharedPlace to = sharedPlace(warp, instruction, lane, Space::shared,
                                 copy.destination.of(warp, slots[0], lane),
                                 copy.reach, bytes, bulkUnit);
    uint64_t from = globalPlace(warp, instruction, lane,
                                copy.source.of(warp, slots[1], lane), bulkUnit);
    startLoad(asker, BulkTransfer(from, to, bytes),
              signalled(warp, instruction, lane, copy, slots[3]));
  });
  return Step::next;
}

/// Slots: destination, source, size.
Step sharedToGlobal(Warp &warp, const Instruction &instruction,
                    LaneMask active) {
  const BulkCopy &copy = instruction.as<BulkCopy>();
  const Slot *slots = instruction.slots;
  forLanes(active, [&](int lane) {
    Asker asker = {warp, instruction, lane, ++warp.block.asyncOperations};
    uint32_t bytes = checkedSize(warp, instruction, slots[2], lane);
    uint64_t to =
        globalPlace(warp, instruction, lane,
                    copy.destination.of(warp, slots[0], lane), bulkUnit);
    SharedPlace from = sharedPlace(warp, instruction, lane, Space::shared,
                                   copy.source.of(warp, slots[1], lane),
                                   Reach::block, bytes, bulkUnit);
    warp.block.extension<BulkGroups>().start(asker,
                                             BulkTransfer(to, from, bytes));
  });
  return Step::next;
}

// -- Between blocks of a cluster

class PeerFlight : public Flight {
public:
  PeerFlight(const Asker &asker, SharedPlace to, SharedPlace from,
             uint32_t bytes, Barrier &barrier)
      : Flight(asker.warp, asker.instruction, asker.lane, asker.operation),
        to(to), from(from), bytes(bytes), barrier(barrier) {}

  void land() override {
    std::memcpy(to.owner->shared(to.offset), from.owner->shared(from.offset),
                bytes);
    std::fill_n(to.owner->sharedState(to.offset), bytes,
                SharedState::initialised);
    if (isLate) {
      BulkTransfer(0, from, bytes).unmarkBeingRead();
      --from.owner->extension<Flights>().readers;
    }
    signalBytes(*this, barrier, bytes);
  }

  bool isLate = false;

private:
  SharedPlace to, from;
  uint32_t bytes;
  Barrier &barrier;
};

/// Slots: destination, source, size, mbarrier.
Step sharedToPeer(Warp &warp, const Instruction &instruction, LaneMask active) {
  const BulkCopy &copy = instruction.as<BulkCopy>();
  const Slot *slots = instruction.slots;
  Block &block = warp.block;
  forLanes(active, [&](int lane) {
    Asker asker = {warp, instruction, lane, ++block.asyncOperations};
    uint32_t bytes = checkedSize(warp, instruction, slots[2], lane);
    SharedPlace to = sharedPlace(warp, instruction, lane, Space::shared,
                                 copy.destination.of(warp, slots[0], lane),
                                 Reach::cluster, bytes, bulkUnit);
    SharedPlace from = sharedPlace(warp, instruction, lane, Space::shared,
                                   copy.source.of(warp, slots[1], lane),
                                   Reach::block, bytes, bulkUnit);
    if (to.owner == &block) {
      warp.fail(instruction, "wrong-space",
                "the destination is in the own block; it must be in another "
                "block of the cluster",
                lane, to.offset);
    }
    Barrier &barrier = signalled(warp, instruction, lane, copy, slots[3]);
    BulkTransfer source(0, from, bytes), destination(0, to, bytes);
    source.checkSource(asker);
    destination.checkDestination(asker);
    source.tellShared(asker, Effect::load);
    destination.tellShared(asker, Effect::store);
    auto flight = std::make_unique<PeerFlight>(asker, to, from, bytes, barrier);
    if (block.grid.early()) {
      flight->land();
      return;
    }
    flight->isLate = true;
    source.markBeingRead();
    destination.markInFlight();
    ++block.extension<Flights>().readers;
    barrier.owner->extension<Flights>().add(std::move(flight));
  });
  return Step::next;
}

// -- Groups

Step commitGroup(Warp &warp, const Instruction &, LaneMask active) {
  BulkGroups &groups = warp.block.extension<BulkGroups>();
  forLanes(active, [&](int lane) { groups.commit(warp, lane); });
  return Step::next;
}

template <bool readsOnly>
Step waitGroup(Warp &warp, const Instruction &instruction, LaneMask active) {
  BulkGroups &groups = warp.block.extension<BulkGroups>();
  forLanes(active, [&](int lane) {
    groups.wait(warp, instruction, lane, instruction.payload, readsOnly);
  });
  return Step::next;
}

/// Slots: source, size. A hint, of which only the rules are checked.
Step prefetch(Warp &warp, const Instruction &instruction, LaneMask active) {
  const BulkCopy &copy = instruction.as<BulkCopy>();
  forLanes(active, [&](int lane) {
    checkedSize(warp, instruction, instruction.slots[1], lane);
    globalPlace(warp, instruction, lane,
                copy.source.of(warp, instruction.slots[0], lane), bulkUnit);
  });
  return Step::next;
}

// -- Decoding

void checkImmediateSize(Statement &statement, size_t number) {
  if (statement.isImmediate(number) &&
      statement.immediate(number) % bulkUnit != 0) {
    statement.refuse("the size is no multiple of 16");
  }
}

void decodeStore(Statement &statement) {
  BulkCopy copy;
  if (statement.take("cp_mask")) {
    statement.refuse("cp_mask requires sm_100");
  }
  statement.takeOne({"bulk_group"});
  statement.takeOne({"shared::cta"});
  endWithHint(statement, 3, true);
  checkImmediateSize(statement, 2);
  Slot to = takePlace(statement, 0, Space::global, copy.destination);
  Slot from = takePlace(statement, 1, Space::shared, copy.source);
  Slot size = statement.source(2, Type::u32);
  statement.emit(sharedToGlobal, Pipe::async, {to, from, size},
                 statement.keep(copy));
}

void decodeLoad(Statement &statement, std::string_view destination,
                bool isGlobal) {
  BulkCopy copy;
  if (statement.take("multicast::cluster")) {
    statement.notModelled("multicast");
  }
  statement.takeOne({"mbarrier::complete_tx::bytes"});
  endWithHint(statement, 4, isGlobal);
  checkImmediateSize(statement, 2);
  copy.reach = destination == "shared::cluster" ? Reach::cluster : Reach::block;
  Slot to = takePlace(statement, 0, Space::shared, copy.destination);
  Slot from = takePlace(statement, 1, isGlobal ? Space::global : Space::shared,
                        copy.source);
  Slot size = statement.source(2, Type::u32);
  Slot barrier = takePlace(statement, 3, Space::shared, copy.barrier);
  statement.emit(isGlobal ? globalToShared : sharedToPeer, Pipe::async,
                 {to, from, size, barrier}, statement.keep(copy));
}

void decodePrefetch(Statement &statement) {
  BulkCopy copy;
  statement.takeOne({"L2"});
  statement.takeOne({"global"});
  endWithHint(statement, 2, true);
  checkImmediateSize(statement, 1);
  Slot from = takePlace(statement, 0, Space::global, copy.source);
  Slot size = statement.source(1, Type::u32);
  statement.emit(prefetch, Pipe::async, {from, size}, statement.keep(copy));
}

void decodeBulk(Statement &statement) {
  requireSm90(statement, "a bulk copy");
  statement.take("async");
  statement.take("bulk");
  if (statement.take("reduce")) {
    statement.notModelled("an asynchronous reduction");
  }
  if (statement.take("commit_group")) {
    statement.end(0);
    statement.emit(commitGroup, Pipe::async, {});
    return;
  }
  if (statement.take("wait_group")) {
    bool readsOnly = statement.take("read");
    statement.end(1);
    int64_t groups = statement.immediate(0);
    if (groups < 0) {
      statement.refuse("the number of groups is negative");
    }
    statement.emit(readsOnly ? waitGroup<true> : waitGroup<false>, Pipe::async,
                   {}, static_cast<uint64_t>(groups));
    return;
  }
  if (statement.take("prefetch")) {
    decodePrefetch(statement);
    return;
  }
  std::string_view destination = takeDestination(statement);
  if (destination == "global") {
    decodeStore(statement);
    return;
  }
  bool isGlobal = statement.takeOne({"global", "shared::cta"}) == "global";
  if (!isGlobal && destination == "shared::cta") {
    statement.refuse("a copy from .shared::cta goes to .shared::cluster or "
                     ".global");
  }
  decodeLoad(statement, destination, isGlobal);
}

// cp.async.bulk.tensor has a table of its own, which comes first, and
// cp.async one that comes last.
constexpr Opcode bulkCopiesOpcodes[] = {{"cp", decodeBulk, "bulk"}};

} // namespace

std::span<const Opcode> bulkCopies() { return bulkCopiesOpcodes; }

} // namespace cheems::emulator
