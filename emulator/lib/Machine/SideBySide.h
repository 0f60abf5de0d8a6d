//===- SideBySide.h - A grid whose blocks are independent -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_SIDEBYSIDE_H
#define CHEEMS_EMULATOR_MACHINE_SIDEBYSIDE_H

#include "Resident.h"

#include <atomic>
#include <exception>
#include <mutex>

namespace cheems::emulator {

/// Runs a grid whose blocks do not see each other: one cluster after the other
/// on each of several threads of the host. What comes out is the same however
/// many there are. If clusters fail, the report is that of the lowest number,
/// so those below one that failed run to their end.
class SideBySide {
public:
  SideBySide(const GridContext &grid, const Resident::Observers &observers)
      : grid(grid), observers(observers), clusters(clusterCount(grid.launch)),
        failed(clusters), total(grid.program.instructions.size() + 1) {}

  /// How often segments began and ended. Throws what a cluster threw.
  const std::vector<int64_t> &run(int threads);

private:
  /// Runs clusters until none is left. With `alone`, not for long: false if
  /// some are left.
  bool work(bool alone);
  /// False: another cluster's failure has made this one's result useless.
  bool runCluster(Resident &resident);

  const GridContext &grid;
  const Resident::Observers &observers;
  const uint64_t clusters;
  std::atomic<uint64_t> next = 0;
  /// The lowest number of a cluster that has failed.
  std::atomic<uint64_t> failed;
  std::mutex mutex; ///< of what follows, and of GridObserver::endBlock
  std::exception_ptr failure;
  std::vector<int64_t> total;
};

} // namespace cheems::emulator

#endif
