// Finds the rounding after an op, and replaces it.
#include "RoundedOutput.h"
#include "Elementwise.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

RoundedOutput RoundedOutput::after(Value y) {
  auto collapse = hasOneUseInBlock(y)
                      ? dyn_cast<tensor::CollapseShapeOp>(*y.user_begin())
                      : tensor::CollapseShapeOp();
  auto op =
      collapse ? onlyElementwiseUse(collapse.getResult()) : linalg::GenericOp();
  if (!op || op.getNumDpsInputs() != 1) {
    return {};
  }
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  auto truncated = yield.getOperand(0).getDefiningOp<arith::TruncFOp>();
  bool rounds = truncated && truncated.getIn() == op.getBlock()->getArgument(0);
  return {rounds ? op : linalg::GenericOp()};
}

Value RoundedOutput::memory(ImplicitLocOpBuilder &b, Value y) const {
  if (!rounding) {
    return y;
  }
  linalg::GenericOp op = rounding;
  return tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), y),
                                 getElementTypeOrSelf(op.getResult(0)));
}

Value RoundedOutput::replace(ImplicitLocOpBuilder &b, PatternRewriter &rewriter,
                             Value rounded, Value y) const {
  if (!rounding) {
    return rounded;
  }
  linalg::GenericOp op = rounding;
  auto collapse = op.getInputs()[0].getDefiningOp<tensor::CollapseShapeOp>();
  Value flat = tensor::CollapseShapeOp::create(
      b, rounded, collapse.getReassociationIndices());
  rewriter.replaceOp(op, flat);
  rewriter.eraseOp(collapse);
  return y;
}

QuantizeEntriesOp cheems::tile::quantizedAfter(Value y) {
  auto collapse = y.hasOneUse()
                      ? dyn_cast<tensor::CollapseShapeOp>(*y.user_begin())
                      : tensor::CollapseShapeOp();
  return collapse && collapse->hasOneUse()
             ? dyn_cast<QuantizeEntriesOp>(*collapse->user_begin())
             : QuantizeEntriesOp();
}
