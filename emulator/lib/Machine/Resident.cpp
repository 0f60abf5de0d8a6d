//===- Resident.cpp - The blocks of a cluster while they run -------------===//
#include "Resident.h"

using namespace cheems::emulator;

namespace {

/// Counts blocks of the grid, x fastest.
uint64_t blockNumber(const Launch &launch, uint64_t cluster, uint64_t rank) {
  const Extent &grid = launch.grid;
  const Extent &size = launch.cluster;
  const uint64_t perRow = grid.x / size.x;
  const uint64_t perColumn = grid.y / size.y;
  const uint64_t x = cluster % perRow * size.x + rank % size.x;
  const uint64_t y =
      cluster / perRow % perColumn * size.y + rank / size.x % size.y;
  const uint64_t z =
      cluster / perRow / perColumn * size.z + rank / size.x / size.y;
  return (z * grid.y + y) * grid.x + x;
}

} // namespace

Resident::Resident(GridContext &grid, uint64_t number,
                   const Observers &observers)
    : number(number), grid(grid) {
  running = grid.launch.cluster.count();
  for (size_t rank = 0; rank < running; ++rank) {
    blocks.push_back(
        std::make_unique<Block>(grid, blockNumber(grid.launch, number, rank),
                                &cluster, static_cast<int>(rank)));
    cluster.blocks.push_back(blocks.back().get());
  }
  for (auto &block : blocks) {
    for (size_t i = 0; i < observers.size(); ++i) {
      if (observers[i]) {
        block->observers[i] = observers[i]->startBlock(*block);
      }
    }
  }
}

Block::Round Resident::round() {
  Block::Round result = Block::Round::asleep;
  standstills.resize(blocks.size());
  still = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    auto &block = blocks[i];
    if (block->isDone()) {
      continue;
    }
    const Block::Round round = block->round();
    result = std::max(result, round);
    if (block->isDone()) {
      block->finish();
      --running;
      continue;
    }
    const bool isStill = standstills[i].check(*block);
    still += isStill;
    if (round != Block::Round::running || isStill) {
      // Nothing but an asynchronous operation may be able to go on. One may
      // end at any time, so this is allowed even if another block would help.
      if (block->advance()) {
        result = Block::Round::running;
      }
    }
  }
  return result;
}

std::string Resident::describe() {
  std::string text;
  for (auto &block : blocks) {
    text += block->describe();
  }
  return text;
}

bool Resident::waitsForPrimary() const {
  for (const auto &block : blocks) {
    for (const Warp &warp : block->warps) {
      for (const Group &group : warp) {
        if (group.state == Group::State::waits &&
            group.word == &block->grid.primaryFinished && !group.isAwake()) {
          return true;
        }
      }
    }
  }
  return false;
}

void Resident::reportDeadlock(const std::string &everybody) {
  // Lanes that wait for other lanes of their warp are the cause if these wait
  // for something else. If they poll, it is what they poll for.
  const Group *first = nullptr;
  const Warp *owner = nullptr;
  bool diverges = false;
  for (const auto &block : blocks) {
    for (const Warp &warp : block->warps) {
      for (const Group &group : warp) {
        const bool isCause =
            group.state == Group::State::converges && !warp.isAwake();
        if (!first || (isCause && !diverges)) {
          first = &group;
          owner = &warp;
          diverges = isCause;
        }
      }
    }
  }
  const Program &program = owner->block.program();
  const Instruction &instruction = program.instructions[first->pc];
  const bool barrier = first->pc < program.details.size() &&
                       program.details[first->pc].pipe == Pipe::control;
  owner->fail(instruction,
              !diverges ? "deadlock"
              : barrier ? "divergent-barrier"
                        : "divergent-instruction",
              (diverges ? "lanes of a warp wait for others, which never come:\n"
                        : "no thread can go on:\n") +
                  everybody);
}
