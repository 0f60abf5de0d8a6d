// Quantizes rows.
#include "RowQuantization.h"

using namespace mlir;
using namespace cheems::tile;

Value RowQuantization::greatest(TileBuilder &t, Value tile) {
  return t.reduce(Combine::Maximum, math::AbsFOp::create(t.b, tile), 1);
}

RowQuantization RowQuantization::of(TileBuilder &t, Value most) {
  auto perRow = cast<RankedTensorType>(most.getType());
  // Rows of almost nothing are zeros; a NaN counts.
  Value isSmall = arith::CmpFOp::create(t.b, arith::CmpFPredicate::OLT, most,
                                        t.fill(perRow, 0x1p-100));
  auto quotient = [&](Value a, Value c) {
    return t.select(isSmall, t.fill(perRow, 0),
                    arith::DivFOp::create(t.b, a, c));
  };
  Value levels = t.fill(perRow, 127);
  return {quotient(most, levels), quotient(levels, most)};
}

Value RowQuantization::codes(TileBuilder &t, Value tile) const {
  // The sum's lowest bits are the nearest whole number, ties to even.
  constexpr double shift = 0x1.8p23;
  auto type = cast<RankedTensorType>(tile.getType());
  Value code =
      t.add(t.mul(tile, t.broadcast(factor, type)), t.fill(type, shift));
  code = arith::BitcastOp::create(t.b, t.withElement(type, t.b.getI32Type()),
                                  code);
  return arith::TruncIOp::create(t.b, t.withElement(type, t.b.getI8Type()),
                                 code);
}
