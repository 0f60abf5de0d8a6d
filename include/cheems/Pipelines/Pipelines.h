// The named pass bundles; docs/pipelines.md tells why each pass stands where it
// does.
#ifndef CHEEMS_PIPELINES_PIPELINES_H
#define CHEEMS_PIPELINES_PIPELINES_H

#include "cheems/Dialect/Cheems/Transforms/Options.h"
#include "mlir/Pass/PassManager.h"

namespace cheems {

/// What code is made for; sizes follow from it in cheems-select-strategy.
struct TargetDescription {
  bool scalar = false; ///< plain loops: the correctness baseline
  int64_t lanes =
      mlir::cheems::kDefaultLanes; ///< f32 lanes of a vector register
  int64_t registers = mlir::cheems::kDefaultRegisters; ///< vector registers
  /// How products with weights of few bits are computed.
  mlir::cheems::Products products = mlir::cheems::Products::FMA;
  /// Rows of a prompt whose experts are read together, in the order of their
  /// ids; 0: token by token.
  int64_t groupExperts = 0;
};

/// Fusion and layout, on tensors (cheems-fuse).
void buildFusePipeline(mlir::OpPassManager &pm,
                       const TargetDescription &target);
/// Tensors to buffers in one arena (cheems-bufferize).
void buildBufferizePipeline(mlir::OpPassManager &pm,
                            const TargetDescription &target);
/// Buffers to the LLVM dialect (cheems-to-llvm).
void buildLLVMPipeline(mlir::OpPassManager &pm,
                       const TargetDescription &target);
/// All of them: cheems-fast, or cheems-scalar.
void buildPipeline(mlir::OpPassManager &pm, const TargetDescription &target);

void registerPipelines();

} // namespace cheems

#endif
