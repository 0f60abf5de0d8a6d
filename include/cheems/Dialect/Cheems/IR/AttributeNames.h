// What passes tell each other by attributes.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ATTRIBUTENAMES_H
#define CHEEMS_DIALECT_CHEEMS_IR_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::cheems {

/// The module's stage.
constexpr llvm::StringLiteral kStage = "cheems.stage";

} // namespace mlir::cheems

#endif
