// The stages of the way to kernels of NVIDIA's GPUs.
#include "cheems/Pipelines/CUDAPipelines.h"
#include "cheems/Conversion/CheemsToTile/FewRows.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Conversion/CheemsToTile/Windows.h"
#include "cheems/Conversion/TileToNVVM/Passes.h"
#include "cheems/Conversion/TileToPlan/Passes.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "cheems/Dialect/CheemsTile/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace cheems {
using namespace mlir;

static constexpr StringLiteral stageNames[] = {
    "imported", "rounded",  "groups", "strategy",
    "tile",     "launches", "plan",   "nvvm"};

StringRef stringify(CUDAStage stage) {
  return stageNames[static_cast<int>(stage)];
}

static void enter(OpPassManager &pm, CUDAStage stage) {
  EnterStagePassOptions options;
  options.stage = stringify(stage);
  for (StringRef name :
       ArrayRef(stageNames).take_front(static_cast<int>(stage))) {
    options.before.push_back(name.str());
  }
  pm.addPass(createEnterStagePass(options));
}

static void simplify(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void round(OpPassManager &pm, const GPUOptions &gpu) {
  pm.addPass(createSetGPUPass(SetGPUPassOptions{
      gpu.architecture, gpu.unit, gpu.copy, gpu.multiprocessors}));
  // For a choice without chance, and for what samplers commonly look at.
  AddTopLogitsPassOptions topLogits;
  topLogits.counts = {1, 64};
  pm.addPass(createAddTopLogitsPass(topLogits));
  pm.addPass(createSpecializeDecodePass(
      SpecializeDecodePassOptions{tile::kFewRows, /*callees=*/true}));
  pm.addPass(createQuantizeMatmulsPass());
  pm.addNestedPass<func::FuncOp>(createRoundInputsPass());
  // An extent of a result is no use of it: what has one use can be fused.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  simplify(pm);
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  simplify(pm);
}

/// Attention and SSD first, which take ops from before and after them, then
/// matmuls, then experts with what finds them, then the rest.
static void groupOps(OpPassManager &pm) {
  pm.addPass(createGroupAttentionPass());
  pm.addPass(createGroupSSDPass());
  pm.addPass(createGroupMatmulsPass());
  pm.addPass(createGroupExpertsPass());
  pm.addPass(createGroupRowsPass());
}

static void makeGroups(OpPassManager &pm, const GPUOptions &) {
  pm.addNestedPass<func::FuncOp>(createSplitExpertsPass());
  pm.addNestedPass<func::FuncOp>(createExpandElementwisePass());
  groupOps(pm);
}

static void selectStrategies(OpPassManager &pm, const GPUOptions &) {
  pm.addPass(createSelectGPUStrategyPass());
}

static void makeKernels(OpPassManager &pm, const GPUOptions &) {
  pm.addPass(createToTilePass());
  simplify(pm);
  pm.addPass(tile::createTilePlanSharedPass());
}

static void makeLaunches(OpPassManager &pm, const GPUOptions &) {
  pm.addPass(createEnterBuffersPass());
  pm.addPass(createLowerParametersPass());
  // CSE merged equal destinations; each launch needs its own again.
  pm.addNestedPass<func::FuncOp>(createOwnInitsPass());
  pm.addPass(tile::createTileBufferizePass());
  // A copy to itself vanishes when CSE has made both sides equal.
  simplify(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  // Sizes of reshaped arrays, which plans have as plain arithmetic.
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  simplify(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(tile::createTileOverlapLaunchesPass());
}

static void makePlan(OpPassManager &pm, const GPUOptions &) {
  buildTileToPlanPipeline(pm);
}

static void lowerKernels(OpPassManager &pm, const GPUOptions &) {
  buildTileToNVVMPipeline(pm);
}

ArrayRef<CUDAPipelineStage> cudaStages() {
  static constexpr CUDAPipelineStage stages[] = {
      {CUDAStage::Rounded,
       "Inputs of matmuls have the type of weights; a second step for "
       "segments "
       "of one row",
       round},
      {CUDAStage::Groups, "Ops that become kernels together are groups",
       makeGroups},
      {CUDAStage::Strategy, "Ops say how they are shared out among blocks",
       selectStrategies},
      {CUDAStage::Tile, "Kernels on tiles, and their launches", makeKernels},
      {CUDAStage::Launches, "Launches on memory of the GPU", makeLaunches},
      {CUDAStage::Plan, "What the host launches, as a plan", makePlan},
      {CUDAStage::NVVM, "Kernels in the NVVM dialect", lowerKernels},
  };
  return stages;
}

void buildCUDAPipeline(OpPassManager &pm, const GPUOptions &gpu, CUDAStage from,
                       CUDAStage to) {
  for (const CUDAPipelineStage &stage : cudaStages()) {
    if (stage.stage > from && stage.stage <= to) {
      enter(pm, stage.stage);
      stage.build(pm, gpu);
    }
  }
}

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<tile::Architecture> arch{
      *this, "arch", llvm::cl::desc("architecture of the GPU"),
      llvm::cl::init(tile::Architecture::SM90a), tile::architectureValues()};
  Option<tile::Unit> unit{
      *this, "unit",
      llvm::cl::desc(
          "newest unit that matmuls and attention of prompts may use"),
      llvm::cl::init(tile::Unit::Wgmma), tile::unitValues()};
  Option<tile::OperandCopy> copy{
      *this, "copy",
      llvm::cl::desc(
          "newest copies that matmuls and attention of prompts may use"),
      llvm::cl::init(tile::OperandCopy::Bulk), tile::copyValues()};
  Option<int64_t> multiprocessors{
      *this, "multiprocessors",
      llvm::cl::desc("multiprocessors of the GPU; 0: of an A100 or an H100"),
      llvm::cl::init(0)};
  GPUOptions gpu() const { return {arch, unit, copy, multiprocessors}; }
};

/// Every stage, as what an option may be.
struct StageValues {
  template <typename Option> void apply(Option &option) const {
    for (auto [number, name] : llvm::enumerate(stageNames)) {
      option.getParser().addLiteralOption(name, static_cast<CUDAStage>(number),
                                          "");
    }
  }
};

/// For a part of the road.
struct PartOptions : StageOptions {
  Option<CUDAStage> from{*this, "from",
                         llvm::cl::desc("the stage that the module is at"),
                         llvm::cl::init(CUDAStage::Imported), StageValues()};
  Option<CUDAStage> to{*this, "to",
                       llvm::cl::desc("the stage that it comes to"),
                       llvm::cl::init(CUDAStage::NVVM), StageValues()};
};
} // namespace

void registerCUDAPipelines() {
  for (const CUDAPipelineStage &stage : cudaStages()) {
    PassPipelineRegistration<StageOptions>(
        ("cheems-cuda-to-" + stringify(stage.stage)).str(), stage.summary,
        [&stage](OpPassManager &pm, const StageOptions &options) {
          enter(pm, stage.stage);
          stage.build(pm, options.gpu());
        });
  }
  PassPipelineRegistration<>("cheems-form-groups",
                             "Ops of a step that become kernels together "
                             "become groups",
                             groupOps);
  PassPipelineRegistration<>(
      "cheems-gpu-kernels",
      "Ops of a step become groups, and these launches of kernels, with the "
      "strategies that ops have or that are chosen for them",
      [](OpPassManager &pm) {
        makeGroups(pm, GPUOptions());
        selectStrategies(pm, GPUOptions());
        pm.addPass(createToTilePass());
      });
  PassPipelineRegistration<PartOptions>(
      "cheems-cuda",
      "All stages of the way to kernels of GPUs, or those between two",
      [](OpPassManager &pm, const PartOptions &options) {
        buildCUDAPipeline(pm, options.gpu(), options.from, options.to);
      });
}

} // namespace cheems
