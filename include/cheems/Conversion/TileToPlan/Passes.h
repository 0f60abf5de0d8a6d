// From functions that launch kernels to plans of launches, as passes.
#ifndef CHEEMS_CONVERSION_TILETOPLAN_PASSES_H
#define CHEEMS_CONVERSION_TILETOPLAN_PASSES_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Conversion/TileToPlan/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Conversion/TileToPlan/Passes.h.inc"

/// All that makes plans of a module at the stage `launches`: calls are inlined,
/// numbers folded, areas shared. It is registered as `cheems-launches-to-plan`.
void buildTileToPlanPipeline(OpPassManager &pm);
void registerTileToPlanPipeline();

} // namespace cheems

#endif
