//===- CountedGrid.cpp - What is counted of a grid -----------------------===//
#include "CountedGrid.h"

#include "Machine/Block.h"
#include "Rates.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {
constexpr double warpsPerMultiprocessor = 64;

bool isBarrier(const Detail &detail) {
  const std::string &text = detail.text;
  return text.starts_with("barrier.") ||
         (text.starts_with("bar.") && !text.starts_with("bar.warp"));
}
} // namespace

CountedGrid::CountedGrid(const Device &device, const Launch &launch, Wave wave,
                         End end)
    : wave(std::move(wave)), end(std::move(end)),
      program(launch.kernel->program),
      architecture(device.options.architecture) {
  const Kernel &kernel = *launch.kernel;
  counts.kernel = kernel.name;
  counts.threads = static_cast<uint32_t>(launch.block.count());
  counts.sharedBytes = kernel.staticSharedBytes + launch.dynamicSharedBytes;
  counts.registers = kernel.registers;
  counts.residentBlocks = residentBlocksPerMultiprocessor(
      device.options, kernel, counts.threads, launch.dynamicSharedBytes);
  const uint32_t warps = (counts.threads + warpLanes - 1) / warpLanes;
  counts.occupancy = counts.residentBlocks * warps / warpsPerMultiprocessor;
  counts.launches = 1;
  counts.blocks = launch.grid.count();
  waveBlocks = std::max<uint64_t>(uint64_t(device.options.multiprocessors) *
                                      std::max(counts.residentBlocks, 1),
                                  1);
}

std::unique_ptr<BlockObserver> CountedGrid::startBlock(Block &block) {
  return std::make_unique<CountedBlock>(block.number);
}

void CountedGrid::endBlock(BlockObserver &observer) {
  auto &block = static_cast<CountedBlock &>(observer);
  sums.add(block.sums);
  Open &of = open[block.number / waveBlocks];
  of.traffic.merge(block.traffic);
  ++of.ended;
  while (!open.empty() && open.begin()->first == nextWave) {
    Open &first = open.begin()->second;
    const uint64_t begin = nextWave * waveBlocks;
    if (first.ended != std::min(waveBlocks, counts.blocks - begin)) {
      return;
    }
    counts.dramReadSectors += wave(first.traffic.sectors());
    all.merge(first.traffic);
    open.erase(open.begin());
    ++nextWave;
  }
}

void CountedGrid::endGrid(std::span<const uint64_t> executions) {
  for (size_t i = 0; i < executions.size(); ++i) {
    const Detail &detail = program->details[i];
    const auto pipe = static_cast<size_t>(detail.pipe);
    counts.instructions[pipe] += executions[i];
    counts.cycles[pipe] +=
        static_cast<double>(executions[i]) * cyclesOf(detail, architecture);
    counts.barriers += isBarrier(detail) ? executions[i] : 0;
  }
  counts.sharedWavefronts = sums.sharedWavefronts;
  counts.leastSharedWavefronts = sums.leastSharedWavefronts;
  counts.globalRequests = sums.globalRequests;
  counts.globalSectors = sums.globalSectors;
  counts.compulsoryBytes = all.sectors().size() * sectorBytes;
  end(counts);
}
