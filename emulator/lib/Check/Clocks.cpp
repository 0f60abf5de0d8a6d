//===- Clocks.cpp - Which accesses come before which ---------------------===//
#include "Clocks.h"

#include "Lanes/Loop.h"

#include <algorithm>
#include <bit>

using namespace cheems::emulator;

namespace {

void joinClocks(ClockVector &to, const ClockVector &from) {
  if (to.size() < from.size()) {
    to.resize(from.size());
  }
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = std::max(to[i], from[i]);
  }
}

bool containsClocks(const ClockVector &all, const ClockVector &part) {
  const size_t common = std::min(all.size(), part.size());
  bool lacks = false;
  for (size_t i = 0; i < common; ++i) {
    lacks |= all[i] < part[i];
  }
  return !lacks && std::all_of(part.begin() + common, part.end(),
                               [](Clock clock) { return clock == 0; });
}

void raise(ClockVector &to, const ClockVector &from, size_t first,
           LaneMask lanes) {
  if (to.size() < first + warpLanes) {
    to.resize(first + warpLanes);
  }
  for (size_t lane = 0; lane < warpLanes; ++lane) {
    const Clock clock = lanes >> lane & 1 ? from[first + lane] : 0;
    to[first + lane] = std::max(to[first + lane], clock);
  }
}

using KnownClocks = std::shared_ptr<const ClockVector>;

bool containsCluster(const KnownClocks &all, const KnownClocks &part) {
  return !part || all == part || (all && containsClocks(*all, *part));
}

bool containsElsewhere(const KnownElsewhere &all, const KnownElsewhere &part) {
  if (!part || all == part) {
    return true;
  }
  for (size_t i = 0; i < part->size(); ++i) {
    if (!containsCluster(all && i < all->size() ? (*all)[i] : nullptr,
                         (*part)[i])) {
      return false;
    }
  }
  return true;
}

} // namespace

KnownElsewhere cheems::emulator::join(const KnownElsewhere &a,
                                      const KnownElsewhere &b) {
  if (containsElsewhere(a, b)) {
    return a;
  }
  if (containsElsewhere(b, a)) {
    return b;
  }
  auto both = std::make_shared<Elsewhere>(*a);
  both->resize(std::max(a->size(), b->size()));
  for (size_t i = 0; i < b->size(); ++i) {
    KnownClocks &clocks = (*both)[i];
    const KnownClocks &others = (*b)[i];
    if (containsCluster(clocks, others)) {
      continue;
    }
    if (containsCluster(others, clocks)) {
      clocks = others;
      continue;
    }
    auto joined = std::make_shared<ClockVector>(*clocks);
    joinClocks(*joined, *others);
    clocks = std::move(joined);
  }
  return both;
}

void Knowledge::join(const Knowledge &other) {
  joinClocks(ordered, other.ordered);
  for (int memory = 0; memory < proxiedMemories; ++memory) {
    joinClocks(fenced[memory], other.fenced[memory]);
    Horizon &horizon = horizons[memory];
    const Horizon &others = other.horizons[memory];
    if (horizon.generation < others.generation) {
      horizon = others;
    } else if (horizon.generation == others.generation) {
      horizon.ordered = std::max(horizon.ordered, others.ordered);
      horizon.fenced = std::max(horizon.fenced, others.fenced);
    }
  }
  elsewhere = cheems::emulator::join(elsewhere, other.elsewhere);
  elsewhereFenced =
      cheems::emulator::join(elsewhereFenced, other.elsewhereFenced);
  changed();
}

bool Knowledge::contains(const Knowledge &other) const {
  return containsClocks(ordered, other.ordered) &&
         containsClocks(fenced[0], other.fenced[0]) &&
         containsClocks(fenced[1], other.fenced[1]) &&
         containsElsewhere(elsewhere, other.elsewhere) &&
         containsElsewhere(elsewhereFenced, other.elsewhereFenced);
}

Known cheems::emulator::join(const Known &a, const Known &b) {
  if (!b || a == b) {
    return a;
  }
  if (!a || b->contains(*a)) {
    return b;
  }
  auto both = std::make_shared<Knowledge>(*a);
  both->join(*b);
  return both;
}

Clocks::Clocks(size_t warps) : own(warps * warpLanes, 1), warps(warps) {
  ownFenced.fill(ClockVector(warps * warpLanes));
}

LaneMask Clocks::likeThread(size_t thread) const {
  const size_t first = thread / warpLanes * warpLanes;
  const Known &known = knownBy(thread);
  LaneMask same = 0;
  for (size_t lane = 0; lane < warpLanes; ++lane) {
    same |= LaneMask(own[first + lane] == own[thread] &&
                     knownBy(first + lane) == known)
            << lane;
  }
  return same;
}

template <typename C, typename K>
void Clocks::change(size_t warp, LaneMask lanes, C clocks, K known) {
  WarpState &state = warps[warp];
  if (lanes == state.alike) {
    clocks();
    known(state.known);
    return;
  }
  if (!state.others) {
    state.others = std::make_unique<std::array<Known, warpLanes>>();
  }
  forLanes(state.alike, [&](int lane) { (*state.others)[lane] = state.known; });
  state.alike = 0;
  clocks();
  forLanes(lanes, [&](int lane) { known((*state.others)[lane]); });
  // One lane often does more than the others, the first one mostly.
  const size_t first = warp * warpLanes;
  const LaneMask low = likeThread(first + std::countr_zero(lanes));
  const LaneMask high =
      likeThread(first + warpLanes - 1 - std::countl_zero(lanes));
  const LaneMask more = std::popcount(low) > std::popcount(high) ? low : high;
  state.known = (*state.others)[std::countr_zero(more)];
  state.alike = more;
}

void Clocks::release(size_t warp, LaneMask lanes, Knowledge &to,
                     Known &last) const {
  const size_t first = warp * warpLanes;
  forAlike(warp, lanes, [&](LaneMask, const Known &known, Clock) {
    if (known && known != last) {
      to.join(*known);
      last = known;
    }
  });
  raise(to.ordered, own, first, lanes);
  for (int memory = 0; memory < proxiedMemories; ++memory) {
    if (warps[warp].hasFenced[memory]) {
      raise(to.fenced[memory], ownFenced[memory], first, lanes);
    }
  }
  to.changed();
}

void Clocks::tick(size_t warp, LaneMask lanes) {
  auto clocks = [&] {
    // A clock may jump. So lanes that tick together have one clock.
    Clock next = 0;
    Clock *const of = own.data() + warp * warpLanes;
    for (size_t lane = 0; lane < warpLanes; ++lane) {
      next = std::max(next, lanes >> lane & 1 ? of[lane] : 0);
    }
    ++next;
    for (size_t lane = 0; lane < warpLanes; ++lane) {
      of[lane] = lanes >> lane & 1 ? next : of[lane];
    }
  };
  change(warp, lanes, clocks, [](Known &) {});
}

void Clocks::acquire(size_t warp, LaneMask lanes, const Known &from) {
  change(
      warp, lanes, [] {},
      [&](Known &known) {
        if (lastAcquire.before != known || lastAcquire.from != from ||
            !lastAcquire.after) {
          lastAcquire = {known, from, join(known, from)};
        }
        known = lastAcquire.after;
      });
}

void Clocks::fenceProxies(size_t warp, LaneMask lanes,
                          std::optional<ProxiedMemory> memory) {
  auto forMemories = [&](auto f) {
    for (int i = 0; i < proxiedMemories; ++i) {
      if (!memory || i == static_cast<int>(*memory)) {
        f(i);
      }
    }
  };
  forMemories([&](int i) {
    forLanes(lanes, [&](int lane) {
      const size_t thread = warp * warpLanes + static_cast<size_t>(lane);
      ownFenced[i][thread] = own[thread];
    });
    warps[warp].hasFenced[i] = true;
  });
  tick(warp, lanes);
  change(
      warp, lanes, [] {},
      [&](Known &known) {
        if (!known) {
          return;
        }
        if (lastFence.before != known || lastFence.memory != memory) {
          auto after = std::make_shared<Knowledge>(*known);
          forMemories(
              [&](int i) { joinClocks(after->fenced[i], after->ordered); });
          if (memory != ProxiedMemory::shared) {
            after->elsewhereFenced = after->elsewhere;
          }
          after->changed();
          lastFence = {known, after, memory};
        }
        known = lastFence.after;
      });
}
