// The stages of the way to code for CPUs.
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Conversion/CPUToVector/Passes.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
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

static constexpr StringLiteral stageNames[] = {
    "imported", "expanded", "fused", "tiled",    "buffers",
    "kernels",  "planned",  "loops", "outlined", "llvm"};

StringRef stringify(CPUStage stage) {
  return stageNames[static_cast<int>(stage)];
}

std::string pipelineOf(CPUStage stage) {
  return ("cheems-to-" + stringify(stage)).str();
}

static void enter(OpPassManager &pm, CPUStage stage) {
  EnterStagePassOptions options;
  options.stage = stringify(stage);
  for (StringRef name :
       ArrayRef(stageNames).take_front(static_cast<int>(stage))) {
    options.before.push_back(name.str());
  }
  pm.addPass(createEnterStagePass(options));
}

static void expand(OpPassManager &pm, const TargetDescription &) {
  pm.addPass(createSpecializeDecodePass({cpu::kFewRows}));
  pm.addPass(createExpandSegmentsPass());
  pm.addPass(createEnterBuffersPass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

static void fuse(OpPassManager &pm, const TargetDescription &target) {
  if (!target.scalar) {
    pm.addPass(createFuseProjectionsPass());
  }
  pm.addPass(createQuantizeParametersPass());
  if (!target.scalar) {
    pm.addPass(createPackParametersPass());
    pm.addPass(createPairTablesPass());
    pm.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
  }
  SelectStrategyPassOptions sizes;
  sizes.lanes = target.scalar ? 1 : target.lanes;
  sizes.registers = target.registers;
  sizes.products = target.products;
  sizes.groupExperts = target.groupExperts;
  pm.addPass(createSelectStrategyPass(sizes));
}

static void tile(OpPassManager &pm, const TargetDescription &target) {
  pm.addNestedPass<func::FuncOp>(createTileThreadsPass());
  pm.addNestedPass<func::FuncOp>(createTileChunksPass());
  // Decode steps are in splits since cheems-expand-segments.
  pm.addNestedPass<func::FuncOp>(createTileKeysPass());
  // While the ops are still called what they are.
  pm.addNestedPass<func::FuncOp>(createNameLoopsPass());
  DecomposePassOptions decompose;
  decompose.kernels = !target.scalar;
  pm.addNestedPass<func::FuncOp>(createDecomposePass(decompose));
}

static void bufferize(OpPassManager &pm, const TargetDescription &) {
  pm.addPass(createLowerParametersPass());
  // Row counts of intermediate tensors become that of the function's first
  // argument: one extent to plan by.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createCanonicalizer());
  // One index loaded twice looks like two slots, which would cost a copy of the
  // slot.
  pm.addPass(createCSEPass());
  // CSE merged equal destinations; each writer needs its own again, at the
  // place where it writes.
  pm.addNestedPass<func::FuncOp>(createOwnInitsPass());
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
}

static void lowerKernels(OpPassManager &pm, const TargetDescription &target) {
  if (!target.scalar) {
    LowerMicrokernelsPassOptions kernels;
    kernels.lanes = target.lanes;
    kernels.registers = target.registers;
    kernels.products = target.products;
    pm.addNestedPass<func::FuncOp>(createLowerMicrokernelsPass(kernels));
  }
}

static void plan(OpPassManager &pm, const TargetDescription &) {
  // Lifts scratch out of loops, but not out of a forall: there it is one a
  // worker.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  pm.addPass(createPlanWorkspacePass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
}

static void makeLoops(OpPassManager &pm, const TargetDescription &) {
  pm.addPass(createLowerLinalgPass());
  pm.addPass(createExpandMathPass());
  pm.addPass(createCanonicalizer());
  pm.addPass(createCSEPass());
  pm.addPass(createCheckKernelsPass());
}

static void outline(OpPassManager &pm, const TargetDescription &) {
  // Hides operands behind loads, so it comes after everything that wants to see
  // memrefs.
  pm.addPass(createOutlineParallelPass());
  pm.addPass(createEmitEntriesPass());
}

static void convertToLLVM(OpPassManager &pm, const TargetDescription &) {
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createExpandViewsPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerVectorsPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

ArrayRef<PipelineStage> cpuStages() {
  static constexpr PipelineStage stages[] = {
      {CPUStage::Expanded,
       "Sequences in loops, pools as buffers, and a second step for segments "
       "of one row",
       expand},
      {CPUStage::Fused,
       "Matmuls packed and fused with what follows them; sizes chosen", fuse},
      {CPUStage::Tiled,
       "Parallel loops and loops over chunks and keys; what has no kernel is "
       "decomposed",
       tile},
      {CPUStage::Buffers, "Buffers in place of tensors; kernels are still ops",
       bufferize},
      {CPUStage::Kernels, "Kernels as loops over vectors", lowerKernels},
      {CPUStage::Planned, "Buffers have offsets in one workspace", plan},
      {CPUStage::Loops, "Loops and vectors alone, checked: nothing allocates",
       makeLoops},
      {CPUStage::Outlined, "Parallel loops as functions; entries of abi.h",
       outline},
      {CPUStage::LLVM, "The LLVM dialect", convertToLLVM},
  };
  return stages;
}

void buildPipeline(OpPassManager &pm, const TargetDescription &target,
                   CPUStage from, CPUStage to) {
  for (const PipelineStage &stage : cpuStages()) {
    if (stage.stage > from && stage.stage <= to) {
      enter(pm, stage.stage);
      stage.build(pm, target);
    }
  }
}

namespace {
struct TargetOptions : PassPipelineOptions<TargetOptions> {
  Option<int64_t> lanes{*this, "lanes",
                        llvm::cl::desc("f32 lanes of a vector register"),
                        llvm::cl::init(TargetDescription().lanes)};
  Option<int64_t> registers{*this, "registers",
                            llvm::cl::desc("vector registers"),
                            llvm::cl::init(TargetDescription().registers)};
  Option<cpu::MatmulUnit> products{
      *this, "products",
      llvm::cl::desc("how matmuls with weights of few bits are computed"),
      llvm::cl::init(TargetDescription().products), cpu::matmulsValues()};
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

/// Every stage, as what an option may be.
struct StageValues {
  template <typename Option> void apply(Option &option) const {
    for (auto [number, name] : llvm::enumerate(stageNames)) {
      option.getParser().addLiteralOption(name, static_cast<CPUStage>(number),
                                          "");
    }
  }
};

/// For a part of the road.
template <typename Base> struct PartOptions : Base {
  typename Base::template Option<CPUStage> from{
      *this, "from", llvm::cl::desc("the stage that the module is at"),
      llvm::cl::init(CPUStage::Imported), StageValues()};
  typename Base::template Option<CPUStage> to{
      *this, "to", llvm::cl::desc("the stage that it comes to"),
      llvm::cl::init(CPUStage::LLVM), StageValues()};
};
struct NoOptions : PassPipelineOptions<NoOptions> {};
} // namespace

void registerPipelines() {
  for (const PipelineStage &stage : cpuStages()) {
    PassPipelineRegistration<TargetOptions>(
        pipelineOf(stage.stage), stage.summary,
        [&stage](OpPassManager &pm, const TargetOptions &options) {
          enter(pm, stage.stage);
          stage.build(pm, options.target());
        });
  }
  PassPipelineRegistration<PartOptions<TargetOptions>>(
      "cheems-fast",
      "All stages, or those between two: to the LLVM dialect, vectorised",
      [](OpPassManager &pm, const PartOptions<TargetOptions> &options) {
        buildPipeline(pm, options.target(), options.from, options.to);
      });
  PassPipelineRegistration<PartOptions<NoOptions>>(
      "cheems-scalar", "The same in plain loops",
      [](OpPassManager &pm, const PartOptions<NoOptions> &options) {
        TargetDescription target;
        target.scalar = true;
        buildPipeline(pm, target, options.from, options.to);
      });
}

} // namespace cheems
