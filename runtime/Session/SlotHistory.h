// Which entries of a slot are still those of an earlier moment.
#ifndef CHEEMS_RUNTIME_SESSION_SLOTHISTORY_H
#define CHEEMS_RUNTIME_SESSION_SLOTHISTORY_H

#include <cstdint>
#include <vector>

namespace cheems {

/// While a sequence only grows, an entry that was written stays as it is
/// (docs/abi.md, "State pools"). What is after a place that a sequence went
/// back to may be overwritten from then on.
class SlotHistory {
public:
  /// More are rare: a sequence would go back to ever later places.
  SlotHistory() { changes.reserve(16); }

  /// The slot went back to its first `tokens` tokens; 0: or got other ones.
  void wentBack(int32_t tokens) {
    while (!changes.empty() && changes.back().tokens >= tokens) {
      changes.pop_back(); // this change says more
    }
    changes.push_back({++count, tokens});
  }
  /// How often it went back so far.
  uint64_t moment() const { return count; }
  /// Whether the entries of the first `tokens` tokens are those of a `moment`
  /// in which the slot had so many.
  bool keeps(uint64_t moment, int32_t tokens) const {
    if (moment > count) {
      return false;
    }
    for (const Change &change : changes) {
      if (change.number > moment) {
        return change.tokens >= tokens; // later ones went back less far
      }
    }
    return true;
  }

private:
  struct Change {
    uint64_t number;
    int32_t tokens;
  };
  std::vector<Change> changes; ///< ascending in both
  uint64_t count = 0;
};

} // namespace cheems

#endif
