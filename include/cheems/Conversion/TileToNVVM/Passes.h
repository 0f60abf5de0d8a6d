// From kernels on tiles to functions of the NVVM dialect, as passes.
#ifndef CHEEMS_CONVERSION_TILETONVVM_PASSES_H
#define CHEEMS_CONVERSION_TILETONVVM_PASSES_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Conversion/TileToNVVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Conversion/TileToNVVM/Passes.h.inc"

/// All that takes kernels whose shared memory is planned to LLVM's ops. It is
/// registered as `cheems-tile-to-nvvm`.
void buildTileToNVVMPipeline(OpPassManager &pm);
void registerTileToNVVMPipeline();

} // namespace cheems

#endif
