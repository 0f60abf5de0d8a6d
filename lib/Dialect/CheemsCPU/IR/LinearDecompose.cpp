// linear as contractions with the panels and one elementwise op.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {

Value zeros(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> shape) {
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getF32Type());
  return linalg::FillOp::create(b, loc, constantF32(b, loc, 0), empty)
      .getResult(0);
}

/// [T, inner...] of x's rows.
Value splitRows(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> inner) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape{type.getDimSize(0)};
  SmallVector<OpFoldResult> sizes{tensor::getMixedSize(b, loc, x, 0)};
  ReassociationIndices columns;
  for (auto [d, extent] : llvm::enumerate(inner)) {
    shape.push_back(extent);
    sizes.push_back(b.getIndexAttr(extent));
    columns.push_back(static_cast<int64_t>(d) + 1);
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), x,
      SmallVector<ReassociationIndices>{{0}, columns}, sizes);
}

/// [T, N] of [T, P, 16]: columns of the last panel that reach past N are left
/// out.
Value columnsOf(OpBuilder &b, Location loc, Value sums, OpFoldResult columns) {
  Value flat = tensor::CollapseShapeOp::create(
      b, loc, sums, SmallVector<ReassociationIndices>{{0}, {1, 2}});
  return slice(b, loc, flat, {b.getIndexAttr(0), b.getIndexAttr(0)},
               {tensor::getMixedSize(b, loc, sums, 0), columns});
}

/// sums[t, p, c] += x[t, k, j] * weight[p, k, c, j], as [T, N]: columns of the
/// last panel that reach past N are computed and left out.
Value sumsOf(OpBuilder &b, Location loc, Value x, Value weight,
             OpFoldResult columns) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t steps = type.getDimSize(1), pair = type.getDimSize(3);
  OpFoldResult rows = tensor::getMixedSize(b, loc, x, 0);
  Value pairs = splitRows(b, loc, x, {steps, pair});
  Value sums = zeros(b, loc,
                     {rows, tensor::getMixedSize(b, loc, weight, 0),
                      b.getIndexAttr(LinearOp::kColumns)});
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
  return columnsOf(b, loc, sums, columns);
}

/// Rows of x rounded to 8 bits: quantized values [T, K] i32, scales [T].
struct RoundedRows {
  Value codes, scales;
};

RoundedRows roundRows(OpBuilder &b, Location loc, Value x) {
  OpFoldResult rows = tensor::getMixedSize(b, loc, x, 0);
  AffineMap all = b.getMultiDimIdentityMap(2), row = all.dropResult(1);
  Value most =
      linalg::GenericOp::create(
          b, loc,
          RankedTensorType::get(
              {cast<RankedTensorType>(x.getType()).getDimSize(0)},
              b.getF32Type()),
          x, zeros(b, loc, {rows}), SmallVector<AffineMap>{all, row},
          SmallVector<utils::IteratorType>{utils::IteratorType::parallel,
                                           utils::IteratorType::reduction},
          [](OpBuilder &b, Location loc, ValueRange args) {
            Value size = math::AbsFOp::create(b, loc, args[0]);
            linalg::YieldOp::create(
                b, loc,
                arith::MaximumFOp::create(b, loc, args[1], size).getResult());
          })
          .getResult(0);
  // `small` where the row counts as zeros, else a of b.
  auto quotient = [&](OpBuilder &b, Location loc, Value most, bool inverse) {
    Value greatest = constantF32(b, loc, LinearOp::kGreatestCode),
          least = constantF32(b, loc, LinearOp::kLeastMagnitude),
          zero = constantF32(b, loc, 0);
    Value ratio =
        inverse ? arith::DivFOp::create(b, loc, greatest, most).getResult()
                : arith::DivFOp::create(b, loc, most, greatest).getResult();
    Value small =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, most, least);
    return arith::SelectOp::create(b, loc, small, zero, ratio).getResult();
  };
  AffineMap each = b.getMultiDimIdentityMap(1);
  Value scales =
      linalg::GenericOp::create(
          b, loc, most.getType(), most, zeros(b, loc, {rows}),
          SmallVector<AffineMap>{each, each},
          SmallVector<utils::IteratorType>{utils::IteratorType::parallel},
          [&](OpBuilder &b, Location loc, ValueRange args) {
            linalg::YieldOp::create(b, loc, quotient(b, loc, args[0], false));
          })
          .getResult(0);
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, x), b.getI32Type());
  Value codes =
      linalg::GenericOp::create(
          b, loc, empty.getType(), ValueRange{x, most}, empty,
          SmallVector<AffineMap>{all, row, all},
          SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
          [&](OpBuilder &b, Location loc, ValueRange args) {
            Value scaled = arith::MulFOp::create(
                b, loc, args[0], quotient(b, loc, args[1], true));
            Value whole = math::RoundEvenOp::create(b, loc, scaled);
            linalg::YieldOp::create(
                b, loc,
                arith::FPToSIOp::create(b, loc, b.getI32Type(), whole)
                    .getResult());
          })
          .getResult(0);
  return {codes, scales};
}

/// sums[t, p, g, c] of the quantized values' products, i32: exact.
Value sumsOfCodes(OpBuilder &b, Location loc, Value codes, Value weight,
                  int64_t groups, int64_t pair) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t steps = type.getDimSize(1) / groups, halves = pair / 4;
  OpFoldResult rows = tensor::getMixedSize(b, loc, codes, 0),
               panels = tensor::getMixedSize(b, loc, weight, 0);
  Value inputs = splitRows(b, loc, codes, {groups, steps, halves, 4});
  Value grouped = tensor::ExpandShapeOp::create(
      b, loc,
      RankedTensorType::get(
          {type.getDimSize(0), groups, steps, LinearOp::kColumns, 4},
          type.getElementType()),
      weight, SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}, {4}},
      SmallVector<OpFoldResult>{
          panels, b.getIndexAttr(groups), b.getIndexAttr(steps),
          b.getIndexAttr(LinearOp::kColumns), b.getIndexAttr(4)});
  Value empty = tensor::EmptyOp::create(
      b, loc,
      ArrayRef<OpFoldResult>{rows, panels, b.getIndexAttr(groups),
                             b.getIndexAttr(LinearOp::kColumns)},
      b.getI32Type());
  Value zeroI32 = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value sums = linalg::FillOp::create(b, loc, zeroI32, empty).getResult(0);
  MLIRContext *context = b.getContext();
  AffineExpr t, p, g, c, i, h, j;
  bindDims(context, t, p, g, c, i, h, j);
  SmallVector<AffineMap> maps{AffineMap::get(7, 0, {t, g, i, h, j}, context),
                              AffineMap::get(7, 0, {p, g, i, c, j}, context),
                              AffineMap::get(7, 0, {t, p, g, c}, context)};
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.append(3, utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, sums.getType(), ValueRange{inputs, grouped}, sums, maps,
             iterators,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Type i32 = b.getI32Type();
               Value code = arith::ExtUIOp::create(b, loc, i32, args[1]);
               if (halves == 2) {
                 Value half = linalg::IndexOp::create(b, loc, 5);
                 Value shift = arith::ShLIOp::create(
                     b, loc, arith::IndexCastOp::create(b, loc, i32, half),
                     arith::ConstantIntOp::create(b, loc, 2, 32));
                 code = arith::AndIOp::create(
                     b, loc, arith::ShRUIOp::create(b, loc, code, shift),
                     arith::ConstantIntOp::create(b, loc, 15, 32));
               }
               Value zero = arith::ConstantIntOp::create(
                   b, loc, halves == 2 ? 8 : 128, 32);
               code = arith::SubIOp::create(b, loc, code, zero);
               Value product = arith::MulIOp::create(b, loc, args[0], code);
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddIOp::create(b, loc, args[2], product).getResult());
             })
      .getResult(0);
}

/// Acts as sumsOf, for quantized weights: sums of integers per group, a chain
/// of multiply-adds over groups, and the row's scale.
Value sumsOfQuantized(OpBuilder &b, Location loc, const RoundedRows &x,
                      Value weight, Value scales, int64_t pair,
                      OpFoldResult columns) {
  int64_t groups = cast<RankedTensorType>(scales.getType()).getDimSize(1);
  Value sums = sumsOfCodes(b, loc, x.codes, weight, groups, pair);
  OpFoldResult rows = tensor::getMixedSize(b, loc, x.codes, 0);
  MLIRContext *context = b.getContext();
  AffineExpr t, p, c, g;
  bindDims(context, t, p, c, g);
  SmallVector<utils::IteratorType> parallel(3, utils::IteratorType::parallel),
      iterators(parallel);
  iterators.push_back(utils::IteratorType::reduction);
  SmallVector<AffineMap> maps{AffineMap::get(4, 0, {t, p, g, c}, context),
                              AffineMap::get(4, 0, {p, g, c}, context),
                              AffineMap::get(4, 0, {t, p, c}, context)};
  SmallVector<OpFoldResult> shape{rows, tensor::getMixedSize(b, loc, weight, 0),
                                  b.getIndexAttr(LinearOp::kColumns)};
  Value start = zeros(b, loc, shape);
  Value total =
      linalg::GenericOp::create(
          b, loc, start.getType(), ValueRange{sums, scales}, start, maps,
          iterators,
          [](OpBuilder &b, Location loc, ValueRange args) {
            Value number =
                arith::SIToFPOp::create(b, loc, b.getF32Type(), args[0]);
            linalg::YieldOp::create(b, loc,
                                    math::FmaOp::create(b, loc, number,
                                                        widen(b, loc, args[1]),
                                                        args[2])
                                        .getResult());
          })
          .getResult(0);
  AffineMap all = b.getMultiDimIdentityMap(3);
  Value empty = tensor::EmptyOp::create(b, loc, shape, b.getF32Type());
  Value scaled =
      linalg::GenericOp::create(
          b, loc, start.getType(), ValueRange{total, x.scales}, empty,
          SmallVector<AffineMap>{
              all, AffineMap::get(3, 0, {b.getAffineDimExpr(0)}, context), all},
          parallel,
          [](OpBuilder &b, Location loc, ValueRange args) {
            linalg::YieldOp::create(
                b, loc,
                arith::MulFOp::create(b, loc, args[0], args[1]).getResult());
          })
          .getResult(0);
  return columnsOf(b, loc, scaled, columns);
}
} // namespace

FailureOr<SmallVector<Value>> LinearOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  OpFoldResult columns = tensor::getMixedSize(b, loc, getY(), 1);
  SmallVector<Value> inputs;
  if (isQuantized()) {
    RoundedRows rows = roundRows(b, loc, getX());
    for (auto [weight, scales] : llvm::zip_equal(getWeights(), getScales())) {
      inputs.push_back(
          sumsOfQuantized(b, loc, rows, weight, scales, getPair(), columns));
    }
  } else {
    for (Value weight : getWeights()) {
      inputs.push_back(sumsOf(b, loc, getX(), weight, columns));
    }
  }
  if (hasIdentityEpilogue()) {
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
        linalg::YieldOp::create(
            b, loc, cloneEpilogue(b, getEpilogue(), args.drop_back()));
      });
  return SmallVector<Value>(op->getResults());
}
