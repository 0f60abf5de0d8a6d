//===- CpAsync.cpp - cp.async and its completion ------------------------===//
#include "BarrierOperand.h"
#include "Barriers.h"
#include "CopyGroups.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Flights.h"
#include "Lanes/Loop.h"

#include <cstring>

namespace cheems::emulator {
namespace {

/// The groups of each warp.
class AsyncCopies : public BlockExtension {
public:
  explicit AsyncCopies(Block &block) : groups(block.warps.size()) {}

  CopyGroups &of(const Warp &warp) { return groups[warp.index]; }

  void finish(Block &block) override {
    for (size_t i = 0; i < groups.size(); ++i) {
      if (const Instruction *instruction = groups[i].pending()) {
        // A warning: NVIDIA ships kernels that end so.
        block.warn(Finding("copy-in-flight-at-exit",
                           "the block exits, and nobody has waited for this "
                           "copy",
                           block.warps[i].place(*instruction, -1)));
      }
    }
  }

private:
  std::vector<CopyGroups> groups;
};

struct AsyncCopy {
  AddressOperand destination, source;
  AccessKind load, store;
  uint8_t bytes;
  enum class Limit : uint8_t { none, size, ignore } limit; ///< slot 2
};

/// How many bytes of each lane come from the source. True: all of them.
bool sourceSizes(Warp &warp, const Instruction &instruction,
                 const AsyncCopy &copy, LaneMask active, uint8_t *sizes) {
  if (copy.limit == AsyncCopy::Limit::none) {
    std::memset(sizes, copy.bytes, warpLanes);
    return true;
  }
  if (copy.limit == AsyncCopy::Limit::ignore) {
    LaneMask ignored = warp.predicate(instruction.slots[2]);
    for (int lane = 0; lane < warpLanes; ++lane) {
      sizes[lane] = ignored >> lane & 1 ? 0 : copy.bytes;
    }
    return (ignored & active) == 0;
  }
  const uint32_t *given = warp.source<uint32_t>(instruction.slots[2]);
  bool all = true;
  forLanes(active, [&](int lane) {
    if (given[lane] > copy.bytes) {
      warp.fail(instruction, "copy-size",
                "src-size is " + std::to_string(given[lane]) +
                    ", more than cp-size",
                lane);
    }
    sizes[lane] = static_cast<uint8_t>(given[lane]);
    all &= given[lane] == copy.bytes;
  });
  return all;
}

/// A source of fewer bytes than the destination has: no access of a size that
/// the ISA has, so it is checked as a range.
const std::byte *partialSource(Warp &warp, const Instruction &instruction,
                               const AsyncCopy &copy, int lane,
                               uint64_t address, uint32_t bytes) {
  globalPlace(warp, instruction, lane, address, copy.bytes);
  const std::byte *found = range(warp, instruction, Space::global, warp.block,
                                 address, bytes, false);
  AsyncRange told = {.kind = AsyncKind::copy,
                     .operation = warp.block.asyncOperations,
                     .lane = lane,
                     .effect = Effect::load,
                     .proxy = Proxy::generic,
                     .space = Space::global,
                     .address = address,
                     .bytes = bytes};
  warp.block.observe([&](BlockObserver &observer) {
    observer.startAsync(warp, instruction, told);
  });
  return found;
}

/// Slots: destination, source, src-size or ignore-src.
Step copyAsync(Warp &warp, const Instruction &instruction, LaneMask active) {
  const AsyncCopy &copy = instruction.as<AsyncCopy>();
  Block &block = warp.block;
  ++block.asyncOperations;
  uint8_t sizes[warpLanes];
  bool all = sourceSizes(warp, instruction, copy, active, sizes);

  uint64_t addresses[warpLanes];
  LanePointers sources, destinations;
  LaneMask full = active, partial = 0;
  if (!all) {
    forLanes(active, [&](int lane) {
      if (sizes[lane] != copy.bytes) {
        full &= ~(LaneMask(1) << lane);
        partial |= LaneMask(sizes[lane] != 0) << lane;
      }
    });
  }
  copy.source.ofAll(warp, instruction.slots[1], addresses);
  if (full != 0) {
    access(warp, instruction, copy.load, addresses, full, sources);
  }
  forLanes(partial, [&](int lane) {
    sources.of[lane] = const_cast<std::byte *>(partialSource(
        warp, instruction, copy, lane, addresses[lane], sizes[lane]));
  });
  copy.destination.ofAll(warp, instruction.slots[0], addresses);
  access(warp, instruction, copy.store, addresses, active, destinations);

  CopyGroups &groups = block.extension<AsyncCopies>().of(warp);
  if (block.grid.early()) {
    groups.issue(instruction, active, nullptr);
    if (full == allLanes && sources.contiguous && destinations.contiguous) {
      std::memcpy(destinations.of[0], sources.of[0],
                  size_t(copy.bytes) * warpLanes);
      return Step::next;
    }
    forLanes(active, [&](int lane) {
      uint32_t bytes = sizes[lane];
      if (bytes != 0) {
        std::memcpy(destinations.of[lane], sources.of[lane], bytes);
      }
      std::memset(destinations.of[lane] + bytes, 0, copy.bytes - bytes);
    });
    return Step::next;
  }
  LateCopy late;
  late.lanes = active;
  late.bytes = copy.bytes;
  forLanes(active, [&](int lane) {
    late.sourceBytes[lane] = sizes[lane];
    late.sources[lane] = sizes[lane] ? sources.of[lane] : nullptr;
    late.destinations[lane] =
        static_cast<uint32_t>(destinations.of[lane] - block.shared());
    SharedState *states = block.sharedState(late.destinations[lane]);
    constexpr int most = 16;
    if (copy.bytes == most) { // so that its size is known here
      std::fill_n(states, most, SharedState::inFlight);
    } else {
      std::fill_n(states, copy.bytes, SharedState::inFlight);
    }
  });
  groups.issue(instruction, active, &late);
  return Step::next;
}

bool isPredicate(const ptx::Operand &operand) {
  auto *variable = std::get_if<const ptx::Variable *>(&operand.value);
  return variable && (*variable)->type.kind == ptx::Kind::predicate;
}

// -- Groups

Step commitGroup(Warp &warp, const Instruction &, LaneMask active) {
  Block &block = warp.block;
  block.extension<AsyncCopies>().of(warp).commit(active, block.asyncOperations);
  return Step::next;
}

/// The payload is N. "cp.async.wait_group"
Step waitGroup(Warp &warp, const Instruction &instruction, LaneMask active) {
  Block &block = warp.block;
  if (!block.grid.early()) {
    block.extension<Flights>().landGroups(warp);
  }
  block.extension<AsyncCopies>().of(warp).wait(
      active, instruction.payload,
      [&](LaneMask lanes, uint64_t last, std::vector<LateCopy> &copies) {
        for (LateCopy &copy : copies) {
          perform(block, copy, lanes);
        }
        std::erase_if(copies,
                      [](const LateCopy &copy) { return copy.lanes == 0; });
        block.observe([&](BlockObserver &observer) {
          observer.endAsync(warp, instruction, lanes, AsyncKind::copy, last,
                            false);
        });
      });
  return Step::next;
}

Step waitAll(Warp &warp, const Instruction &instruction, LaneMask active) {
  commitGroup(warp, instruction, active);
  return waitGroup(warp, instruction, active);
}

// -- cp.async.mbarrier.arrive

struct CopyArrival : BarrierOperand {
  bool noIncrement;
};

/// The arrivals of lanes at one barrier.
class CopySignal : public Flight {
public:
  CopySignal(Warp &warp, const Instruction &instruction, int lane,
             uint64_t operation, Barrier &barrier)
      : Flight(warp, instruction, lane, operation), barrier(barrier) {}

  void land() override {
    LaneMask lanes = LaneMask(1) << lane;
    for (LateCopy &copy : copies) {
      perform(warp.block, copy, copy.lanes);
    }
    Meeting meeting = barrier.meeting(barrier.counts.phase(),
                                      Semantics::release, Scope::block);
    warp.block.observe([&](BlockObserver &observer) {
      observer.arriveAsync(warp, instruction, lanes, AsyncKind::copy, 0,
                           operation, meeting);
    });
    arriveLater(warp, instruction, lane, barrier);
  }
  bool isOfThreads() const override { return true; }
  bool landsWithGroups(const Warp &other) const override {
    return &other == &warp;
  }

  std::vector<LateCopy> copies;

private:
  Barrier &barrier;
};

/// Slots: address.
Step arriveAfterCopies(Warp &warp, const Instruction &instruction,
                       LaneMask active) {
  const CopyArrival &arrival = instruction.as<CopyArrival>();
  Block &block = warp.block;
  CopyGroups &groups = block.extension<AsyncCopies>().of(warp);
  uint64_t offsets[warpLanes];
  forLanes(active, [&](int lane) {
    Barrier &barrier = barrierAt(
        warp, instruction, lane, arrival.address.space,
        arrival.address.of(warp, instruction.slots[0], lane), arrival.reach);
    offsets[lane] = barrier.offset;
    tellBarrierAccess(warp, instruction, LaneMask(1) << lane, offsets,
                      barrier.owner, Effect::atomic);
    if (!arrival.noIncrement) {
      settle(warp, instruction, lane, barrier, barrier.counts.hold());
    }
    auto signal = std::make_unique<CopySignal>(warp, instruction, lane,
                                               block.asyncOperations, barrier);
    signal->copies = groups.track(LaneMask(1) << lane);
    if (block.grid.early()) {
      signal->land();
    } else {
      block.extension<Flights>().add(std::move(signal));
    }
  });
  return Step::next;
}

// -- Decoding

void decodeCopy(Statement &statement) {
  AsyncCopy copy;
  statement.take("async");
  std::string_view cached = statement.takeOne({"ca", "cg"});
  statement.takeOne({"shared", "shared::cta"});
  statement.takeOne({"global"});
  bool hint = statement.take("L2::cache_hint");
  statement.takeAny({"L2::64B", "L2::128B", "L2::256B"});
  statement.end(hint ? 4 : 3, hint ? 5 : 4);
  int64_t bytes = statement.immediate(2);
  if (bytes != 16 && (cached == "cg" || (bytes != 4 && bytes != 8))) {
    statement.refuse("cp-size is " + std::to_string(bytes) +
                     (cached == "cg" ? "; .cg has 16" : "; 4, 8 or 16"));
  }
  copy.bytes = static_cast<uint8_t>(bytes);
  Slot limit = statement.constant(0, 32);
  copy.limit = AsyncCopy::Limit::none;
  if (statement.operands() == (hint ? 5u : 4u)) {
    bool ignores = isPredicate(statement.operand(3));
    copy.limit = ignores ? AsyncCopy::Limit::ignore : AsyncCopy::Limit::size;
    limit = ignores ? statement.predicate(3) : statement.source(3, Type::u32);
  }
  if (hint) { // cache-policy is a hint
    statement.source(statement.operands() - 1, Type::b64);
  }
  DecodedAddress destination = statement.address(0, Space::shared);
  DecodedAddress source = statement.address(1, Space::global);
  copy.destination = AddressOperand(destination);
  copy.source = AddressOperand(source);
  copy.load.space = Space::global;
  copy.load.bytes = copy.bytes;
  copy.load.asynchronous = true;
  copy.store = copy.load;
  copy.store.effect = Effect::store;
  copy.store.space = Space::shared;
  statement.emit(copyAsync, Pipe::lsu, {destination.base, source.base, limit},
                 statement.keep(copy));
}

void decodeCommit(Statement &statement) {
  statement.take("async");
  statement.take("commit_group");
  statement.end(0);
  statement.emit(commitGroup, Pipe::lsu, {});
}

void decodeWaitGroup(Statement &statement) {
  statement.take("async");
  statement.take("wait_group");
  statement.end(1);
  int64_t groups = statement.immediate(0);
  if (groups < 0) {
    statement.refuse("the number of groups is negative");
  }
  statement.emit(waitGroup, Pipe::lsu, {}, static_cast<uint64_t>(groups));
}

void decodeWaitAll(Statement &statement) {
  statement.take("async");
  statement.take("wait_all");
  statement.end(0);
  statement.emit(waitAll, Pipe::lsu, {}, 0);
}

void decodeArrival(Statement &statement) {
  statement.take("async");
  statement.take("mbarrier");
  statement.takeOne({"arrive"});
  CopyArrival arrival;
  static_cast<BarrierOperand &>(arrival) = takeBarrier(statement, false);
  arrival.noIncrement = statement.take("noinc");
  statement.takeOne({"b64"});
  statement.end(1);
  Slot address = takeAddress(statement, 0, arrival);
  statement.emit(arriveAfterCopies, Pipe::lsu, {address},
                 statement.keep(arrival));
}

// cp.async.bulk has a table of its own, which comes first.
constexpr Opcode asyncCopiesOpcodes[] = {
    {"cp", decodeArrival, "mbarrier"},     {"cp", decodeCommit, "commit_group"},
    {"cp", decodeWaitGroup, "wait_group"}, {"cp", decodeWaitAll, "wait_all"},
    {"cp", decodeCopy, "async"},
};

} // namespace

std::span<const Opcode> asyncCopies() { return asyncCopiesOpcodes; }

} // namespace cheems::emulator
