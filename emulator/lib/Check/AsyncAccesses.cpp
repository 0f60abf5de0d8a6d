//===- AsyncAccesses.cpp - Asynchronous operations and memory ------------===//
#include "ClusterCheck.h"
#include "Lanes/Loop.h"
#include "Machine/Block.h"

#include <bit>
#include <limits>

using namespace cheems::emulator;

void ClusterCheck::checkAsync(const Toucher &by, const ShadowCell &cell,
                              uint64_t offset, unsigned bytes,
                              LanePattern pattern, bool isFenced,
                              bool isMatmul) {
  Event &event = by.events[cell.write];
  const int lane = pattern.lane;
  const unsigned step = pattern.step(cell.writer.shift);
  for (unsigned byte = 0; byte < bytes; byte += step) {
    const Conflict with = {cell.write, cell.writer.of(byte), byte};
    if (unordered(by, event, lane) >> with.lane & 1) {
      race("an asynchronous operation touches what another thread writes, "
           "without order between them",
           by, lane, offset, with);
    }
    if (isFenced && !event.isUnit &&
        unordered(by, event, lane, true) >> with.lane & 1) {
      // CuTe's tutorial kernels hand what cp.async has copied to wgmma so, and
      // GPUs compute what is meant.
      const bool isWarning = isMatmul && event.isCopy;
      const auto lines =
          std::make_pair(program.index(by.instruction), event.instruction);
      if (isWarning && lines == lastWarned) {
        continue;
      }
      const Finding finding(
          "missing-proxy-fence",
          "the async proxy touches what the generic proxy has written, without "
          "fence.proxy.async between them",
          by.warp.place(by.instruction, lane), addressOf(by, offset + byte),
          placeOf(by, with));
      if (!isWarning) {
        throw Finding(finding);
      }
      by.warp.block.warn(finding);
      lastWarned = lines;
    }
  }
}

void ClusterCheck::writeAsync(const Toucher &by, ShadowCell &cell,
                              uint64_t offset, unsigned bytes,
                              LanePattern pattern) {
  if (hasLateReads(by, cell)) {
    if (auto with = readConflict(by, cell, bytes, pattern)) {
      race("an asynchronous operation writes what another thread reads, "
           "without order between them",
           by, pattern.lane, offset, *with);
    }
  }
  by.shadow.forgetReads(cell);
  cell.write = by.event;
  cell.writer = pattern;
}

void ClusterCheck::startAsync(Warp &warp, const Instruction &instruction,
                              const AsyncRange &range) {
  if (range.space == Space::global && range.proxy != Proxy::tensorMap) {
    startGlobal(warp, instruction, range);
  }
  if (range.space != Space::shared) {
    return;
  }
  const bool writes = range.effect != Effect::load;
  const bool isFenced = range.proxy == Proxy::async;
  if (!writes) {
    asyncReads.start(
        {askerOf(warp, range.lane, range.kind), range.operation,
         warpOf(warp) * warpLanes + static_cast<uint32_t>(range.lane),
         program.index(instruction)});
  }
  forTouchers(
      warp, instruction, range.owner, LaneMask(1) << range.lane,
      [&](Toucher &by, LaneMask, Clock) {
        const EventNumber before =
            isFenced ? events.horizon(by.known, number).fenced : by.before;
        forRows(range, [&](uint64_t begin) {
          if (writes) {
            checkAsyncReads(by, begin, range.bytes,
                            {static_cast<uint8_t>(range.lane)});
          }
          by.shadow.forRange<Shadow::granule>(
              begin, range.bytes, range.lane, writes,
              [&](ShadowCell &cell, uint64_t offset, unsigned bytes,
                  LanePattern pattern) {
                if (cell.write >= before) {
                  checkAsync(by, cell, offset, bytes, pattern, isFenced,
                             range.kind == AsyncKind::product);
                }
                if (writes) {
                  writeAsync(by, cell, offset, bytes, pattern);
                }
              });
          if (!writes) {
            asyncReads.add(size_t(range.owner->rank), begin, range.bytes);
          }
        });
      });
}

// -- What asynchronous operations read

uint32_t ClusterCheck::askerOf(const Warp &warp, int lane,
                               AsyncKind kind) const {
  if (kind != AsyncKind::product) {
    return warpOf(warp) * warpLanes + static_cast<uint32_t>(lane);
  }
  // Numbers of warpgroups come after those of threads.
  return static_cast<uint32_t>(releasable.size()) +
         static_cast<uint32_t>(warp.block.rank) * ((warpsPerBlock + 3) / 4) +
         warp.index / 4;
}

void ClusterCheck::checkAsyncReads(const Toucher &by, uint64_t offset,
                                   uint64_t bytes, LanePattern pattern) {
  const auto rank = size_t(by.owner->rank);
  if (!asyncReads.any(rank)) {
    return;
  }
  // One step stays in one granule, or takes all bytes of one lane.
  const uint64_t step = pattern.shift == LanePattern::oneLane
                            ? Shadow::granule
                            : pattern.step(pattern.shift);
  for (uint64_t at = offset; at < offset + bytes; at += step - at % step) {
    const int lane = step == Shadow::granule
                         ? pattern.lane
                         : pattern.of(static_cast<unsigned>(at - offset));
    const auto found = asyncReads.unordered(
        rank, at, clocks,
        by.warpNumber * warpLanes + static_cast<uint32_t>(lane),
        by.known.horizons[size_t(ProxiedMemory::shared)].serial);
    if (found) {
      throw Finding(
          found->isWaitedFor ? "race" : "missing-wait",
          found->isWaitedFor
              ? "writes what an asynchronous operation has read, without order "
                "after a wait for it"
              : "writes what an asynchronous operation reads that nobody has "
                "waited for",
          by.warp.place(by.instruction, lane), at,
          placeOf(found->read->thread, found->read->instruction));
    }
  }
  asyncReads.forget(rank, offset, bytes);
}

void ClusterCheck::endReads(Warp &warp, LaneMask lanes, AsyncKind kind,
                            uint64_t last) {
  const uint32_t first = warpOf(warp) * warpLanes;
  if (kind == AsyncKind::product) {
    asyncReads.end(askerOf(warp, 0, kind), last, first, lanes, clocks);
    return;
  }
  forLanes(lanes, [&](int lane) {
    asyncReads.end(askerOf(warp, lane, kind), last, first, LaneMask(1) << lane,
                   clocks);
  });
}

void ClusterCheck::signal(Warp &warp, LaneMask lanes, AsyncKind kind,
                          uint64_t operation) {
  forLanes(lanes, [&](int lane) {
    asyncReads.signal(askerOf(warp, lane, kind), operation);
  });
}

// -- cp.async

void ClusterCheck::startCopies(Warp &warp, const Access &access) {
  const uint32_t at = warpOf(warp);
  // No other thread can know of it before this one has waited.
  const EventNumber event = events.addCopy(
      {.warp = number * geometry.warpsPerCluster + at,
       .clock = std::numeric_limits<Clock>::max(),
       .instruction = program.index(access.instruction),
       .isCopy = true,
       .lanesInFlight = static_cast<uint32_t>(std::popcount(access.lanes))});
  const uint32_t bytes = access.kind.bytes;
  PendingCopy &copy =
      copies[at].emplace_back(PendingCopy{warp.block.asyncOperations,
                                          event,
                                          access.lanes,
                                          access.owner,
                                          bytes,
                                          {}});
  forTouchers(
      warp, access.instruction, access.owner, access.lanes,
      [&](Toucher &by, LaneMask lanes, Clock) {
        by.event = event;
        forLanes(lanes, [&](int lane) {
          const uint64_t address = access.addresses[lane];
          copy.offsets[lane] = static_cast<uint32_t>(address);
          checkAsyncReads(by, address, bytes, {static_cast<uint8_t>(lane)});
          by.shadow.forRange<Shadow::granule>(
              address, bytes, lane, true,
              [&](ShadowCell &cell, uint64_t offset, unsigned size,
                  LanePattern pattern) {
                if (cell.write >= by.before) {
                  checkAsync(by, cell, offset, size, pattern, false, false);
                }
                writeAsync(by, cell, offset, size, pattern);
              });
        });
      });
}

void ClusterCheck::endCopies(Warp &warp, LaneMask lanes, uint64_t last) {
  const uint32_t at = warpOf(warp);
  std::erase_if(copies[at], [&](PendingCopy &copy) {
    const LaneMask ended = copy.lanes & lanes;
    if (copy.operation > last || !ended) {
      return false;
    }
    Shadow &shadow = shadowOf(*copy.owner);
    clocks.forAlike(at, ended, [&](LaneMask alike, const Known &, Clock clock) {
      // From here on it is as if the threads had written it.
      const EventNumber written =
          events.add({.warp = events[copy.event].warp,
                      .clock = clock,
                      .instruction = events[copy.event].instruction,
                      .isCopy = true});
      forLanes(alike, [&](int lane) {
        shadow.forRange<Shadow::granule>(
            copy.offsets[lane], copy.bytes, lane, false,
            [&](ShadowCell &cell, uint64_t, unsigned, LanePattern) {
              if (cell.write == copy.event && cell.writer.lane == lane) {
                cell.write = written;
              }
            });
      });
    });
    events.endCopy(copy.event, std::popcount(ended));
    copy.lanes &= ~lanes;
    return !copy.lanes;
  });
}
