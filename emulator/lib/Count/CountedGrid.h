//===- CountedGrid.h - What is counted of a grid ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_COUNTEDGRID_H
#define CHEEMS_EMULATOR_COUNT_COUNTEDGRID_H

#include "Counts.h"
#include "Machine/Launch.h"
#include "Machine/Observer.h"
#include "Traffic.h"

#include <functional>
#include <map>

namespace cheems::emulator {

/// A sum that is the same in whatever order blocks end.
struct BlockSums {
  uint64_t sharedWavefronts = 0, leastSharedWavefronts = 0;
  uint64_t globalRequests = 0, globalSectors = 0;

  void add(const BlockSums &other);
};

class CountedBlock : public BlockObserver {
public:
  explicit CountedBlock(uint64_t number) : number(number) {}

  void access(Warp &warp, const Access &access) override;
  void startAsync(Warp &warp, const Instruction &instruction,
                  const AsyncRange &range) override;

  const uint64_t number;
  BlockSums sums;
  Traffic traffic;

private:
  /// The cp.async of which lanes are told one by one.
  uint64_t lastCopy = ~uint64_t(0);
  uint64_t lastCopySector = 0;
};

class CountedGrid : public GridObserver {
public:
  /// What a wave makes the memory read, in sectors.
  using Wave = std::function<uint64_t(const std::vector<SectorUse> &)>;
  /// Takes the counts of this launch.
  using End = std::function<void(const KernelCounts &)>;

  CountedGrid(const Device &device, const Launch &launch, Wave wave, End end);

  std::unique_ptr<BlockObserver> startBlock(Block &block) override;
  void endBlock(BlockObserver &observer) override;
  void endGrid(std::span<const uint64_t> executions) override;

private:
  struct Open {
    uint64_t ended = 0;
    Traffic traffic;
  };

  const Wave wave;
  const End end;
  const std::shared_ptr<const Program> program;
  const int architecture;
  KernelCounts counts;
  BlockSums sums;
  Traffic all;
  uint64_t waveBlocks; ///< that all multiprocessors hold at once
  /// Waves of which some blocks have ended. They go to the cache in order.
  std::map<uint64_t, Open> open;
  uint64_t nextWave = 0;
};

} // namespace cheems::emulator

#endif
