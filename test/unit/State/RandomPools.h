// Pools of every kind a model may have, with known bytes in them.
#ifndef CHEEMS_TEST_UNIT_STATE_RANDOMPOOLS_H
#define CHEEMS_TEST_UNIT_STATE_RANDOMPOOLS_H

#include "runtime/Error.h"
#include "runtime/State/HostPools.h"
#include <cstring>
#include <random>
#include <string>

namespace cheems::test {

/// Keys of two layers and heads, a running state, counts.
inline Metadata everyKind() {
  constexpr int64_t capacity = StateKind::capacityExtent;
  Metadata data;
  data.weights = "f32";
  data.state = {{"keys", PoolRole::keys, "bf16", 2, {2, 2, capacity, 3}},
                {"mask", PoolRole::masks, "f32", 4, {2, capacity}},
                {"running", PoolRole::running, "f32", 4, {2, 3, 2}},
                {"counts", PoolRole::counts, "i32", 4, {2, 2}}};
  return data;
}

/// Random bytes everywhere, but counts of 0 and 1.
inline void fill(StatePools &pools, int64_t slots, uint32_t seed) {
  std::mt19937 generator(seed);
  for (int64_t slot = 0; slot < slots; ++slot) {
    pools.fill(slot, pools.entryLimit(),
               [&](char *bytes, int64_t size, bool counts) {
                 for (int64_t i = 0; i < size; ++i) {
                   bytes[i] = counts ? (i % 4 == 0 ? generator() % 2 : 0)
                                     : static_cast<char>(generator());
                 }
               });
  }
}

/// What a sequence with so many entries has in the slot.
inline std::string used(const StatePools &pools, int64_t slot,
                        int64_t entries) {
  std::string bytes;
  pools.read(slot, entries, [&](const char *piece, int64_t size, bool) {
    bytes.append(piece, static_cast<size_t>(size));
  });
  return bytes;
}

} // namespace cheems::test

#endif
