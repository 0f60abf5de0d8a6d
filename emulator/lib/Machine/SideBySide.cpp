//===- SideBySide.cpp - A grid whose blocks are independent --------------===//
#include "SideBySide.h"

#include <chrono>
#include <thread>

using namespace cheems::emulator;

namespace {

using Clock = std::chrono::steady_clock;

/// A small grid is done before a thread of the host has started.
constexpr auto timeAlone = std::chrono::microseconds(200);

} // namespace

const std::vector<int64_t> &SideBySide::run(int threads) {
  if (!work(/*alone=*/threads > 1)) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) {
      others.emplace_back([this] { work(false); });
    }
    work(false);
    for (std::thread &thread : others) {
      thread.join();
    }
  }
  if (failure) {
    grid.warnings.dropAfter(failed);
    std::rethrow_exception(failure);
  }
  return total;
}

bool SideBySide::work(bool alone) {
  const Clock::time_point begin = Clock::now();
  bool isDone = false;
  GridContext context{grid.device, grid.launch, grid.program, grid.warnings,
                      grid.gridNumber};
  std::vector<int64_t> executions(total.size());
  while (!alone || Clock::now() - begin < timeAlone) {
    const uint64_t number = next++;
    if (number >= failed) { // which is the number of clusters at first
      isDone = true;
      break;
    }
    try {
      Resident resident(context, number, observers);
      if (!runCluster(resident)) {
        continue;
      }
      std::lock_guard lock(mutex);
      for (auto &block : resident.blocks) {
        addExecutions(executions, *block);
        for (size_t i = 0; i < observers.size(); ++i) {
          if (block->observers[i]) {
            observers[i]->endBlock(*block->observers[i]);
          }
        }
      }
    } catch (...) {
      std::lock_guard lock(mutex);
      if (number < failed) {
        failed = number;
        failure = std::current_exception();
      }
    }
  }
  std::lock_guard lock(mutex);
  for (size_t i = 0; i < total.size(); ++i) {
    total[i] += executions[i];
  }
  return isDone;
}

bool SideBySide::runCluster(Resident &resident) {
  const uint64_t limit =
      quietLimit(grid.launch.block.count() * grid.launch.cluster.count());
  uint64_t quietRounds = 0;
  while (!resident.isDone()) {
    const uint64_t before = resident.progress(), changes = resident.changes();
    const Block::Round result = resident.round();
    if (resident.progress() != before) {
      quietRounds = 0;
      if (resident.number > failed) {
        return false;
      }
      if (resident.changes() != changes || !resident.standsStill()) {
        continue;
      }
    }
    quietRounds += result == Block::Round::polled;
    if (result == Block::Round::asleep || quietRounds > limit ||
        resident.standsStill()) {
      resident.reportDeadlock(resident.describe());
    }
  }
  return true;
}
