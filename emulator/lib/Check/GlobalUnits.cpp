//===- GlobalUnits.cpp - Asynchronous operations and global memory -------===//
#include "ClusterCheck.h"
#include "Machine/Block.h"

#include <limits>

using namespace cheems::emulator;

// What a unit reads is held against what was written before, and against what
// other independent blocks write. A write after it is not held against it:
// what the unit brings to shared memory tells when that is over.
void ClusterCheck::startGlobal(Warp &warp, const Instruction &instruction,
                               const AsyncRange &range) {
  const bool writes = range.effect != Effect::load;
  const uint32_t at = number * geometry.warpsPerCluster + warpOf(warp);
  const uint32_t index = program.index(instruction);
  EventNumber event = noEvent;
  if (writes) {
    // Nobody can know of it before the thread has waited.
    event = global.events.addCopy({.warp = at,
                                   .clock = std::numeric_limits<Clock>::max(),
                                   .instruction = index,
                                   .isUnit = true,
                                   .lanesInFlight = 1});
    stores.push_back({event, range});
  }
  forTouchers(
      warp, instruction, nullptr, LaneMask(1) << range.lane,
      [&](Toucher &by, LaneMask, Clock) {
        by.event = event;
        const EventNumber before = by.events.horizon(by.known, number).fenced;
        auto touch = [&](ShadowCell &cell, uint64_t offset, unsigned bytes,
                         LanePattern pattern) {
          if (writes && global.events[cell.write].isUnit) {
            // Early, the bytes are there at the next event; late, what two
            // units write without order is not compared.
            suspect(by, cell, offset, bytes, pattern);
          } else if (cell.write >= before) {
            checkAsync(by, cell, offset, bytes, pattern, true, false);
          }
          if (writes) {
            writeAsync(by, cell, offset, bytes, pattern);
          }
        };
        forRows(range, [&](uint64_t row) {
          if (!writes && global.keepsValues()) {
            global.readByUnit(row, range.bytes, at, range.lane, index);
          }
          forPages(row, range.bytes, [&](uint64_t begin, uint64_t bytes) {
            const auto offset =
                writes ? std::optional(global.bytes.offsetOf(begin))
                       : global.bytes.find(begin);
            if (offset) {
              by.shadow.forRange<Shadow::globalGranule>(
                  *offset, bytes, range.lane, writes, touch);
            }
          });
        });
      });
}

void ClusterCheck::endStores(Warp &warp, LaneMask lanes, uint64_t last) {
  const uint32_t at = number * geometry.warpsPerCluster + warpOf(warp);
  std::erase_if(stores, [&](const PendingStore &store) {
    Event &event = global.events[store.event];
    const AsyncRange &range = store.range;
    if (event.warp != at || range.operation > last ||
        !(lanes >> range.lane & 1)) {
      return false;
    }
    // From here on it is as if the thread had written it.
    const EventNumber written = global.events.add(
        {.warp = at,
         .clock =
             clocks.now(size_t(warpOf(warp)) * warpLanes + size_t(range.lane)),
         .instruction = event.instruction,
         .isUnit = true});
    forRows(range, [&](uint64_t row) {
      forPages(row, range.bytes, [&](uint64_t begin, uint64_t bytes) {
        global.bytes.shadow.forRange<Shadow::globalGranule>(
            global.bytes.offsetOf(begin), bytes, range.lane, false,
            [&](ShadowCell &cell, uint64_t, unsigned, LanePattern) {
              if (cell.write == store.event) {
                cell.write = written;
              }
            });
      });
    });
    global.events.endCopy(store.event, 1);
    return true;
  });
}
