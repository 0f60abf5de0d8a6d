// The entry of a window that a decoded row becomes.
#include "Attention/AttentionKernels.h"
#include "Builder/FloatOrder.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// The position of what is no entry, and of none.
constexpr int64_t kNoEntry = -2, kNone = -1;

namespace {
/// The worst entry of a full window: that of the least mask, and of equal ones
/// that of the greatest position. A block looks through the window piece by
/// piece, and a thread remembers the worst of what it has seen.
class WorstEntry {
public:
  WorstEntry(TileBuilder &t, RowTileAttr s, const AttentionShape &shape,
             const AttentionMemory &memory, const SegmentRow &segment,
             Value head)
      : t(t), shape(shape), memory(memory), segment(segment), head(head),
        tile(t.tileType({s.getRows(), s.getColumns()}, t.b.getI32Type(),
                        BlockedAttr::get(t.b.getContext(), s.getRows(),
                                         s.getThreads(), s.getWidth()))) {}

  /// Returns where a row of this mask goes; -1: all entries are better than it.
  Value placeOf(Value mask) {
    int64_t columns = tile.getDimSize(1);
    Seen seen(t.loop(t.index(columns), t.index(shape.keep), columns,
                     piece(t.index(0)).values(),
                     [&](Value first, ValueRange carried) {
                       return worse(Seen(carried), piece(first)).values();
                     }));
    Value worst = t.reduce(Combine::Maximum, seen.badness, 1);
    Value isWorst = t.isEqual(seen.badness, t.broadcast(worst, tile));
    Value position = greatest(isWorst, seen.position);
    // Positions tell entries apart.
    Value isLast = t.isEqual(seen.position, t.broadcast(position, tile));
    // If masks are equal, the lower position stays, which is the entry's.
    return t.select(t.isLess(badnessOf(mask), worst),
                    greatest(isLast, seen.entry), t.fillInteger(one(), kNone));
  }

  /// A number per row of the tile: the same for all threads.
  RankedTensorType one() const { return TileBuilder::sliceType(tile, 1); }

private:
  struct Seen {
    Value badness, position, entry; ///< i32
    Seen(Value badness, Value position, Value entry)
        : badness(badness), position(position), entry(entry) {}
    explicit Seen(ValueRange values) : Seen(values[0], values[1], values[2]) {}
    SmallVector<Value> values() const { return {badness, position, entry}; }
  };

  /// The worst has the greatest.
  Value badnessOf(Value masks) {
    return t.inverted(orderOf(t, t.bitcast(masks, t.b.getI32Type())));
  }

  Seen piece(Value first) {
    Value keep = t.index(shape.keep);
    Place place{{segment.slot, memory.layer, head, first},
                {2, 3},
                {t.add(head, 1), keep}};
    Value masks =
        t.load(t.withElement(tile, t.b.getF32Type()), memory.masks, place);
    Value positions = t.load(tile, memory.positions, place);
    Value entry = t.indicesFrom(first, tile, 1);
    Value isEntry = t.isLess(entry, t.fillInteger(tile, shape.keep));
    return {t.select(isEntry, badnessOf(masks), t.fillInteger(tile, kNoOrder)),
            t.select(isEntry, positions, t.fillInteger(tile, kNoEntry)), entry};
  }

  Seen worse(const Seen &a, const Seen &b) {
    Value isWorse = t.either(t.isLess(a.badness, b.badness),
                             t.both(t.isEqual(a.badness, b.badness),
                                    t.isLess(a.position, b.position)));
    return {t.select(isWorse, b.badness, a.badness),
            t.select(isWorse, b.position, a.position),
            t.select(isWorse, b.entry, a.entry)};
  }

  /// Returns the greatest of the numbers that are meant.
  Value greatest(Value isMeant, Value numbers) {
    return t.reduce(Combine::Maximum,
                    t.select(isMeant, numbers, t.fillInteger(tile, kNone)), 1);
  }

  TileBuilder &t;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const SegmentRow &segment;
  Value head;
  RankedTensorType tile; ///< a piece of the window
};
} // namespace

void cheems::tile::buildPlaceKept(TileBuilder &t, RowTileAttr s,
                                  const AttentionShape &shape,
                                  const AttentionMemory &memory,
                                  const MaskSource &mask, Value values) {
  Value head = t.block(GridDimension::X), past = t.add(head, 1);
  SegmentRow segment =
      loadSegment(t, memory.segments, t.block(GridDimension::Y),
                  /*oneRow=*/true);
  Value row = segment.start, nextRow = t.add(row, 1);
  if (mask.isMatmul()) {
    t.store(buildMaskMatmul(t, mask, row, head, past, /*most=*/1, s.warps()),
            values, {{row, head}, {1}, {past}});
    BarrierOp::create(t.b);
  }
  WorstEntry worst(t, s, shape, memory, segment, head);
  RankedTensorType one = worst.one();
  auto storeOne = [&](Value number, Value target) {
    t.store(number, target, {{row, head}, {0}, {nextRow}});
  };
  Value keep = t.index(shape.keep);
  storeOne(t.splatIndex(one, t.minimum(t.add(segment.position, 1), keep)),
           memory.seen);
  // While there is room, entry e is row e of the sequence.
  Value hasRoom = t.isLess(segment.position, keep);
  t.when(hasRoom, [&] {
    storeOne(t.splatIndex(one, segment.position), memory.indices);
  });
  t.when(t.isLess(t.index(shape.keep - 1), segment.position), [&] {
    Value own = t.load(t.withElement(one, t.b.getF32Type()),
                       mask.isMatmul() ? values : mask.values,
                       {{row, head}, {0}, {nextRow}});
    storeOne(worst.placeOf(own), memory.indices);
  });
}
