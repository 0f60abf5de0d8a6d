//===- Barriers.cpp - Warps meet -----------------------------------------===//
#include "Barriers.h"

#include "Block.h"

#include <algorithm>
#include <bit>

using namespace cheems::emulator;

namespace {

uint32_t liveWarps(const Block &block) {
  return static_cast<uint32_t>(
      std::count_if(block.warps.begin(), block.warps.end(),
                    [](const Warp &warp) { return !warp.isDone(); }));
}

/// The instruction at which a group of the warp sleeps until `word` changes.
const Instruction *sleepsAt(const Warp &warp, const uint64_t &word) {
  for (const Group &group : warp) {
    if (group.state == Group::State::waits && group.word == &word &&
        group.old == word) {
      return &warp.block.program().instructions[group.pc];
    }
  }
  return nullptr;
}

Meeting meetingOf(Block &block, const NamedBarrier &barrier) {
  return {Meeting::Kind::named,
          static_cast<uint64_t>(&barrier - block.barriers.data()), &block,
          barrier.phase};
}

void leave(Warp &warp, const Instruction &instruction, const Meeting &meeting) {
  warp.block.observe([&](BlockObserver &observer) {
    observer.leave(warp, instruction, warp.live(), meeting);
  });
}

void complete(Block &block, NamedBarrier &barrier) {
  const Meeting meeting = meetingOf(block, barrier);
  for (uint32_t rest = barrier.sleepers; rest; rest &= rest - 1) {
    Warp &warp = block.warps[std::countr_zero(rest)];
    warp.reducedTrue = barrier.trueCount;
    warp.reducedThreads = barrier.threads;
    leave(warp, *sleepsAt(warp, barrier.phase), meeting);
  }
  barrier = {barrier.phase + 1};
  block.grid.met();
}

bool isComplete(const NamedBarrier &barrier) {
  return barrier.expected && barrier.arrived >= barrier.expected;
}

// -- Clusters

Meeting meetingOf(const Cluster &cluster, uint64_t phase) {
  return {Meeting::Kind::cluster, 0, nullptr, phase, Semantics::acquireRelease,
          Scope::cluster};
}

void completeIfAllArrived(Cluster &cluster) {
  uint32_t live = 0;
  for (const Block *block : cluster.blocks) {
    live += liveWarps(*block);
  }
  ClusterBarrier &barrier = cluster.barrier;
  if (!live || barrier.arrived < live) {
    return;
  }
  const Meeting meeting = meetingOf(cluster, barrier.phase);
  for (Block *block : cluster.blocks) {
    for (Warp &warp : block->warps) {
      if (const Instruction *instruction = sleepsAt(warp, barrier.phase)) {
        leave(warp, *instruction, meeting);
      }
    }
    block->grid.met();
  }
  ++barrier.phase;
  barrier.arrived = 0;
}

} // namespace

Step cheems::emulator::meetAtBarrier(Warp &warp, const Instruction &instruction,
                                     uint32_t number, uint32_t threads,
                                     BarrierUse use, LaneMask predicate) {
  Block &block = warp.block;
  auto name = [&] { return "barrier " + std::to_string(number); };
  if (number >= block.barriers.size()) {
    warp.fail(instruction, "barrier-number",
              name() + " does not exist: a block has 16");
  }
  if (threads % warpLanes) {
    warp.fail(instruction, "barrier-count",
              name() + " is for " + std::to_string(threads) +
                  " threads, which is no multiple of 32");
  }
  const uint32_t blockThreads =
      static_cast<uint32_t>(block.warps.size()) * warpLanes;
  if (threads > blockThreads) {
    warp.fail(instruction, "barrier-count",
              name() + " is for " + std::to_string(threads) +
                  " threads, but the block has " +
                  std::to_string(block.threads));
  }
  NamedBarrier &barrier = block.barriers[number];
  const bool reduces = use == BarrierUse::reduce;
  const uint32_t expected = threads ? threads : liveWarps(block) * warpLanes;
  if (barrier.arrived) {
    if (barrier.expected != expected) {
      warp.fail(instruction, "barrier-count",
                name() + " is for " + std::to_string(expected) +
                    " threads here, but those that have arrived wait for " +
                    std::to_string(barrier.expected));
    }
    // "Care must be taken to keep a warp from executing more barrier{.cta}
    // instructions than intended (barrier{.cta}.arrive followed by any other
    // barrier{.cta} instruction to the same barrier) prior to the reset of the
    // barrier."
    if (barrier.warps >> warp.index & 1) {
      warp.fail(instruction, "barrier-twice",
                "the warp comes to " + name() +
                    " again, but the phase in which it has arrived is not "
                    "complete");
    }
    // "barrier{.cta}.red should not be intermixed with barrier{.cta}.sync or
    // barrier{.cta}.arrive using the same active barrier."
    if (barrier.reduces != reduces) {
      warp.fail(
          instruction, "barrier-mixed",
          "bar.red is mixed with bar.sync or bar.arrive in one phase of " +
              name());
    }
  }
  const Meeting meeting = meetingOf(block, barrier);
  block.observe([&](BlockObserver &observer) {
    observer.arrive(warp, instruction, warp.live(), meeting);
  });
  warp.block.grid.met();
  barrier.expected = expected;
  barrier.all |= !threads;
  barrier.reduces = reduces;
  barrier.arrived += warpLanes;
  barrier.warps |= 1u << warp.index;
  barrier.trueCount += std::popcount(predicate & warp.live());
  barrier.threads += std::popcount(warp.live());
  const bool sleeps = use != BarrierUse::arrive;
  if (!isComplete(barrier)) {
    barrier.sleepers |= uint32_t(sleeps) << warp.index;
    return sleeps ? warp.waitFor(barrier.phase) : Step::next;
  }
  warp.reducedTrue = barrier.trueCount;
  warp.reducedThreads = barrier.threads;
  complete(block, barrier);
  if (sleeps) {
    leave(warp, instruction, meeting);
  }
  return Step::next;
}

void cheems::emulator::arriveAtCluster(Warp &warp,
                                       const Instruction &instruction,
                                       Semantics semantics) {
  // "Each thread must arrive at the barrier only once before the barrier
  // completes."
  if (warp.clusterArrivals != warp.clusterWaits) {
    warp.fail(instruction, "cluster-barrier",
              "the warp arrives at the cluster's barrier again, but has not "
              "waited for its last arrival");
  }
  Cluster &cluster = *warp.block.cluster;
  Meeting meeting = meetingOf(cluster, cluster.barrier.phase);
  meeting.semantics = semantics;
  warp.block.observe([&](BlockObserver &observer) {
    observer.arrive(warp, instruction, warp.live(), meeting);
  });
  warp.block.grid.met();
  ++warp.clusterArrivals;
  ++cluster.barrier.arrived;
  completeIfAllArrived(cluster);
}

Step cheems::emulator::waitForCluster(Warp &warp,
                                      const Instruction &instruction) {
  if (warp.clusterArrivals == warp.clusterWaits) {
    warp.fail(instruction, "cluster-barrier",
              "the warp waits at the cluster's barrier, but has not arrived");
  }
  Cluster &cluster = *warp.block.cluster;
  ++warp.clusterWaits;
  if (cluster.barrier.phase < warp.clusterArrivals) {
    return warp.waitFor(cluster.barrier.phase);
  }
  leave(warp, instruction, meetingOf(cluster, warp.clusterArrivals - 1));
  return Step::next;
}

void cheems::emulator::leaveBarriers(Warp &warp) {
  Block &block = warp.block;
  for (NamedBarrier &barrier : block.barriers) {
    // A count that the kernel gives stays, whoever exits.
    if (barrier.all && !(barrier.warps >> warp.index & 1)) {
      barrier.expected -= warpLanes;
      if (isComplete(barrier)) {
        complete(block, barrier);
      }
    }
  }
  if (warp.clusterArrivals == block.cluster->barrier.phase + 1) {
    --block.cluster->barrier.arrived;
  }
  completeIfAllArrived(*block.cluster);
}

std::string cheems::emulator::describeBarriers(Block &block) {
  std::string text;
  for (const NamedBarrier &barrier : block.barriers) {
    if (!barrier.arrived) {
      continue;
    }
    text += "block (" + std::to_string(block.index.x) + ", " +
            std::to_string(block.index.y) + ", " +
            std::to_string(block.index.z) + ") barrier " +
            std::to_string(&barrier - block.barriers.data()) + " has " +
            std::to_string(barrier.arrived) + " threads of " +
            std::to_string(barrier.expected) + ", of warps";
    for (uint32_t rest = barrier.warps; rest; rest &= rest - 1) {
      text += " " + std::to_string(std::countr_zero(rest));
    }
    text += "\n";
  }
  return text;
}
