// Passes that no target matters to, and the interfaces that bufferisation
// needs.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"

/// Lets one-shot bufferisation take the dialect's destination-style ops as they
/// are.
void registerBufferizableOpInterfaceModels(DialectRegistry &registry);

} // namespace cheems

#endif
