// quantized_matmul: verification and its lowering to scalar loops.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

LogicalResult QuantizedMatmulOp::verify() {
  ArrayRef<int64_t> x = shapeOf(getX()), y = shapeOf(getY()),
                    codes = shapeOf(getCodes()), scales = shapeOf(getScales());
  if (failed(verifySameShape(*this, "C1", shapeOf(getXScales()), x[0],
                             "shapes of x_scales and [T]")) ||
      failed(verifySameShape(*this, "C1", y, {x[0], y[1]},
                             "shapes of y and [T, N]"))) {
    return failure();
  }
  if (ShapedType::isDynamic(x[1]) || x[1] < 1 || x[1] > kGreatestDepth) {
    return emitOpError("C1: K is static, from 1 to ")
           << kGreatestDepth << ", got " << getX().getType();
  }
  if (getBits() != 8 && getBits() != 4) {
    return emitOpError("C2: codes have 8 or 4 bits, not ") << getBits();
  }
  int64_t bytes = getRowBytes(x[1], int64_t(getBits()));
  if (failed(verifySameShape(*this, "C2", codes, {y[1], bytes},
                             "shapes of codes and of N rows for K"))) {
    return failure();
  }
  if (failed(verifySameShape(*this, "C3", scales, {y[1], scales[1]},
                             "shapes of scales and [N, G]"))) {
    return failure();
  }
  if (ShapedType::isDynamic(scales[1]) || scales[1] < 1 ||
      x[1] % scales[1] != 0) {
    return emitOpError("C3: G is static and divides K, got ")
           << getScales().getType() << " for K " << x[1];
  }
  if (getBits() == 8 ? scales[1] != 1 : getGroup() % 32 != 0) {
    return emitOpError("C3: 8-bit integers have one group, and those of 4 "
                       "bits groups of a multiple of 32, not ")
           << getGroup();
  }
  return success();
}

namespace {
struct Loops : BaseBuilder<Loops> {
  OpBuilder &b;
  Location loc;
  Loops(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  Location location() { return loc; }

  Value divide(Value a, int64_t c) {
    return arith::DivUIOp::create(b, loc, a, index(c));
  }
  Value remainder(Value a, int64_t c) {
    return arith::RemUIOp::create(b, loc, a, index(c));
  }
  Value number(int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value wide(Value code) {
    return arith::ExtSIOp::create(b, loc, b.getI32Type(), code);
  }

  /// d[n, k], as i32.
  Value code(QuantizedMatmulOp op, Value n, Value k) {
    auto at = [&](Value column) {
      return wide(tensor::ExtractOp::create(b, loc, op.getCodes(),
                                            ValueRange{n, column}));
    };
    if (op.getBits() == 8) {
      return at(k);
    }
    Value c = divide(k, QuantizedMatmulOp::kTogether),
          j = remainder(divide(k, 32), 4), q = remainder(divide(k, 4), 4),
          i = remainder(k, 4), high = remainder(divide(k, 16), 2);
    Value byte =
        at(add(add(mul(c, QuantizedMatmulOp::kTogether / 2), mul(q, 16)),
               add(mul(j, 4), i)));
    // The half becomes the highest bits, and then the lowest, with its sign.
    Value up = arith::SubIOp::create(
        b, loc, number(28),
        arith::IndexCastOp::create(b, loc, b.getI32Type(), mul(high, 4)));
    Value shifted = arith::ShLIOp::create(b, loc, byte, up);
    return arith::ShRSIOp::create(b, loc, shifted, number(28));
  }
};
} // namespace

FailureOr<SmallVector<Value>>
QuantizedMatmulOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Loops t(b, loc);
  auto dim = [&](Value tensor, int64_t d) -> Value {
    return tensor::DimOp::create(b, loc, tensor, d);
  };
  int64_t group = getGroup();
  auto sumOf = [&](Value row, Value n, Value g) {
    Value from = t.mul(g, group);
    return t
        .loop(from, t.add(from, group), 1, t.number(0),
              [&](Value k, ValueRange sum) -> SmallVector<Value> {
                Value x = t.wide(tensor::ExtractOp::create(b, loc, getX(),
                                                           ValueRange{row, k}));
                return {t.add(sum[0], t.mul(x, t.code(*this, n, k)))};
              })
        .front();
  };
  auto element = [&](Value row, Value n) {
    Value total =
        t.loop(t.index(0), dim(getScales(), 1), 1, t.f32(0),
               [&](Value g, ValueRange total) -> SmallVector<Value> {
                 Value sum = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                                     sumOf(row, n, g));
                 Value scale =
                     widen(b, loc,
                           tensor::ExtractOp::create(b, loc, getScales(),
                                                     ValueRange{n, g}));
                 return {math::FmaOp::create(b, loc, sum, scale, total[0])};
               })
            .front();
    return t.mul(total, tensor::ExtractOp::create(b, loc, getXScales(), row));
  };
  return t.loop(
      t.index(0), dim(getX(), 0), 1, getY(), [&](Value row, ValueRange rows) {
        return t.loop(t.index(0), dim(getY(), 1), 1, rows,
                      [&](Value n, ValueRange y) -> SmallVector<Value> {
                        return {tensor::InsertOp::create(
                            b, loc, element(row, n), y[0], ValueRange{row, n})};
                      });
      });
}
