//===- AsyncRegisters.cpp - Registers of wgmma ----------------------------===//
#include "AsyncRegisters.h"

#include "Storage.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

bool has(const ptx::Instruction &statement, const char *modifier) {
  return std::ranges::find(statement.modifiers, modifier) !=
         statement.modifiers.end();
}

bool isMatmul(const ptx::Instruction &statement) {
  return statement.opcode == "wgmma" && has(statement, "mma_async");
}

/// D, and A if it is in registers: the operands in braces.
template <typename F>
void eachRegister(const ptx::Instruction &statement, F tell) {
  for (const ptx::Operand &operand : statement.operands) {
    if (auto *vector = std::get_if<ptx::VectorOperand>(&operand.value)) {
      for (const ptx::Operand &element : vector->elements) {
        if (auto *reg = std::get_if<const ptx::Variable *>(&element.value)) {
          tell(*reg);
        }
      }
    }
  }
}

bool endsBlock(const ptx::Instruction &statement) {
  return statement.opcode == "bra" || statement.opcode == "brx" ||
         statement.opcode == "ret" || statement.opcode == "exit";
}

} // namespace

AsyncRegisters::AsyncRegisters(const ptx::Function &function)
    : function(function) {
  for (const ptx::Instruction &statement : function.statements) {
    if (isMatmul(statement)) {
      eachRegister(statement,
                   [&](const ptx::Variable *reg) { watched.insert(reg); });
    }
  }
  if (watched.empty()) {
    return;
  }
  isTarget.resize(function.statements.size() + 1);
  auto mark = [&](const ptx::LabelReference &label) {
    isTarget[std::min(label.target, function.statements.size())] = true;
  };
  for (const ptx::Instruction &statement : function.statements) {
    for (const ptx::Operand &operand : statement.operands) {
      if (auto *label = std::get_if<ptx::LabelReference>(&operand.value)) {
        mark(*label);
      }
    }
    std::ranges::for_each(statement.targets, mark);
  }
}

/// Whether a wait_group from statement `from` on, in the same basic block,
/// waits for a group after which `laterGroups` are committed.
bool AsyncRegisters::isWaitedFor(size_t from, uint64_t laterGroups) const {
  for (size_t i = from; i < function.statements.size(); ++i) {
    const ptx::Instruction &statement = function.statements[i];
    if ((i != from && isTarget[i]) || endsBlock(statement)) {
      return false;
    }
    if (statement.opcode != "wgmma") {
      continue;
    }
    if (has(statement, "commit_group")) {
      ++laterGroups;
    } else if (has(statement, "wait_group") && !statement.operands.empty()) {
      auto *pending = std::get_if<ptx::Immediate>(&statement.operands[0].value);
      if (pending && pending->bits <= laterGroups) {
        return true;
      }
    }
  }
  return false;
}

std::optional<ptx::Instruction>
AsyncRegisters::before(size_t number, const ptx::Instruction &statement) {
  if (watched.empty()) {
    return std::nullopt;
  }
  if (number < isTarget.size() && isTarget[number]) {
    issued.clear();
  }
  if (statement.opcode == "wgmma") {
    if (isMatmul(statement)) {
      eachRegister(statement,
                   [&](const ptx::Variable *reg) { issued[reg] = commits; });
    } else if (has(statement, "commit_group")) {
      ++commits;
    } else if (has(statement, "wait_group")) {
      issued.clear();
    }
    return std::nullopt;
  }
  ptx::Instruction access;
  access.location = statement.location;
  access.guard = statement.guard;
  access.opcode = "%wgmma_access";
  std::unordered_set<const ptx::Variable *> known;
  for (const ptx::Variable *variable : namesOf(statement).variables) {
    if (!watched.contains(variable) || !known.insert(variable).second) {
      continue;
    }
    auto found = issued.find(variable);
    if (found != issued.end() && found->second < commits &&
        access.modifiers.empty() &&
        isWaitedFor(number, commits - found->second - 1)) {
      access.modifiers.emplace_back("after");
    }
    for (int i = 0; i < variable->vector; ++i) {
      ptx::Operand &operand = access.operands.emplace_back();
      operand.location = statement.location;
      operand.value = variable;
      operand.component = variable->vector > 1 ? i : -1;
    }
  }
  if (endsBlock(statement)) {
    issued.clear();
  }
  return access.operands.empty() ? std::nullopt : std::optional(access);
}
