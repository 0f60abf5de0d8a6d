// dynamic_mask as elementwise maths.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

FailureOr<SmallVector<Value>> DynamicMaskOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  AffineMap all = b.getMultiDimIdentityMap(2), head = all.dropResult(0);
  auto mask = linalg::GenericOp::create(
      b, loc, getMask().getType(), ValueRange{getStep(), getA()}, getMask(),
      ArrayRef<AffineMap>{all, head, all},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [](OpBuilder &b, Location loc, ValueRange args) {
        // softplus(x) = max(x, 0) + log(1 + exp(-|x|)): exp never overflows,
        // log1p keeps small steps.
        Value positive =
            arith::MaximumFOp::create(b, loc, args[0], constantF32(b, loc, 0));
        Value decay = arith::NegFOp::create(
            b, loc, math::AbsFOp::create(b, loc, args[0]));
        decay =
            math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, decay));
        Value softplus = arith::AddFOp::create(b, loc, positive, decay);
        Value power = arith::MulFOp::create(b, loc, args[1], softplus);
        linalg::YieldOp::create(b, loc,
                                math::ExpOp::create(b, loc, power).getResult());
      });
  return SmallVector<Value>(mask.getResults());
}
