// The state of every sequence: one pool a kind, one contiguous block a slot in
// each. Only compiled code looks inside.
#ifndef CHEEMS_RUNTIME_STATE_STATEPOOLS_H
#define CHEEMS_RUNTIME_STATE_STATEPOOLS_H

#include "runtime/Artifact/Metadata.h"
#include "runtime/State/Memory.h"
#include <vector>

namespace cheems {

/// A copy of one slot; restorable into any slot of pools with the same
/// capacity.
struct SlotCopy {
  int64_t entries = 0; ///< of each capacity extent that were copied
  int64_t capacity = 0;
  std::vector<char> bytes;
};

class StatePools {
public:
  /// `capacity`: entries a head and slot. Throws Error naming the bytes when
  /// they cannot be had.
  StatePools(const Metadata &metadata, int64_t slots, int64_t capacity);

  /// One 64-byte aligned base a kind, in the artefact's order.
  void *const *bases() const { return pools.data(); }
  /// Bytes of all pools together.
  int64_t bytes() const { return memory.bytes(); }

  /// Copies what the first `entries` of every capacity extent hold, and extents
  /// without one whole.
  void save(int64_t slot, int64_t entries, SlotCopy &copy) const;
  /// Throws Error when the copy came from pools of another shape.
  void restore(int64_t slot, const SlotCopy &copy);

private:
  /// A slot's block as `runs` runs, `stride` bytes apart, of which `entry *
  /// entries` bytes are in use.
  struct Kind {
    int64_t slotBytes, runs, stride, entry;
    bool hasCapacity;
    int64_t used(int64_t entries) const {
      return hasCapacity ? entry * entries : stride;
    }
  };
  static int64_t totalBytes(const Metadata &metadata, int64_t slots,
                            int64_t capacity);
  int64_t copyBytes(int64_t entries) const;

  std::vector<Kind> kinds;
  int64_t capacity;
  Memory memory;
  std::vector<void *> pools;
};

} // namespace cheems

#endif
