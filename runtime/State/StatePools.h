// The state of every sequence: one pool per kind, with one contiguous block per
// slot. Only compiled code looks inside.
#ifndef CHEEMS_RUNTIME_STATE_STATEPOOLS_H
#define CHEEMS_RUNTIME_STATE_STATEPOOLS_H

#include "runtime/Artifact/Metadata.h"
#include "runtime/State/Memory.h"
#include <deque>
#include <functional>
#include <vector>

namespace cheems {

/// A copy of one slot; restorable into any slot of pools of the same model.
struct SlotCopy {
  int64_t entries = 0; ///< of each capacity extent that were copied
  std::vector<char> bytes;
};

class StatePools {
public:
  /// `capacity`: entries per head and slot. Throws Error naming the bytes when
  /// they cannot be had.
  StatePools(const Metadata &metadata, int64_t slots, int64_t capacity);

  /// One 64-byte aligned base per kind, in the artefact's order.
  void *const *bases() const { return pools.data(); }
  /// Bytes of all pools together.
  int64_t bytes() const { return total; }
  /// Entries per head and slot.
  int64_t entryLimit() const { return capacity; }

  /// Bytes of what the first `entries` of every capacity extent hold, and of
  /// extents without one whole: what all below is about.
  int64_t usedBytes(int64_t entries) const;
  /// Its consecutive pieces in a slot, in the order of the artefact's pools.
  /// `counts`: the piece is of a pool of numbers of entries.
  using Visitor = std::function<void(char *bytes, int64_t size, bool counts)>;
  void visit(int64_t slot, int64_t entries, const Visitor &visitor) const;

  void save(int64_t slot, int64_t entries, SlotCopy &copy) const;
  /// Throws Error when the copy came from pools of another shape.
  void restore(int64_t slot, const SlotCopy &copy);
  void copy(int64_t from, int64_t to, int64_t entries);
  /// Gives the slot's memory back to the kernel; what it held is lost.
  void release(int64_t slot);

private:
  /// A slot's block as `runs` runs, `stride` bytes apart, of which `entry *
  /// entries` bytes are in use.
  struct Kind {
    int64_t slotBytes, runs, stride, entry;
    bool hasCapacity, counts;
    int64_t used(int64_t entries) const {
      return hasCapacity ? entry * entries : stride;
    }
  };
  static int64_t totalBytes(const Metadata &metadata, int64_t slots,
                            int64_t capacity);

  std::vector<Kind> kinds;
  int64_t capacity, total;
  std::deque<Memory> memory; ///< one per pool, in place
  std::vector<void *> pools;
};

} // namespace cheems

#endif
