//===- Load.cpp - ld and ldu ----------------------------------------------===//
#include "Families.h"
#include "Lanes.h"
#include "Lanes/Multiversion.h"
#include "Machine/Block.h"
#include "Shape.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

CHEEMS_LANES_BEGIN
namespace {

/// PTX ISA, "Operand Size Exceeding Instruction-Type Size": a wider register
/// gets the sign of a signed type, else zeros.
template <typename R, typename M> [[gnu::always_inline]] inline R extend(M m) {
  if constexpr (std::is_same_v<R, M>) {
    return m;
  } else if constexpr (std::is_same_v<R, Wide>) {
    bool negative = std::is_signed_v<M> && m < M(0);
    return {static_cast<uint64_t>(m), negative ? ~uint64_t(0) : 0};
  } else {
    return static_cast<R>(m);
  }
}

/// Element n of lane l is at (l * N + n) * sizeof(M).
template <typename M, typename R, int N>
[[gnu::always_inline]] inline void spread(const std::byte *from,
                                          R *const (&to)[N]) {
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    for (int n = 0; n < N; ++n) {
      to[n][lane] = extend<R>(loadFrom<M>(from + (lane * N + n) * sizeof(M)));
    }
  }
}

/// slots: base, N registers
template <typename M, typename R, int N>
Step load(Warp &warp, const Instruction &instruction, LaneMask active) {
  const Transfer &transfer = instruction.as<Transfer>();
  alignas(64) uint64_t addresses[warpLanes];
  LanePointers from;
  laneAddresses(warp, instruction.slots[0], transfer, addresses);
  access(warp, instruction, transfer.kind, addresses, active, from);
  R *to[N];
  for (int n = 0; n < N; ++n) {
    to[n] = warp.destination<R>(instruction.slots[1 + n]);
  }
  if (from.contiguous) {
    spread<M, R, N>(from.of[0], to);
  } else if (N > 1 && active == allLanes) {
    alignas(64) std::byte all[warpLanes * N * sizeof(M)];
    for (int lane = 0; lane < warpLanes; ++lane) {
      __builtin_memcpy(all + lane * N * sizeof(M), from.of[lane],
                       N * sizeof(M));
    }
    spread<M, R, N>(all, to);
  } else {
    forLanes(active, [&](int lane) {
      for (int n = 0; n < N; ++n) {
        to[n][lane] = extend<R>(loadFrom<M>(from.of[lane] + n * sizeof(M)));
      }
    });
  }
  return Step::next;
}

/// A strong load asks for something that others may change.
template <Handler Load>
Step poll(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.polled();
  return Load(warp, instruction, active);
}

/// A parameter of the kernel by its name: the same for all lanes, and nobody
/// writes it.
template <typename M, typename R, int N>
Step loadParameter(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  const Transfer &transfer = instruction.as<Transfer>();
  alignas(64) uint64_t addresses[warpLanes];
  laneAddresses(warp, instruction.slots[0], transfer, addresses);
  const std::vector<std::byte> &parameters = warp.block.parameters();
  constexpr uint64_t bytes = N * sizeof(M);
  uint64_t address = addresses[0];
  if (address % bytes || address + bytes > parameters.size()) {
    return load<M, R, N>(warp, instruction, active); // which reports it
  }
  for (int n = 0; n < N; ++n) {
    R value =
        extend<R>(loadFrom<M>(parameters.data() + address + n * sizeof(M)));
    R *to = warp.destination<R>(instruction.slots[1 + n]);
    if (active == allLanes) {
      std::fill_n(to, warpLanes, value);
    } else {
      forLanes(active, [&](int lane) { to[lane] = value; });
    }
  }
  return Step::next;
}

enum class Way { plain, polls, parameter };

template <typename M, typename R, int N> Handler handlerOf(Way way) {
  return way == Way::parameter ? loadParameter<M, R, N>
         : way == Way::polls   ? poll<load<M, R, N>>
                               : load<M, R, N>;
}

template <typename M, typename R> Handler handlerOf(int vector, Way way) {
  if (vector == 1) {
    return handlerOf<M, R, 1>(way);
  }
  if constexpr (sizeof(M) <= 8) {
    if (vector == 2) {
      return handlerOf<M, R, 2>(way);
    }
  }
  if constexpr (sizeof(M) <= 4) {
    if (vector == 4) {
      return handlerOf<M, R, 4>(way);
    }
  }
  return nullptr;
}

template <typename M> Handler handlerOf(int registerBits, int vector, Way way) {
  if constexpr (sizeof(M) <= 2) {
    if (registerBits == 16) {
      return handlerOf<M, uint16_t>(vector, way);
    }
  }
  if constexpr (sizeof(M) <= 4) {
    if (registerBits == 32) {
      return handlerOf<M, uint32_t>(vector, way);
    }
  }
  if constexpr (sizeof(M) <= 8) {
    if (registerBits == 64) {
      return handlerOf<M, uint64_t>(vector, way);
    }
  }
  return handlerOf<M, Wide>(vector, way);
}

Handler handlerOf(Type type, int registerBits, int vector, Way way) {
  switch (bits(type)) {
  case 8:
    return isSigned(type) ? handlerOf<int8_t>(registerBits, vector, way)
                          : handlerOf<uint8_t>(registerBits, vector, way);
  case 16:
    return isSigned(type) ? handlerOf<int16_t>(registerBits, vector, way)
                          : handlerOf<uint16_t>(registerBits, vector, way);
  case 32:
    return isSigned(type) ? handlerOf<int32_t>(registerBits, vector, way)
                          : handlerOf<uint32_t>(registerBits, vector, way);
  case 64:
    return isSigned(type) ? handlerOf<int64_t>(registerBits, vector, way)
                          : handlerOf<uint64_t>(registerBits, vector, way);
  default:
    return handlerOf<Wide>(registerBits, vector, way);
  }
}

void decodeRest(Statement &statement, Transfer transfer) {
  bool hasPolicy = takeCacheHint(statement, transfer.kind);
  TransferShape shape = takeLoaded(statement, hasPolicy);
  transfer.kind.bytes = shape.vector * bits(shape.type) / 8;
  std::vector<Slot> slots{takeAddress(statement, 1, transfer)};
  slots.insert(slots.end(), shape.registers.begin(), shape.registers.end());
  if (hasPolicy) {
    checkCachePolicy(statement, 2);
  }
  bool isParameter = transfer.kind.space == Space::parameter &&
                     slots[0].base() == Base::constants;
  Way way = isParameter                                  ? Way::parameter
            : transfer.kind.semantics == Semantics::weak ? Way::plain
                                                         : Way::polls;
  statement.emit(handlerOf(shape.type, shape.registerBits, shape.vector, way),
                 Pipe::lsu, slots, statement.keep(transfer));
}

/// PTX ISA, "Data Movement and Conversion Instructions: ld" and "ld.global.nc"
void decodeLoad(Statement &statement) {
  Transfer transfer;
  AccessKind &kind = transfer.kind;
  kind.space =
      takeSpace(statement, {"global", "const", "local", "param", "shared"});
  kind.nonCoherent = statement.take("nc");
  takeOrder(statement, Semantics::acquire, kind);
  if (!kind.nonCoherent) {
    takeCacheOperators(statement, kind, {"ca", "cg", "cs", "lu", "cv"});
  } else if (kind.space == Space::global && kind.semantics == Semantics::weak) {
    takeCacheOperators(statement, kind, {"ca", "cg", "cs"});
  } else {
    statement.refuse(".nc is for weak loads of .global");
  }
  takePrefetchSize(statement, kind);
  decodeRest(statement, transfer);
}

/// PTX ISA, "Data Movement and Conversion Instructions: ldu": the address is
/// the same for all threads of the warp, or it is only slow.
void decodeUniformLoad(Statement &statement) {
  Transfer transfer;
  transfer.kind.space = takeSpace(statement, {"global"});
  decodeRest(statement, transfer);
}

constexpr Opcode loadsOpcodes[] = {{"ld", decodeLoad},
                                   {"ldu", decodeUniformLoad}};

} // namespace

std::span<const Opcode> loads() { return loadsOpcodes; }
CHEEMS_LANES_END
