// The best keys of both halves, and the best pairs of them, in the exact order.
#include "ExpertKernels.h"
#include "FloatOrder.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// What the best are found of: a number in the order of scores, and an id that
/// no other one of the row has. Where there is none, the order is kNoOrder.
struct ScoredRow {
  Value order, bits, ids;

  RankedTensorType type() const {
    return cast<RankedTensorType>(order.getType());
  }
};
} // namespace

RankedTensorType cheems::tile::tileOf(TileBuilder &t, const RowStrategy &s,
                                      Type element) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
  return t.tileType({s.tileRows(), s.columns}, element, layout);
}

Value cheems::tile::halfOf(TileBuilder &t, RankedTensorType like) {
  Value row = IndicesOp::create(t.b, like, 0);
  return arith::AndIOp::create(t.b, row, t.fillInteger(like, 1));
}

/// The `count` best of each row, by order descending, then by id ascending, in
/// the columns of a tile of the same layout.
static ScoredList findBest(TileBuilder &t, const ScoredRow &all, int64_t count,
                           int64_t columns) {
  RankedTensorType type = all.type();
  auto listType = t.tileType({type.getDimSize(0), columns}, t.b.getI32Type(),
                             type.getEncoding());
  // The greatest number with inverted bits is the lowest id's.
  Value none = t.fillInteger(type, kNoOrder), lowIds = t.inverted(all.ids);
  Value place = IndicesOp::create(t.b, listType, 1);
  Value empty = t.fillInteger(listType, 0);
  auto found =
      t.loop(t.index(0), t.index(count), 1, {all.order, empty, empty},
             [&](Value number, ValueRange state) -> SmallVector<Value> {
               Value order = state[0];
               auto most = [&](Value numbers) {
                 return t.reduce(Combine::Maximum, numbers, 1);
               };
               Value isBest = t.isEqual(order, t.broadcast(most(order), type));
               Value low = most(t.select(isBest, lowIds, none));
               Value isFound = t.isEqual(lowIds, t.broadcast(low, type));
               // The only number that is not the least one, or the least one
               // itself.
               Value bits = most(t.select(isFound, all.bits, none));
               Value here =
                   arith::IndexCastOp::create(t.b, t.b.getI32Type(), number);
               Value isHere = t.isEqual(place, t.splat(listType, here));
               auto put = [&](Value one, Value list) {
                 return t.select(isHere, t.broadcast(one, listType), list);
               };
               return {t.select(isFound, none, order), put(bits, state[1]),
                       put(t.inverted(low), state[2])};
             });
  return {found[1], found[2]};
}

static Value isBelow(TileBuilder &t, Value numbers, int64_t limit) {
  return t.isLess(
      numbers, t.fillInteger(cast<RankedTensorType>(numbers.getType()), limit));
}

Value cheems::tile::loadScores(TileBuilder &t, RankedTensorType type,
                               Value scores, Value row, Value head) {
  auto memory = cast<MemRefType>(scores.getType());
  auto perRow = t.withElement(t.sliceType(type, 1), t.b.getI32Type());
  Value zero = t.index(0);
  Value tile =
      t.gather(t.withElement(type, t.b.getF32Type()), scores,
               {{row, zero, head, zero}, {1, 3}}, halfOf(t, perRow),
               alignmentOf(memory.getShape().back(), t.b.getF32Type()));
  return t.bitcast(tile, t.b.getI32Type());
}

/// The columns of a list of `count` numbers in the layout of `s`.
static int64_t listColumns(const RowStrategy &s, int64_t count) {
  return int64_t(llvm::alignTo(uint64_t(count), uint64_t(s.threads * s.width)));
}

RetrievalBuffers RetrievalBuffers::alloc(TileBuilder &t,
                                         const ExpertsStrategy &s,
                                         const RetrievalForm &form) {
  return {t.alloc({2, s.keys.rows, listColumns(s.keys, form.kept())},
                  t.b.getI32Type(), /*swizzled=*/false)};
}

/// All pairs of the halves' best keys, by number of the first one, then of the
/// second one.
static ScoredRow pairsOf(TileBuilder &t, const ExpertsStrategy &s,
                         const RetrievalForm &form, Value buffer) {
  RankedTensorType type = tileOf(t, s.pairs, t.b.getI32Type());
  int64_t kept = form.kept();
  Value zero = t.fillInteger(type, 0), one = t.fillInteger(type, 1);
  Value pair = IndicesOp::create(t.b, type, 1);
  Value isPair = isBelow(t, pair, kept * kept);
  pair = t.select(isPair, pair, zero);
  Value count = t.fillInteger(type, kept);
  Value first = arith::DivUIOp::create(t.b, pair, count);
  Value second = arith::RemUIOp::create(t.b, pair, count);
  auto both = [&](int64_t stage) {
    return std::pair(t.pick(buffer, t.index(stage), zero, first),
                     t.pick(buffer, t.index(stage), one, second));
  };
  auto [firstBits, secondBits] = both(0);
  auto [firstKey, secondKey] = both(1);
  Type f32 = t.b.getF32Type();
  Value bits =
      t.bitcast(t.add(t.bitcast(firstBits, f32), t.bitcast(secondBits, f32)),
                t.b.getI32Type());
  Value expert =
      t.add(t.mul(firstKey, t.fillInteger(type, form.keys)), secondKey);
  return {t.select(isPair, orderOf(t, bits), t.fillInteger(type, kNoOrder)),
          bits, t.select(isPair, expert, t.fillInteger(type, -1))};
}

ScoredList cheems::tile::retrieve(TileBuilder &t, const ExpertsStrategy &s,
                                  const RetrievalForm &form,
                                  const RetrievalBuffers &buffers,
                                  ScoreBits scores) {
  RankedTensorType type = tileOf(t, s.keys, t.b.getI32Type());
  Value bits = scores(t, type), key = IndicesOp::create(t.b, type, 1);
  Value order = t.select(isBelow(t, key, form.keys), orderOf(t, bits),
                         t.fillInteger(type, kNoOrder));
  ScoredList best = findBest(t, {order, bits, key}, form.kept(),
                             listColumns(s.keys, form.kept()));
  Value zero = t.index(0);
  // Others may still read what was there.
  t.barrier();
  t.write(best.bits, buffers.keys, zero, zero, zero);
  t.write(best.ids, buffers.keys, t.index(1), zero, zero);
  t.barrier();
  int64_t columns = listColumns(s.pairs, form.experts);
  ScoredList list =
      findBest(t, pairsOf(t, s, form, buffers.keys), form.experts, columns);
  if (!form.ascending) {
    return list;
  }
  auto listType = cast<RankedTensorType>(list.ids.getType());
  Value isExpert =
      isBelow(t, IndicesOp::create(t.b, listType, 1), form.experts);
  Value none = t.fillInteger(listType, kNoOrder),
        noId = t.fillInteger(listType, -1);
  ScoredRow byId{t.select(isExpert, t.inverted(list.ids), none), list.bits,
                 t.select(isExpert, list.ids, noId)};
  return findBest(t, byId, form.experts, columns);
}
