//===- Access.h - The one entry to memory -----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ADDRESSSPACES_ACCESS_H
#define CHEEMS_EMULATOR_ADDRESSSPACES_ACCESS_H

#include "Decode/Instruction.h"
#include "Spaces.h"

#include <cstddef>
#include <cstdint>

namespace cheems::emulator {

class Block;
class Warp;

enum class Effect : uint8_t {
  load,
  store,
  atomic,    ///< reads and writes as one
  reduction, ///< an atomic whose old value nobody gets
};

/// PTX ISA, "Memory Consistency Model".
enum class Semantics : uint8_t {
  weak,
  isVolatile, ///< relaxed at system scope, and in order with other volatiles
  relaxed,
  acquire,
  release,
  acquireRelease,
  sequential, ///< fence.sc
};
enum class Scope : uint8_t { none, block, cluster, gpu, system };

/// The path that an access takes to memory.
enum class Proxy : uint8_t { generic, async, tensorMap };

/// What an instruction does to memory, which is known when it is decoded.
struct AccessKind {
  Effect effect = Effect::load;
  Semantics semantics = Semantics::weak;
  Scope scope = Scope::none;
  Proxy proxy = Proxy::generic;
  Space space = Space::generic;
  /// ld.global.nc: through the non-coherent cache
  bool nonCoherent = false;
  uint16_t bytes = 4; ///< per lane: of all elements of a vector
  /// An atomic's operation on one element; a vector has more than one.
  uint16_t atomBytes = 0;
  /// A part of cp.async: it belongs to operation Block::asyncOperations, and is
  /// done when its thread has waited for that (Observer.h).
  bool asynchronous = false;

  bool reads() const { return effect != Effect::store; }
  bool writes() const { return effect != Effect::load; }
  bool isAtomic() const {
    return effect == Effect::atomic || effect == Effect::reduction;
  }
};

/// One access of a warp, resolved and checked.
struct Access {
  const AccessKind &kind;
  const Instruction &instruction;
  Space space;    ///< never generic; lanes of other spaces are another Access
  LaneMask lanes; ///< only these elements of the arrays count
  /// Global and constant: device addresses. Shared: offsets in the memory of
  /// `owner`. Local: offsets in a thread's.
  const uint64_t *addresses;
  /// Lane l's address is lane 0's plus l times kind.bytes, and all lanes act.
  bool contiguous;
  Block *owner; ///< of shared memory: the warp's block or a cluster peer
};

/// Points to the bytes of each lane in the host's memory.
struct LanePointers {
  std::byte *of[warpLanes];
  /// of[l] is of[0] + l * bytes for all 32 lanes: a handler may copy at once.
  bool contiguous;
};

/// The one entry of the warp's ordinary accesses. Finds the space of generic
/// addresses; checks alignment, bounds, use after free and that what is read
/// was written; marks what is written as initialised; and tells the observers.
/// Then the handler moves the bytes. Throws Finding.
void access(Warp &warp, const Instruction &instruction, const AccessKind &kind,
            const uint64_t *addresses, LaneMask active, LanePointers &pointers);

/// What asynchronous units use, which belong to no lane: the bytes of a range
/// of one space, checked for bounds and states in the same way, but without
/// telling observers. `address` is global, or an offset in `block`'s shared
/// memory.
std::byte *range(Warp &warp, const Instruction &instruction, Space space,
                 Block &block, uint64_t address, uint64_t bytes, bool writes,
                 bool mayBeUninitialised = false);

} // namespace cheems::emulator

#endif
