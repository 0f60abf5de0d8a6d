//===- AsyncReads.cpp - Shared memory that units still read --------------===//
#include "AsyncReads.h"

#include "Lanes/Loop.h"

#include <algorithm>
#include <bit>
#include <iterator>

using namespace cheems::emulator;

namespace {

/// So many waits of each warp are kept. Reads that ended with an older one are
/// taken for ordered.
constexpr size_t mostWaits = 4096;

} // namespace

void AsyncReads::start(const Read &read) {
  if (newest.asker == read.asker && newest.operation == read.operation) {
    return; // of its other operand
  }
  newest = read;
  askers[read.asker].operations.push_back(read.operation);
  replaced.clear();
  lastBefore = 0;
  replace(lastBefore);
}

void AsyncReads::replace(uint32_t set) {
  uint32_t &known = replaced[set];
  if (known == 0) {
    std::vector<Read> reads;
    if (set != 0) {
      std::copy_if(sets[set - 1].reads.begin(), sets[set - 1].reads.end(),
                   std::back_inserter(reads), [&](const Read &other) {
                     return other.asker != newest.asker;
                   });
    }
    reads.push_back(newest);
    sets.push_back({std::move(reads)});
    known = static_cast<uint32_t>(sets.size());
    replaced[known] = known;
  }
  lastBefore = set;
  lastAfter = known;
}

void AsyncReads::forget(size_t rank, uint64_t offset, uint64_t bytes) {
  std::vector<uint32_t> &of = granules[rank];
  uint64_t at = (offset + Shadow::granule - 1) / Shadow::granule;
  const uint64_t end =
      std::min<uint64_t>((offset + bytes) / Shadow::granule, of.size());
  for (; at < end; ++at) {
    of[at] = 0;
  }
}

void AsyncReads::end(uint32_t asker, uint64_t last, uint32_t firstThread,
                     LaneMask lanes, const Clocks &clocks) {
  Asker &of = askers[asker];
  std::deque<Wait> &waits = of.waits[firstThread];
  if (!waits.empty() && waits.back().last >= last) {
    return;
  }
  if (waits.size() == mostWaits) {
    of.forgotten = std::max(of.forgotten, waits.front().last);
    waits.pop_front();
  }
  Wait &wait = waits.emplace_back();
  wait.last = last;
  wait.lanes = lanes;
  forLanes(lanes, [&](int lane) {
    wait.clocks[lane] = clocks.now(firstThread + static_cast<uint32_t>(lane));
  });
}

void AsyncReads::signal(uint32_t asker, uint64_t operation) {
  auto found = askers.find(asker);
  if (found == askers.end()) {
    return;
  }
  Asker &of = found->second;
  if (std::binary_search(of.operations.begin(), of.operations.end(),
                         operation)) {
    of.signalled.insert(operation);
  }
}

std::optional<AsyncReads::Unordered>
AsyncReads::unorderedOf(const std::vector<Read> &reads, const Clocks &clocks,
                        uint32_t thread) const {
  for (const Read &read : reads) {
    bool isWaitedFor = false, isOrdered = false;
    const Asker &of = askers.at(read.asker);
    isOrdered =
        read.operation <= of.forgotten || of.signalled.contains(read.operation);
    for (const auto &[first, waits] : of.waits) {
      // The oldest wait for it: who knows of a later one knows of that.
      auto wait = std::lower_bound(
          waits.begin(), waits.end(), read.operation,
          [](const Wait &w, uint64_t operation) { return w.last < operation; });
      if (wait == waits.end()) {
        continue;
      }
      isWaitedFor = true;
      for (LaneMask rest = wait->lanes; rest && !isOrdered; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        isOrdered = clocks.isBefore(first + static_cast<uint32_t>(lane),
                                    wait->clocks[lane], thread);
      }
    }
    if (!isOrdered) {
      return Unordered{&read, isWaitedFor};
    }
  }
  return std::nullopt;
}
