//===- Addresses.h - Address operands of asynchronous copies ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_ADDRESSES_H
#define CHEEMS_EMULATOR_ASYNCCOPY_ADDRESSES_H

#include "AddressSpaces/Spaces.h"
#include "Decode/Family.h"
#include "Machine/Warp.h"

#include <cstdint>

namespace cheems::emulator {

class Block;

/// What a payload keeps of a DecodedAddress; its base is one of the slots.
struct AddressOperand {
  int64_t offset = 0;
  bool wide = false;
  Space space = Space::generic;

  AddressOperand() = default;
  explicit AddressOperand(const DecodedAddress &decoded)
      : offset(decoded.offset), wide(decoded.wide), space(decoded.space) {}

  /// 32-bit addresses wrap around (PTX ISA, "Addresses as Operands").
  uint64_t of(const Warp &warp, Slot base, int lane) const {
    return wide
               ? warp.source<uint64_t>(base)[lane] + uint64_t(offset)
               : uint32_t(warp.source<uint32_t>(base)[lane] + uint32_t(offset));
  }

  /// Computes the addresses of all lanes; those of inactive lanes mean nothing.
  void ofAll(const Warp &warp, Slot base, uint64_t *addresses) const {
    for (int lane = 0; lane < warpLanes; ++lane) {
      addresses[lane] = of(warp, base, lane);
    }
  }
};

/// A byte of the shared memory of a block.
struct SharedPlace {
  Block *owner;
  uint32_t offset;
};

/// Which blocks an operand may name.
enum class Reach : uint8_t {
  block,   ///< .shared::cta
  cluster, ///< .shared::cluster
};

/// Resolves a shared or generic address. Throws Finding if it is no address of
/// shared memory, of a block out of reach, or of one that has exited, or if
/// `bytes` after it are not all there, or it is not a multiple of
/// `alignment`.
SharedPlace sharedPlace(Warp &warp, const Instruction &instruction, int lane,
                        Space space, uint64_t address, Reach reach,
                        uint64_t bytes, uint32_t alignment);

/// The address of global memory that a global or generic operand means. Throws
/// Finding if it has another space or is not a multiple of `alignment`. Bounds
/// are checked where the bytes are accessed.
uint64_t globalPlace(Warp &warp, const Instruction &instruction, int lane,
                     uint64_t address, uint32_t alignment);

} // namespace cheems::emulator

#endif
