//===- AsyncReads.h - Shared memory that units still read -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_ASYNCREADS_H
#define CHEEMS_EMULATOR_CHECK_ASYNCREADS_H

#include "Clocks.h"
#include "Shadow.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace cheems::emulator {

/// Reads by asynchronous operations: bulk stores, and wgmma. Such a read comes
/// before something else if that comes after a wait of the thread or warpgroup
/// that asked for the read. An asker waits for its operations in the order of
/// asking, so only its newest read of an address counts. Operands are aligned
/// to 16 bytes, so memory is remembered by as many.
class AsyncReads {
public:
  struct Read {
    uint32_t asker;
    uint64_t operation;
    uint32_t thread, instruction; ///< that asked for it
  };

  /// `blocks` of a cluster, by rank.
  explicit AsyncReads(size_t blocks) : granules(blocks) {}

  /// An operation has been asked for. `add` says what it reads.
  void start(const Read &read);
  void add(size_t rank, uint64_t offset, uint64_t bytes) {
    std::vector<uint32_t> &of = granules[rank];
    const uint64_t end =
        (offset + bytes + Shadow::granule - 1) / Shadow::granule;
    if (of.size() < end) {
      of.resize(end);
    }
    for (uint64_t at = offset / Shadow::granule; at < end; ++at) {
      if (of[at] != lastBefore) {
        replace(of[at]);
      }
      of[at] = lastAfter;
    }
  }
  /// Whether there may be any in a block.
  bool any(size_t rank) const { return !granules[rank].empty(); }
  /// Whole granules are written anew, so earlier reads matter no more.
  void forget(size_t rank, uint64_t offset, uint64_t bytes);

  /// `lanes` of the warp whose lane 0 is `firstThread` have waited for the
  /// asker's operations up to `last`.
  void end(uint32_t asker, uint64_t last, uint32_t firstThread, LaneMask lanes,
           const Clocks &clocks);
  /// An operation has signalled its end to an mbarrier, so nobody waits for it:
  /// while it reads, whoever runs it watches its bytes.
  void signal(uint32_t asker, uint64_t operation);

  struct Unordered {
    const Read *read;
    bool isWaitedFor; ///< but not by the thread or one that it knows of
  };
  /// A read of a granule that does not come before what the thread does now.
  /// `serial` is that of what it knows.
  std::optional<Unordered> unordered(size_t rank, uint64_t offset,
                                     const Clocks &clocks, uint32_t thread,
                                     uint64_t serial) {
    const uint64_t at = offset / Shadow::granule;
    if (at >= granules[rank].size() || granules[rank][at] == 0) {
      return std::nullopt;
    }
    // Many granules have the same set. What is ordered stays so.
    Set &set = sets[granules[rank][at] - 1];
    if (set.orderedThread == thread && set.orderedSerial == serial) {
      return std::nullopt;
    }
    auto found = unorderedOf(set.reads, clocks, thread);
    if (!found) {
      set.orderedThread = thread;
      set.orderedSerial = serial;
    }
    return found;
  }

private:
  struct Wait {
    uint64_t last;
    LaneMask lanes;
    std::array<Clock, warpLanes> clocks;
  };
  struct Asker {
    /// The key is lane 0 of a warp that has waited; its oldest wait comes
    /// first.
    std::map<uint32_t, std::deque<Wait>> waits;
    uint64_t forgotten = 0; ///< up to this one all is taken for ordered
    std::vector<uint64_t> operations; ///< that read
    std::set<uint64_t> signalled;
  };

  struct Set {
    std::vector<Read> reads;
    /// All of them come before this thread with this knowledge, 0: nobody's.
    uint32_t orderedThread = 0;
    uint64_t orderedSerial = 0;
  };

  /// Finds `lastAfter`, the set that has one read more than `set`.
  void replace(uint32_t set);
  std::optional<Unordered> unorderedOf(const std::vector<Read> &reads,
                                       const Clocks &clocks,
                                       uint32_t thread) const;

  std::map<uint32_t, Asker> askers;
  /// The first index is a block's rank, the second a granule. The value is the
  /// number of the granule's set, or 0. Many granules have the same set.
  std::vector<std::vector<uint32_t>> granules;
  std::vector<Set> sets; ///< counted from 1
  Read newest = {};
  /// Which sets took the place of which ones for the newest read.
  std::map<uint32_t, uint32_t> replaced;
  uint32_t lastBefore = 0, lastAfter = 0;
};

} // namespace cheems::emulator

#endif
