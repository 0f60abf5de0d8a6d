// Discardable attributes of modules, functions, arguments and results. The
// dialect verifies them, and refuses every other name that begins with
// "cheems.".
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ATTRIBUTENAMES_H
#define CHEEMS_DIALECT_CHEEMS_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace cheems {

// These are attributes of a module.
/// Its stage: a StageAttr.
constexpr llvm::StringLiteral kStage = "cheems.stage";
/// What it is compiled for: a TargetAttrInterface.
constexpr llvm::StringLiteral kTarget = "cheems.target";
/// Its pools, in order: a list of PoolAttr.
constexpr llvm::StringLiteral kState = "cheems.state";
/// Its weights, in order: a list of StoredParameterAttr.
constexpr llvm::StringLiteral kParameters = "cheems.parameters";
/// Bytes of all weights: an i64.
constexpr llvm::StringLiteral kParameterBytes = "cheems.parameter_bytes";

// These are attributes of a function.
/// The symbol of an entry: a string.
constexpr llvm::StringLiteral kEntry = "cheems.entry";
/// The most rows that it ever works on: an i64, at least 1.
constexpr llvm::StringLiteral kMostRows = "cheems.most_rows";

// These are attributes of an argument of a function.
/// Which field of a step it is: a StepFieldAttr.
constexpr llvm::StringLiteral kField = "cheems.field";
/// The index of a pool among the pools: an i64.
constexpr llvm::StringLiteral kIndex = "cheems.index";

// This is an attribute of an argument or of a result of a function.
/// The name, in files of the interpreter, of what is no field of a step: a
/// string.
constexpr llvm::StringLiteral kTensorName = "cheems.name";

} // namespace cheems

#endif
