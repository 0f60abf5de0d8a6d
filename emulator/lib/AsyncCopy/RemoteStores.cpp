//===- RemoteStores.cpp - st.async and red.async --------------------------===//
#include "BarrierOperand.h"
#include "BulkOperands.h"
#include "BulkTransfer.h"
#include "Decode/Family.h"
#include "Families.h"
#include "Flights.h"
#include "Lanes/Loop.h"
#include "LoadStore/AtomicOperations.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace cheems::emulator {
namespace {

constexpr uint32_t mostBytes = 16;

/// What a reduction makes of the old value and the operand.
using Combine = uint64_t (*)(uint64_t old, uint64_t value);

struct RemoteStore {
  AddressOperand destination, barrier;
  uint32_t elementBytes = 4;
  uint32_t count = 1;        ///< of elements
  Combine combine = nullptr; ///< null: a store
  uint32_t bytes() const { return elementBytes * count; }
};

/// Reductions that are asked for and not done: how many by offset. Their bytes
/// have SharedState::inFlight, so that nobody reads them without a wait, but
/// other reductions may come.
class PendingReductions : public BlockExtension {
public:
  explicit PendingReductions(Block &) {}

  std::map<uint32_t, uint32_t> counts;
};

class RemoteFlight : public Flight {
public:
  RemoteFlight(const Asker &asker, const RemoteStore &store, SharedPlace to,
               Barrier &barrier)
      : Flight(asker.warp, asker.instruction, asker.lane, asker.operation),
        store(store), to(to), barrier(barrier) {
    for (uint32_t n = 0; n < store.count; ++n) {
      const auto *elements =
          warp.source<std::byte>(asker.instruction.slots[2 + n]);
      std::memcpy(value + size_t(n) * store.elementBytes,
                  elements + size_t(lane) * store.elementBytes,
                  store.elementBytes);
    }
  }

  void land() override {
    std::byte *memory = to.owner->shared(to.offset);
    bool isLast = true;
    if (store.combine) {
      uint64_t old = 0, operand = 0;
      std::memcpy(&old, memory, store.elementBytes);
      std::memcpy(&operand, value, store.elementBytes);
      const uint64_t result = store.combine(old, operand);
      std::memcpy(memory, &result, store.elementBytes);
      if (isLate) {
        auto &counts = to.owner->extension<PendingReductions>().counts;
        isLast = --counts[to.offset] == 0;
        if (isLast) {
          counts.erase(to.offset);
        }
      }
    } else {
      std::memcpy(memory, value, store.bytes());
    }
    if (isLast) {
      std::fill_n(to.owner->sharedState(to.offset), store.bytes(),
                  SharedState::initialised);
    }
    signalBytes(*this, barrier, store.bytes());
  }

  bool isLate = false;

private:
  const RemoteStore &store;
  const SharedPlace to;
  Barrier &barrier;
  std::byte value[mostBytes];
};

/// Checks the bytes that are written and tells observers. The generic proxy
/// does it: "Async Proxy" names cp.async.bulk and its kin alone.
void check(const Asker &asker, const RemoteStore &store, SharedPlace to) {
  const BulkTransfer transfer(0, to, store.bytes());
  if (!store.combine) {
    transfer.checkDestination(asker);
  } else if (!to.owner->extension<PendingReductions>().counts.contains(
                 to.offset)) {
    transfer.checkSource(asker);
  }
  const AsyncRange range = {.kind = AsyncKind::bulk,
                            .operation = asker.operation,
                            .lane = asker.lane,
                            .effect = store.combine ? Effect::reduction
                                                    : Effect::store,
                            .proxy = Proxy::generic,
                            .space = Space::shared,
                            .owner = to.owner,
                            .address = to.offset,
                            .bytes = store.bytes()};
  asker.warp.block.observe([&](BlockObserver &observer) {
    observer.startAsync(asker.warp, asker.instruction, range);
  });
}

/// Slots: destination, mbarrier, values. "The CTA to which they belong is
/// different from the CTA of the executing thread but must be within the same
/// cluster."
Step storeRemotely(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  const auto &store = instruction.as<RemoteStore>();
  const Slot *slots = instruction.slots;
  Block &block = warp.block;
  forLanes(active, [&](int lane) {
    const Asker asker = {warp, instruction, lane, ++block.asyncOperations};
    const uint32_t bytes = store.bytes();
    const SharedPlace to =
        sharedPlace(warp, instruction, lane, store.destination.space,
                    store.destination.of(warp, slots[0], lane), Reach::cluster,
                    bytes, bytes);
    if (to.owner == &block) {
      warp.fail(instruction, "wrong-space",
                "the destination is in the own block; it must be in another "
                "block of the cluster",
                lane, to.offset);
    }
    Barrier &barrier = signalledBarrier(
        warp, instruction, lane, store.barrier.space,
        store.barrier.of(warp, slots[1], lane), Reach::cluster);
    if (barrier.owner != to.owner) {
      warp.fail(instruction, "wrong-space",
                "the mbarrier is not in the shared memory of the block that "
                "the destination is in",
                lane, barrier.offset);
    }
    check(asker, store, to);
    auto flight = std::make_unique<RemoteFlight>(asker, store, to, barrier);
    if (block.grid.early()) {
      flight->land();
      return;
    }
    flight->isLate = true;
    BulkTransfer(0, to, bytes).markInFlight();
    if (store.combine) {
      ++to.owner->extension<PendingReductions>().counts[to.offset];
    }
    to.owner->extension<Flights>().add(std::move(flight));
  });
  return Step::next;
}

// -- Decoding

template <typename Operation> uint64_t combine(uint64_t old, uint64_t value) {
  using Element = typename Operation::Element;
  return static_cast<std::make_unsigned_t<Element>>(
      Operation::apply(static_cast<Element>(old), static_cast<Element>(value),
                       Element(), false));
}

struct Reduction {
  std::string_view operation;
  Type type;
  Combine combine;
};

constexpr Reduction reductions[] = {
    {"inc", Type::u32, combine<atomic::Increment>},
    {"dec", Type::u32, combine<atomic::Decrement>},
    {"min", Type::u32, combine<atomic::Min<uint32_t>>},
    {"min", Type::s32, combine<atomic::Min<int32_t>>},
    {"max", Type::u32, combine<atomic::Max<uint32_t>>},
    {"max", Type::s32, combine<atomic::Max<int32_t>>},
    {"and", Type::b32, combine<atomic::And<uint32_t>>},
    {"or", Type::b32, combine<atomic::Or<uint32_t>>},
    {"xor", Type::b32, combine<atomic::Xor<uint32_t>>},
    {"add", Type::u32, combine<atomic::Add<uint32_t>>},
    {"add", Type::s32, combine<atomic::Add<int32_t>>},
    {"add", Type::u64, combine<atomic::Add<uint64_t>>},
};

/// `[a], b, [mbar]`, after all modifiers.
void takeOperands(Statement &statement, RemoteStore store, Type type,
                  bool isShared) {
  statement.end(3);
  store.elementBytes = static_cast<uint32_t>(bits(type)) / 8;
  if (store.bytes() > mostBytes) {
    statement.refuse("a vector has at most 128 bits");
  }
  const Space space = isShared ? Space::shared : Space::generic;
  std::vector<Slot> slots = {takePlace(statement, 0, space, store.destination),
                             takePlace(statement, 2, space, store.barrier)};
  for (Slot value :
       statement.sources(statement.operand(1), type, store.count)) {
    slots.push_back(value);
  }
  statement.emit(storeRemotely, Pipe::lsu, slots, statement.keep(store));
}

/// The forms for global memory, which signal nothing.
void refuseRelease(Statement &statement) {
  for (std::string_view modifier : {"release", "mmio", "global"}) {
    if (statement.take(modifier)) {
      statement.refuse("." + std::string(modifier) + " requires sm_100");
    }
  }
}

/// PTX ISA, "st.async"
void decodeStore(Statement &statement) {
  requireSm90(statement, "an asynchronous store");
  statement.take("async");
  refuseRelease(statement);
  statement.take("weak");
  statement.take("cluster");
  const bool isShared = statement.take("shared::cluster");
  statement.take("mbarrier::complete_tx::bytes");
  RemoteStore store;
  std::string_view vector = statement.takeAny({"v2", "v4"});
  store.count = vector.empty() ? 1 : vector[1] - '0';
  Type type = statement.takeType({Type::b32, Type::b64, Type::u32, Type::u64,
                                  Type::s32, Type::s64, Type::f32, Type::f64});
  takeOperands(statement, store, type, isShared);
}

/// PTX ISA, "red.async"
void decodeReduction(Statement &statement) {
  requireSm90(statement, "an asynchronous reduction");
  statement.take("async");
  refuseRelease(statement);
  statement.takeOne({"relaxed"});
  statement.takeOne({"cluster"});
  const bool isShared = statement.take("shared::cluster");
  statement.takeOne({"mbarrier::complete_tx::bytes"});
  std::string_view operation = statement.takeOne(
      {"inc", "dec", "min", "max", "and", "or", "xor", "add"});
  Type type = statement.takeType({Type::b32, Type::u32, Type::s32, Type::u64});
  const auto *found =
      std::ranges::find_if(reductions, [&](const Reduction &reduction) {
        return reduction.operation == operation && reduction.type == type;
      });
  if (found == std::end(reductions)) {
    statement.refuse("there is no ." + std::string(operation) + "." +
                     std::string(name(type)));
  }
  RemoteStore store;
  store.combine = found->combine;
  takeOperands(statement, store, type, isShared);
}

constexpr Opcode remoteStoresOpcodes[] = {{"st", decodeStore, "async"},
                                          {"red", decodeReduction, "async"}};

} // namespace

std::span<const Opcode> remoteStores() { return remoteStoresOpcodes; }

} // namespace cheems::emulator
