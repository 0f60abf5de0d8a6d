//===- ClusterCheck.cpp - Who knows what in a cluster --------------------===//
#include "ClusterCheck.h"

#include "cheems/Emulator/Lanes/Loop.h"
#include "cheems/Emulator/Machine/Block.h"

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

/// Kinds of keys that no Meeting has.
constexpr uint8_t sharedPlace = 100, globalPlace = 101;

} // namespace

ClusterCheck::ClusterCheck(Block &first, std::atomic<uint64_t> &sameValues)
    : blocks(first.cluster->blocks), program(first.program()),
      warpsPerBlock((first.threads + warpLanes - 1) / warpLanes),
      sameValues(sameValues),
      clocks(size_t(warpsPerBlock) * first.grid.launch.cluster.count()),
      events(size_t(warpsPerBlock) * first.grid.launch.cluster.count()),
      shadows(first.grid.launch.cluster.count()),
      releasable(shadows.size() * warpsPerBlock * warpLanes),
      acquirable(releasable.size()), copies(shadows.size() * warpsPerBlock),
      asyncReads(shadows.size()) {}

uint32_t ClusterCheck::warpOf(const Warp &warp) const {
  return static_cast<uint32_t>(warp.block.rank) * warpsPerBlock + warp.index;
}

Place ClusterCheck::placeOf(uint32_t thread, uint32_t instruction) const {
  const uint32_t threads = warpsPerBlock * warpLanes;
  const Block &block = *blocks[thread / threads];
  return {program.kernel,
          program.instructions[instruction].line,
          {block.index.x, block.index.y, block.index.z},
          static_cast<int>(thread % threads / warpLanes),
          static_cast<int>(thread % warpLanes)};
}

SharedShadow &ClusterCheck::shadowOf(const Block &owner) {
  auto &shadow = shadows[static_cast<size_t>(owner.rank)];
  if (!shadow) {
    shadow = std::make_unique<SharedShadow>(owner.sharedBytes());
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
  const uint32_t number = warpOf(warp);
  tell(number, lanes, phase);
  clocks.tick(number, lanes);
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

void ClusterCheck::fence(Warp &warp, LaneMask lanes, const Fence &fence) {
  const uint32_t number = warpOf(warp);
  if (fence.kind == Fence::Kind::proxyAsync) {
    clocks.fenceProxies(number, lanes);
    return;
  }
  if (fence.kind != Fence::Kind::thread) {
    return;
  }
  forLanes(lanes, [&](int lane) {
    const size_t thread = size_t(number) * warpLanes + size_t(lane);
    const LaneMask bit = LaneMask(1) << lane;
    if (acquires(fence.semantics) && acquirable[thread]) {
      clocks.acquire(number, bit, acquirable[thread]);
      acquirable[thread] = nullptr;
    }
    if (releases(fence.semantics)) {
      auto ready = std::make_shared<Knowledge>();
      Known last;
      clocks.release(number, bit, *ready, last);
      releasable[thread] = std::move(ready);
    }
  });
  if (releases(fence.semantics)) {
    clocks.tick(number, lanes);
  }
}

void ClusterCheck::synchronise(Warp &warp, LaneMask lanes, const Access &access,
                               uint64_t address) {
  const AccessKind &kind = access.kind;
  const bool isShared = access.space == Space::shared;
  const uint32_t number = warpOf(warp);
  const size_t first = size_t(number) * warpLanes;
  Phase &place = phaseOf({isShared ? sharedPlace : globalPlace,
                          isShared ? access.owner : nullptr, address},
                         0);
  if (kind.reads()) {
    place.isFrozen = true;
    if (acquires(kind.semantics)) {
      clocks.acquire(number, lanes, place.told);
    } else {
      forLanes(lanes, [&](int lane) {
        Known &known = acquirable[first + size_t(lane)];
        known = join(known, place.told);
      });
    }
  }
  if (!kind.writes()) {
    return;
  }
  if (releases(kind.semantics)) {
    tell(number, lanes, place);
    clocks.tick(number, lanes);
    return;
  }
  forLanes(lanes, [&](int lane) {
    if (const Known &known = releasable[first + size_t(lane)]) {
      if (place.isFrozen) {
        place.told = std::make_shared<Knowledge>(*place.told);
        place.isFrozen = false;
      }
      place.told->join(*known);
    }
  });
}
