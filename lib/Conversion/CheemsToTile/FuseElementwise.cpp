// cheems-fuse-elementwise: what goes through several elementwise ops goes
// through one.
#include "Builder/Elementwise.h"
#include "Patterns.h"
#include "cheems/Conversion/CheemsToTile/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cheems {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "cheems/Conversion/CheemsToTile/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

/// Only where the op before has no other use, and both are on rows. One that
/// reads what it overwrites would stay a result of the fused op.
static bool mayFuse(OpOperand *operand) {
  auto before = operand->get().getDefiningOp<linalg::GenericOp>();
  auto after = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return before && after && before->hasOneUse() &&
         before.getBlock()->getArguments().back().use_empty() &&
         cheems::tile::isElementwise(before) &&
         cheems::tile::isElementwise(after);
}

void cheems::tile::populateFuseElementwise(RewritePatternSet &patterns) {
  linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
}

namespace {
struct FuseElementwise
    : cheems::impl::FuseElementwisePassBase<FuseElementwise> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    cheems::tile::populateFuseElementwise(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitOpError("does not come to an end");
      signalPassFailure();
    }
  }
};
} // namespace
