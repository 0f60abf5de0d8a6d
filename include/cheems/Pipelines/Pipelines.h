// The named pass bundles; docs/pipelines.md tells why each pass stands where it
// does.
#ifndef CHEEMS_PIPELINES_PIPELINES_H
#define CHEEMS_PIPELINES_PIPELINES_H

#include "cheems/Target/CPU/TargetDescription.h"
#include "mlir/Pass/PassManager.h"

namespace cheems {

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
