//===- Suspects.h - Bytes that two threads write without order --*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_SUSPECTS_H
#define CHEEMS_EMULATOR_CHECK_SUSPECTS_H

#include "Geometry.h"
#include "Shadow.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cheems::emulator {

/// A second write without order is a race, unless it leaves the values as they
/// are. Checkers are told before bytes move, so that shows at the next event.
class Suspects {
public:
  struct Writer {
    uint32_t warp; ///< of the grid
    int lane;
    uint32_t instruction;
  };

  Suspects(const Geometry &geometry, std::atomic<uint64_t> &sameValues)
      : geometry(geometry), sameValues(sameValues) {}

  /// At most a granule of global memory. `memory`: where the bytes are in the
  /// host's memory.
  void add(const std::byte *memory, unsigned bytes, uint64_t address,
           const Writer &first, const Writer &second);
  bool any() const { return !all.empty(); }
  /// The bytes have moved. Throws Finding.
  void settle();

private:
  struct Suspect {
    const std::byte *memory;
    unsigned bytes;
    uint64_t address;
    Writer first, second;
    std::array<std::byte, Shadow::globalGranule> before;
  };

  const Geometry &geometry;
  std::atomic<uint64_t> &sameValues;
  std::vector<Suspect> all;
};

} // namespace cheems::emulator

#endif
