//===- SideBySide.cpp - A grid whose blocks are independent --------------===//
#include "SideBySide.h"

#include <thread>

using namespace cheems::emulator;

const std::vector<int64_t> &SideBySide::run(int threads) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([this] { work(); });
  }
  work();
  for (std::thread &thread : others) {
    thread.join();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return total;
}

void SideBySide::work() {
  GridContext context{grid.device, grid.launch, grid.program, grid.gridNumber};
  std::vector<int64_t> executions(total.size());
  for (;;) {
    const uint64_t number = next++;
    if (number >= failed) { // which is the number of clusters at first
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
}

bool SideBySide::runCluster(Resident &resident) {
  const uint64_t limit =
      quietLimit(grid.launch.block.count() * grid.launch.cluster.count());
  uint64_t quietRounds = 0;
  while (!resident.isDone()) {
    const uint64_t before = resident.progress();
    const Block::Round result = resident.round();
    if (resident.progress() != before) {
      quietRounds = 0;
      if (resident.number > failed) {
        return false;
      }
      continue;
    }
    quietRounds += result == Block::Round::polled;
    if (result == Block::Round::asleep || quietRounds > limit ||
        resident.standsStill()) {
      resident.reportDeadlock(resident.describe());
    }
  }
  return true;
}
