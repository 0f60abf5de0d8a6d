// The ids of words merged lately: a fixed number of slots, the newer word
// replacing the older one of its slot.
#ifndef CHEEMS_RUNTIME_TOKENIZER_WORDCACHE_H
#define CHEEMS_RUNTIME_TOKENIZER_WORDCACHE_H

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// Safe to use from several threads.
class WordCache {
public:
  /// Longer words are not kept: with `slotCount` this bounds the memory, to
  /// about 10 MiB.
  static constexpr size_t slotCount = 16384, longestWord = 128;

  /// Appends the word's ids and returns true if they are known.
  bool find(std::string_view word, std::vector<int32_t> &ids) const {
    std::lock_guard<std::mutex> lock(mutex);
    const Slot &slot = slots[slotOf(word)];
    if (slot.ids.empty() || slot.word != word) {
      return false;
    }
    ids.insert(ids.end(), slot.ids.begin(), slot.ids.end());
    return true;
  }

  void store(std::string_view word, const int32_t *ids, size_t count) {
    if (word.size() > longestWord) {
      return;
    }
    std::lock_guard<std::mutex> lock(mutex);
    Slot &slot = slots[slotOf(word)];
    slot.word.assign(word);
    slot.ids.assign(ids, ids + count);
  }

private:
  struct Slot {
    std::string word;
    std::vector<int32_t> ids;
  };
  static size_t slotOf(std::string_view word) {
    return std::hash<std::string_view>()(word) % slotCount;
  }

  mutable std::mutex mutex;
  std::vector<Slot> slots = std::vector<Slot>(slotCount);
};

} // namespace cheems

#endif
