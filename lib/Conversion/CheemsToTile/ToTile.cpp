// cheems-to-tile: ops become launches of kernels.
#include "Patterns.h"
#include "Strategy/SelectStrategy.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Utils/Refusals.h"
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
    auto isAny = [](Operation *) { return true; };
    if (failed(verifyStrategies(getOperation(), isAny))) {
      return signalPassFailure();
    }
    KernelTable kernels(getOperation());
    // First those that take neighbours with them: attention and SSD, then
    // products that take norms, then the others; then the rest.
    run([&](RewritePatternSet &patterns) {
      populateAttentionToTile(patterns, kernels);
      populateSSDToTile(patterns, kernels);
    });
    run([&](RewritePatternSet &patterns) {
      populateNormedProductsToTile(patterns, kernels);
    });
    run([&](RewritePatternSet &patterns) {
      populateNormToTile(patterns, kernels);
      populateProductToTile(patterns, kernels);
      populateRoundEntriesToTile(patterns, kernels);
      populateRowsToTile(patterns, kernels);
      populateRotaryToTile(patterns, kernels);
      populateTopLogitsToTile(patterns, kernels);
      populateScoresToTile(patterns, kernels);
    });
    run([&](RewritePatternSet &patterns) {
      populateElementwiseToTile(patterns, kernels);
    });
    if (failed(verifyAllTaken())) {
      return signalPassFailure();
    }
    sortKernels(getOperation());
  }

private:
  /// An error at each op that computes a tensor and is no launch.
  LogicalResult verifyAllTaken() {
    WalkResult result = getOperation().walk([&](Operation *op) -> WalkResult {
      if (!isa<DestinationStyleOpInterface>(op) || isa<LaunchOp>(op)) {
        return WalkResult::advance();
      }
      if (auto ssd = dyn_cast<SegmentedSSDOp>(op); ssd && lacksRounding(ssd)) {
        return op->emitOpError("has x, b or c that are not rounded to bf16 in "
                               "front of it: cheems-round-inputs comes first");
      }
      std::optional<std::string> why;
      if (auto attention = dyn_cast<SegmentedAttentionOp>(op)) {
        why = whyNoKernel(attention);
      } else if (auto logits = dyn_cast<TopLogitsOp>(op)) {
        why = whyNoKernel(logits);
      } else if (auto retrieval = dyn_cast<RetrieveExpertsOp>(op)) {
        why = whyNoKernel(retrieval);
      } else if (auto mixing = dyn_cast<MixExpertsOp>(op)) {
        why = whyNoKernel(mixing);
      }
      return emitUnsupported(op)
             << why.value_or("is of a kind or shape that is left")
             << ": cards have no kernel for it yet; compile for cpu";
    });
    return failure(result.wasInterrupted());
  }

  void run(function_ref<void(RewritePatternSet &)> populate) {
    if (failed(rewriteFunctions(getOperation(), populate))) {
      signalPassFailure();
    }
  }
};
} // namespace
