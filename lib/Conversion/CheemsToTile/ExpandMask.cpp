// Mask values as elementwise maths, which becomes a part of the matmul before.
#include "Patterns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
struct ExpandMask : OpRewritePattern<DynamicMaskOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicMaskOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "it is on buffers");
    }
    AffineMap all = rewriter.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
    auto body = [](OpBuilder &builder, Location loc, ValueRange arguments) {
      ImplicitLocOpBuilder b(loc, builder);
      auto constant = [&](double value) {
        return arith::ConstantOp::create(b, b.getF32FloatAttr(float(value)));
      };
      // softplus(x) = max(x, 0) + log(1 + exp(-|x|)): exp does not overflow.
      // The logarithm is between 0 and ln 2. What 1 + exp rounds away is below
      // 2^-24, and is added to other numbers: it needs no log1p.
      Value decay = math::ExpOp::create(
          b, arith::NegFOp::create(b, math::AbsFOp::create(b, arguments[0])));
      Value rest =
          math::LogOp::create(b, arith::AddFOp::create(b, decay, constant(1)));
      Value softplus = arith::AddFOp::create(
          b, arith::MaximumFOp::create(b, arguments[0], constant(0)), rest);
      Value mask = math::ExpOp::create(
          b, arith::MulFOp::create(b, arguments[1], softplus));
      linalg::YieldOp::create(b, mask);
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op.getMask().getType(), ValueRange{op.getStep(), op.getA()},
        op.getMask(), ArrayRef<AffineMap>{all, all.dropResult(0), all}, loops,
        body);
    return success();
  }
};
} // namespace

void cheems::tile::populateExpandMask(RewritePatternSet &patterns) {
  patterns.add<ExpandMask>(patterns.getContext());
}
