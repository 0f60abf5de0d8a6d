//===- Geometry.cpp - Numbers of blocks, clusters and warps --------------===//
#include "Geometry.h"

#include "Machine/Block.h"

using namespace cheems::emulator;

Geometry::Geometry(const Launch &launch)
    : program(*launch.kernel->program), grid(launch.grid),
      cluster(launch.cluster),
      clusters(static_cast<uint32_t>(grid.count() / cluster.count())),
      blocksPerCluster(static_cast<uint32_t>(cluster.count())),
      warpsPerBlock(static_cast<uint32_t>(
          (launch.block.count() + warpLanes - 1) / warpLanes)),
      warpsPerCluster(warpsPerBlock * blocksPerCluster) {}

uint32_t Geometry::clusterOf(const Block &block) const {
  const uint32_t perRow = grid.x / cluster.x, perColumn = grid.y / cluster.y;
  return (block.index.z / cluster.z * perColumn + block.index.y / cluster.y) *
             perRow +
         block.index.x / cluster.x;
}

uint32_t Geometry::firstWarpOf(const Block &block) const {
  return clusterOf(block) * warpsPerCluster +
         static_cast<uint32_t>(block.rank) * warpsPerBlock;
}

Place Geometry::place(uint32_t warp, int lane, uint32_t instruction) const {
  const uint32_t number = warp / warpsPerCluster;
  const uint32_t rank = warp % warpsPerCluster / warpsPerBlock;
  const uint32_t perRow = grid.x / cluster.x, perColumn = grid.y / cluster.y;
  return {
      program.kernel,
      program.instructions[instruction].line,
      {number % perRow * cluster.x + rank % cluster.x,
       number / perRow % perColumn * cluster.y + rank / cluster.x % cluster.y,
       number / perRow / perColumn * cluster.z + rank / cluster.x / cluster.y},
      static_cast<int>(warp % warpsPerBlock),
      lane};
}
