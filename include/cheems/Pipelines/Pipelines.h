// The way from an imported module to code, in named stages; docs/pipelines.md
// tells why each pass stands where it does.
#ifndef CHEEMS_PIPELINES_PIPELINES_H
#define CHEEMS_PIPELINES_PIPELINES_H

#include "cheems/Target/CPU/TargetDescription.h"
#include "mlir/Pass/PassManager.h"
#include <string>

namespace cheems {

/// How far a module is on its way to code for CPUs (#cheems.stage). Each is
/// made from the one before.
enum class CPUStage {
  Imported,
  Expanded,
  Fused,
  Tiled,
  Buffers,
  Kernels,
  Planned,
  Loops,
  Outlined,
  LLVM
};

/// What the IR calls it: "imported".
llvm::StringRef stringify(CPUStage stage);

/// The pipeline that makes a module of that stage.
std::string pipelineOf(CPUStage stage);

/// Passes that take a module from one stage to the next. Each stage can be
/// printed, and read back.
struct PipelineStage {
  CPUStage stage; ///< what the module is then
  llvm::StringLiteral summary;
  void (*build)(mlir::OpPassManager &pm, const TargetDescription &target);
};

/// Those of code for CPUs, in order; the first takes an imported module.
llvm::ArrayRef<PipelineStage> cpuStages();

/// The stages after `from` up to `to`, each after cheems-enter-stage.
void buildPipeline(mlir::OpPassManager &pm, const TargetDescription &target,
                   CPUStage from = CPUStage::Imported,
                   CPUStage to = CPUStage::LLVM);

/// Each stage as cheems-to-STAGE, all as cheems-fast and cheems-scalar.
void registerPipelines();

} // namespace cheems

#endif
