//===- Atomic.cpp - atom and red ------------------------------------------===//
#include "AtomicOperations.h"
#include "Families.h"
#include "Machine/Block.h"
#include "Machine/LaneOrder.h"

#include <string>
#include <string_view>
#include <vector>

using namespace cheems::emulator;
using namespace cheems::emulator::atomic;

namespace {

struct AtomicTransfer : Transfer {
  int count = 1;      ///< elements of a vector
  bool swaps = false; ///< exch and cas, which locks are made of
};

bool isGlobal(Space space, uint64_t address) {
  return space == Space::global ||
         (space == Space::generic && !isInWindow(address, sharedWindow));
}

/// slots: base, then per element: d of atom, b, c of cas.
template <typename Operation, bool returns, bool compares>
Step atomic(Warp &warp, const Instruction &instruction, LaneMask active) {
  using T = typename Operation::Element;
  const auto &transfer = instruction.as<AtomicTransfer>();
  alignas(64) uint64_t addresses[warpLanes];
  LanePointers at;
  laneAddresses(warp, instruction.slots[0], transfer, addresses);
  access(warp, instruction, transfer.kind, addresses, active, at);
  // .v8 is the longest vector.
  T *d[8];
  const T *b[8], *c[8];
  const Slot *slots = instruction.slots + 1;
  for (int n = 0; n < transfer.count; ++n) {
    d[n] = returns ? warp.destination<T>(*slots++) : nullptr;
    b[n] = warp.source<T>(*slots++);
    c[n] = compares ? warp.source<T>(*slots++) : b[n];
  }
  bool changed = false;
  atomicOrder(warp, instruction).forLanes(active, [&](int lane) {
    bool flushes = isGlobal(transfer.kind.space, addresses[lane]);
    for (int n = 0; n < transfer.count; ++n) {
      std::byte *where = at.of[lane] + n * sizeof(T);
      T old = loadFrom<T>(where);
      T value = Operation::apply(old, b[n][lane], c[n][lane], flushes);
      storeTo(where, value);
      changed |= !(value == old);
      if (returns) {
        d[n][lane] = old;
      }
    }
  });
  if (changed) {
    warp.progressed();
    return Step::next;
  }
  warp.polled();
  return transfer.swaps ? Step::yield : Step::next;
}

template <typename Operation> Handler handlerOf(bool returns) {
  return returns ? atomic<Operation, true, false>
                 : atomic<Operation, false, false>;
}

template <template <typename> typename Operation>
Handler bitsHandler(Type type, bool returns) {
  switch (type) {
  case Type::b32:
    return handlerOf<Operation<uint32_t>>(returns);
  case Type::b64:
    return handlerOf<Operation<uint64_t>>(returns);
  default:
    return nullptr;
  }
}

template <template <typename> typename Operation,
          float (*compute)(float, float)>
Handler orderHandler(Type type, bool returns) {
  switch (type) {
  case Type::u32:
    return handlerOf<Operation<uint32_t>>(returns);
  case Type::s32:
    return handlerOf<Operation<int32_t>>(returns);
  case Type::u64:
    return handlerOf<Operation<uint64_t>>(returns);
  case Type::s64:
    return handlerOf<Operation<int64_t>>(returns);
  case Type::f16:
    return handlerOf<Small<Half, compute>>(returns);
  case Type::bf16:
    return handlerOf<Small<BrainFloat, compute>>(returns);
  case Type::f16x2:
    return handlerOf<SmallPair<Half, compute>>(returns);
  case Type::bf16x2:
    return handlerOf<SmallPair<BrainFloat, compute>>(returns);
  default:
    return nullptr;
  }
}

Handler addHandler(Type type, bool returns) {
  switch (type) {
  case Type::f32:
    return handlerOf<AddSingle>(returns);
  case Type::f64:
    return handlerOf<AddDouble>(returns);
  case Type::s64: // adds as .u64, which the ISA has alone
    return nullptr;
  default:
    return orderHandler<Add, addSmall>(type, returns);
  }
}

Handler compareHandler(Type type) {
  switch (type) {
  case Type::b16:
    return atomic<CompareAndSwap<uint16_t>, true, true>;
  case Type::b32:
    return atomic<CompareAndSwap<uint32_t>, true, true>;
  case Type::b64:
    return atomic<CompareAndSwap<uint64_t>, true, true>;
  case Type::b128:
    return atomic<CompareAndSwap<Wide>, true, true>;
  default:
    return nullptr;
  }
}

/// Returns null if the operation does not exist for this type.
Handler handlerOf(std::string_view operation, Type type, bool returns) {
  if (operation == "add") {
    return addHandler(type, returns);
  }
  if (operation == "min") {
    return orderHandler<Min, minSmall>(type, returns);
  }
  if (operation == "max") {
    return orderHandler<Max, maxSmall>(type, returns);
  }
  if (operation == "and") {
    return bitsHandler<And>(type, returns);
  }
  if (operation == "or") {
    return bitsHandler<Or>(type, returns);
  }
  if (operation == "xor") {
    return bitsHandler<Xor>(type, returns);
  }
  if (operation == "cas") {
    return compareHandler(type);
  }
  if (operation == "exch") {
    return type == Type::b128 ? handlerOf<Exchange<Wide>>(true)
                              : bitsHandler<Exchange>(type, true);
  }
  return type != Type::u32    ? nullptr
         : operation == "inc" ? handlerOf<Increment>(returns)
                              : handlerOf<Decrement>(returns);
}

bool isSmallFloat(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 ||
         type == Type::bf16x2;
}

bool isPair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

/// Vectors, .noftz and what needs sm_90.
void checkShape(Statement &statement, const AtomicTransfer &transfer,
                std::string_view operation, Type type) {
  std::string typeName = "." + std::string(name(type));
  if (isSmallFloat(type) != statement.take("noftz")) {
    statement.refuse(isSmallFloat(type) ? typeName + " needs .noftz"
                                        : ".noftz is not for " + typeName);
  }
  bool isVector = transfer.count > 1;
  if (isSmallFloat(type) && operation != "add" && !isVector) {
    statement.refuse("." + std::string(operation) + typeName +
                     " is for vectors");
  }
  if (isVector) {
    int most = type == Type::f32 || isPair(type) ? 4 : 8;
    if ((type != Type::f32 && !isSmallFloat(type)) || transfer.count > most) {
      statement.refuse("there are no vectors of " +
                       std::to_string(transfer.count) + " " + typeName);
    }
    if (transfer.kind.space == Space::shared) {
      statement.refuse("vectors are for global and generic addresses");
    }
  }
  bool isNew = isVector || type == Type::b128 || type == Type::bf16 ||
               type == Type::bf16x2;
  if (isNew && statement.architecture() < 90) {
    statement.refuse((isVector ? "a vector" : typeName) + " needs sm_90");
  }
}

/// PTX ISA, "Parallel Synchronization and Communication Instructions: atom" and
/// "red". Without a scope it is .gpu's, without an order relaxed.
AtomicTransfer takeAtomic(Statement &statement, bool returns) {
  AtomicTransfer transfer;
  AccessKind &kind = transfer.kind;
  kind.effect = returns ? Effect::atomic : Effect::reduction;
  kind.space = takeSpace(statement, {"global", "shared"});
  std::string_view order =
      returns ? statement.takeAny({"relaxed", "acquire", "release", "acq_rel"})
              : statement.takeAny({"relaxed", "release"});
  kind.semantics = order == "acquire"   ? Semantics::acquire
                   : order == "release" ? Semantics::release
                   : order == "acq_rel" ? Semantics::acquireRelease
                                        : Semantics::relaxed;
  kind.scope = takeScope(statement);
  if (kind.scope == Scope::none) {
    kind.scope = Scope::gpu;
  }
  markCommunication(statement, kind);
  transfer.count = takeVector(statement);
  return transfer;
}

void decode(Statement &statement, bool returns) {
  AtomicTransfer transfer = takeAtomic(statement, returns);
  AccessKind &kind = transfer.kind;
  std::string_view operation =
      returns ? statement.takeOne({"and", "or", "xor", "cas", "exch", "add",
                                   "inc", "dec", "min", "max"})
              : statement.takeOne(
                    {"and", "or", "xor", "add", "inc", "dec", "min", "max"});
  Type type = statement.takeType({Type::b16, Type::b32, Type::b64, Type::b128,
                                  Type::u32, Type::u64, Type::s32, Type::s64,
                                  Type::f32, Type::f64, Type::f16, Type::f16x2,
                                  Type::bf16, Type::bf16x2});
  Handler handler = handlerOf(operation, type, returns);
  if (!handler) {
    statement.refuse("there is no ." + std::string(operation) + "." +
                     std::string(name(type)));
  }
  checkShape(statement, transfer, operation, type);
  bool compares = operation == "cas";
  bool hasPolicy = !compares && takeCacheHint(statement, kind);
  size_t address = returns ? 1 : 0;
  statement.end(address + 2 + compares + hasPolicy);
  transfer.swaps = compares || operation == "exch";
  kind.atomBytes = isPair(type) ? 2 : bits(type) / 8;
  kind.bytes = transfer.count * bits(type) / 8;

  std::vector<Slot> slots{takeAddress(statement, address, transfer)};
  if (kind.space != Space::global && kind.space != Space::shared &&
      kind.space != Space::generic) {
    statement.refuse("atomics are for global and shared memory");
  }
  std::vector<Slot> values =
      statement.sources(statement.operand(address + 1), type, transfer.count);
  std::vector<Slot> results;
  if (returns &&
      std::holds_alternative<ptx::Sink>(statement.operand(0).value)) {
    results.assign(transfer.count, statement.temporary(type));
  } else if (returns) {
    results =
        statement.destinations(statement.operand(0), type, transfer.count);
  }
  for (int n = 0; n < transfer.count; ++n) {
    if (returns) {
      slots.push_back(results[n]);
    }
    slots.push_back(values[n]);
    if (compares) {
      slots.push_back(statement.source(address + 2, type));
    }
  }
  if (hasPolicy) {
    checkCachePolicy(statement, address + 2);
  }
  statement.emit(handler, Pipe::lsu, slots, statement.keep(transfer));
}

void decodeAtomic(Statement &statement) { decode(statement, true); }
void decodeReduction(Statement &statement) { decode(statement, false); }

constexpr Opcode atomicsOpcodes[] = {{"atom", decodeAtomic},
                                     {"red", decodeReduction}};

} // namespace

std::span<const Opcode> cheems::emulator::atomics() { return atomicsOpcodes; }
