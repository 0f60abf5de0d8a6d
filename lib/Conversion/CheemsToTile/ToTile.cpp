// cheems-to-tile: groups become launches of kernels.
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace cheems {
#define GEN_PASS_DEF_TOTILEPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

LaunchOp cheems::tile::launch(ImplicitLocOpBuilder &b, FlatSymbolRefAttr kernel,
                              ArrayRef<Value> blocks, ValueRange inputs,
                              ValueRange outputs, Value when) {
  SmallVector<Value> grid(blocks);
  while (grid.size() < 3) {
    grid.push_back(arith::ConstantIndexOp::create(b, 1));
  }
  return LaunchOp::create(b, outputs.getTypes(), kernel, when, grid, inputs,
                          outputs);
}

void cheems::tile::inlineGroup(RewriterBase &rewriter, GroupOp group) {
  Block &body = group.getBody().front();
  Operation *end = body.getTerminator();
  SmallVector<Value> results(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(&body, group);
  rewriter.setInsertionPointAfter(group);
  rewriter.replaceOp(group, results);
}

Value cheems::tile::tilesOf(ImplicitLocOpBuilder &b, Value tensor,
                            int64_t dimension, int64_t extent) {
  Value all = b.createOrFold<tensor::DimOp>(tensor, dimension);
  return b.createOrFold<arith::CeilDivUIOp>(
      all, arith::ConstantIndexOp::create(b, extent));
}

/// Kernels come in the order in which the module's launches name them, whatever
/// the order in which they were made.
static void sortKernels(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> kernels;
  module.walk([&](LaunchOp op) {
    // One that was compiled before stays where it is.
    if (auto kernel = symbols.lookup<KernelOp>(op.getKernel())) {
      kernels.insert(kernel);
    }
  });
  for (Operation *kernel : kernels) {
    kernel->moveBefore(module.getBody(), module.getBody()->end());
  }
}

LogicalResult cheems::tile::rewriteFunctions(
    ModuleOp module, function_ref<void(RewritePatternSet &)> populate) {
  RewritePatternSet patterns(module.getContext());
  populate(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  auto config = GreedyRewriteConfig().setUseTopDownTraversal();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(applyPatternsGreedily(function, frozen, config))) {
      return function.emitOpError("does not come to an end");
    }
  }
  return success();
}

namespace {
struct ToTile : cheems::impl::ToTilePassBase<ToTile> {
  using ToTilePassBase::ToTilePassBase;

  void runOnOperation() override {
    if (failed(verifyStrategiesOfGroups(getOperation()))) {
      return signalPassFailure();
    }
    KernelTable kernels(getOperation());
    auto populate = [&](RewritePatternSet &patterns) {
      populateAttentionToTile(patterns, kernels);
      populateSSDToTile(patterns, kernels);
      populateMatmulToTile(patterns, kernels);
      populateNormToTile(patterns, kernels);
      populateRoundEntriesToTile(patterns, kernels);
      populateRowsToTile(patterns, kernels);
      populateRotaryToTile(patterns, kernels);
      populateTopLogitsToTile(patterns, kernels);
      populateScoresToTile(patterns, kernels);
      populateExpertsToTile(patterns, kernels);
      populateElementwiseToTile(patterns, kernels);
    };
    if (failed(rewriteFunctions(getOperation(), populate)) ||
        failed(verifyAllTaken())) {
      return signalPassFailure();
    }
    sortKernels(getOperation());
  }

private:
  /// An error at each op that computes a tensor and is no launch.
  LogicalResult verifyAllTaken() {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isa<DestinationStyleOpInterface>(op) || isa<LaunchOp>(op)) {
        return WalkResult::advance();
      }
      auto group = op->getParentOfType<GroupOp>();
      if (group && isa<linalg::FillOp>(op)) {
        return WalkResult::advance(); // what reads it is the one to name
      }
      if (group) {
        return op->emitOpError("is in a group of kind ")
               << stringifyGroupKind(group.getKind())
               << (group.getInMatmuls()
                       ? " in_matmuls, and not only matmuls of few rows "
                         "that can stand there read it"
                       : " that no kernel has")
               << ": let cheems-form-groups form it";
      }
      return op->emitOpError("is in no group whose kernels take it: "
                             "cheems-form-groups comes first");
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
