//===- Traffic.h - Sectors of global memory that were touched ---*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_TRAFFIC_H
#define CHEEMS_EMULATOR_COUNT_TRAFFIC_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cheems::emulator {

/// What caches and memory move at once.
constexpr uint64_t sectorBytes = 32;

/// A bit a byte.
struct SectorUse {
  uint64_t sector; ///< address / sectorBytes
  uint32_t read = 0, written = 0;
};

/// A set of sectors. It grows by ranges and is put in order now and then.
class Traffic {
public:
  void read(uint64_t address, uint64_t bytes) { add(address, bytes, true); }
  void write(uint64_t address, uint64_t bytes) { add(address, bytes, false); }
  void merge(Traffic &other);

  /// Ascending, each sector once.
  const std::vector<SectorUse> &sectors();

private:
  void add(uint64_t address, uint64_t bytes, bool reads);
  void compact();

  std::vector<SectorUse> uses;
  size_t ordered = 0; ///< so many in front are in order, each once
};

} // namespace cheems::emulator

#endif
