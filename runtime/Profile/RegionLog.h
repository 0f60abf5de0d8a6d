// What each thread did in the parallel regions of a step, for a profile.
#ifndef CHEEMS_RUNTIME_PROFILE_REGIONLOG_H
#define CHEEMS_RUNTIME_PROFILE_REGIONLOG_H

#include <cstddef>
#include <cstdint>
#include <vector>
#include <x86intrin.h>

namespace cheems {

/// What compiled code stores at its marks; not read before what comes before
/// it is done, so what one thread causes in another has the later count.
inline uint64_t cycleCount() {
  _mm_lfence();
  return __rdtsc();
}

/// One range of a region; times are cycle counts, as compiled code reads them.
struct RegionRecord {
  const char *name; ///< null, or a text of the code
  uint64_t begin, end;
  int64_t first, last; ///< iterations [first, last)
  int thread;          ///< that ran it; 0 is the caller
};

/// Filled by the thread pool, emptied between steps. A range has one writer at
/// a time, so each has a list of its own, with all the room it will ever have.
class RegionLog {
public:
  RegionLog(int ranges, size_t most) : lists(ranges) {
    for (List &list : lists) {
      list.records.reserve(most);
    }
  }

  void add(int range, const RegionRecord &record) noexcept {
    List &list = lists[range];
    if (list.records.size() < list.records.capacity()) {
      list.records.push_back(record);
    } else {
      ++list.dropped;
    }
  }

  /// Hands each record to `receive` and forgets them; returns how many found
  /// no room.
  template <typename Receive> int64_t drain(Receive receive) {
    int64_t dropped = 0;
    for (List &list : lists) {
      for (const RegionRecord &record : list.records) {
        receive(record);
      }
      list.records.clear();
      dropped += list.dropped;
      list.dropped = 0;
    }
    return dropped;
  }

private:
  struct alignas(64) List {
    std::vector<RegionRecord> records;
    int64_t dropped = 0;
  };
  std::vector<List> lists;
};

} // namespace cheems

#endif
