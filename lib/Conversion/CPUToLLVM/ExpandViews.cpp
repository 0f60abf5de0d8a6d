// cheems-expand-views: views become an address, an offset and strides.
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_EXPANDVIEWSPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct ExpandViews : cheems::impl::ExpandViewsPassBase<ExpandViews> {
  void runOnOperation() override {
    // Views are few among the ops of a kernel. The driver for whole regions
    // would fold every op, and again after each round.
    SmallVector<Operation *> views;
    getOperation()->walk([&](Operation *op) {
      if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp,
              memref::ExtractAlignedPointerAsIndexOp>(op)) {
        views.push_back(op);
      }
    });
    RewritePatternSet patterns(&getContext());
    memref::populateExpandStridedMetadataPatterns(patterns);
    auto config = GreedyRewriteConfig().setStrictness(
        GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(views, std::move(patterns), config))) {
      signalPassFailure();
    }
  }
};
} // namespace
