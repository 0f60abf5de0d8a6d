// The named pass bundles; docs/pipelines.md tells why each pass stands where it
// does.
#ifndef CHEEMS_PIPELINES_PIPELINES_H
#define CHEEMS_PIPELINES_PIPELINES_H

#include "cheems/Dialect/Cheems/Transforms/Products.h"
#include "mlir/Pass/PassManager.h"

namespace cheems {

/// What code is made for; chosen in Target/CPU, the only place that decides
/// sizes.
struct Strategy {
  bool scalar = false;    ///< plain loops: the correctness baseline
  int64_t lanes = 8;      ///< f32 lanes of a vector register
  int64_t registers = 16; ///< vector registers
  /// How products with bf16 weights are computed.
  mlir::cheems::Products products = mlir::cheems::Products::FMA;
  int64_t panels =
      4;             ///< panels of 16 columns a parallel iteration of a product
  int64_t rows = 32; ///< rows a parallel iteration of row-wise work
  int64_t keys = 4096; ///< entries an op of attention; a multiple of 64
  int64_t chunk = 32;  ///< rows an SSD chunk; divides the 64 rows of a block
};

/// Fusion and layout, on tensors (cheems-fuse).
void buildFusePipeline(mlir::OpPassManager &pm, const Strategy &strategy);
/// Tensors to buffers in one arena (cheems-bufferize).
void buildBufferizePipeline(mlir::OpPassManager &pm, const Strategy &strategy);
/// Buffers to the LLVM dialect (cheems-to-llvm).
void buildLLVMPipeline(mlir::OpPassManager &pm, const Strategy &strategy);
/// All of them: cheems-fast, or cheems-scalar.
void buildPipeline(mlir::OpPassManager &pm, const Strategy &strategy);

void registerPipelines();

} // namespace cheems

#endif
