// The named pass bundles.
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/Conversion/CPUToVector/Passes.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Target/CPU/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace cheems {
using namespace mlir;

/// Regions of ours have one block: nothing to look for between blocks.
static std::unique_ptr<Pass> createCanonicalizer() {
  return createCanonicalizerPass(
      GreedyRewriteConfig().setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled));
}

static void enter(OpPassManager &pm, mlir::cheems::Stage stage) {
  mlir::cheems::EnterStagePassOptions options;
  options.stage = stage;
  pm.addPass(mlir::cheems::createEnterStagePass(options));
}

void buildFusePipeline(OpPassManager &pm, const TargetDescription &target) {
  enter(pm, mlir::cheems::Stage::Fused);
  pm.addPass(mlir::cheems::createSpecializeDecodePass());
  pm.addPass(mlir::cheems::createExpandSegmentsPass());
  pm.addPass(mlir::cheems::createEnterBuffersPass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  if (!target.scalar) {
    pm.addPass(mlir::cheems::createFuseProjectionsPass());
  }
  pm.addPass(mlir::cheems::createQuantizeParametersPass());
  if (!target.scalar) {
    pm.addPass(mlir::cheems::createPackParametersPass());
    pm.addPass(mlir::cheems::createPairTablesPass());
    pm.addNestedPass<func::FuncOp>(mlir::cheems::createFuseEpiloguesPass());
    mlir::cheems::SelectStrategyPassOptions sizes;
    sizes.lanes = target.lanes;
    sizes.registers = target.registers;
    sizes.products = target.products;
    sizes.groupExperts = target.groupExperts;
    pm.addPass(mlir::cheems::createSelectStrategyPass(sizes));
    pm.addNestedPass<func::FuncOp>(mlir::cheems::createTileThreadsPass());
    pm.addNestedPass<func::FuncOp>(mlir::cheems::createTileChunksPass());
  }
  // Decoding comes in pieces from the importer.
  pm.addNestedPass<func::FuncOp>(mlir::cheems::createTileKeysPass());
  // While the ops are still called what they are.
  pm.addNestedPass<func::FuncOp>(mlir::cheems::createNameLoopsPass());
  mlir::cheems::DecomposePassOptions decompose;
  decompose.kernels = !target.scalar;
  pm.addNestedPass<func::FuncOp>(mlir::cheems::createDecomposePass(decompose));
}

void buildBufferizePipeline(OpPassManager &pm,
                            const TargetDescription &target) {
  enter(pm, mlir::cheems::Stage::Buffers);
  pm.addPass(mlir::cheems::createLowerParametersPass());
  // Row counts of intermediate tensors become that of the function's first
  // argument: one extent to plan by.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createCanonicalizer());
  // One index loaded twice looks like two slots, which would cost a copy of the
  // slot.
  pm.addPass(createCSEPass());
  // CSE merged equal destinations; each writer needs its own again, at the
  // place where it writes.
  pm.addNestedPass<func::FuncOp>(mlir::cheems::createOwnInitsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // Self-copies vanish only after both; the second canonicalisation sees what
  // CSE made equal.
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizer());
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizer());
  if (!target.scalar) {
    mlir::cheems::LowerMicrokernelsPassOptions kernels;
    kernels.lanes = target.lanes;
    kernels.registers = target.registers;
    kernels.products = target.products;
    pm.addNestedPass<func::FuncOp>(
        mlir::cheems::createLowerMicrokernelsPass(kernels));
  }
  // Lifts scratch out of loops, but not out of a forall: there it is one a
  // worker.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  pm.addPass(mlir::cheems::createPlanWorkspacePass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

void buildLLVMPipeline(OpPassManager &pm, const TargetDescription &target) {
  enter(pm, mlir::cheems::Stage::LLVM);
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(mlir::cheems::createExpandMathPass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addPass(mlir::cheems::createCheckKernelsPass());
  // Hides operands behind loads, so it comes after everything that wants to see
  // memrefs.
  pm.addPass(mlir::cheems::createOutlineParallelPass());
  pm.addPass(mlir::cheems::createEmitEntriesPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.amx = vectors.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void buildPipeline(OpPassManager &pm, const TargetDescription &target) {
  buildFusePipeline(pm, target);
  buildBufferizePipeline(pm, target);
  buildLLVMPipeline(pm, target);
}

namespace {
struct TargetOptions : PassPipelineOptions<TargetOptions> {
  Option<int64_t> lanes{*this, "lanes",
                        llvm::cl::desc("f32 lanes of a vector register"),
                        llvm::cl::init(TargetDescription().lanes)};
  Option<int64_t> registers{*this, "registers",
                            llvm::cl::desc("vector registers"),
                            llvm::cl::init(TargetDescription().registers)};
  Option<mlir::cheems::Products> products{
      *this, "products",
      llvm::cl::desc("how products with weights of few bits are computed"),
      llvm::cl::init(TargetDescription().products),
      mlir::cheems::productsValues()};
  Option<int64_t> groupExperts{
      *this, "group-experts",
      llvm::cl::desc("rows whose experts are read in the order of their ids"),
      llvm::cl::init(TargetDescription().groupExperts)};
  TargetDescription target() const {
    TargetDescription result;
    result.lanes = lanes;
    result.registers = registers;
    result.products = products;
    result.groupExperts = groupExperts;
    return result;
  }
};
} // namespace

void registerPipelines() {
  PassPipelineRegistration<TargetOptions>(
      "cheems-fuse", "Fusion and weight layout, on tensors",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildFusePipeline(pm, options.target());
      });
  PassPipelineRegistration<TargetOptions>(
      "cheems-bufferize", "Tensors to buffers in one arena",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildBufferizePipeline(pm, options.target());
      });
  PassPipelineRegistration<TargetOptions>(
      "cheems-to-llvm", "Buffers to the LLVM dialect",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildLLVMPipeline(pm, options.target());
      });
  PassPipelineRegistration<TargetOptions>(
      "cheems-fast", "A whole module to the LLVM dialect, vectorised",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildPipeline(pm, options.target());
      });
  PassPipelineRegistration<>(
      "cheems-scalar", "A whole module to the LLVM dialect, in plain loops",
      [](OpPassManager &pm) {
        TargetDescription target;
        target.scalar = true;
        buildPipeline(pm, target);
      });
}

} // namespace cheems
