// cheems-to-tile: ops become launches of kernels.
#include "Patterns.h"
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
                              ValueRange outputs) {
  SmallVector<Value> grid(blocks);
  while (grid.size() < 3) {
    grid.push_back(arith::ConstantIndexOp::create(b, 1));
  }
  return LaunchOp::create(b, outputs.getTypes(), kernel, grid, inputs, outputs);
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

/// A tile has elements: an error at the first op on a tensor that has none.
static LogicalResult verifyElements(ModuleOp module) {
  auto hasNone = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  };
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (llvm::any_of(op->getOperandTypes(), hasNone) ||
        llvm::any_of(op->getResultTypes(), hasNone)) {
      return emitUnsupported(op)
             << "is on a tensor with an extent of 0: cards have no kernel for "
                "it; compile for cpu";
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ToTile : cheems::impl::ToTilePassBase<ToTile> {
  using ToTilePassBase::ToTilePassBase;

  void runOnOperation() override {
    auto target =
        getOperation()->getAttrOfType<cheems::tile::TargetAttr>(kTarget);
    if (!target) {
      getOperation().emitError("has no #cheems_tile.target as cheems.target");
      return signalPassFailure();
    }
    if (failed(verifyElements(getOperation()))) {
      return signalPassFailure();
    }
    KernelTable kernels(getOperation());
    Strategy strategy(target);
    KernelContext kit{kernels, strategy};
    // Experts add to what a product gives: they become sums that its kernel
    // can take.
    if (hasExperts()) {
      run([&](RewritePatternSet &patterns) {
        populateExpertsToTile(patterns, kit);
      });
      run(populateFuseElementwise);
    }
    // First what becomes a neighbour that others take, then those that take
    // neighbours with them: attention and SSD, then products that take norms,
    // then the others; then the rest.
    run([&](RewritePatternSet &patterns) {
      populateMaskToTile(patterns, kit);
    });
    run([&](RewritePatternSet &patterns) {
      populateAttentionToTile(patterns, kit);
      populateSSDToTile(patterns, kit);
    });
    run([&](RewritePatternSet &patterns) {
      populateNormedProductsToTile(patterns, kit);
    });
    run([&](RewritePatternSet &patterns) {
      populateNormToTile(patterns, kit);
      populateProductToTile(patterns, kit);
      populateRoundEntriesToTile(patterns, kit);
      populateRowsToTile(patterns, kit);
      populateRotaryToTile(patterns, kit);
      populateTopLogitsToTile(patterns, kit);
      populateScoresToTile(patterns, kit);
    });
    run([&](RewritePatternSet &patterns) {
      populateElementwiseToTile(patterns, kit);
    });
    if (failed(verifyAllTaken(strategy))) {
      return signalPassFailure();
    }
    sortKernels(getOperation());
  }

private:
  bool hasExperts() {
    return getOperation()
        .walk([](Operation *op) {
          return isa<RetrieveExpertsOp, MixExpertsOp>(op)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// An error at each op that computes a tensor and is no launch.
  LogicalResult verifyAllTaken(const Strategy &strategy) {
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
        why = whyNoKernel(logits, strategy);
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
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    // So kernels of one name are numbered in the order of the ops.
    auto config = GreedyRewriteConfig().setUseTopDownTraversal();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(applyPatternsGreedily(function, frozen, config))) {
        function.emitOpError("does not come to an end");
        return signalPassFailure();
      }
    }
  }
};
} // namespace
