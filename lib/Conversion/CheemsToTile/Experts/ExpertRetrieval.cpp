// The best keys of both halves, and the best pairs of them, in the exact order.
#include "Builder/FloatOrder.h"
#include "ExpertPairs.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

RankedTensorType cheems::tile::tileOf(TileBuilder &t, RowTileAttr s,
                                      Type element) {
  auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(), s.getThreads(),
                                 s.getWidth());
  return t.tileType({s.tileRows(), s.getColumns()}, element, layout);
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

RetrievalBuffers RetrievalBuffers::alloc(TileBuilder &t, ExpertsStrategyAttr s,
                                         const RetrievalForm &form) {
  Type i32 = t.b.getI32Type();
  Value keys = t.alloc(
      {2, s.getKeys().getRows(), listColumns(s.getKeys(), form.kept())}, i32,
      /*swizzled=*/false);
  if (!ranksFewPairs(form)) {
    return {keys, {}};
  }
  int64_t columns = std::max(listColumns(s.getPairs(), form.experts),
                             rowOfAll(t, s, form.experts).getDimSize(1));
  return {keys, t.alloc({2, s.getPairs().getRows(), columns}, i32,
                        /*swizzled=*/false)};
}

/// The best of all pairs, in the type of a list. All threads rank them
/// together: so they take few registers of each.
static ScoredList bestOfAll(TileBuilder &t, ExpertsStrategyAttr s,
                            const RetrievalForm &form,
                            const RetrievalBuffers &buffers,
                            RankedTensorType listType) {
  RankedTensorType type = rowOfAll(t, s, form.kept() * form.kept());
  ScoredList best =
      findBest(t, allPairs(t, type, form, buffers.keys), form.experts,
               rowOfAll(t, s, form.experts).getDimSize(1));
  Value none = t.index(0), zero = t.fillInteger(listType, 0);
  t.write(best.bits, buffers.best, none, none, none);
  t.write(best.ids, buffers.best, t.index(1), none, none);
  t.barrier();
  Value place = IndicesOp::create(t.b, listType, 1);
  return {t.pick(buffers.best, none, zero, place),
          t.pick(buffers.best, t.index(1), zero, place)};
}

/// The best pairs, in each row of `s.getPairs()`.
static ScoredList bestPairs(TileBuilder &t, ExpertsStrategyAttr s,
                            const RetrievalForm &form,
                            const RetrievalBuffers &buffers) {
  int64_t columns = listColumns(s.getPairs(), form.experts);
  if (!ranksFewPairs(form)) {
    RankedTensorType type = tileOf(t, s.getPairs(), t.b.getI32Type());
    return findBest(t, allPairs(t, type, form, buffers.keys), form.experts,
                    columns);
  }
  ScoredList list =
      findBest(t, likelyPairs(t, s, form, buffers.keys), form.experts, columns);
  auto listType = cast<RankedTensorType>(list.ids.getType());
  // No turn, or one.
  Value again = isUnlikelyPairBest(t, s, form, buffers, list);
  auto found = t.loop(t.index(0), again, 1, {list.bits, list.ids},
                      [&](Value, ValueRange) -> SmallVector<Value> {
                        ScoredList all =
                            bestOfAll(t, s, form, buffers, listType);
                        return {all.bits, all.ids};
                      });
  return {found[0], found[1]};
}

ScoredList cheems::tile::retrieve(TileBuilder &t, ExpertsStrategyAttr s,
                                  const RetrievalForm &form,
                                  const RetrievalBuffers &buffers,
                                  ScoreBits scores) {
  RankedTensorType type = tileOf(t, s.getKeys(), t.b.getI32Type());
  Value bits = scores(t, type), key = IndicesOp::create(t.b, type, 1);
  Value order = t.select(isBelow(t, key, form.keys), orderOf(t, bits),
                         t.fillInteger(type, kNoOrder));
  ScoredList best = findBest(t, {order, bits, key}, form.kept(),
                             listColumns(s.getKeys(), form.kept()));
  Value zero = t.index(0);
  // Others may still read what was there.
  t.barrier();
  t.write(best.bits, buffers.keys, zero, zero, zero);
  t.write(best.ids, buffers.keys, t.index(1), zero, zero);
  t.barrier();
  ScoredList list = bestPairs(t, s, form, buffers);
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
  return findBest(t, byId, form.experts,
                  listColumns(s.getPairs(), form.experts));
}
