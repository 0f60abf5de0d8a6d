//===- WholeWarp.h - All threads of a warp at once ---------------*- C++
//-*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_WHOLEWARP_H
#define CHEEMS_EMULATOR_TENSORCORE_WHOLEWARP_H

#include "Decode/Family.h"
#include "Machine/Warp.h"

namespace cheems::emulator {

/// For .sync.aligned instructions on matrices, which are undefined "if any
/// thread in the warp has exited": a Finding. False if the handler must return
/// Step::converge.
inline bool isWholeWarp(Warp &warp, const Instruction &instruction,
                        LaneMask active) {
  if (active == allLanes) [[likely]] {
    return true;
  }
  if (warp.live() != allLanes) {
    warp.fail(instruction, "incomplete-warp",
              "A matrix instruction needs all 32 threads of the warp, and some "
              "of them have exited or were never there.",
              __builtin_ctz(~warp.live()));
  }
  return warp.isAligned(instruction, active);
}

/// The elements of `{a, b}`; the assembler takes no register alone where a
/// vector stands in the syntax.
inline void requireVector(Statement &statement, size_t operand) {
  if (!std::holds_alternative<ptx::VectorOperand>(
          statement.operand(operand).value)) {
    statement.refuse("operand " + std::to_string(operand + 1) +
                     " must be registers in braces");
  }
}

} // namespace cheems::emulator

#endif
