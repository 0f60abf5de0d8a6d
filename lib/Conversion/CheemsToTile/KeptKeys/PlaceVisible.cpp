// Which rows some head of A sees, and the entry that each of them becomes.
#include "Attention/AttentionKernels.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// Rows of one state head and segment, some at a time. A number per row is a
/// number per row of a tile; its columns are the same rows, so that a sum along
/// a row of the tile is one over the rows before.
class VisibleRows {
public:
  VisibleRows(TileBuilder &t, const AttentionShape &shape, Value head,
              const SegmentRow &segment, Value values, int64_t rows,
              int64_t warps)
      : t(t), shape(shape), head(head), segment(segment), values(values) {
    constexpr int64_t across = 8;
    auto layout = BlockedAttr::get(t.b.getContext(),
                                   warps * kWarpThreads / across, across, 1);
    tile = t.tileType({rows, rows}, t.b.getI32Type(), layout);
  }

  RankedTensorType perRow() { return t.sliceType(tile, 1); }
  Value past() { return t.add(segment.start, segment.length); }

  /// Whether rows from `first` of the segment on are seen, per row (axis 1) or
  /// column (axis 0) of the tile.
  Value areSeen(Value first, int64_t axis) {
    RankedTensorType numbers = t.sliceType(tile, axis);
    RankedTensorType masks = t.withElement(numbers, t.b.getF32Type());
    Value any;
    for (int64_t i = 0; i < shape.masksPerState(); ++i) {
      Value maskHead = t.add(t.mul(head, shape.masksPerState()), i);
      Value mask =
          t.load(masks, values,
                 {{t.add(segment.start, first), maskHead}, {0}, {past()}});
      Value seen = arith::CmpFOp::create(t.b, arith::CmpFPredicate::OGE, mask,
                                         t.fill(masks, shape.hideBelow));
      any = any ? arith::OrIOp::create(t.b, any, seen).getResult() : seen;
    }
    Value length = t.splat(numbers, arith::IndexCastOp::create(
                                        t.b, t.b.getI32Type(), segment.length));
    Value exists = t.isLess(t.indicesFrom(first, numbers, 0), length);
    return arith::AndIOp::create(t.b, any, exists);
  }

  /// Stores what the rows see and their indices, after `count` entries, a
  /// number per row. Returns the count after them.
  Value take(Value first, Value count, Value indices, Value seen) {
    RankedTensorType perColumn = t.sliceType(tile, 0);
    Value ones = t.select(areSeen(first, 0), t.fillInteger(perColumn, 1),
                          t.fillInteger(perColumn, 0));
    ones = t.broadcast(ones, tile);
    Value isLater = t.isLess(IndicesOp::create(t.b, tile, uint64_t(0)),
                             IndicesOp::create(t.b, tile, uint64_t(1)));
    Value upTo = t.select(isLater, t.fillInteger(tile, 0), ones);
    Value after = t.add(count, t.reduce(Combine::Add, upTo, 1));
    Place rows{{t.add(segment.start, first), head}, {0}, {past()}};
    t.store(after, seen, rows);
    Value own = t.sub(after, t.fillInteger(perRow(), 1));
    t.store(t.select(areSeen(first, 1), own, t.fillInteger(perRow(), -1)),
            indices, rows);
    return t.add(count, t.reduce(Combine::Add, ones, 1));
  }

private:
  TileBuilder &t;
  const AttentionShape &shape;
  Value head;
  const SegmentRow &segment;
  Value values;
  RankedTensorType tile;
};
} // namespace

void cheems::tile::buildPlaceVisible(TileBuilder &t,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory,
                                     const MaskSource &mask, Value values,
                                     Value counts, int64_t rows,
                                     int64_t warps) {
  Value head = t.block(GridDimension::X);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Y), shape.oneRow);
  if (mask.isMatmul()) {
    Value first = t.mul(head, shape.masksPerState());
    Value past = t.add(first, shape.masksPerState());
    t.store(buildMaskMatmul(t, mask, segment.start, first, past,
                            shape.masksPerState(), warps),
            values, {{segment.start, first}, {1}, {past}});
    BarrierOp::create(t.b);
  }
  VisibleRows all(t, shape, head, segment,
                  mask.isMatmul() ? values : mask.values, rows, warps);
  Value before = memref::LoadOp::create(
      t.b, counts, ValueRange{segment.slot, memory.layer, head});
  Value isFresh = arith::CmpIOp::create(t.b, arith::CmpIPredicate::eq,
                                        segment.position, t.index(0));
  before = t.select(isFresh, t.integer(t.b.getI32Type(), 0), before);
  Value count =
      t.loop(t.index(0), segment.length, rows, t.splat(all.perRow(), before),
             [&](Value first, ValueRange now) -> SmallVector<Value> {
               return {all.take(first, now[0], memory.indices, memory.seen)};
             })[0];
  // All threads have read what was there.
  BarrierOp::create(t.b);
  // One of the equal numbers.
  t.store(count, counts,
          {{segment.slot, memory.layer, head}, {2}, {t.add(head, 1)}});
}
