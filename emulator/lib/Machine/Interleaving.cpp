//===- Interleaving.cpp - A grid whose blocks see each other -------------===//
#include "Interleaving.h"

#include "Random.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

/// A kernel before this one may still be missing: that is said after so many
/// rounds in which nothing but polls happened.
constexpr uint64_t roundsBeforePrimary = 16;

} // namespace

Interleaving::Interleaving(GridContext &grid,
                           const Resident::Observers &observers)
    : grid(grid), observers(observers), clusters(clusterCount(grid.launch)),
      random(mix(~grid.device.options.seed)),
      total(grid.program.instructions.size() + 1) {
  const Launch &launch = grid.launch;
  const Options &options = grid.device.options;
  const uint64_t blocks =
      uint64_t(residentBlocksPerMultiprocessor(
          options, *launch.kernel, static_cast<uint32_t>(launch.block.count()),
          launch.dynamicSharedBytes)) *
      options.multiprocessors;
  capacity = std::max<uint64_t>(blocks / launch.cluster.count(), 1);
}

void Interleaving::start() {
  while (residents.size() < capacity && started < clusters) {
    residents.push_back(std::make_unique<Resident>(grid, started++, observers));
  }
}

Grid::State Interleaving::run() {
  start();
  uint64_t quietRounds = 0;
  std::vector<size_t> order;
  while (!residents.empty()) {
    order.resize(residents.size());
    for (size_t i = 0; i < order.size(); ++i) {
      random = mix(random);
      const size_t place = random % (i + 1);
      order[i] = order[place];
      order[place] = i;
    }
    const uint64_t before = grid.progress, changes = grid.changes();
    Block::Round result = Block::Round::asleep;
    bool anyDone = false;
    for (size_t i : order) {
      Resident &resident = *residents[i];
      result = std::max(result, resident.round());
      if (resident.isDone()) {
        end(resident);
        anyDone = true;
      }
    }
    if (anyDone) {
      std::erase_if(residents,
                    [](const auto &resident) { return resident->isDone(); });
      start();
    }
    if (grid.launch.pausesAtRelease && !hasPaused &&
        grid.released == grid.launch.grid.count() && !residents.empty()) {
      hasPaused = true;
      return Grid::State::released;
    }
    const bool still = grid.changes() == changes &&
                       std::all_of(residents.begin(), residents.end(),
                                   [](const auto &resident) {
                                     return resident->standsStill();
                                   });
    if (grid.progress != before) {
      quietRounds = 0;
      if (!still) {
        continue;
      }
    }
    quietRounds += result == Block::Round::polled;
    if (result == Block::Round::asleep || still ||
        quietRounds >= roundsBeforePrimary) {
      if (std::any_of(residents.begin(), residents.end(),
                      [](const auto &r) { return r->waitsForPrimary(); })) {
        return Grid::State::waitsForPrimary;
      }
    }
    if (result == Block::Round::asleep || still ||
        quietRounds > quietLimit(residents.size() * grid.launch.block.count() *
                                 grid.launch.cluster.count())) {
      reportDeadlock();
    }
  }
  return Grid::State::finished;
}

void Interleaving::end(Resident &resident) {
  for (auto &block : resident.blocks) {
    grid.released += !block->hasReleased;
    addExecutions(total, *block);
    auto &list = ended[block->number];
    for (auto &observer : block->observers) {
      list.push_back(std::move(observer));
    }
  }
  resident.blocks.clear();
  while (!ended.empty() && ended.begin()->first == reported) {
    auto &list = ended.begin()->second;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i]) {
        observers[i]->endBlock(*list[i]);
      }
    }
    ended.erase(ended.begin());
    ++reported;
  }
}

void Interleaving::reportDeadlock() {
  // A grid barrier with a thousand blocks does not need them all.
  constexpr size_t described = 16;
  std::sort(residents.begin(), residents.end(),
            [](const auto &a, const auto &b) { return a->number < b->number; });
  std::string everybody;
  for (size_t i = 0; i < std::min(described, residents.size()); ++i) {
    everybody += residents[i]->describe();
  }
  if (residents.size() > described) {
    everybody += "and " + std::to_string(residents.size() - described) +
                 " clusters more\n";
  }
  if (started < clusters) {
    everybody += std::to_string(clusters - started) +
                 " clusters have not started: the GPU holds " +
                 std::to_string(capacity) + " at once\n";
  }
  residents.front()->reportDeadlock(everybody);
}
