// The order of numbers of f32.
#include "FloatOrder.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// All bits but the sign of those that have one: it is its own inverse.
static Value flipped(TileBuilder &t, Value number) {
  auto type = cast<RankedTensorType>(number.getType());
  Value sign = arith::ShRSIOp::create(t.b, number, t.fillInteger(type, 31));
  Value flip =
      arith::AndIOp::create(t.b, sign, t.fillInteger(type, kMostOrder));
  return arith::XOrIOp::create(t.b, number, flip);
}

Value cheems::tile::orderOf(TileBuilder &t, Value bits) {
  auto type = cast<RankedTensorType>(bits.getType());
  Value score = t.bitcast(bits, t.b.getF32Type());
  Value zero = t.fill(t.withElement(type, t.b.getF32Type()), 0);
  Value isZero =
      arith::CmpFOp::create(t.b, arith::CmpFPredicate::OEQ, score, zero);
  Value order = flipped(t, t.select(isZero, t.fillInteger(type, 0), bits));
  Value isNaN =
      arith::CmpFOp::create(t.b, arith::CmpFPredicate::UNO, score, score);
  return t.select(isNaN, t.fillInteger(type, kNaNOrder), order);
}

Value cheems::tile::bitsOf(TileBuilder &t, Value order) {
  return flipped(t, order);
}

static Value withoutSign(TileBuilder &t, Value order) {
  auto type = cast<RankedTensorType>(order.getType());
  return arith::XOrIOp::create(t.b, order, t.fillInteger(type, kNoOrder));
}

Value cheems::tile::goodnessOf(TileBuilder &t, Value bits) {
  return withoutSign(t, orderOf(t, bits));
}

Value cheems::tile::bitsOfGoodness(TileBuilder &t, Value goodness) {
  return bitsOf(t, withoutSign(t, goodness));
}
