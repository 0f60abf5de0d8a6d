//===- Checker.cpp - Order between the threads of a cluster --------------===//
#include "cheems/Emulator/Check/Checker.h"

#include "ClusterCheck.h"
#include "TensorMapFences.h"
#include "cheems/Emulator/Machine/Block.h"

#include <mutex>

using namespace cheems::emulator;

namespace {

std::atomic<uint64_t> sameValueCount;

class BlockCheck : public BlockObserver {
public:
  explicit BlockCheck(std::shared_ptr<ClusterCheck> cluster)
      : cluster(std::move(cluster)) {}

  void access(Warp &warp, const Access &access) override {
    cluster->settle();
    cluster->access(warp, access);
    maps.access(warp, access);
  }
  void fence(Warp &warp, const Instruction &, LaneMask lanes,
             const Fence &fence) override {
    cluster->settle();
    cluster->fence(warp, lanes, fence);
    maps.fence(lanes, fence);
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
    maps.use(warp, instruction, range);
  }
  void endAsync(Warp &warp, const Instruction &, LaneMask lanes, AsyncKind kind,
                uint64_t last, bool) override {
    cluster->settle();
    if (kind == AsyncKind::copy) {
      cluster->endCopies(warp, lanes, last);
    } else {
      cluster->endReads(warp, lanes, kind, last);
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

private:
  const std::shared_ptr<ClusterCheck> cluster;
  TensorMapFences maps;
};

class GridCheck : public GridObserver {
public:
  std::unique_ptr<BlockObserver> startBlock(Block &block) override {
    std::lock_guard lock(mutex);
    std::weak_ptr<ClusterCheck> &known = clusters[block.cluster];
    std::shared_ptr<ClusterCheck> cluster = known.lock();
    if (!cluster) {
      cluster = std::make_shared<ClusterCheck>(block, sameValueCount);
      known = cluster;
    }
    return std::make_unique<BlockCheck>(std::move(cluster));
  }

private:
  std::mutex mutex;
  std::map<const Cluster *, std::weak_ptr<ClusterCheck>> clusters;
};

std::unique_ptr<GridObserver> check(Device &, const Launch &) {
  return std::make_unique<GridCheck>();
}

} // namespace

void cheems::emulator::startChecking() {
  sameValueCount = 0;
  setObserver(ObserverKind::checker, check);
}

uint64_t cheems::emulator::sameValueWrites() { return sameValueCount; }
