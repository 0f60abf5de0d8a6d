// The way from an imported module to code, in named stages; docs/pipelines.md
// tells why each pass stands where it does.
#ifndef CHEEMS_PIPELINES_PIPELINES_H
#define CHEEMS_PIPELINES_PIPELINES_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Target/CPU/TargetDescription.h"
#include "mlir/Pass/PassManager.h"

namespace cheems {

/// Passes that take a module from one stage to the next. Each stage can be
/// printed, and read back.
struct PipelineStage {
  Stage stage; ///< what the module is then
  llvm::StringLiteral summary;
  void (*build)(mlir::OpPassManager &pm, const TargetDescription &target);
};

/// Those of code for CPUs, in order; the first takes an imported module.
llvm::ArrayRef<PipelineStage> cpuStages();

/// The stages after `from` up to `to`, each behind cheems-enter-stage.
void buildPipeline(mlir::OpPassManager &pm, const TargetDescription &target,
                   Stage from = Stage::Imported, Stage to = Stage::LLVM);

/// Each stage as cheems-to-STAGE, all as cheems-fast and cheems-scalar.
void registerPipelines();

} // namespace cheems

#endif
