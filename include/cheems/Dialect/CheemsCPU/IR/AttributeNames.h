// Discardable attributes of the CPU level. The dialect verifies them, and
// refuses every other name that begins with "cheems_cpu.".
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_ATTRIBUTENAMES_H
#define CHEEMS_DIALECT_CHEEMSCPU_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace cheems::cpu {

/// How an op is cut: a StrategyAttrInterface.
constexpr llvm::StringLiteral kStrategy = "cheems_cpu.strategy";
/// Bytes of scratch that a function needs: three i64, fixed, per row and per
/// worker.
constexpr llvm::StringLiteral kWorkspace = "cheems_cpu.workspace";
/// What a parallel loop computes, for profiles: a string.
constexpr llvm::StringLiteral kName = "cheems_cpu.name";

} // namespace cheems::cpu

#endif
