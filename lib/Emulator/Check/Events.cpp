//===- Events.cpp - Executions that touched shared memory ----------------===//
#include "cheems/Emulator/Check/Events.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

/// Lanes of a warp whose clock is at least `clock`.
LaneMask lanesUpTo(const std::vector<Clock> &clocks, uint32_t warp,
                   Clock clock) {
  const size_t first = size_t(warp) * warpLanes;
  if (clocks.size() < first + warpLanes) {
    return 0; // vectors end with a warp
  }
  LaneMask lanes = 0;
  for (size_t lane = 0; lane < warpLanes; ++lane) {
    lanes |= LaneMask(clocks[first + lane] >= clock) << lane;
  }
  return lanes;
}

Clock lowestOf(const std::vector<Clock> &clocks, uint32_t warp) {
  const size_t first = size_t(warp) * warpLanes;
  if (clocks.size() < first + warpLanes) {
    return 0;
  }
  return *std::min_element(clocks.begin() + first,
                           clocks.begin() + first + warpLanes);
}

} // namespace

EventNumber Events::add(const Event &event) {
  all.push_back(event);
  return static_cast<EventNumber>(all.size() - 1);
}

EventNumber Events::addRead(const Event &event) {
  EventNumber &number = recent[event.warp][event.instruction % recentReads];
  const Event &last = all[number];
  if (number == noEvent || last.instruction != event.instruction ||
      last.clock != event.clock || last.isStrong != event.isStrong) {
    number = add(event);
  }
  return number;
}

EventNumber Events::addCopy(const Event &event) {
  if (freeCopies.empty()) {
    copies.push_back(event);
    return inFlight | static_cast<EventNumber>(copies.size() - 1);
  }
  const EventNumber number = freeCopies.back();
  freeCopies.pop_back();
  copies[number & ~inFlight] = event;
  return number;
}

void Events::endCopy(EventNumber copy, int lanes) {
  Event &event = copies[copy & ~inFlight];
  event.lanesInFlight -= static_cast<uint32_t>(lanes);
  if (event.lanesInFlight == 0) {
    freeCopies.push_back(copy);
  }
}

void Events::ask(Event &event, const Knowledge &known) {
  event.asked = known.horizon.serial;
  event.ordered = lanesUpTo(known.ordered, event.warp, event.clock);
  event.fenced = lanesUpTo(known.fenced, event.warp, event.clock);
}

void Events::findHorizon(const Knowledge &known) {
  Knowledge::Horizon &horizon = known.horizon;
  if (horizon.generation != generation) {
    horizon = {0, generation};
  }
  horizon.serial = ++serials;
  auto lowestIn = [&](uint32_t warp) -> const Lowest & {
    Lowest &found = lowest[warp];
    if (found.serial != horizon.serial) {
      found = {horizon.serial, lowestOf(known.ordered, warp),
               lowestOf(known.fenced, warp)};
    }
    return found;
  };
  auto isOrdered = [&](const Event &event) {
    return lowestIn(event.warp).ordered >= event.clock;
  };
  auto isFenced = [&](const Event &event) {
    return isOrdered(event) && lowestIn(event.warp).fenced >= event.clock;
  };
  while (horizon.ordered < all.size() && isOrdered(all[horizon.ordered])) {
    ++horizon.ordered;
  }
  while (horizon.fenced < all.size() && isFenced(all[horizon.fenced])) {
    ++horizon.fenced;
  }
}

void Events::compact(std::vector<EventNumber> &numbers) {
  // The event that is none keeps its number.
  EventNumber kept = 0;
  numbers[noEvent] = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    if (numbers[i]) {
      numbers[i] = ++kept;
      all[kept] = all[i];
    }
  }
  all.resize(size_t(kept) + 1);
  limit = std::max(limit, 4 * all.size());
  ++generation;
  for (auto &of : recent) {
    of.fill(noEvent);
  }
}
