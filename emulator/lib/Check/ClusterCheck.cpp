//===- ClusterCheck.cpp - Who knows what in a cluster --------------------===//
#include "ClusterCheck.h"

#include "Lanes/Loop.h"
#include "Machine/Block.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

bool releases(Semantics semantics) {
  return semantics == Semantics::release ||
         semantics == Semantics::acquireRelease ||
         semantics == Semantics::sequential;
}

bool acquires(Semantics semantics) {
  return semantics == Semantics::acquire ||
         semantics == Semantics::acquireRelease ||
         semantics == Semantics::sequential;
}

/// The kind of keys that no Meeting has.
constexpr uint8_t sharedPlace = 100;

} // namespace

ClusterCheck::ClusterCheck(Block &first, const Geometry &geometry,
                           GlobalOrder &global,
                           std::atomic<uint64_t> &sameValues)
    : geometry(geometry), number(geometry.clusterOf(first)),
      program(first.program()), warpsPerBlock(geometry.warpsPerBlock),
      global(global), clocks(geometry.warpsPerCluster),
      events(ProxiedMemory::shared, geometry.warpsPerCluster,
             number * geometry.warpsPerCluster, geometry.warpsPerCluster),
      shadows(geometry.blocksPerCluster), copies(geometry.warpsPerCluster),
      suspects(geometry, sameValues), asyncReads(shadows.size()) {
  const std::vector<Known> none(size_t(geometry.warpsPerCluster) * warpLanes);
  releasable.fill(none);
  acquirable.fill(none);
}

uint32_t ClusterCheck::warpOf(const Warp &warp) const {
  return static_cast<uint32_t>(warp.block.rank) * warpsPerBlock + warp.index;
}

Place ClusterCheck::placeOf(uint32_t thread, uint32_t instruction) const {
  return geometry.place(number * geometry.warpsPerCluster + thread / warpLanes,
                        static_cast<int>(thread % warpLanes), instruction);
}

Shadow &ClusterCheck::shadowOf(const Block &owner) {
  auto &shadow = shadows[static_cast<size_t>(owner.rank)];
  if (!shadow) {
    shadow = std::make_unique<Shadow>(owner.sharedBytes(), Shadow::granule);
  }
  return *shadow;
}

// -- Barriers

ClusterCheck::Phase &ClusterCheck::phaseOf(const Key &key, uint64_t number) {
  // A thread may still leave a phase while others arrive at the next one.
  constexpr uint64_t kept = 2;
  std::vector<Phase> &of = phases[key];
  auto found = std::find_if(of.begin(), of.end(), [&](const Phase &phase) {
    return phase.number == number;
  });
  if (found != of.end()) {
    return *found;
  }
  std::erase_if(
      of, [&](const Phase &phase) { return phase.number + kept <= number; });
  return of.emplace_back(number);
}

void ClusterCheck::tell(uint32_t warp, LaneMask lanes, Phase &phase) {
  if (phase.isFrozen) {
    phase.told = std::make_shared<Knowledge>(*phase.told);
    phase.isFrozen = false;
  }
  clocks.release(warp, lanes, *phase.told, phase.last);
}

namespace {
const void *ownerOf(const Warp &warp, const Meeting &meeting) {
  return meeting.kind == Meeting::Kind::warp ? static_cast<const void *>(&warp)
                                             : meeting.owner;
}
} // namespace

void ClusterCheck::arrive(Warp &warp, LaneMask lanes, const Meeting &meeting) {
  if (!releases(meeting.semantics) || !lanes) {
    return;
  }
  Phase &phase = phaseOf(
      {static_cast<uint8_t>(meeting.kind), ownerOf(warp, meeting), meeting.key},
      meeting.phase);
  tell(warpOf(warp), lanes, phase);
  clocks.tick(warpOf(warp), lanes);
}

void ClusterCheck::leave(Warp &warp, LaneMask lanes, const Meeting &meeting) {
  if (!acquires(meeting.semantics) || !lanes) {
    return;
  }
  Phase &phase = phaseOf(
      {static_cast<uint8_t>(meeting.kind), ownerOf(warp, meeting), meeting.key},
      meeting.phase);
  phase.isFrozen = true;
  clocks.acquire(warpOf(warp), lanes, phase.told);
}

// -- Fences and strong accesses

template <typename F>
void ClusterCheck::forCircles(const Block &block, Scope scope, F f) const {
  f(0, Circle{Scope::block, block.number});
  if (scope >= Scope::cluster) {
    f(1, Circle{Scope::cluster, number});
  }
  if (scope >= Scope::gpu) {
    f(2, Circle{Scope::gpu});
  }
}

void ClusterCheck::fence(Warp &warp, LaneMask lanes, const Fence &fence) {
  const uint32_t at = warpOf(warp);
  if (fence.kind == Fence::Kind::proxyAsync) {
    clocks.fenceProxies(
        at, lanes,
        fence.space == Space::shared   ? std::optional(ProxiedMemory::shared)
        : fence.space == Space::global ? std::optional(ProxiedMemory::global)
                                       : std::nullopt);
    return;
  }
  if (fence.kind != Fence::Kind::thread) {
    return;
  }
  forLanes(lanes, [&](int lane) {
    const size_t thread = size_t(at) * warpLanes + size_t(lane);
    const LaneMask bit = LaneMask(1) << lane;
    if (acquires(fence.semantics)) {
      forCircles(warp.block, fence.scope, [&](size_t i, const Circle &) {
        if (Known &known = acquirable[i][thread]) {
          clocks.acquire(at, bit, known);
          known = nullptr;
        }
      });
    }
    if (releases(fence.semantics)) {
      auto ready = std::make_shared<Knowledge>();
      Known last;
      clocks.release(at, bit, *ready, last);
      forCircles(warp.block, fence.scope, [&](size_t i, const Circle &) {
        releasable[i][thread] = ready;
      });
    }
  });
  if (releases(fence.semantics)) {
    clocks.tick(at, lanes);
  }
}

void ClusterCheck::learn(Warp &warp, LaneMask lanes, const Access &access,
                         uint64_t address) {
  const AccessKind &kind = access.kind;
  const uint32_t at = warpOf(warp);
  const size_t first = size_t(at) * warpLanes;
  auto take = [&](size_t circle, const Known &told) {
    if (!told) {
      return;
    }
    if (acquires(kind.semantics)) {
      clocks.acquire(at, lanes, told);
      return;
    }
    forLanes(lanes, [&](int lane) {
      Known &known = acquirable[circle][first + size_t(lane)];
      known = join(known, told);
    });
  };
  if (access.space == Space::shared) {
    Phase &place = phaseOf({sharedPlace, access.owner, address}, 0);
    place.isFrozen = true;
    take(0, place.told);
    return;
  }
  forCircles(warp.block, kind.scope, [&](size_t i, const Circle &circle) {
    take(i, global.told(address, circle, number));
  });
}

void ClusterCheck::teach(Warp &warp, LaneMask lanes, const Access &access,
                         uint64_t address) {
  const bool isRelease = releases(access.kind.semantics);
  const uint32_t at = warpOf(warp);
  const size_t first = size_t(at) * warpLanes;
  if (access.space == Space::shared) {
    Phase &place = phaseOf({sharedPlace, access.owner, address}, 0);
    if (isRelease) {
      tell(at, lanes, place);
      clocks.tick(at, lanes);
      return;
    }
    forLanes(lanes, [&](int lane) {
      if (const Known &known = releasable[0][first + size_t(lane)]) {
        if (place.isFrozen) {
          place.told = std::make_shared<Knowledge>(*place.told);
          place.isFrozen = false;
        }
        place.told->join(*known);
      }
    });
    return;
  }
  auto tellAll = [&](size_t i, const Circle &circle) {
    forLanes(lanes, [&](int lane) {
      if (const Known &known = releasable[i][first + size_t(lane)]) {
        global.tell(address, circle, known, number);
      }
    });
  };
  if (!isRelease) {
    forCircles(warp.block, access.kind.scope, tellAll);
    return;
  }
  auto ready = std::make_shared<Knowledge>();
  Known last;
  clocks.release(at, lanes, *ready, last);
  forCircles(warp.block, access.kind.scope, [&](size_t, const Circle &circle) {
    global.tell(address, circle, ready, number);
  });
  clocks.tick(at, lanes);
}
