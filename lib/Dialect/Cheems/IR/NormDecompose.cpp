// rms_norm as a sum of squares and a scaling.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

FailureOr<SmallVector<Value>> RmsNormOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  auto type = cast<RankedTensorType>(getX().getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> rows = tensor::getMixedSizes(b, loc, getX());
  OpFoldResult length = rows.pop_back_val();
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel),
      reduce = parallel;
  reduce.back() = utils::IteratorType::reduction;
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap row = all.dropResult(rank - 1);
  AffineMap last = AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1));

  // Squares may be summed in any order (so several at a time); every row takes
  // the same one.
  Value zero = constantF32(b, loc, 0);
  Value init = tensor::EmptyOp::create(b, loc, rows, b.getF32Type());
  init = linalg::FillOp::create(b, loc, zero, init).getResult(0);
  Value sum =
      linalg::GenericOp::create(
          b, loc, init.getType(), getX(), init, ArrayRef<AffineMap>{all, row},
          reduce,
          [](OpBuilder &b, Location loc, ValueRange args) {
            auto fast = arith::FastMathFlagsAttr::get(
                b.getContext(),
                arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
            Value square =
                arith::MulFOp::create(b, loc, args[0], args[0], fast);
            Value next = arith::AddFOp::create(b, loc, args[1], square, fast);
            linalg::YieldOp::create(b, loc, next);
          })
          .getResult(0);

  Value size = getValueOrCreateConstantIndexOp(b, loc, length);
  size = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
  size = arith::SIToFPOp::create(b, loc, b.getF32Type(), size);
  Value epsilon = constantF32(b, loc, getEpsilon().convertToDouble());
  Value one = constantF32(b, loc, 1);
  auto scaled = linalg::GenericOp::create(
      b, loc, getY().getType(), ValueRange{getX(), getWeight(), sum}, getY(),
      ArrayRef<AffineMap>{all, last, row, all}, parallel,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value mean = arith::DivFOp::create(b, loc, args[2], size);
        Value root = math::SqrtOp::create(
            b, loc, arith::AddFOp::create(b, loc, mean, epsilon));
        Value inverse = arith::DivFOp::create(b, loc, one, root);
        Value unit = arith::MulFOp::create(b, loc, args[0], inverse);
        linalg::YieldOp::create(
            b, loc, arith::MulFOp::create(b, loc, unit, args[1]).getResult());
      });
  return SmallVector<Value>(scaled.getResults());
}
