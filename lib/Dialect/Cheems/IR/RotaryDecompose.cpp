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

/// A vector of constants, as theta^(-2i/R) or -2i/(R-2), i < R/2.
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
  Value frequency = constantRow(b, loc, half, [&](int64_t i) {
    return getFrequencies()
               ? (*getFrequencies())[i]
               : std::pow(getTheta()->convertToDouble(), -double(i) / half);
  });
  double magnitude = getMagnitude().convertToDouble();
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
          // base^(-2i/R) = theta^(-2i/R) * growth^(-2i/(R-2)): the two
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
        auto rounded = [&](Value value) -> Value {
          if (magnitude != 1) {
            value = arith::MulFOp::create(b, loc, value,
                                          constantF64(b, loc, magnitude));
          }
          return arith::TruncFOp::create(b, loc, b.getF32Type(), value);
        };
        Value cosine = rounded(math::CosOp::create(b, loc, angle));
        Value sine = rounded(math::SinOp::create(b, loc, angle));
        linalg::YieldOp::create(b, loc, ValueRange{cosine, sine});
      });
  return SmallVector<Value>(table.getResults());
}

/// Heads that turn whole, as one elementwise op over [T, H, 2, R/2]: each half
/// reads itself and its partner.
static Value rotateWhole(OpBuilder &b, Location loc, Value heads, Value cosine,
                         Value sine, Value into) {
  auto type = cast<RankedTensorType>(heads.getType());
  int64_t half = type.getDimSize(2) / 2;
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(b, loc, heads);
  shape.back() = b.getIndexAttr(2);
  shape.push_back(b.getIndexAttr(half));
  auto halves = RankedTensorType::get(
      {type.getDimSize(0), type.getDimSize(1), 2, half}, type.getElementType());
  SmallVector<ReassociationIndices> groups{{0}, {1}, {2, 3}};
  Value x = tensor::ExpandShapeOp::create(b, loc, halves, heads, groups, shape);
  Value y = tensor::ExpandShapeOp::create(b, loc, halves, into, groups, shape);
  AffineMap all = b.getMultiDimIdentityMap(4);
  AffineMap table = AffineMap::get(
      4, 0, {b.getAffineDimExpr(0), b.getAffineDimExpr(3)}, b.getContext());
  auto rotated = linalg::GenericOp::create(
      b, loc, halves, ValueRange{x, cosine, sine}, y,
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
  return tensor::CollapseShapeOp::create(b, loc, type, rotated.getResult(0),
                                         groups);
}

FailureOr<SmallVector<Value>> RotaryOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  if (turnsWholeHeads()) {
    return SmallVector<Value>{
        rotateWhole(b, loc, getX(), getCosine(), getSine(), getY())};
  }
  SmallVector<OpFoldResult> strides(3, b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, getX());
  int64_t turned = getTurned(),
          size = cast<ShapedType>(getX().getType()).getDimSize(2);
  // `y` with columns of it replaced by what is made of those of x.
  auto columns = [&](Value y, int64_t from, int64_t to, auto make) -> Value {
    SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0));
    offsets.back() = b.getIndexAttr(from);
    sizes.back() = b.getIndexAttr(to - from);
    auto part = [&](Value of) -> Value {
      return tensor::ExtractSliceOp::create(b, loc, of, offsets, sizes,
                                            strides);
    };
    Value x = part(getX()), into = part(y);
    return tensor::InsertSliceOp::create(b, loc, make(x, into), y, offsets,
                                         sizes, strides);
  };
  Value y = columns(getY(), 0, turned, [&](Value x, Value into) {
    return rotateWhole(b, loc, x, getCosine(), getSine(), into);
  });
  // Reads by index: a copy of an input would be folded, and what is inserted
  // then is no row that this op writes.
  y = columns(y, turned, size, [&](Value x, Value into) {
    return linalg::GenericOp::create(
               b, loc, into.getType(), ValueRange(), into,
               b.getMultiDimIdentityMap(3),
               SmallVector<utils::IteratorType>(3,
                                                utils::IteratorType::parallel),
               [&](OpBuilder &b, Location loc, ValueRange) {
                 SmallVector<Value> at;
                 for (int64_t i = 0; i < 3; ++i) {
                   at.push_back(linalg::IndexOp::create(b, loc, i));
                 }
                 Value number = tensor::ExtractOp::create(b, loc, x, at);
                 linalg::YieldOp::create(b, loc, number);
               })
        .getResult(0);
  });
  return SmallVector<Value>{y};
}
