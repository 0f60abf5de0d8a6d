// What passes for CPUs tell each other by attributes: the target on the module,
// sizes on ops.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_ATTRIBUTENAMES_H
#define CHEEMS_DIALECT_CHEEMSCPU_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::cheems {

/// The module's target.
constexpr llvm::StringLiteral kTarget = "cheems.target";
/// Panels a parallel iteration of a product.
constexpr llvm::StringLiteral kPanels = "cheems.panels";
/// Rows a parallel iteration of row-wise work, or a block of attention.
constexpr llvm::StringLiteral kRows = "cheems.rows";
/// Entries a piece of attention.
constexpr llvm::StringLiteral kKeys = "cheems.keys";
/// Rows a chunk of SSD; on the module, too.
constexpr llvm::StringLiteral kChunk = "cheems.chunk";
/// Rows of a group, whose experts are read in the order of their ids.
constexpr llvm::StringLiteral kGroup = "cheems.group";
/// Rows of a long prompt that a session feeds at a time; on the module.
constexpr llvm::StringLiteral kPrefill = "cheems.prefill";

} // namespace mlir::cheems

#endif
