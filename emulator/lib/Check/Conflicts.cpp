//===- Conflicts.cpp - Which accesses nothing orders ---------------------===//
#include "ClusterCheck.h"

#include <bit>

using namespace cheems::emulator;

Place ClusterCheck::placeOf(const Toucher &by, const Conflict &conflict) {
  const Event &event = by.events[conflict.event];
  return geometry.place(event.warp, conflict.lane, event.instruction);
}

void ClusterCheck::race(const char *what, const Toucher &by, int lane,
                        uint64_t offset, const Conflict &with) {
  throw Finding("race", what, by.warp.place(by.instruction, lane),
                addressOf(by, offset + with.byte), placeOf(by, with));
}

LaneMask ClusterCheck::unordered(const Toucher &by, Event &event, int lane,
                                 bool isFenced) {
  LaneMask ordered = by.events.before(event, by.known, number, isFenced);
  if (event.isUnit && event.lanesInFlight) {
    return allLanes; // its own thread has not waited either
  }
  if (event.warp != number * geometry.warpsPerCluster + by.warpNumber) {
    return ~ordered;
  }
  // What a thread does comes in the order of its program.
  const size_t thread = size_t(by.warpNumber) * warpLanes + size_t(lane);
  const LaneMask own = LaneMask(1) << lane;
  if (!isFenced || clocks.hasFenced(thread, event.clock, by.proxied())) {
    ordered |= own;
  } else {
    ordered &= ~own;
  }
  return ~ordered;
}

bool ClusterCheck::areStrong(const Toucher &by, const Event &event) const {
  if (!event.isStrong() || !by.isStrong()) {
    return false;
  }
  const Scope scope = std::min(event.scope, by.scope);
  const uint32_t warp = number * geometry.warpsPerCluster + by.warpNumber;
  return by.owner || scope >= Scope::gpu ||
         event.warp / warpsPerBlock == warp / warpsPerBlock ||
         (scope >= Scope::cluster &&
          event.warp / geometry.warpsPerCluster == number);
}

std::optional<ClusterCheck::Conflict>
ClusterCheck::readConflict(const Toucher &by, const ShadowCell &cell,
                           unsigned bytes, LanePattern pattern) {
  std::optional<Conflict> found;
  by.shadow.anyRead(cell, [&](const ShadowRead &read) {
    if (read.event() < by.before) {
      return false;
    }
    Event &event = by.events[read.event()];
    if (areStrong(by, event)) {
      return false;
    }
    const unsigned step = pattern.step(read.shift());
    for (unsigned byte = 0; byte < bytes; byte += step) {
      if (const LaneMask lanes =
              read.of(byte) & unordered(by, event, pattern.of(byte))) {
        found = {read.event(), std::countr_zero(lanes), byte};
        return true;
      }
    }
    return false;
  });
  return found;
}

bool ClusterCheck::isObserved(const Toucher &by, const ShadowCell &cell,
                              unsigned byte, int lane) {
  return by.shadow.anyRead(cell, [&](const ShadowRead &read) {
    return read.isStrong() &&
           (read.of(byte) & ~unordered(by, by.events[read.event()], lane)) != 0;
  });
}

std::optional<ClusterCheck::Conflict>
ClusterCheck::writeConflict(const Toucher &by, const ShadowCell &cell,
                            unsigned byte, LanePattern pattern) {
  Event &event = by.events[cell.write];
  if (areStrong(by, event)) {
    return std::nullopt;
  }
  const int writer = cell.writer.of(byte), lane = pattern.of(byte);
  if (!(unordered(by, event, lane) >> writer & 1) ||
      (event.isStrong() && isObserved(by, cell, byte, lane))) {
    return std::nullopt;
  }
  return Conflict{cell.write, writer, byte};
}
