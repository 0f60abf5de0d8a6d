// linear as contractions with the panels and one elementwise op.
#include "OpUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kColumns = LinearOp::kColumns;

Value zeros(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> shape) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getF32Type());
  return linalg::FillOp::create(b, loc, constantF32(b, loc, 0), empty)
      .getResult(0);
}

/// sums[t, p, c] += x[t, k, j] * weight[p, k, c, j], as [T, N]: columns of the
/// last panel that reach past N are computed and left out.
Value sumsOf(OpBuilder &b, Location loc, Value x, Value weight,
             OpFoldResult columns) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t steps = type.getDimSize(1), pair = type.getDimSize(3);
  OpFoldResult rows = tensor::getMixedSize(b, loc, x, 0);
  Value pairs = tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get(
          {cast<RankedTensorType>(x.getType()).getDimSize(0), steps, pair},
          b.getF32Type()),
      x, SmallVector<ReassociationIndices>{{0}, {1, 2}},
      SmallVector<OpFoldResult>{rows, b.getIndexAttr(steps),
                                b.getIndexAttr(pair)});
  Value sums = zeros(b, loc,
                     {rows, tensor::getMixedSize(b, loc, weight, 0),
                      b.getIndexAttr(kColumns)});
  AffineExpr t = b.getAffineDimExpr(0), p = b.getAffineDimExpr(1),
             c = b.getAffineDimExpr(2), k = b.getAffineDimExpr(3),
             j = b.getAffineDimExpr(4);
  SmallVector<AffineMap> maps{
      AffineMap::get(5, 0, {t, k, j}, b.getContext()),
      AffineMap::get(5, 0, {p, k, c, j}, b.getContext()),
      AffineMap::get(5, 0, {t, p, c}, b.getContext())};
  SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::parallel);
  iterators.append(2, utils::IteratorType::reduction);
  sums = linalg::GenericOp::create(
             b, loc, sums.getType(), ValueRange{pairs, weight}, sums, maps,
             iterators,
             [](OpBuilder &b, Location loc, ValueRange args) {
               Value product = arith::MulFOp::create(b, loc, args[0],
                                                     widen(b, loc, args[1]));
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddFOp::create(b, loc, args[2], product).getResult());
             })
             .getResult(0);
  Value flat = tensor::CollapseShapeOp::create(
      b, loc, sums, SmallVector<ReassociationIndices>{{0}, {1, 2}});
  return slice(b, loc, flat, {b.getIndexAttr(0), b.getIndexAttr(0)},
               {rows, columns});
}
} // namespace

FailureOr<SmallVector<Value>> LinearOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  OpFoldResult columns = tensor::getMixedSize(b, loc, getY(), 1);
  SmallVector<Value> inputs;
  for (Value weight : getWeights()) {
    inputs.push_back(sumsOf(b, loc, getX(), weight, columns));
  }
  if (getEpilogue().empty()) {
    // What an identity generic would say, canonicalisation would fold away.
    return SmallVector<Value>{
        linalg::CopyOp::create(b, loc, inputs[0], getY()).getResult(0)};
  }
  AffineMap all = b.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps(inputs.size(), all);
  for (Value operand : getWith()) {
    inputs.push_back(operand);
    maps.push_back(cast<ShapedType>(operand.getType()).getRank() == 1
                       ? all.dropResult(0)
                       : all);
  }
  maps.push_back(all);
  auto op = linalg::GenericOp::create(
      b, loc, getY().getType(), inputs, getY(), maps,
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Block &epilogue = getEpilogue().front();
        IRMapping map;
        map.map(epilogue.getArguments(), args.drop_back());
        for (Operation &inner : epilogue.without_terminator()) {
          b.clone(inner, map);
        }
        Value result = cast<YieldOp>(epilogue.back()).getValue();
        linalg::YieldOp::create(b, loc, map.lookupOrDefault(result));
      });
  return SmallVector<Value>(op->getResults());
}
