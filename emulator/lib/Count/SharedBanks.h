//===- SharedBanks.h - Turns that shared memory takes -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_SHAREDBANKS_H
#define CHEEMS_EMULATOR_COUNT_SHAREDBANKS_H

#include "Decode/Instruction.h"

#include <cstdint>

namespace cheems::emulator {

struct Wavefronts {
  uint64_t taken = 0; ///< turns of the memory
  uint64_t least = 0; ///< without bank conflicts
};

/// Shared memory has 32 banks of 4-byte words, and a turn reads or writes one
/// word of each; lanes that want the same word share it (CUDA C++ Programming
/// Guide, "Shared Memory"). A turn serves 128 bytes at most, so lanes of 8
/// bytes go in halves of a warp, and those of 16 bytes in quarters.
/// `addresses` are offsets; each lane has `bytes`.
Wavefronts wavefronts(const uint64_t *addresses, LaneMask lanes,
                      unsigned bytes);

} // namespace cheems::emulator

#endif
