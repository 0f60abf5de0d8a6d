//===- Store.cpp - st -----------------------------------------------------===//
#include "Families.h"
#include "Lanes.h"
#include "Lanes/Multiversion.h"
#include "Machine/Block.h"
#include "Shape.h"

#include <cstdint>
#include <type_traits>
#include <vector>

CHEEMS_LANES_BEGIN
namespace {

/// PTX ISA, "Operand Size Exceeding Instruction-Type Size": of a wider register
/// the low bits are stored.
template <typename M, typename R> [[gnu::always_inline]] inline M narrow(R r) {
  if constexpr (std::is_same_v<R, M>) {
    return r;
  } else if constexpr (std::is_same_v<R, Wide>) {
    return static_cast<M>(r.low);
  } else {
    return static_cast<M>(r);
  }
}

/// Element n of lane l gets to (l * N + n) * sizeof(M).
template <typename M, typename R, int N>
[[gnu::always_inline]] inline void gather(std::byte *to,
                                          const R *const (&from)[N]) {
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    for (int n = 0; n < N; ++n) {
      storeTo(to + (lane * N + n) * sizeof(M), narrow<M>(from[n][lane]));
    }
  }
}

/// slots: base, N registers. Where lanes write the same byte the highest lane
/// wins; the ISA leaves it open.
template <typename M, typename R, int N>
Step store(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Transfer &transfer = instruction.as<Transfer>();
  alignas(64) uint64_t addresses[warpLanes];
  LanePointers to;
  laneAddresses(warp, instruction.slots[0], transfer, addresses);
  access(warp, instruction, transfer.kind, addresses, active, to);
  const R *from[N];
  for (int n = 0; n < N; ++n) {
    from[n] = warp.source<R>(instruction.slots[1 + n]);
  }
  if (to.contiguous) {
    gather<M, R, N>(to.of[0], from);
  } else if (N > 1 && active == allLanes) {
    alignas(64) std::byte all[warpLanes * N * sizeof(M)];
    gather<M, R, N>(all, from);
    for (int lane = 0; lane < warpLanes; ++lane) {
      __builtin_memcpy(to.of[lane], all + lane * N * sizeof(M), N * sizeof(M));
    }
  } else {
    forLanes(active, [&](int lane) {
      for (int n = 0; n < N; ++n) {
        storeTo(to.of[lane] + n * sizeof(M), narrow<M>(from[n][lane]));
      }
    });
  }
  return Step::next;
}

template <typename M, typename R> Handler handlerOf(int vector) {
  if (vector == 1) {
    return store<M, R, 1>;
  }
  if constexpr (sizeof(M) <= 8) {
    if (vector == 2) {
      return store<M, R, 2>;
    }
  }
  if constexpr (sizeof(M) <= 4) {
    if (vector == 4) {
      return store<M, R, 4>;
    }
  }
  return nullptr;
}

template <typename M> Handler handlerOf(int registerBits, int vector) {
  if constexpr (sizeof(M) <= 2) {
    if (registerBits == 16) {
      return handlerOf<M, uint16_t>(vector);
    }
  }
  if constexpr (sizeof(M) <= 4) {
    if (registerBits == 32) {
      return handlerOf<M, uint32_t>(vector);
    }
  }
  if constexpr (sizeof(M) <= 8) {
    if (registerBits == 64) {
      return handlerOf<M, uint64_t>(vector);
    }
  }
  return handlerOf<M, Wide>(vector);
}

Handler handlerOf(const TransferShape &shape) {
  switch (bits(shape.type)) {
  case 8:
    return handlerOf<uint8_t>(shape.registerBits, shape.vector);
  case 16:
    return handlerOf<uint16_t>(shape.registerBits, shape.vector);
  case 32:
    return handlerOf<uint32_t>(shape.registerBits, shape.vector);
  case 64:
    return handlerOf<uint64_t>(shape.registerBits, shape.vector);
  default:
    return handlerOf<Wide>(shape.registerBits, shape.vector);
  }
}

/// PTX ISA, "Data Movement and Conversion Instructions: st"
void decodeStore(Statement &statement) {
  Transfer transfer;
  AccessKind &kind = transfer.kind;
  kind.effect = Effect::store;
  kind.space = takeSpace(statement, {"global", "local", "param", "shared"});
  takeOrder(statement, Semantics::release, kind);
  takeCacheOperators(statement, kind, {"wb", "cg", "cs", "wt"});
  bool hasPolicy = takeCacheHint(statement, kind);
  TransferShape shape = takeStored(statement, hasPolicy);
  kind.bytes = shape.vector * bits(shape.type) / 8;
  std::vector<Slot> slots{takeAddress(statement, 0, transfer)};
  slots.insert(slots.end(), shape.registers.begin(), shape.registers.end());
  if (hasPolicy) {
    checkCachePolicy(statement, 2);
  }
  if (kind.space == Space::parameter) {
    statement.refuse("a parameter of the kernel is only read");
  }
  if (kind.space == Space::constant) {
    statement.refuse("constant memory is only read");
  }
  statement.emit(handlerOf(shape), Pipe::lsu, slots, statement.keep(transfer));
}

/// PTX ISA, "st.bulk": needs sm_100.
void decodeBulk(Statement &statement) { statement.refuse("it needs sm_100"); }

constexpr Opcode storesOpcodes[] = {{"st", decodeStore},
                                    {"st", decodeBulk, "bulk"}};

} // namespace

std::span<const Opcode> stores() { return storesOpcodes; }
CHEEMS_LANES_END
