// quantize_entries: verification and its one lowering, scalar loops that LLVM
// vectorises.
#include "EntryUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult QuantizeEntriesOp::verify() {
  auto shapeOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  };
  if (failed(verifySameShape(*this, "C1", shapeOf(getX()), shapeOf(getCodes()),
                             "shapes of x and codes"))) {
    return failure();
  }
  return verifySameShape(*this, "C2", shapeOf(getScales()),
                         shapeOf(getX()).take_front(1),
                         "shapes of scales and [T]");
}

cheems::RowScale::RowScale(OpBuilder &b, Location loc, Value rows, Value t) {
  Type word = b.getI32Type();
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  constexpr int32_t magnitude = 0x7fffffff;
  constexpr int32_t least = 0x0d800000; // 2^-100
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1),
        size = tensor::DimOp::create(b, loc, rows, one);
  // Magnitudes have the same order as integers. NaN is the greatest, and
  // comparisons give the same in any order.
  auto most = scf::ForOp::create(
      b, loc, zero, size, one, constant(0),
      [&](OpBuilder &b, Location loc, Value p, ValueRange before) {
        Value bits = arith::BitcastOp::create(
            b, loc, word,
            tensor::ExtractOp::create(b, loc, rows, ValueRange{t, p}));
        bits = arith::AndIOp::create(b, loc, bits, constant(magnitude));
        scf::YieldOp::create(
            b, loc,
            arith::MaxSIOp::create(b, loc, before[0], bits).getResult());
      });
  Value bits = most.getResult(0);
  Value largest = arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
  Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, bits,
                                       constant(least));
  Value zeroF32 = constantF32(b, loc, 0), levels = constantF32(b, loc, 127);
  scale = arith::SelectOp::create(
      b, loc, counts, arith::DivFOp::create(b, loc, largest, levels), zeroF32);
  factor = arith::SelectOp::create(
      b, loc, counts, arith::DivFOp::create(b, loc, levels, largest), zeroF32);
}

Value cheems::codeOf(OpBuilder &b, Location loc, Value number, Value factor) {
  // The addition leaves the nearest whole number in the lowest bits. For NaN
  // and infinity, which no conversion defines, it leaves some byte.
  constexpr double shift = 0x1.8p23;
  Value code = arith::MulFOp::create(b, loc, number, factor);
  code = arith::AddFOp::create(b, loc, code, constantF32(b, loc, shift));
  code = arith::BitcastOp::create(b, loc, b.getI32Type(), code);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), code);
}

FailureOr<SmallVector<Value>>
QuantizeEntriesOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value rows = tensor::DimOp::create(b, loc, getX(), zero),
        size = tensor::DimOp::create(b, loc, getX(), one);
  auto loop = scf::ForOp::create(
      b, loc, zero, rows, one, ValueRange{getCodes(), getScales()},
      [&](OpBuilder &b, Location loc, Value t, ValueRange outer) {
        RowScale row(b, loc, getX(), t);
        auto codes = scf::ForOp::create(
            b, loc, zero, size, one, outer[0],
            [&](OpBuilder &b, Location loc, Value p, ValueRange args) {
              Value x =
                  tensor::ExtractOp::create(b, loc, getX(), ValueRange{t, p});
              Value next = tensor::InsertOp::create(
                  b, loc, codeOf(b, loc, x, row.factor), args[0],
                  ValueRange{t, p});
              scf::YieldOp::create(b, loc, next);
            });
        Value scales = tensor::InsertOp::create(b, loc, row.scale, outer[1],
                                                ValueRange{t});
        scf::YieldOp::create(b, loc, ValueRange{codes.getResult(0), scales});
      });
  return SmallVector<Value>(loop.getResults());
}
