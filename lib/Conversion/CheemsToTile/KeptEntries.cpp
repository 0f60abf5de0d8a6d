// Which entry of a window a row replaces.
#include "KeptEntries.h"
#include "FloatOrder.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Positions of columns that are no place, and of none.
constexpr int64_t kNoPlace = -2, kNone = -1;

KeptEntries::KeptEntries(TileBuilder &t, const RowStrategy &s,
                         const AttentionShape &shape)
    : t(t), shape(shape) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
  tile = t.tileType({s.rows, s.columns}, t.b.getI32Type(), layout);
}

Value KeptEntries::badnessOf(Value masks) {
  return t.inverted(orderOf(t, t.bitcast(masks, t.b.getI32Type())));
}

Value KeptEntries::masksOf(const State &state) {
  return t.bitcast(bitsOf(t, t.inverted(state.badness)), t.b.getF32Type());
}

KeptEntries::State KeptEntries::load(const AttentionMemory &memory,
                                     const SegmentRow &segment, Value head) {
  Value count = t.minimum(segment.position, t.index(shape.keep));
  Place place{{segment.slot, memory.layer, head, t.index(0)},
              {2, 3},
              {t.add(head, 1), count}};
  Value masks =
      t.load(t.withElement(tile, t.b.getF32Type()), memory.masks, place);
  Value positions = t.load(tile, memory.positions, place);
  Value isEntry = t.isLess(column(), t.splatIndex(tile, count));
  Value isPlace = t.isLess(column(), t.fillInteger(tile, shape.keep));
  Value free = t.sub(t.fillInteger(tile, kMostOrder), column());
  return {t.select(isEntry, badnessOf(masks),
                   t.select(isPlace, t.fillInteger(tile, kMostOrder),
                            t.fillInteger(tile, kNoOrder))),
          t.select(isEntry, positions,
                   t.select(isPlace, free, t.fillInteger(tile, kNoPlace)))};
}

KeptEntries::Taken KeptEntries::take(const State &state, Value mask,
                                     Value position) {
  Value badness = badnessOf(mask);
  Value worst = t.reduce(Combine::Maximum, state.badness, 1);
  Value isWorst = t.isEqual(state.badness, t.broadcast(worst, tile));
  Value none = t.fillInteger(tile, kNone);
  Value last =
      t.reduce(Combine::Maximum, t.select(isWorst, state.position, none), 1);
  // Of equal masks the lower position stays, which is the entry's.
  Value stays = t.isLess(badness, worst);
  Value replaced = t.select(stays, last, t.fillInteger(one(), kNone));
  Value isReplaced = t.isEqual(state.position, t.broadcast(replaced, tile));
  return {{t.select(isReplaced, t.broadcast(badness, tile), state.badness),
           t.select(isReplaced, t.broadcast(position, tile), state.position)},
          isReplaced,
          t.select(stays, last, position)};
}
