//===- DramModel.h - Sectors between cache and memory -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_DRAMMODEL_H
#define CHEEMS_EMULATOR_COUNT_DRAMMODEL_H

#include "Traffic.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

/// A second-level cache before memory, simple enough to be the same in every
/// run and to be computed by hand:
///
/// - Blocks run in waves of as many as all multiprocessors hold. The sectors
///   that a wave touches are a set: within it, order and repetition cost
///   nothing.
/// - A sector that the cache does not hold is read from memory, unless the wave
///   writes all of it and reads none.
/// - After each wave the cache keeps what fits. Sectors go by the last wave
///   that touched them, and those of one wave by their address, lower ones
///   first.
/// - A sector that was written goes to memory when it leaves the cache, or when
///   all is written back at the end.
///
/// First-level caches, associativity and compression are not modelled. A wave
/// that touches more than fits is not charged for reading a sector twice.
class DramModel {
public:
  /// Told of each write to memory: the number of the writer (wave's `writer`).
  using Written = std::function<void(size_t writer)>;

  DramModel(uint64_t cacheBytes, Written written)
      : capacity(cacheBytes / sectorBytes), written(std::move(written)) {}

  /// Sectors that the wave makes the memory read.
  uint64_t wave(const std::vector<SectorUse> &sectors, size_t writer);
  /// Writes back what was written. It stays in the cache.
  void writeBack();
  /// The same, and it holds nothing any more.
  void empty();

private:
  struct Held {
    uint64_t lastWave;
    bool isDirty;
    size_t writer;
  };
  struct Wave {
    uint64_t number;
    std::vector<uint64_t> sectors;
    size_t next = 0; ///< the first that may still be held
  };
  void evict();
  void forgetOldTouches();

  const size_t capacity; ///< sectors
  const Written written;
  uint64_t waves = 0;
  std::unordered_map<uint64_t, Held> held;
  std::deque<Wave> byAge;
  size_t listed = 0; ///< sectors in all of byAge
};

} // namespace cheems::emulator

#endif
