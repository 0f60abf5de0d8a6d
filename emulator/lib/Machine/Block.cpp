//===- Block.cpp - A block's memory, and its warps in turn ---------------===//
#include "Block.h"

#include "Random.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

using namespace cheems::emulator;

namespace {

Extent indexOf(uint64_t number, const Extent &grid) {
  return {static_cast<uint32_t>(number % grid.x),
          static_cast<uint32_t>(number / grid.x % grid.y),
          static_cast<uint32_t>(number / grid.x / grid.y)};
}

void fill(uint32_t (&lanes)[warpLanes], uint32_t value) {
  std::fill(std::begin(lanes), std::end(lanes), value);
}

void fill(uint32_t (&lanes)[3][warpLanes], const Extent &extent) {
  fill(lanes[0], extent.x);
  fill(lanes[1], extent.y);
  fill(lanes[2], extent.z);
}

/// Those of a warp, which are the same in each block of a grid.
void fill(WarpValues &values, uint32_t warp, const Extent &block) {
  fill(values.warpid, warp);
  for (uint32_t lane = 0; lane < warpLanes; ++lane) {
    const Extent thread = indexOf(warp * warpLanes + lane, block);
    values.tid[0][lane] = thread.x;
    values.tid[1][lane] = thread.y;
    values.tid[2][lane] = thread.z;
    values.laneid[lane] = lane;
    const uint32_t bit = 1u << lane;
    values.lanemaskEq[lane] = bit;
    values.lanemaskLt[lane] = bit - 1;
    values.lanemaskLe[lane] = bit | (bit - 1);
    values.lanemaskGt[lane] = ~(bit | (bit - 1));
    values.lanemaskGe[lane] = ~(bit - 1);
  }
}

std::unique_ptr<BlockStorage> takeStorage(GridContext &grid, size_t warps,
                                          uint32_t sharedBytes) {
  const Program &program = grid.program;
  if (!grid.spare.empty()) {
    std::unique_ptr<BlockStorage> storage = std::move(grid.spare.back());
    grid.spare.pop_back();
    // What was never written has the same value in every run.
    std::fill_n(storage->registers.data(), storage->registers.size(),
                std::byte{});
    std::fill_n(storage->shared.data(), storage->shared.size(), std::byte{});
    std::fill(storage->sharedStates.begin(), storage->sharedStates.end(),
              SharedState::uninitialised);
    std::fill(storage->executions.begin(), storage->executions.end(), 0);
    storage->local.clear();
    return storage;
  }
  auto storage = std::make_unique<BlockStorage>();
  storage->registers = AlignedBytes(warps * program.registerBytes);
  storage->shared = AlignedBytes(sharedBytes);
  storage->sharedStates.resize(sharedBytes);
  storage->executions.resize(program.instructions.size() + 1);
  storage->warpValues.resize(warps);
  for (size_t i = 0; i < warps; ++i) {
    fill(storage->warpValues[i], static_cast<uint32_t>(i), grid.launch.block);
  }
  BlockValues &values = storage->blockValues;
  values = {};
  const Launch &launch = grid.launch;
  const Extent &cluster = launch.cluster;
  fill(values.nctaid, launch.grid);
  fill(values.ntid, launch.block);
  fill(values.nclusterid, {launch.grid.x / cluster.x, launch.grid.y / cluster.y,
                           launch.grid.z / cluster.z});
  fill(values.clusterNctaid, cluster);
  fill(values.clusterNctarank, static_cast<uint32_t>(cluster.count()));
  fill(values.nwarpid, static_cast<uint32_t>(warps));
  fill(values.nsmid, grid.device.options.multiprocessors);
  fill(values.dynamicSmemSize, launch.dynamicSharedBytes);
  fill(values.totalSmemSize, sharedBytes);
  std::fill(std::begin(values.gridid), std::end(values.gridid),
            grid.gridNumber);
  values.isExplicitCluster = cluster.count() > 1 ? allLanes : 0;
  return storage;
}

} // namespace

BlockExtension::~BlockExtension() = default;

Block::Block(GridContext &grid, uint64_t number, Cluster *cluster, int rank)
    : grid(grid), number(number), index(indexOf(number, grid.launch.grid)),
      cluster(cluster), rank(rank),
      sharedSize(static_cast<uint32_t>(grid.program.sharedBytes) +
                 grid.launch.dynamicSharedBytes),
      random(mix(grid.device.options.seed ^ mix(number))) {
  threads = static_cast<uint32_t>(grid.launch.block.count());
  liveThreads = threads;
  const uint32_t count = (threads + warpLanes - 1) / warpLanes;
  storage = takeStorage(grid, count, sharedSize);
  fillValues();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t left = threads - i * warpLanes;
    warps.emplace_back(*this, i,
                       left < warpLanes ? (1u << left) - 1 : allLanes);
  }
  std::iota(order.begin(), order.end(), uint8_t(0));
}

Block::~Block() { grid.spare.push_back(std::move(storage)); }

void Block::fillValues() {
  const Extent &extent = grid.launch.cluster;
  BlockValues &values = storage->blockValues;
  fill(values.ctaid, index);
  fill(values.clusterid,
       {index.x / extent.x, index.y / extent.y, index.z / extent.z});
  fill(values.clusterCtaid,
       {index.x % extent.x, index.y % extent.y, index.z % extent.z});
  fill(values.clusterCtarank, static_cast<uint32_t>(rank));
  fill(values.smid,
       static_cast<uint32_t>(number % grid.device.options.multiprocessors));
}

Block *Block::sharedOwner(uint64_t address) {
  const int owner = sharedRank(address);
  if (owner < 0) {
    return this;
  }
  return static_cast<size_t>(owner) < cluster->blocks.size()
             ? cluster->blocks[owner]
             : nullptr;
}

size_t Block::nextExtension() {
  static std::atomic<size_t> count = 0;
  return count++;
}

Block::Round Block::round() {
  const size_t count = warps.size();
  random = mix(random);
  uint64_t bits = random;
  // Short quanta find more interleavings, long ones keep registers in caches.
  const int64_t quantum = int64_t(32) << (bits & 7);
  for (size_t i = count - 1; i > 0; --i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[i], order[(bits >> 33) % (i + 1)]);
  }
  const uint64_t before = grid.progress;
  bool ran = false;
  bool allPolled = true;
  for (size_t i = 0; i < count; ++i) {
    Warp &warp = warps[order[i]];
    const uint64_t polls = warp.polls;
    if (warp.run(quantum)) {
      ran = true;
      allPolled &= warp.polls != polls;
    }
  }
  return !ran                                   ? Round::asleep
         : allPolled && grid.progress == before ? Round::polled
                                                : Round::running;
}

bool Block::advance() {
  for (BlockExtension *extension : extensionsByAge) {
    if (extension->advance(*this)) {
      ++grid.progress;
      return true;
    }
  }
  return false;
}

void Block::warn(const Finding &finding) {
  const Extent &size = grid.launch.cluster, &blocks = grid.launch.grid;
  const uint64_t perRow = blocks.x / size.x, perColumn = blocks.y / size.y;
  grid.warnings.add(
      (uint64_t(index.z / size.z) * perColumn + index.y / size.y) * perRow +
          index.x / size.x,
      finding);
}

void Block::finish() {
  for (BlockExtension *extension : extensionsByAge) {
    extension->finish(*this);
  }
}

std::string Block::describe() {
  std::string text;
  for (const Warp &warp : warps) {
    text += warp.describe();
  }
  text += describeBarriers(*this);
  for (BlockExtension *extension : extensionsByAge) {
    text += extension->describe(*this);
  }
  return text;
}
