// The way from an imported module to kernels of NVIDIA's GPUs, in named
// stages.
#ifndef CHEEMS_PIPELINES_CUDAPIPELINES_H
#define CHEEMS_PIPELINES_CUDAPIPELINES_H

#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/Pass/PassManager.h"
#include <string>

namespace cheems {

/// How far a module is on its way to code for GPUs (#cheems.stage). Each is
/// made from the one before.
enum class CUDAStage {
  Imported,
  Rounded,
  Groups,
  Strategy,
  Tile,
  Launches,
  Plan,
  NVVM
};

/// What the IR calls it: "tile".
llvm::StringRef stringify(CUDAStage stage);

/// What kernels are made for.
struct GPUOptions {
  tile::Architecture architecture = tile::Architecture::SM90a;
  /// The newest that matmuls and attention of prompts may use.
  tile::Unit unit = tile::Unit::Wgmma;
  /// The newest that matmuls of prompts may use.
  tile::OperandCopy copy = tile::OperandCopy::Bulk;
  int64_t multiprocessors = 0; ///< 0: of an A100 or an H100
};

/// Passes that take a module from one stage to the next. Each stage can be
/// printed, and read back.
struct CUDAPipelineStage {
  CUDAStage stage; ///< what the module is then
  llvm::StringLiteral summary;
  void (*build)(mlir::OpPassManager &pm, const GPUOptions &gpu);
};

/// The stages are in order; the first takes an imported module.
llvm::ArrayRef<CUDAPipelineStage> cudaStages();

/// The stages after `from` up to `to`, each after cheems-enter-stage.
void buildCUDAPipeline(mlir::OpPassManager &pm, const GPUOptions &gpu,
                       CUDAStage from = CUDAStage::Imported,
                       CUDAStage to = CUDAStage::NVVM);

/// Each stage as cheems-cuda-to-STAGE, all as cheems-cuda.
void registerCUDAPipelines();

} // namespace cheems

#endif
