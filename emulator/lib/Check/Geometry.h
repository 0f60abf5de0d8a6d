//===- Geometry.h - Numbers of blocks, clusters and warps -------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_GEOMETRY_H
#define CHEEMS_EMULATOR_CHECK_GEOMETRY_H

#include "Machine/Launch.h"
#include "Support/Error.h"

#include <cstdint>

namespace cheems::emulator {

class Block;
struct Program;

/// How the warps of a grid are numbered: cluster by cluster, then block by
/// rank.
struct Geometry {
  explicit Geometry(const Launch &launch);

  const Program &program;
  const Extent grid, cluster;
  const uint32_t clusters, blocksPerCluster, warpsPerBlock, warpsPerCluster;

  /// The number of a block's cluster.
  uint32_t clusterOf(const Block &block) const;
  uint32_t firstWarpOf(const Block &block) const;
  /// The place of a lane of a warp that executes an instruction.
  Place place(uint32_t warp, int lane, uint32_t instruction) const;
};

} // namespace cheems::emulator

#endif
