//===- AsyncRegisters.h - Registers of wgmma --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_ASYNCREGISTERS_H
#define CHEEMS_EMULATOR_DECODE_ASYNCREGISTERS_H

#include "cheems/Emulator/PTX/Syntax.h"

#include <optional>
#include <unordered_set>
#include <vector>

namespace cheems::emulator {

/// Finds where a function accesses registers that a wgmma.mma_async reads or
/// writes on its own time. The decoder puts an instruction of its own there,
/// "%wgmma_access", which looks whether one is in flight (PTX ISA,
/// "wgmma.wait_group": an access without a wait is undefined).
///
/// With the modifier "behind" the access and the wgmma are in one basic block
/// with no wait_group between them. There the assembler sees both, and waits by
/// itself.
class AsyncRegisters {
public:
  explicit AsyncRegisters(const ptx::Function &function);

  /// What to put before statement `number` of the function. Called for each one
  /// in order.
  std::optional<ptx::Instruction> before(size_t number,
                                         const ptx::Instruction &statement);

private:
  std::unordered_set<const ptx::Variable *> watched;
  std::unordered_set<const ptx::Variable *> issued; ///< in the basic block
  std::vector<bool> isTarget;                       ///< of a branch
};

} // namespace cheems::emulator

#endif
