//===- Checker.cpp - Order between threads -------------------------------===//
#include "Checker.h"

#include "ClusterCheck.h"
#include "Footprint.h"
#include "Machine/Block.h"
#include "TensorMapFences.h"

#include <map>
#include <mutex>
#include <optional>

using namespace cheems::emulator;

namespace {

std::atomic<uint64_t> sameValueCount;

class BlockCheck : public BlockObserver {
public:
  BlockCheck(std::shared_ptr<ClusterCheck> cluster, TensorMapFences *maps)
      : cluster(std::move(cluster)), maps(maps) {}

  void access(Warp &warp, const Access &access) override {
    cluster->settle();
    cluster->access(warp, access);
    if (maps) {
      maps->access(warp, access);
    }
  }
  void fence(Warp &warp, const Instruction &, LaneMask lanes,
             const Fence &fence) override {
    cluster->settle();
    cluster->fence(warp, lanes, fence);
    if (maps) {
      maps->fence(warp.block, lanes, fence);
    }
  }
  void arrive(Warp &warp, const Instruction &, LaneMask lanes,
              const Meeting &meeting) override {
    cluster->settle();
    cluster->arrive(warp, lanes, meeting);
  }
  void leave(Warp &warp, const Instruction &, LaneMask lanes,
             const Meeting &meeting) override {
    cluster->settle();
    cluster->leave(warp, lanes, meeting);
  }
  void startAsync(Warp &warp, const Instruction &instruction,
                  const AsyncRange &range) override {
    cluster->settle();
    cluster->startAsync(warp, instruction, range);
    if (maps) {
      maps->use(warp, instruction, range);
    }
  }
  void endAsync(Warp &warp, const Instruction &, LaneMask lanes, AsyncKind kind,
                uint64_t last, bool readsOnly) override {
    cluster->settle();
    if (kind == AsyncKind::copy) {
      cluster->endCopies(warp, lanes, last);
      return;
    }
    cluster->endReads(warp, lanes, kind, last);
    if (kind == AsyncKind::bulk && !readsOnly) {
      cluster->endStores(warp, lanes, last);
    }
  }
  void arriveAsync(Warp &warp, const Instruction &, LaneMask lanes,
                   AsyncKind kind, uint64_t, uint64_t last,
                   const Meeting &meeting) override {
    cluster->settle();
    if (kind == AsyncKind::copy) {
      cluster->endCopies(warp, lanes, last);
      cluster->arrive(warp, lanes, meeting);
    } else {
      cluster->signal(warp, lanes, kind, last);
    }
  }
  void exit(Warp &, const Instruction &, LaneMask) override {
    cluster->settle();
  }

  const std::shared_ptr<ClusterCheck> cluster;

private:
  TensorMapFences *const maps;
};

/// A grid whose blocks communicate has one order of all that happens in global
/// memory. Else each cluster has its own, and what it touched is held against
/// the others' when it has ended.
class GridCheck : public GridObserver {
public:
  GridCheck(Device &device, const Launch &launch)
      : device(device), geometry(launch), footprint(geometry, sameValueCount) {
    if (launch.isInterleaved()) {
      order.emplace(geometry, device.memory, 0, geometry.clusters,
                    /*keepsValues=*/false, sameValueCount);
    }
  }

  std::unique_ptr<BlockObserver> startBlock(Block &block) override {
    std::lock_guard lock(mutex);
    const uint32_t number = geometry.clusterOf(block);
    Cluster &cluster = clusters[number];
    if (!cluster.check) {
      if (!order) {
        cluster.order =
            std::make_unique<GlobalOrder>(geometry, device.memory, number, 1,
                                          /*keepsValues=*/true, sameValueCount);
      }
      cluster.check = std::make_shared<ClusterCheck>(
          block, geometry, order ? *order : *cluster.order, sameValueCount);
    }
    return std::make_unique<BlockCheck>(cluster.check, order ? &maps : nullptr);
  }

  void endBlock(BlockObserver &observer) override {
    std::lock_guard lock(mutex);
    auto &block = static_cast<BlockCheck &>(observer);
    auto found = clusters.find(block.cluster->number);
    if (++found->second.ended < geometry.blocksPerCluster) {
      return;
    }
    found->second.check = nullptr;
    if (order) {
      clusters.erase(found);
      return;
    }
    // Clusters are added in ascending order; those that end too early wait.
    for (found = clusters.find(next);
         found != clusters.end() &&
         found->second.ended == geometry.blocksPerCluster;
         found = clusters.find(++next)) {
      footprint.add(*found->second.order);
      clusters.erase(found);
    }
  }

  void endGrid(std::span<const uint64_t>) override { footprint.report(); }

private:
  struct Cluster {
    std::unique_ptr<GlobalOrder> order;
    std::shared_ptr<ClusterCheck> check;
    uint32_t ended = 0; ///< blocks
  };

  Device &device;
  const Geometry geometry;
  std::mutex mutex;
  std::map<uint32_t, Cluster> clusters;
  uint32_t next = 0;
  std::optional<GlobalOrder> order; ///< of all clusters
  TensorMapFences maps;
  Footprint footprint;
};

std::unique_ptr<GridObserver> check(Device &device, const Launch &launch) {
  return std::make_unique<GridCheck>(device, launch);
}

} // namespace

void cheems::emulator::startChecking() {
  sameValueCount = 0;
  setObserver(ObserverKind::checker, check);
}

uint64_t cheems::emulator::sameValueWrites() { return sameValueCount; }
