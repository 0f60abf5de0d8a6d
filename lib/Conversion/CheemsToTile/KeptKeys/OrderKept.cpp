// What the choice of kept entries begins with: how good each row of a step is,
// and the entries of before in the order of positions. Their order in a pool
// depends on what was decoded one by one, and that of lists must not.
#include "Attention/AttentionKernels.h"
#include "Builder/FloatOrder.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Above all positions: that of no entry.
constexpr int64_t kNoPosition = std::numeric_limits<int32_t>::max();

namespace {
class KeptOrder {
public:
  KeptOrder(TileBuilder &t, WindowTileAttr s, const AttentionShape &shape,
            const AttentionMemory &memory, const KeptChoice &choice, Value mask)
      : t(t), s(s), shape(shape), memory(memory), choice(choice), mask(mask),
        piece(t.block(GridDimension::X)), head(t.block(GridDimension::Y)),
        segmentNumber(t.block(GridDimension::Z)),
        segment(loadSegment(t, memory.segments, segmentNumber,
                            /*oneRow=*/false)) {}

  void build() {
    Value first = t.mul(piece, s.getThreads());
    t.when(t.isLess(first, segment.length), [&] { rankRows(first); });
    Value entry = t.mul(piece, s.getRanked());
    Value count = t.minimum(segment.position, t.index(shape.keep));
    t.when(t.isLess(entry, count), [&] { sortEntries(entry, count); });
  }

private:
  RankedTensorType f32(RankedTensorType type) {
    return t.withElement(type, t.b.getF32Type());
  }
  Value goodness(Value masks) {
    return goodnessOf(t, t.bitcast(masks, t.b.getI32Type()));
  }

  void rankRows(Value first) {
    auto tile = t.tileType(
        {1, s.getThreads()}, t.b.getI32Type(),
        BlockedAttr::get(t.b.getContext(), 1, s.getThreads(), /*width=*/1));
    RankedTensorType row = t.sliceType(tile, 0);
    Value at = t.add(segment.start, first);
    Value past = t.add(segment.start, segment.length);
    Value masks = t.load(f32(row), mask, {{at, head}, {0}, {past}});
    t.store(goodness(masks), choice.rowGoodness, {{head, at}, {1}, {past}});
  }

  /// An entry's index is how many have a lower position.
  void sortEntries(Value first, Value count) {
    // A thread has all of the block's entries, and compares others with them.
    auto tile = t.tileType(
        {s.getRanked(), s.getThreads()}, t.b.getI32Type(),
        BlockedAttr::get(t.b.getContext(), 1, s.getThreads(), /*width=*/1));
    RankedTensorType own = t.sliceType(tile, 1), others = t.sliceType(tile, 0);
    auto place = [&](Value entry) {
      return Place{{segment.slot, memory.layer, head, entry}, {3}, {count}};
    };
    Value position =
        t.broadcast(t.load(own, memory.positions, place(first)), tile);
    Value lower = t.loop(
        t.index(0), count, s.getThreads(), {t.fillInteger(tile, 0)},
        [&](Value entry, ValueRange now) -> SmallVector<Value> {
          Value other = t.load(others, memory.positions, place(entry));
          Value exists = t.isLess(t.indicesFrom(entry, others, 0),
                                  t.splatIndex(others, count));
          other = t.select(exists, other, t.fillInteger(others, kNoPosition));
          Value isLower = t.isLess(t.broadcast(other, tile), position);
          return {t.add(now[0], t.ones(isLower))};
        })[0];
    // What follows is done once per entry, and not by all threads.
    RankedTensorType each = t.sliceType(
        t.tileType(
            {s.getRanked(), s.getThreads() / s.getRanked()}, t.b.getI32Type(),
            BlockedAttr::get(t.b.getContext(), s.getRanked(),
                             s.getThreads() / s.getRanked(), /*width=*/1)),
        1);
    Value number = t.indicesFrom(first, each, 0);
    Value exists = t.isLess(number, t.splatIndex(each, count));
    Value rank = t.select(
        exists, t.convertLayout(t.reduce(Combine::Add, lower, 1), each),
        t.fillInteger(each, -1));
    Value masks = t.load(f32(each), memory.masks, place(first));
    SmallVector<Value> to = {segmentNumber, head, t.index(0)};
    t.scatter(goodness(masks), choice.entryGoodness, to, rank, 2);
    t.scatter(number, choice.entryNumbers, to, rank, 2);
  }

  TileBuilder &t;
  WindowTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const KeptChoice &choice;
  Value mask, piece, head, segmentNumber;
  SegmentRow segment;
};
} // namespace

void cheems::tile::buildOrderKept(TileBuilder &t, WindowTileAttr s,
                                  const AttentionShape &shape,
                                  const AttentionMemory &memory,
                                  const KeptChoice &choice, Value mask) {
  KeptOrder(t, s, shape, memory, choice, mask).build();
}
