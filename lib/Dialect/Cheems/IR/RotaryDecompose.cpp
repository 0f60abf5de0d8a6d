// The rotary ops as elementwise maths; angles stay in f64 until their cosine
// and sine are taken.
#include "OpUtils.h"
#include <cmath>

using namespace mlir;
using namespace cheems;

namespace {
Value constantF64(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

/// A vector of constants theta^(-2i/P) or -2i/(P-2), i < P/2.
Value constantRow(OpBuilder &b, Location loc, int64_t half,
                  llvm::function_ref<double(int64_t)> value) {
  SmallVector<double> values;
  for (int64_t i = 0; i < half; ++i) {
    values.push_back(value(i));
  }
  auto type = RankedTensorType::get({half}, b.getF64Type());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<double>(values)));
}
} // namespace

FailureOr<SmallVector<Value>> RotaryTableOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  auto type = cast<RankedTensorType>(getCosine().getType());
  if (type.isDynamicDim(1)) {
    return emitOpError("decomposes with a static head size only");
  }
  int64_t half = type.getDimSize(1);
  double theta = getTheta().convertToDouble();
  Value frequency = constantRow(b, loc, half, [&](int64_t i) {
    return std::pow(theta, -double(i) / half);
  });
  SmallVector<Value> inputs{getPosition(), frequency};
  AffineMap all = b.getMultiDimIdentityMap(2), row = all.dropResult(1),
            column = all.dropResult(0);
  SmallVector<AffineMap> maps{row, column};
  if (getDynamic()) {
    inputs.push_back(getLength());
    inputs.push_back(constantRow(
        b, loc, half, [&](int64_t i) { return -double(i) / (half - 1); }));
    maps.append({row, column});
  }
  maps.append({all, all});

  Type f64 = b.getF64Type();
  auto table = linalg::GenericOp::create(
      b, loc, TypeRange{type, type}, inputs, ValueRange{getCosine(), getSine()},
      maps, SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value angle = arith::SIToFPOp::create(b, loc, f64, args[0]);
        Value rate = args[1];
        if (getDynamic()) {
          // base^(-2i/P) = theta^(-2i/P) * growth^(-2i/(P-2)): the two
          // exponents differ because growth is itself a power.
          double factor = getFactor().convertToDouble();
          Value length = arith::SIToFPOp::create(b, loc, f64, args[2]);
          Value ratio = arith::MulFOp::create(
              b, loc, length, constantF64(b, loc, factor / getTrained()));
          Value growth = arith::SubFOp::create(b, loc, ratio,
                                               constantF64(b, loc, factor - 1));
          // Up to the trained length the base stays: growth 1.
          growth =
              arith::MaximumFOp::create(b, loc, growth, constantF64(b, loc, 1));
          Value power = arith::MulFOp::create(
              b, loc, args[3], math::LogOp::create(b, loc, growth));
          rate = arith::MulFOp::create(b, loc, rate,
                                       math::ExpOp::create(b, loc, power));
        }
        angle = arith::MulFOp::create(b, loc, angle, rate);
        Value cosine = arith::TruncFOp::create(
            b, loc, b.getF32Type(), math::CosOp::create(b, loc, angle));
        Value sine = arith::TruncFOp::create(
            b, loc, b.getF32Type(), math::SinOp::create(b, loc, angle));
        linalg::YieldOp::create(b, loc, ValueRange{cosine, sine});
      });
  return SmallVector<Value>(table.getResults());
}

// One elementwise op over [T, H, 2, P/2]: each half reads itself and its
// partner.
FailureOr<SmallVector<Value>> RotaryOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  auto type = cast<RankedTensorType>(getX().getType());
  int64_t half = type.getDimSize(2) / 2;
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(b, loc, getX());
  shape.back() = b.getIndexAttr(2);
  shape.push_back(b.getIndexAttr(half));
  auto halves = RankedTensorType::get(
      {type.getDimSize(0), type.getDimSize(1), 2, half}, type.getElementType());
  SmallVector<ReassociationIndices> groups{{0}, {1}, {2, 3}};
  Value x =
      tensor::ExpandShapeOp::create(b, loc, halves, getX(), groups, shape);
  Value y =
      tensor::ExpandShapeOp::create(b, loc, halves, getY(), groups, shape);
  AffineMap all = b.getMultiDimIdentityMap(4);
  AffineMap table = AffineMap::get(
      4, 0, {b.getAffineDimExpr(0), b.getAffineDimExpr(3)}, b.getContext());
  auto rotated = linalg::GenericOp::create(
      b, loc, halves, ValueRange{x, getCosine(), getSine()}, y,
      ArrayRef<AffineMap>{all, table, table, all},
      SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        SmallVector<Value> at;
        for (int64_t i = 0; i < 4; ++i) {
          at.push_back(linalg::IndexOp::create(b, loc, i));
        }
        Value zero = constantIndex(b, loc, 0);
        Value low = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          at[2], zero);
        at[2] = arith::SubIOp::create(b, loc, constantIndex(b, loc, 1), at[2]);
        Value partner = tensor::ExtractOp::create(b, loc, x, at);
        Value sign = arith::SelectOp::create(
            b, loc, low, constantF32(b, loc, -1), constantF32(b, loc, 1));
        Value crossed = arith::MulFOp::create(
            b, loc, arith::MulFOp::create(b, loc, sign, partner), args[2]);
        Value straight = arith::MulFOp::create(b, loc, args[0], args[1]);
        linalg::YieldOp::create(
            b, loc,
            arith::AddFOp::create(b, loc, straight, crossed).getResult());
      });
  return SmallVector<Value>{tensor::CollapseShapeOp::create(
      b, loc, type, rotated.getResult(0), groups)};
}
