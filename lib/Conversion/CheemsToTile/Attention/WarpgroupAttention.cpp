// The turns of attention by warpgroups.
#include "WarpgroupAttention.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Neighbours that a thread loads of a query: 16 bytes.
constexpr int64_t kWidth = 4;

WarpgroupAttention::WarpgroupAttention(TileBuilder &t, AttentionTileAttr s,
                                       const AttentionShape &shape,
                                       const AttentionMemory &memory,
                                       Value query, Value y)
    : t(t), s(s), shape(shape), memory(memory), query(query), y(y),
      panels(shape.size / s.getPanel()), masks(shape, s) {
  MLIRContext *context = t.b.getContext();
  Type f32 = t.b.getF32Type();
  auto sums =
      FragmentAttr::get(context, FragmentRole::C, s.getWarpsM(), 1, 1, 2);
  scores = t.tileType({s.tileRows(), s.getEntries()}, f32, sums);
  output = t.tileType({s.tileRows(), shape.size}, f32, sums);
  weights = t.tileType(
      {s.tileRows(), s.getEntries()}, shape.stored,
      FragmentAttr::get(context, FragmentRole::A, s.getWarpsM(), 1, 1, 2));
  // A row of a panel is read by neighbouring threads, of one head at a time.
  int64_t across = s.getPanel() / kWidth;
  loaded =
      t.tileType({s.getRows(), s.getPanel()}, f32,
                 BlockedAttr::get(context, s.warps() * kWarpThreads / across,
                                  across, kWidth));
  queries = t.alloc({panels, s.tileRows(), s.getPanel()}, shape.stored,
                    /*swizzled=*/true);
  SmallVector<int64_t> ring = {s.getStages() * panels, s.getEntries(),
                               s.getPanel()};
  keyRing = t.alloc(ring, shape.stored, /*swizzled=*/true);
  valueRing = t.alloc(ring, shape.stored, /*swizzled=*/true);
  masks.alloc(t);
}

void WarpgroupAttention::loadQuery() {
  for (int64_t head = 0; head < s.getHeads(); ++head) {
    HeadPlace place = rows.place;
    place.head = t.add(place.head, head);
    for (int64_t panel = 0; panel < panels; ++panel) {
      Value tile =
          t.load(loaded, query, place.at(t, panel * s.getPanel(), shape.size),
                 shape.alignedQuery(t));
      tile = arith::TruncFOp::create(t.b, t.withElement(loaded, shape.stored),
                                     tile);
      t.write(tile, queries, t.index(panel), t.index(head * s.getRows()),
              t.index(0));
    }
  }
}

Value WarpgroupAttention::beginScores(Value keys) {
  Value products = t.fill(scores, 0);
  for (int64_t panel = 0; panel < panels; ++panel) {
    products = WarpgroupMmaOp::create(t.b, scores, queries, t.index(panel),
                                      keyRing, t.add(keys, panel), products);
  }
  return products;
}

Value WarpgroupAttention::beginSums(Value values, const Carried &carried) {
  return WarpgroupMmaRegistersOp::create(t.b, output, carried.weights,
                                         valueRing, values, carried.output);
}

WarpgroupAttention::Weighed
WarpgroupAttention::weigh(RunningSoftmax &softmax, const MaskedScores &masked) {
  RunningSoftmax::Step step = softmax.take(t, masked.scores);
  return {masked.weighed(t, step.weights), step.shrink};
}

Value WarpgroupAttention::operand(const Weighed &weighed) {
  Value rounded = arith::TruncFOp::create(
      t.b, t.withElement(scores, shape.stored), weighed.weights);
  return t.convertLayout(rounded, weights);
}

SmallVector<Value>
WarpgroupAttention::carriedFrom(const RunningSoftmax &softmax,
                                const Weighed &weighed) {
  return {softmax.best, softmax.sum, operand(weighed), t.fill(output, 0)};
}

SmallVector<Value>
WarpgroupAttention::carriedFrom(const RunningSoftmax &softmax,
                                const Weighed &weighed, Value sums) {
  sums = t.mul(sums, t.broadcast(weighed.shrink, output));
  return {softmax.best, softmax.sum, operand(weighed), sums};
}

void WarpgroupAttention::storeOutputs(const Carried &end, Value values) {
  Value sums = t.warpgroupWait(beginSums(values, end), 0, end.weights);
  auto perRow = cast<RankedTensorType>(end.sum.getType());
  Value scale = arith::DivFOp::create(t.b, t.fill(perRow, 1),
                                      divisorOf(t, shape, end.sum));
  storeOutput(t, t.mul(sums, t.broadcast(scale, output)), y,
              rows.at(t, 0, shape.size), shape.alignedQuery(t));
}
