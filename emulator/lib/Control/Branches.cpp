//===- Branches.cpp - bra and brx.idx ------------------------------------===//
#include "Decode/Decoder.h"
#include "Families.h"
#include "Machine/Warp.h"

#include <bit>

using namespace cheems::emulator;

namespace {

// PTX ISA, "Control Flow Instructions: bra"
Step branch(Warp &warp, const Instruction &instruction, LaneMask active) {
  warp.branch(instruction, active, static_cast<uint32_t>(instruction.payload));
  return Step::moved;
}

/// ".uni guarantees that the branch is non-divergent, i.e. all active threads
/// in a warp that are currently executing this instruction have identical
/// values for the guard predicate and branch target." Compilers promise that of
/// threads that a GPU has brought together again after an `if`. Here some of
/// these threads may run earlier, test an mbarrier before the others, and meet
/// them at the branch. So the promise is not used.
void takeUniform(Statement &statement) { statement.take("uni"); }

void decodeBranch(Statement &statement) {
  takeUniform(statement);
  statement.end(1);
  auto *label = std::get_if<ptx::LabelReference>(&statement.operand(0).value);
  if (!label) {
    statement.refuse("its target is no label");
  }
  statement.decoder.emitBranch(statement, branch, *label);
}

// PTX ISA, "Control Flow Instructions: brx.idx"
Step branchByIndex(Warp &warp, const Instruction &instruction,
                   LaneMask active) {
  const auto &list = instruction.as<BranchTargets>().instructions;
  const uint32_t *indices = warp.source<uint32_t>(instruction.slots[0]);
  uint32_t targets[warpLanes];
  for (LaneMask rest = active; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (indices[lane] >= list.size()) {
      warp.fail(instruction, "branch-index",
                "the index of a branch is " + std::to_string(indices[lane]) +
                    ", but its list has " + std::to_string(list.size()) +
                    " targets",
                lane);
    }
    targets[lane] = list[indices[lane]];
  }
  warp.branchEach(instruction, active, targets);
  return Step::moved;
}

void decodeBranchByIndex(Statement &statement) {
  takeUniform(statement);
  statement.take("idx");
  // the list is in the statement's targets
  statement.end(statement.operands());
  if (!statement.operands() || statement.syntax.targets.empty()) {
    statement.refuse("it needs an index and the label of a .branchtargets");
  }
  statement.decoder.emitBranches(
      statement, branchByIndex,
      std::initializer_list<Slot>{statement.source(0, Type::u32)},
      statement.syntax.targets);
}

constexpr Opcode branchesOpcodes[] = {{"bra", decodeBranch},
                                      {"brx", decodeBranchByIndex, "idx"}};

} // namespace

std::span<const Opcode> cheems::emulator::branches() { return branchesOpcodes; }
