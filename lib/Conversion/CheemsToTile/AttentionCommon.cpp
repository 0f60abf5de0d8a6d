// What all kernels of attention have in common, and how entries are stored.
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
      stored(op.getKeys().getType().getElementType()), oneRow(op.getOneRow()) {}

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

Value cheems::tile::biased(TileBuilder &t, const AttentionShape &shape,
                           Value scores, Value mask) {
  auto type = cast<RankedTensorType>(scores.getType());
  return t.fma(scores, t.fill(type, shape.scale * llvm::numbers::log2e), mask);
}

Value cheems::tile::hideLater(TileBuilder &t, Value scores, Value firstColumn,
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
  return t.select(isLater, hidden, scores);
}

void cheems::tile::buildStoreEntries(TileBuilder &t, const RowStrategy &s,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory, Value key,
                                     Value value, Value mask) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
  auto type = t.tileType({s.tileRows(), s.columns}, t.b.getF32Type(), layout);
  Value first = t.mul(t.block(GridDimension::X), s.tileRows());
  Value head = t.block(GridDimension::Y);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Z), shape.oneRow);
  t.when(t.isLess(first, segment.length), [&] {
    Value row = t.add(segment.start, first);
    Value rows = t.add(segment.start, segment.length);
    Entries entries{memory, segment.slot, head,
                    t.add(segment.position, segment.length)};
    Value entry = t.add(segment.position, first);
    Place from{
        {row, t.divide(head, shape.stateHeads / shape.keyHeads), t.index(0)},
        {0, 2},
        {rows, t.index(shape.size)}};
    Place to = entries.keys(t, entry, t.index(0), shape.size);
    for (auto [source, pool] :
         {std::pair(key, memory.keys), std::pair(value, memory.values)}) {
      Value tile = t.load(type, source, from, shape.alignedQuery(t));
      if (!shape.stored.isF32()) {
        tile = arith::TruncFOp::create(t.b, t.withElement(type, shape.stored),
                                       tile);
      }
      t.store(tile, pool, to, shape.alignedEntry());
    }
    for (int64_t i = 0; i < shape.masksPerState(); ++i) {
      Value maskHead = t.add(t.mul(head, shape.masksPerState()), i);
      Value numbers =
          t.load(t.sliceType(type, 1), mask, {{row, maskHead}, {0}, {rows}});
      t.store(numbers, memory.masks, entries.mask(maskHead, entry));
    }
  });
}
