// What all kernels of attention have in common.
#include "AttentionKernels.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

AttentionShape::AttentionShape(SegmentedAttentionOp op)
    : queryHeads(op.getQueryHeads()), keyHeads(op.getKeyHeads()),
      stateHeads(op.getStateHeads()), maskHeads(op.getMaskHeads()),
      size(op.getHeadSize()), scale(op.getScale().convertToDouble()),
      kind(op.getKind()), stored(op.getKeys().getType().getElementType()),
      oneRow(op.getOneRow()) {}

RunningSoftmax RunningSoftmax::none(TileBuilder &t, RankedTensorType scores) {
  RankedTensorType perRow = t.sliceType(scores, 1);
  return {t.fill(perRow, kNoScore), t.fill(perRow, 0)};
}

RunningSoftmax::Step RunningSoftmax::take(TileBuilder &t, Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value highest = t.roundEven(t.reduce(Combine::Maximum, scores, 1));
  Value next = t.maximum(best, highest);
  Value shrink = t.exp2(t.sub(best, next));
  Value weights = t.exp2(t.sub(scores, t.broadcast(next, type)));
  sum = t.fma(sum, shrink, t.reduce(Combine::Add, weights, 1));
  best = next;
  return {weights, shrink};
}

Value cheems::tile::maskNumbers(TileBuilder &t, const AttentionShape &shape,
                                Value masks) {
  auto type = cast<RankedTensorType>(masks.getType());
  return shape.kind == MaskKind::Bias
             ? t.mul(masks, t.fill(type, llvm::numbers::log2e))
             : masks;
}

MaskedScores::MaskedScores(TileBuilder &t, const AttentionShape &shape,
                           Value products, Value masks) {
  auto type = cast<RankedTensorType>(products.getType());
  Value scale = t.fill(type, shape.scale * llvm::numbers::log2e);
  if (shape.kind == MaskKind::Bias) {
    scores = t.fma(products, scale, masks);
  } else {
    scores = t.mul(products, scale);
    factor = masks;
  }
}

void MaskedScores::hideLater(TileBuilder &t, Value firstColumn,
                             Value lastOfFirst, bool samePerRow) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value column = t.indicesFrom(firstColumn, t.sliceType(type, 0), 0);
  RankedTensorType perRow = t.sliceType(type, 1);
  Value last = samePerRow ? t.splat(t.withElement(perRow, t.b.getI32Type()),
                                    arith::IndexCastOp::create(
                                        t.b, t.b.getI32Type(), lastOfFirst))
                          : t.indicesFrom(lastOfFirst, perRow, 0);
  Value isLater = t.isLess(t.broadcast(last, type), t.broadcast(column, type));
  Value hidden = t.fill(type, -std::numeric_limits<double>::infinity());
  scores = t.select(isLater, hidden, scores);
  if (factor) {
    // A mask may be infinite, and 0 times that is no number.
    factor = t.select(isLater, t.fill(type, 0), factor);
  }
}

Value MaskedScores::weighed(TileBuilder &t, Value weights) const {
  return factor ? t.mul(weights, factor) : weights;
}

QueryRows QueryRows::ofHead(TileBuilder &t, const AttentionShape &shape,
                            Value segments, int64_t rows) {
  Value first = t.mul(t.block(GridDimension::X), rows);
  Value head = t.block(GridDimension::Y);
  SegmentRow segment =
      loadSegment(t, segments, t.block(GridDimension::Z), /*oneRow=*/false);
  Value past = t.minimum(segment.length, t.add(first, rows));
  return {
      segment,
      {t.add(segment.start, first), head, t.add(segment.start, segment.length)},
      t.isLess(first, segment.length),
      t.divide(head, shape.queriesPerState()),
      Value(),
      t.add(segment.position, first),
      t.add(segment.position, past)};
}

QueryRows QueryRows::ofOneRow(TileBuilder &t, const AttentionShape &shape,
                              Value segments, int64_t rows) {
  int64_t blocks = llvm::divideCeil(shape.queriesPerState(), rows);
  Value group = t.block(GridDimension::Y);
  Value stateHead = t.divide(group, blocks);
  Value first = t.mul(t.remainder(group, blocks), rows);
  Value heads = t.mul(stateHead, shape.queriesPerState());
  SegmentRow segment =
      loadSegment(t, segments, t.block(GridDimension::Z), /*oneRow=*/true);
  return {segment,
          {segment.start, t.add(heads, first),
           t.add(heads, shape.queriesPerState()), /*hasHeads=*/true},
          Value(),
          stateHead,
          first,
          segment.position,
          t.add(segment.position, 1)};
}

Value cheems::tile::masksOf(TileBuilder &t, const AttentionShape &shape,
                            const QueryRows &rows, const Entries &entries,
                            Value first, RankedTensorType scores) {
  RankedTensorType perEntry = t.sliceType(scores, 0);
  auto load = [&](Value maskHead) {
    Value mask =
        t.load(perEntry, entries.memory.masks, entries.mask(maskHead, first));
    return t.broadcast(maskNumbers(t, shape, mask), scores);
  };
  if (!rows.place.hasHeads) {
    return load(t.divide(rows.place.head, shape.queriesPerMask()));
  }
  Value all;
  for (int64_t i = 0; i < shape.masksPerState(); ++i) {
    Value mask = load(t.add(t.mul(rows.stateHead, shape.masksPerState()), i));
    if (!all) {
      all = mask;
      continue;
    }
    // From this row on.
    Value row = t.indicesFrom(rows.firstOfState, t.sliceType(scores, 1), 0);
    Value before =
        t.isLess(row, t.fillInteger(cast<RankedTensorType>(row.getType()),
                                    i * shape.queriesPerMask()));
    all = t.select(t.broadcast(before, scores), all, mask);
  }
  return all;
}

void cheems::tile::storeOutput(TileBuilder &t, Value tile, Value y,
                               const Place &place, int64_t aligned) {
  Type element = cast<MemRefType>(y.getType()).getElementType();
  if (!element.isF32()) {
    auto type = cast<RankedTensorType>(tile.getType());
    tile = arith::TruncFOp::create(t.b, t.withElement(type, element), tile);
    constexpr int64_t floatBytes = sizeof(float);
    aligned = aligned * element.getIntOrFloatBitWidth() / 8 / floatBytes;
  }
  t.store(tile, y, place, aligned);
}
