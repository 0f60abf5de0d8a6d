//===- Interleaving.h - A grid whose blocks see each other ------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_INTERLEAVING_H
#define CHEEMS_EMULATOR_MACHINE_INTERLEAVING_H

#include "Resident.h"

#include <deque>
#include <map>

namespace cheems::emulator {

/// Runs a grid whose blocks communicate, or wait for the kernel before: all
/// that fit onto the GPU at once take turns on one thread of the host, in an
/// order that the seed determines.
class Interleaving {
public:
  Interleaving(GridContext &grid, const Resident::Observers &observers);

  Grid::State run();
  const std::vector<int64_t> &executions() const { return total; }

private:
  void start();
  void end(Resident &resident);
  void reportDeadlock();

  GridContext &grid;
  const Resident::Observers &observers;
  const uint64_t clusters; ///< of the grid
  uint64_t capacity;       ///< clusters at once
  uint64_t started = 0;
  uint64_t random;
  std::vector<std::unique_ptr<Resident>> residents;
  /// Observers of blocks that ended before one with a lower number.
  std::map<uint64_t, std::vector<std::unique_ptr<BlockObserver>>> ended;
  bool hasPaused = false; ///< Grid::State::released was given
  uint64_t reported = 0;  ///< blocks whose observers have been
  std::vector<int64_t> total;
};

} // namespace cheems::emulator

#endif
