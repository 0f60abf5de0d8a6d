//===- Events.cpp - Executions that touched memory -----------------------===//
#include "Events.h"

#include <algorithm>

using namespace cheems::emulator;

const Clock *Events::clocksOf(const Knowledge &known, uint32_t home,
                              uint32_t warp, bool isFenced) const {
  const uint32_t cluster = warp / warpsPerCluster;
  const size_t first = size_t(warp % warpsPerCluster) * warpLanes;
  const ClockVector *clocks =
      isFenced ? &known.fenced[size_t(memory)] : &known.ordered;
  if (cluster != home) {
    const KnownElsewhere &others =
        isFenced ? known.elsewhereFenced : known.elsewhere;
    clocks =
        others && cluster < others->size() ? (*others)[cluster].get() : nullptr;
  }
  // Vectors end with a warp.
  return clocks && clocks->size() >= first + warpLanes ? clocks->data() + first
                                                       : nullptr;
}

EventNumber Events::add(const Event &event) {
  all.push_back(event);
  return static_cast<EventNumber>(all.size() - 1);
}

EventNumber Events::addRead(const Event &event) {
  auto &of = recent[event.warp - firstWarp];
  if (!of) {
    of = std::make_unique<Recent>();
  }
  EventNumber &number = (*of)[event.instruction % recentReads];
  const Event &last = all[number];
  if (number == noEvent || last.instruction != event.instruction ||
      last.clock != event.clock || last.scope != event.scope) {
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

void Events::ask(Event &event, const Knowledge &known, uint32_t home) {
  auto lanesOf = [&](bool isFenced) {
    const Clock *clocks = clocksOf(known, home, event.warp, isFenced);
    LaneMask lanes = 0;
    for (size_t lane = 0; clocks && lane < warpLanes; ++lane) {
      lanes |= LaneMask(clocks[lane] >= event.clock) << lane;
    }
    return lanes;
  };
  event.asked = known.horizons[size_t(memory)].serial;
  event.ordered = lanesOf(false);
  event.fenced = lanesOf(true);
}

void Events::findHorizon(const Knowledge &known, uint32_t home) {
  Knowledge::Horizon &horizon = known.horizons[size_t(memory)];
  if (horizon.generation != generation) {
    horizon = {0, generation};
  }
  horizon.serial = ++serials;
  auto lowestOf = [&](uint32_t warp, bool isFenced) {
    const Clock *clocks = clocksOf(known, home, warp, isFenced);
    if (!clocks) {
      return Clock(0);
    }
    Clock low = clocks[0];
    for (int lane = 1; lane < warpLanes; ++lane) {
      low = std::min(low, clocks[lane]);
    }
    return low;
  };
  auto lowestIn = [&](uint32_t warp) -> const Lowest & {
    Lowest &found = lowest[warp - firstWarp];
    if (found.serial != horizon.serial) {
      found = {horizon.serial, lowestOf(warp, false), lowestOf(warp, true)};
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
    if (of) {
      of->fill(noEvent);
    }
  }
}
