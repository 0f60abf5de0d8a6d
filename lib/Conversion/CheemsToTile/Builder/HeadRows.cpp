// Builds the loads of heads.
#include "HeadRows.h"
#include "Strategy/Strategy.h"
#include <numeric>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

Place HeadPlace::at(TileBuilder &t, int64_t column, int64_t limit) const {
  return {{row, head, t.index(column)},
          {hasHeads ? 1 : 0, 2},
          {past, t.index(limit)}};
}

HalvesOfHeads::HalvesOfHeads(TileBuilder &t, const HeadRows &rows,
                             const HeadPlace &place, int64_t size,
                             RankedTensorType type)
    : t(t), rows(rows), place(place), half(size / 2), type(type) {
  int64_t step = cast<ShapedType>(rows.memory.getType()).getShape().back();
  aligned = alignmentOf(std::gcd(half, step), type.getElementType());
  if (!rows.gain) {
    return;
  }
  Value squares = t.fill(type, 0);
  for (int64_t column = 0; column < half; column += type.getDimSize(1)) {
    Halves x = loadRows(column);
    squares = t.fma(x.low, x.low, squares);
    squares = t.fma(x.high, x.high, squares);
  }
  Value sum = t.reduce(Combine::Add, squares, 1);
  auto perRow = cast<RankedTensorType>(sum.getType());
  Value mean = t.mul(sum, t.fill(perRow, 1.0 / double(size)));
  scale = math::RsqrtOp::create(t.b, t.add(mean, t.fill(perRow, rows.epsilon)));
}

HalvesOfHeads::Halves HalvesOfHeads::load(int64_t column) {
  Halves x = loadRows(column);
  if (rows.gain) {
    x = normalized(x, column);
  }
  return rows.cosine ? rotated(x, column) : x;
}

HalvesOfHeads::Halves HalvesOfHeads::loadRows(int64_t column) {
  return {
      t.load(type, rows.memory, place.at(t, column, half), aligned),
      t.load(type, rows.memory, place.at(t, half + column, 2 * half), aligned)};
}

HalvesOfHeads::Halves HalvesOfHeads::normalized(Halves x, int64_t column) {
  auto multiplied = [&](Value number, int64_t from, int64_t limit) {
    Value gain = t.load(t.sliceType(type, 0), rows.gain,
                        {{t.index(from)}, {0}, {t.index(limit)}}, aligned);
    return t.mul(t.mul(number, t.broadcast(scale, type)),
                 t.broadcast(gain, type));
  };
  return {multiplied(x.low, column, half),
          multiplied(x.high, half + column, 2 * half)};
}

HalvesOfHeads::Halves HalvesOfHeads::rotated(Halves x, int64_t column) {
  Value cosine = angles(rows.cosine, column), sine = angles(rows.sine, column);
  return {t.sub(t.mul(x.low, cosine), t.mul(x.high, sine)),
          t.add(t.mul(x.high, cosine), t.mul(x.low, sine))};
}

Value HalvesOfHeads::angles(Value table, int64_t column) {
  SmallVector<Value> offsets = {place.row, t.index(column)};
  if (!place.hasHeads) {
    return t.load(type, table, {offsets, {0, 1}, {place.past, t.index(half)}},
                  aligned);
  }
  Value row = t.load(t.sliceType(type, 0), table,
                     {offsets, {1}, {t.index(half)}}, aligned);
  return t.broadcast(row, type);
}
