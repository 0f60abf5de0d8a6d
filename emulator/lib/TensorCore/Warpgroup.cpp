//===- Warpgroup.cpp - wgmma operations in flight -------------------------===//
#include "Warpgroup.h"
#include "Machine/Warp.h"
#include "WgmmaMemory.h"
#include "WholeWarp.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

std::pair<int, int> shapeOf(const Instruction &instruction) {
  const auto &product = instruction.as<WgmmaMatmul>();
  return {product.columns, product.depth()};
}

std::string lineOf(const Instruction &instruction) {
  return "line " + std::to_string(instruction.line);
}

} // namespace

void RegisterSet::insert(Slot slot) {
  if (slot.base() != Base::registers) {
    return;
  }
  // An array of 32 elements begins at a multiple of 64 bytes.
  size_t place = slot.offset() / 64;
  if (words.size() <= place / 64) {
    words.resize(place / 64 + 1);
  }
  words[place / 64] |= uint64_t(1) << place % 64;
}

void RegisterSet::insert(const RegisterSet &other) {
  words.resize(std::max(words.size(), other.words.size()));
  for (size_t i = 0; i < other.words.size(); ++i) {
    words[i] |= other.words[i];
  }
}

bool RegisterSet::meets(const RegisterSet &other) const {
  for (size_t i = 0; i < std::min(words.size(), other.words.size()); ++i) {
    if (words[i] & other.words[i]) {
      return true;
    }
  }
  return false;
}

WarpgroupMatmuls::WarpgroupMatmuls(Block &block)
    : block(block), groups((block.warps.size() + 3) / 4) {}

uint64_t WarpgroupMatmuls::Group::whole() const {
  uint64_t least = members[0].issued;
  for (const Member &member : members) {
    least = std::min(least, member.issued);
  }
  return least;
}

const WarpgroupMatmuls::Registers &
WarpgroupMatmuls::registersOf(const Instruction &instruction) {
  auto [found, isNew] = registers.try_emplace(&instruction);
  Registers &result = found->second;
  if (isNew) {
    const auto &product = instruction.as<WgmmaMatmul>();
    int sums = product.accumulators();
    for (int i = 0; i < sums; ++i) {
      result.accumulators.insert(instruction.slots[i]);
    }
    for (int i = 0; i < 4 && product.aInRegisters; ++i) {
      result.fragments.insert(instruction.slots[sums + i]);
    }
    result.all = result.accumulators;
    result.all.insert(result.fragments);
  }
  return result;
}

/// PTX ISA, "wgmma.fence": it must be issued "before the first wgmma.mma_async
/// operation in a warpgroup" and "between a register access by a thread in the
/// warpgroup and any wgmma.mma_async instruction that accesses the same
/// registers, either as accumulator or input register containing fragments of
/// matrix A, except when these are accumulator register accesses across
/// multiple wgmma.mma_async instructions of the same shape".
void WarpgroupMatmuls::checkOrder(Warp &warp, const Instruction &instruction) {
  Member &member = memberOf(warp);
  const Registers &mine = registersOf(instruction);
  if (!member.fenced) {
    warp.fail(instruction, "missing-wgmma-fence",
              "The first wgmma.mma_async of a warpgroup needs a wgmma.fence "
              "before it.");
  }
  if (member.touched.meets(mine.all)) {
    warp.fail(instruction, "missing-wgmma-fence",
              "A register of this wgmma was accessed after the last "
              "wgmma.fence.");
  }
  bool sameShape = member.shape == shapeOf(instruction);
  if (member.accumulators.meets(mine.fragments) ||
      (!sameShape && member.accumulators.meets(mine.accumulators))) {
    warp.fail(instruction, "missing-wgmma-fence",
              "A register of this wgmma is an accumulator of an earlier one of "
              "another shape, or its A was one, with no wgmma.fence between.");
  }
  if (!sameShape) {
    member.accumulators.clear();
    member.shape = shapeOf(instruction);
  }
  member.accumulators.insert(mine.accumulators);
  member.busy.insert(mine.all);
}

WarpgroupMatmuls::Operation
WarpgroupMatmuls::operandsOf(Warp &warp, const Instruction &instruction) {
  const auto &product = instruction.as<WgmmaMatmul>();
  const Slot *slot = instruction.slots + product.accumulators();
  auto descriptor = [&](Slot from) {
    const auto *lanes = warp.source<uint64_t>(from);
    for (int lane = 1; lane < warpLanes; ++lane) {
      if (lanes[lane] != lanes[0]) {
        warp.fail(instruction, "differing-descriptors",
                  "The matrix descriptor must be the same in all threads of "
                  "the warpgroup.",
                  lane);
      }
    }
    return lanes[0];
  };
  Operation operation = {
      .instruction = &instruction, .a = 0, .b = 0, .accumulate = false};
  if (product.aInRegisters) {
    slot += 4;
  } else {
    operation.a = descriptor(*slot++);
  }
  operation.b = descriptor(*slot++);
  LaneMask accumulate = warp.predicate(*slot);
  if (accumulate != 0 && accumulate != allLanes) {
    warp.fail(instruction, "differing-scale",
              "scale-d must be the same in all threads of the warpgroup.");
  }
  operation.accumulate = accumulate != 0;
  return operation;
}

/// "The mandatory .aligned qualifier indicates that all threads in the
/// warpgroup must execute the same wgmma.mma_async instruction." "The contents
/// of a matrix descriptor must be same across all the warps."
void WarpgroupMatmuls::checkEqual(Warp &warp, const Operation &first,
                                  const Operation &mine) {
  if (first.instruction != mine.instruction) {
    warp.fail(*mine.instruction, "parted-warpgroup",
              "Another warp of the warpgroup executes the wgmma of " +
                  lineOf(*first.instruction) + " in this place.");
  }
  if (first.a != mine.a || first.b != mine.b) {
    warp.fail(*mine.instruction, "differing-descriptors",
              "The matrix descriptor must be the same in all threads of the "
              "warpgroup.");
  }
  if (first.accumulate != mine.accumulate) {
    warp.fail(*mine.instruction, "differing-scale",
              "scale-d must be the same in all threads of the warpgroup.");
  }
}

Step WarpgroupMatmuls::issue(Warp &warp, const Instruction &instruction) {
  uint32_t firstWarp = warp.index / 4 * 4;
  for (uint32_t i = firstWarp; i < firstWarp + warpgroupWarps; ++i) {
    if (i >= block.warps.size() || block.warps[i].live() != allLanes) {
      warp.fail(instruction, "incomplete-warpgroup",
                "wgmma needs all 128 threads of the warpgroup, and some of "
                "them have exited or were never there.");
    }
  }
  checkOrder(warp, instruction);
  Group &group = groupOf(warp);
  Member &member = memberOf(warp);
  Operation mine = operandsOf(warp, instruction);
  uint64_t index = member.issued - group.first;
  if (index == group.operations.size()) {
    group.operations.push_back(mine);
  } else {
    checkEqual(warp, group.operations[index], mine);
  }
  ++member.issued;
  if (group.whole() < member.issued) {
    return Step::next;
  }
  Operation &operation = group.operations[index];
  operation.number = ++block.asyncOperations;
  tellOperands(warp, instruction, operation.a, operation.b, operation.number);
  warp.progressed();
  if (block.grid.early()) {
    run(warp, member.issued);
  }
  wake(group, firstWarp);
  return Step::next;
}

Step WarpgroupMatmuls::fence(Warp &warp) {
  Member &member = memberOf(warp);
  member.fenced = true;
  member.touched.clear();
  member.accumulators.clear();
  return Step::next;
}

Step WarpgroupMatmuls::commit(Warp &warp) {
  Member &member = memberOf(warp);
  member.groups.push_back(member.issued);
  return Step::next;
}

/// PTX ISA, "wgmma.wait_group": the executing threads wait "until only N or
/// fewer of the most recent wgmma-groups are pending and all the prior
/// wgmma-groups committed by the executing threads are complete".
Step WarpgroupMatmuls::wait(Warp &warp, const Instruction &instruction,
                            size_t pending) {
  Member &member = memberOf(warp);
  uint64_t target = member.waited;
  while (member.groups.size() > pending) {
    target = std::max(target, member.groups.front());
    member.groups.pop_front();
  }
  return waitUntil(warp, instruction, target);
}

Step WarpgroupMatmuls::waitUntil(Warp &warp, const Instruction &instruction,
                                 uint64_t target) {
  Group &group = groupOf(warp);
  Member &member = memberOf(warp);
  run(warp, std::min(target, group.whole()));
  if (group.done >= target) {
    release(warp, instruction, target);
    return Step::next;
  }
  member.waits = &instruction;
  member.needed = target;
  return warp.waitFor(member.awake);
}

Step WarpgroupMatmuls::touch(Warp &warp, const Instruction &instruction,
                             bool drains) {
  Member &member = memberOf(warp);
  const Registers *mine = nullptr;
  auto [found, isNew] = registers.try_emplace(&instruction);
  if (isNew) {
    for (const Slot *slot = instruction.slots; slot->base() == Base::registers;
         ++slot) {
      found->second.all.insert(*slot);
    }
  }
  mine = &found->second;
  member.touched.insert(mine->all);
  if (!member.busy.meets(mine->all)) {
    return Step::next;
  }
  if (!drains) {
    const Group &group = groupOf(warp);
    const Instruction *other = nullptr;
    for (uint64_t i = member.waited; i < member.issued && !other; ++i) {
      const Instruction *candidate =
          group.operations[i - group.first].instruction;
      if (registersOf(*candidate).all.meets(registersOf(instruction).all)) {
        other = candidate;
      }
    }
    warp.fail(instruction, "wgmma-register-in-flight",
              "A register is accessed that the wgmma of " + lineOf(*other) +
                  " still reads or writes: no wgmma.wait_group has waited for "
                  "it.");
  }
  member.groups.clear();
  return waitUntil(warp, instruction, member.issued);
}

void WarpgroupMatmuls::run(Warp &warp, uint64_t target) {
  Group &group = groupOf(warp);
  for (; group.done < target; ++group.done) {
    execute(warp, group.operations[group.done - group.first]);
  }
}

void WarpgroupMatmuls::execute(Warp &warp, const Operation &operation) {
  const Instruction &instruction = *operation.instruction;
  const auto &product = instruction.as<WgmmaMatmul>();
  const std::byte *a[wgmmaPiecesOfA], *b[wgmmaPiecesOfB];
  WgmmaOperands operands;
  operands.a = nullptr;
  operands.b = b;
  operands.accumulate = operation.accumulate;
  room.resize(mostColumns * 32);
  operands.room = room.data();
  if (!product.aInRegisters) {
    operands.a = a;
    findPieces(warp, instruction, MatrixDescriptor(operation.a), 64,
               product.aAlongRows, product.depth(), a);
  }
  findPieces(warp, instruction, MatrixDescriptor(operation.b), product.columns,
             product.bAlongRows, product.depth(), b);
  uint32_t *accumulators[warpgroupWarps][mostColumns / 2];
  int sums = product.accumulators();
  for (uint32_t i = 0; i < warpgroupWarps; ++i) {
    Warp &member = block.warps[warp.index / 4 * 4 + i];
    for (int j = 0; j < sums; ++j) {
      accumulators[i][j] = member.destination<uint32_t>(instruction.slots[j]);
    }
    operands.accumulators[i] = accumulators[i];
    for (int j = 0; j < 4 && product.aInRegisters; ++j) {
      operands.fragments[i][j] =
          member.source<uint32_t>(instruction.slots[sums + j]);
    }
  }
  product.multiply(product, operands);
}

void WarpgroupMatmuls::release(Warp &warp, const Instruction &instruction,
                               uint64_t target) {
  Group &group = groupOf(warp);
  Member &member = memberOf(warp);
  if (target > member.waited) {
    uint64_t last = group.operations[target - 1 - group.first].number;
    member.waited = target;
    member.busy.clear();
    for (uint64_t i = target; i < member.issued; ++i) {
      member.busy.insert(
          registersOf(*group.operations[i - group.first].instruction).all);
    }
    uint64_t oldest = member.waited;
    for (const Member &other : group.members) {
      oldest = std::min(oldest, other.waited);
    }
    for (; group.first < oldest; ++group.first) {
      group.operations.pop_front();
    }
    block.observe([&](BlockObserver &observer) {
      observer.endAsync(warp, instruction, allLanes, AsyncKind::product, last,
                        false);
    });
  }
}

void WarpgroupMatmuls::wake(Group &group, uint32_t firstWarp) {
  for (uint32_t i = 0; i < warpgroupWarps; ++i) {
    Member &member = group.members[i];
    Warp &sleeper = block.warps[firstWarp + i];
    if (!member.waits) {
      continue;
    }
    run(sleeper, std::min(member.needed, group.whole()));
    if (group.done >= member.needed) {
      const Instruction &instruction = *member.waits;
      member.waits = nullptr;
      ++member.awake;
      release(sleeper, instruction, member.needed);
    }
  }
}

bool WarpgroupMatmuls::advance(Block &) {
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].done < groups[i].whole()) {
      run(block.warps[4 * i], groups[i].done + 1);
      return true;
    }
  }
  return false;
}

void WarpgroupMatmuls::finish(Block &) {
  for (size_t i = 0; i < groups.size(); ++i) {
    for (uint32_t j = 0; j < warpgroupWarps; ++j) {
      const Member &member = groups[i].members[j];
      if (member.waited == member.issued) {
        continue;
      }
      const Operation &operation =
          groups[i].operations[member.waited - groups[i].first];
      bool isWhole = member.waited < groups[i].whole();
      block.warps[4 * i + j].fail(
          *operation.instruction,
          isWhole ? "in-flight-at-exit" : "parted-warpgroup",
          isWhole ? "The threads exit and no wgmma.wait_group has waited for "
                    "this wgmma."
                  : "Only some warps of the warpgroup have executed this "
                    "wgmma.");
    }
  }
}

std::string WarpgroupMatmuls::describe(Block &) {
  std::string text;
  for (size_t i = 0; i < groups.size(); ++i) {
    uint64_t whole = groups[i].whole();
    if (whole == groups[i].first + groups[i].operations.size()) {
      continue;
    }
    const Operation &operation = groups[i].operations[whole - groups[i].first];
    text += "warpgroup " + std::to_string(i) + ": the wgmma of " +
            lineOf(*operation.instruction) + " is not executed by warp";
    for (uint32_t j = 0; j < warpgroupWarps; ++j) {
      if (groups[i].members[j].issued == whole) {
        text += " " + std::to_string(4 * i + j);
      }
    }
    text += "\n";
  }
  return text;
}
