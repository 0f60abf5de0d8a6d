// Discardable attributes of modules and functions. The dialect verifies them.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ATTRIBUTENAMES_H
#define CHEEMS_DIALECT_CHEEMS_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::cheems {

/// The module's stage.
constexpr llvm::StringLiteral kStage = "cheems.stage";
/// What the module is compiled for: a TargetAttrInterface.
constexpr llvm::StringLiteral kTarget = "cheems.target";
/// The most rows that a function ever works on: an i64, at least 1.
constexpr llvm::StringLiteral kMostRows = "cheems.most_rows";

} // namespace mlir::cheems

#endif
