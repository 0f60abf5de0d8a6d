// Splits tiles into two parts, and multiplies the parts.
#include "Factor.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static Value round(TileBuilder &t, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return arith::TruncFOp::create(t.b, t.withElement(type, t.b.getBF16Type()),
                                 tile);
}

Factor Factor::of(TileBuilder &t, Value tile, bool isPair) {
  if (!isPair) {
    return {round(t, tile), {}};
  }
  // The upper half of the bits is a number in bf16. As integers they are
  // rounded to it, half of a unit away from zero: then only the last step is a
  // conversion, of two numbers at once.
  constexpr int64_t half = 0x8000, upper = -0x10000;
  auto type = cast<RankedTensorType>(tile.getType());
  auto i32 = t.withElement(type, t.b.getI32Type());
  Value bits =
      t.add(t.bitcast(tile, t.b.getI32Type()), t.fillInteger(i32, half));
  Value rounded =
      t.bitcast(t.both(bits, t.fillInteger(i32, upper)), t.b.getF32Type());
  double most =
      llvm::APFloat::getLargest(llvm::APFloat::BFloat()).convertToDouble();
  Value high =
      t.maximum(t.minimum(rounded, t.fill(type, most)), t.fill(type, -most));
  return {round(t, high), round(t, t.sub(tile, high))};
}

Value Factor::widened(TileBuilder &t) const {
  return low ? t.add(t.widen(high), t.widen(low)) : t.widen(high);
}

Factor Factor::converted(TileBuilder &t, RankedTensorType type) const {
  return {t.convertLayout(high, type),
          low ? t.convertLayout(low, type) : Value()};
}

Value cheems::tile::multiply(TileBuilder &t, const Factor &a, const Factor &b,
                             Value sums) {
  if (b.low) {
    sums = t.mma(a.high, b.low, sums);
  }
  if (a.low) {
    sums = t.mma(a.low, b.high, sums);
  }
  return t.mma(a.high, b.high, sums);
}

FactorBuffer FactorBuffer::alloc(TileBuilder &t, ArrayRef<int64_t> shape,
                                 bool isPair) {
  auto part = [&] {
    return t.alloc(shape, t.b.getBF16Type(), /*swizzled=*/true);
  };
  Value high = part();
  return {high, isPair ? part() : Value()};
}

int64_t FactorBuffer::columns() const {
  return cast<BufferType>(high.getType()).getColumns();
}

Factor FactorBuffer::read(TileBuilder &t, RankedTensorType type, Value stage,
                          Value row, Value column) const {
  return {t.read(type, high, stage, row, column),
          low ? t.read(type, low, stage, row, column) : Value()};
}

Factor FactorBuffer::readTransposed(TileBuilder &t, RankedTensorType type,
                                    Value stage, Value row,
                                    Value column) const {
  return {t.readTransposed(type, high, stage, row, column),
          low ? t.readTransposed(type, low, stage, row, column) : Value()};
}

void FactorBuffer::write(TileBuilder &t, const Factor &factor, Value stage,
                         Value row, Value column) const {
  t.write(factor.high, high, stage, row, column);
  if (low) {
    t.write(factor.low, low, stage, row, column);
  }
}
