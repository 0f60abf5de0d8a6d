// Which two adjacent tokens merge, in what order, and into what: an
// open-addressing hash table, read-only once built.
#ifndef CHEEMS_RUNTIME_TOKENIZER_MERGETABLE_H
#define CHEEMS_RUNTIME_TOKENIZER_MERGETABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cheems {

struct Merge {
  uint32_t rank; ///< lower merges first
  int32_t id;    ///< what the pair becomes
};

class MergeTable {
public:
  /// Room for `count` pairs.
  explicit MergeTable(size_t count) {
    size_t capacity = 16;
    while (capacity < 2 * count) {
      capacity *= 2;
    }
    slots.resize(capacity);
  }

  /// A pair inserted twice keeps the later merge.
  void insert(int32_t left, int32_t right, Merge merge) {
    Slot &slot = slots[locate(left, right)];
    slot = {left, right, merge};
  }

  const Merge *find(int32_t left, int32_t right) const {
    const Slot &slot = slots[locate(left, right)];
    return slot.left < 0 ? nullptr : &slot.merge;
  }

private:
  struct Slot {
    int32_t left = -1, right = -1;
    Merge merge = {0, 0};
  };

  /// The slot of the pair, or the free one where it would go.
  size_t locate(int32_t left, int32_t right) const {
    uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
                   static_cast<uint32_t>(right);
    key *= 0x9E3779B97F4A7C15u;
    size_t mask = slots.size() - 1;
    size_t index = static_cast<size_t>(key >> 32) & mask;
    while (slots[index].left >= 0 &&
           (slots[index].left != left || slots[index].right != right)) {
      index = (index + 1) & mask;
    }
    return index;
  }

  std::vector<Slot> slots;
};

} // namespace cheems

#endif
