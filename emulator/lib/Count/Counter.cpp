//===- Counter.cpp - Counts of all grids that run ------------------------===//
#include "Counter.h"

#include "CountedGrid.h"
#include "DramModel.h"

#include <mutex>

using namespace cheems::emulator;

namespace {

/// All that is counted. Grids of several threads of the host come one by one.
class Counter {
public:
  explicit Counter(const Options &options)
      : gpu{options.architecture, options.multiprocessors},
        isCold(options.coldCaches),
        memory(gpu.cacheBytes(), [this](size_t writer) {
          ++steps.back().kernels[writer].dramWriteSectors;
        }) {
    steps.emplace_back();
  }

  std::unique_ptr<GridObserver> start(const Device &device,
                                      const Launch &launch) {
    // Its place is known before its first wave: a write is charged to it.
    auto place = std::make_shared<size_t>(placeOf(device, launch));
    if (isCold) {
      std::lock_guard lock(mutex);
      memory.empty();
    }
    return std::make_unique<CountedGrid>(
        device, launch,
        [this, place](const std::vector<SectorUse> &sectors) {
          std::lock_guard lock(mutex);
          return memory.wave(sectors, *place);
        },
        [this, place](const KernelCounts &counts) {
          std::lock_guard lock(mutex);
          add(steps.back().kernels[*place], counts);
        });
  }

  void copy(CopyDirection direction, uint64_t bytes) {
    std::lock_guard lock(mutex);
    CopyCounts &of = steps.back().copies[static_cast<size_t>(direction)];
    ++of.copies;
    of.bytes += bytes;
  }

  void endStep() {
    std::lock_guard lock(mutex);
    memory.writeBack();
    const StepCounts &last = steps.back();
    bool isEmpty = last.kernels.empty();
    for (const CopyCounts &copies : last.copies) {
      isEmpty &= copies.copies == 0;
    }
    if (!isEmpty) {
      steps.emplace_back();
    }
  }

  std::vector<StepCounts> take() {
    endStep();
    steps.pop_back(); // the one that has just begun, or an empty one
    return std::move(steps);
  }

  const CountedGPU gpu;

private:
  size_t placeOf(const Device &device, const Launch &launch) {
    std::lock_guard lock(mutex);
    std::vector<KernelCounts> &kernels = steps.back().kernels;
    const Kernel &kernel = *launch.kernel;
    const auto threads = static_cast<uint32_t>(launch.block.count());
    const uint64_t shared =
        kernel.staticSharedBytes + launch.dynamicSharedBytes;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (kernels[i].kernel == kernel.name && kernels[i].threads == threads &&
          kernels[i].sharedBytes == shared) {
        return i;
      }
    }
    KernelCounts &made = kernels.emplace_back();
    made.kernel = kernel.name;
    made.threads = threads;
    made.sharedBytes = shared;
    return kernels.size() - 1;
  }

  static void add(KernelCounts &to, const KernelCounts &from) {
    to.registers = from.registers;
    to.residentBlocks = from.residentBlocks;
    to.occupancy = from.occupancy;
    to.launches += from.launches;
    to.blocks += from.blocks;
    for (int pipe = 0; pipe < pipes; ++pipe) {
      to.instructions[pipe] += from.instructions[pipe];
      to.cycles[pipe] += from.cycles[pipe];
    }
    to.barriers += from.barriers;
    to.sharedWavefronts += from.sharedWavefronts;
    to.leastSharedWavefronts += from.leastSharedWavefronts;
    to.globalRequests += from.globalRequests;
    to.globalSectors += from.globalSectors;
    to.dramReadSectors += from.dramReadSectors;
    to.compulsoryBytes += from.compulsoryBytes;
  }

  const bool isCold;
  std::mutex mutex;
  std::vector<StepCounts> steps;
  DramModel memory;
};

std::unique_ptr<Counter> counter;

std::unique_ptr<GridObserver> observe(Device &device, const Launch &launch) {
  return counter->start(device, launch);
}

} // namespace

void cheems::emulator::startCounting(const Options &options) {
  counter = std::make_unique<Counter>(options);
  setObserver(ObserverKind::counter, observe);
}

std::optional<CountedGPU> cheems::emulator::countedGPU() {
  return counter ? std::optional(counter->gpu) : std::nullopt;
}

void cheems::emulator::countCopy(CopyDirection direction, uint64_t bytes) {
  if (counter) {
    counter->copy(direction, bytes);
  }
}

void cheems::emulator::nextStep() {
  if (counter) {
    counter->endStep();
  }
}

std::vector<StepCounts> cheems::emulator::takeCounts() {
  setObserver(ObserverKind::counter, nullptr);
  std::vector<StepCounts> steps;
  if (counter) {
    steps = counter->take();
    counter.reset();
  }
  return steps;
}
