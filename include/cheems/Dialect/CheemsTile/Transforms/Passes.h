// Passes on kernels of tiles.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_TRANSFORMS_PASSES_H
#define CHEEMS_DIALECT_CHEEMSTILE_TRANSFORMS_PASSES_H

#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Pass/Pass.h"

namespace cheems::tile {

#define GEN_PASS_DECL
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h.inc"

} // namespace cheems::tile

#endif
