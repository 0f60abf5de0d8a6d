// The state of every sequence: one pool per kind, with one contiguous block per
// slot. Only compiled code looks inside; where the pools lie its target says.
#ifndef CHEEMS_RUNTIME_STATE_STATEPOOLS_H
#define CHEEMS_RUNTIME_STATE_STATEPOOLS_H

#include "runtime/Artifact/Metadata.h"
#include <algorithm>
#include <array>
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
  virtual ~StatePools() = default;
  StatePools(const StatePools &) = delete;
  StatePools &operator=(const StatePools &) = delete;

  /// Bytes of all pools together.
  int64_t bytes() const { return total; }
  /// What they would be. Throws Error when that does not fit in 63 bits.
  static int64_t bytesOf(const Metadata &metadata, int64_t slots,
                         const PoolSizes &sizes);
  /// Entries per head and slot.
  int64_t entryLimit() const { return sizes.capacity; }
  const PoolSizes &poolSizes() const { return sizes; }

  /// Bytes of what the first `entries` of every capacity extent hold, of rings
  /// the last of so many rows that a sequence needs, and of extents without one
  /// whole: what all below is about. A ring's rows come in their order, so that
  /// a ring of another size takes them.
  int64_t usedBytes(int64_t entries) const;
  /// The sizes of its consecutive pieces in a slot, in the order of the
  /// artefact's pools. `counts`: the piece is of a pool of numbers of entries.
  void
  pieces(int64_t entries,
         const std::function<void(int64_t size, bool counts)> &visitor) const;
  /// The same bytes, to be read and to be written. Pieces may come in several
  /// parts, each of whole numbers. Where a GPU fails, Error, and after a
  /// `fill` the slot holds anything; what the visitor throws is passed on.
  using Reader =
      std::function<void(const char *bytes, int64_t size, bool counts)>;
  using Writer = std::function<void(char *bytes, int64_t size, bool counts)>;
  virtual void read(int64_t slot, int64_t entries,
                    const Reader &reader) const = 0;
  virtual void fill(int64_t slot, int64_t entries, const Writer &writer) = 0;

  void save(int64_t slot, int64_t entries, SlotCopy &copy) const;
  /// Whether a copy came from pools of this shape and fits.
  bool takes(const SlotCopy &copy) const;
  /// Throws Error (usage) for a copy that they do not take.
  void restore(int64_t slot, const SlotCopy &copy);
  virtual void copy(int64_t from, int64_t to, int64_t entries) = 0;
  /// What the slot held is lost; its memory goes back to the system where that
  /// can be.
  virtual void release(int64_t slot) = 0;

protected:
  /// Throws Error when the sizes do not fit in 63 bits.
  StatePools(const Metadata &metadata, int64_t slots, const PoolSizes &sizes);

  /// Bytes of a run.
  struct Part {
    int64_t offset, size;
  };
  /// A slot's block as `runs` runs, `stride` bytes apart, of which `entry`
  /// bytes of each stored entry are in use.
  struct Kind {
    int64_t slotBytes, runs, stride, entry, poolBytes;
    bool hasCapacity, counts;
    int64_t ringRows; ///< that a sequence needs of a ring; 0: it is none
    int64_t used(int64_t entries) const {
      return !hasCapacity    ? stride
             : ringRows == 0 ? entry * entries
                             : entry * std::min(entries, ringRows);
    }
    /// Says where these are, in their order. The second part of a ring is at
    /// its beginning, and may be empty.
    std::array<Part, 2> parts(int64_t entries) const;
  };
  const std::vector<Kind> &kinds() const { return layout; }
  /// What the memory is for, and what to do where it is short.
  const std::string &purpose() const { return what; }

private:
  std::vector<Kind> layout;
  PoolSizes sizes;
  int64_t total;
  std::string what;
};

} // namespace cheems

#endif
