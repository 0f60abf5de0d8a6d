//===- AsyncRegisters.h - Registers of wgmma --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_ASYNCREGISTERS_H
#define CHEEMS_EMULATOR_DECODE_ASYNCREGISTERS_H

#include "PTX/Syntax.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cheems::emulator {

/// Finds where a function accesses registers that a wgmma.mma_async reads or
/// writes on its own time. The decoder puts an instruction of its own there,
/// "%wgmma_access", which looks whether one is in flight (PTX ISA,
/// "wgmma.wait_group": an access without a wait is undefined).
///
/// With the modifier "after" the access is in one basic block with the wgmma,
/// between its commit_group and a wait_group that waits for it. There the
/// assembler sees all of them, and waits by itself at the access.
class AsyncRegisters {
public:
  explicit AsyncRegisters(const ptx::Function &function);

  /// What to put before statement `number` of the function. Called for each one
  /// in order.
  std::optional<ptx::Instruction> before(size_t number,
                                         const ptx::Instruction &statement);

private:
  bool isWaitedFor(size_t from, uint64_t laterGroups) const;

  const ptx::Function &function;
  std::unordered_set<const ptx::Variable *> watched;
  std::vector<bool> isTarget; ///< of a branch
  // -- of the basic block, since its last wait_group
  std::unordered_map<const ptx::Variable *, uint64_t> issued; ///< in group
  uint64_t commits = 0;
};

} // namespace cheems::emulator

#endif
