//===- Lanes.h - Addresses and bytes of the lanes ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LOADSTORE_LANES_H
#define CHEEMS_EMULATOR_LOADSTORE_LANES_H

#include "Lanes/Loop.h"
#include "Modifiers.h"

#include <cstddef>
#include <cstdint>

namespace cheems::emulator {

/// The value of a .b128 register.
struct Wide {
  uint64_t low, high;

  bool operator==(const Wide &other) const = default;
};

/// Memory has no alignment that the host knows of: local memory of a thread
/// begins anywhere.
template <typename T>
[[gnu::always_inline]] inline T loadFrom(const std::byte *from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T>
[[gnu::always_inline]] inline void storeTo(std::byte *to, T value) {
  __builtin_memcpy(to, &value, sizeof(T));
}

/// Computes where each lane's access begins. 32-bit addresses wrap around (PTX
/// ISA, "Addresses as Operands").
[[gnu::always_inline]] inline void laneAddresses(const Warp &warp, Slot base,
                                                 const Transfer &transfer,
                                                 uint64_t *addresses) {
  if (transfer.wide) {
    const uint64_t *bases = warp.source<uint64_t>(base);
    CHEEMS_LANES_LOOP
    for (int lane = 0; lane < warpLanes; ++lane) {
      addresses[lane] = bases[lane] + uint64_t(transfer.offset);
    }
  } else {
    const uint32_t *bases = warp.source<uint32_t>(base);
    CHEEMS_LANES_LOOP
    for (int lane = 0; lane < warpLanes; ++lane) {
      addresses[lane] = uint32_t(bases[lane] + uint32_t(transfer.offset));
    }
  }
}

} // namespace cheems::emulator

#endif
