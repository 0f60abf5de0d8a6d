//===- Resident.h - The blocks of a cluster while they run ------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_RESIDENT_H
#define CHEEMS_EMULATOR_MACHINE_RESIDENT_H

#include "Standstill.h"

#include "Block.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace cheems::emulator {

/// The blocks of one cluster, from their start until all have ended.
class Resident {
public:
  using Observers = std::vector<std::unique_ptr<GridObserver>>;

  /// `number` counts clusters of the grid, x fastest.
  Resident(GridContext &grid, uint64_t number, const Observers &observers);

  /// A round of each block.
  Block::Round round();
  bool isDone() const { return running == 0; }
  uint64_t progress() const { return grid.progress; }
  uint64_t changes() const { return grid.changes(); }
  /// Its blocks will do nothing that others can see, unless these do.
  bool standsStill() const { return still == running; }
  std::string describe();
  /// Somebody waits for the kernel before this one.
  bool waitsForPrimary() const;
  /// "deadlock", at the first instruction that waits.
  [[noreturn]] void reportDeadlock(const std::string &everybody);

  const uint64_t number;
  std::vector<std::unique_ptr<Block>> blocks;

private:
  GridContext &grid;
  Cluster cluster;
  std::vector<Standstill> standstills; ///< of blocks
  size_t running = 0;                  ///< blocks that have not ended
  size_t still = 0;                    ///< of these, since the last round
};

/// How many clusters a grid has, and how many blocks a cluster.
inline uint64_t clusterCount(const Launch &launch) {
  return launch.grid.count() / launch.cluster.count();
}

/// Adds how often segments began and ended in a block.
inline void addExecutions(std::vector<int64_t> &total, Block &block) {
  for (size_t i = 0; i < total.size(); ++i) {
    total[i] += block.executions()[i];
  }
}

/// After how many rounds in which `threads` do nothing but poll it is a
/// deadlock: about a million polls, so that loops that poll a fixed number of
/// times and then do something else come to their end.
inline uint64_t quietLimit(uint64_t threads) {
  const uint64_t warps = threads / warpLanes + 1;
  return std::max<uint64_t>((uint64_t(1) << 20) / warps, 1024);
}

} // namespace cheems::emulator

#endif
