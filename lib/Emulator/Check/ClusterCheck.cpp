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
      threadsPerBlock((first.threads + warpLanes - 1) / warpLanes * warpLanes),
      sameValues(sameValues),
      clocks(size_t(threadsPerBlock) * first.grid.launch.cluster.count()),
      shadows(first.grid.launch.cluster.count()),
      releasable(size_t(threadsPerBlock) * first.grid.launch.cluster.count()),
      acquirable(releasable.size()), copies(releasable.size()) {}

uint32_t ClusterCheck::threadOf(const Warp &warp, int lane) const {
  return static_cast<uint32_t>(warp.block.rank) * threadsPerBlock +
         warp.index * warpLanes + static_cast<uint32_t>(lane);
}

Place ClusterCheck::placeOf(const Touch &touch) const {
  const Block &block = *blocks[touch.thread / threadsPerBlock];
  const uint32_t thread = touch.thread % threadsPerBlock;
  return {program.kernel,
          program.instructions[touch.instruction].line,
          {block.index.x, block.index.y, block.index.z},
          static_cast<int>(thread / warpLanes),
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

void ClusterCheck::tell(size_t thread, Phase &phase) {
  if (phase.isFrozen) {
    phase.told = std::make_shared<Knowledge>(*phase.told);
    phase.isFrozen = false;
    phase.last = nullptr;
  }
  const Known &known = clocks.knownBy(thread);
  clocks.release(thread, *phase.told,
                 /*isJoined=*/known && known == phase.last);
  phase.last = known;
}

void ClusterCheck::arrive(Warp &warp, LaneMask lanes, const Meeting &meeting) {
  if (!releases(meeting.semantics)) {
    return;
  }
  const void *owner = meeting.kind == Meeting::Kind::warp
                          ? static_cast<const void *>(&warp)
                          : meeting.owner;
  Phase &phase = phaseOf(
      {static_cast<uint8_t>(meeting.kind), owner, meeting.key}, meeting.phase);
  forLanes(lanes, [&](int lane) {
    const size_t thread = threadOf(warp, lane);
    tell(thread, phase);
    clocks.tick(thread);
  });
}

void ClusterCheck::leave(Warp &warp, LaneMask lanes, const Meeting &meeting) {
  if (!acquires(meeting.semantics)) {
    return;
  }
  const void *owner = meeting.kind == Meeting::Kind::warp
                          ? static_cast<const void *>(&warp)
                          : meeting.owner;
  Phase &phase = phaseOf(
      {static_cast<uint8_t>(meeting.kind), owner, meeting.key}, meeting.phase);
  phase.isFrozen = true;
  forLanes(lanes,
           [&](int lane) { clocks.acquire(threadOf(warp, lane), phase.told); });
}

// -- Fences and strong accesses

void ClusterCheck::fence(Warp &warp, LaneMask lanes, const Fence &fence) {
  forLanes(lanes, [&](int lane) {
    const size_t thread = threadOf(warp, lane);
    if (fence.kind == Fence::Kind::proxyAsync) {
      clocks.fenceProxies(thread);
    } else if (fence.kind == Fence::Kind::thread) {
      if (acquires(fence.semantics) && acquirable[thread]) {
        clocks.acquire(thread, acquirable[thread]);
        acquirable[thread] = nullptr;
      }
      if (releases(fence.semantics)) {
        auto ready = std::make_shared<Knowledge>();
        clocks.release(thread, *ready);
        clocks.tick(thread);
        releasable[thread] = std::move(ready);
      }
    }
  });
}

void ClusterCheck::synchronise(size_t thread, const Access &access,
                               uint64_t address) {
  const AccessKind &kind = access.kind;
  const bool isShared = access.space == Space::shared;
  Phase &place = phaseOf({isShared ? sharedPlace : globalPlace,
                          isShared ? access.owner : nullptr, address},
                         0);
  if (kind.reads()) {
    place.isFrozen = true;
    if (acquires(kind.semantics)) {
      clocks.acquire(thread, place.told);
    } else {
      acquirable[thread] = join(acquirable[thread], place.told);
    }
  }
  if (kind.writes()) {
    if (releases(kind.semantics)) {
      tell(thread, place);
      clocks.tick(thread);
    } else if (releasable[thread]) {
      if (place.isFrozen) {
        place.told = std::make_shared<Knowledge>(*place.told);
        place.isFrozen = false;
      }
      place.told->join(*releasable[thread]);
    }
  }
}
