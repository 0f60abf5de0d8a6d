// Sets of code points, as character classes name them.
#ifndef CHEEMS_RUNTIME_GRAMMAR_CHARACTERSET_H
#define CHEEMS_RUNTIME_GRAMMAR_CHARACTERSET_H

#include <cstdint>
#include <utility>
#include <vector>

namespace cheems::grammar {

/// Ranges in order that do not touch. Surrogates are no characters: they are
/// never in a set.
class CharacterSet {
public:
  static constexpr uint32_t last = 0x10FFFF;

  CharacterSet() = default;
  /// All from `first` to `final`.
  CharacterSet(uint32_t first, uint32_t final) { add(first, final); }
  static CharacterSet any() { return {0, last}; }

  void add(uint32_t first, uint32_t final);
  void add(const CharacterSet &other);
  void remove(uint32_t first, uint32_t final);
  CharacterSet negated() const;
  CharacterSet intersected(const CharacterSet &other) const;

  bool empty() const { return ranges.empty(); }
  bool contains(uint32_t character) const;
  const std::vector<std::pair<uint32_t, uint32_t>> &all() const {
    return ranges;
  }
  bool operator<(const CharacterSet &other) const {
    return ranges < other.ranges;
  }
  bool operator==(const CharacterSet &other) const {
    return ranges == other.ranges;
  }

private:
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
};

} // namespace cheems::grammar

#endif
