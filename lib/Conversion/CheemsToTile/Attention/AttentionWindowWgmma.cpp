// Attention of blocks of rows by warpgroups, to entries that lists choose:
// threads gather keys and values into panels of shared memory.
#include "WarpgroupAttention.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Only the last block of entries, which comes first, may have
/// fewer candidates than a buffer has rows. No other copy needs a guard.
class WarpgroupWindow : WarpgroupAttention {
public:
  WarpgroupWindow(TileBuilder &t, AttentionTileAttr s,
                  const AttentionShape &shape, const AttentionMemory &memory,
                  Value query, Value y)
      : WarpgroupAttention(t, s, shape, memory, query, y),
        lists(memory.candidates) {
    Type i32 = t.b.getI32Type();
    numberRing = t.alloc({kNumberStages, 1, s.getEntries()}, i32,
                         /*swizzled=*/false);
    untilRing =
        t.alloc({s.getStages(), 1, s.getEntries()}, i32, /*swizzled=*/false);
  }

  void build() {
    rows = QueryRows::ofHead(t, shape, memory, s.getRows(), s.getHeads());
    t.when(rows.exist, [&] { buildRows(); });
  }

private:
  /// Numbers come a turn before keys are copied, and values one after keys.
  /// The fourth stage makes a mask of the division.
  static constexpr int64_t kNumberStages = 4;

  /// The stage that the first panel of a block of entries is in.
  Value stageOf(Value block) {
    return t.mul(t.remainder(block, s.getStages()), panels);
  }

  /// The last block may have fewer candidates than others.
  enum class Extent { Whole, Last };

  void buildRows() {
    entries = rows.entries(memory);
    // A row sees itself at least.
    Value last = t.sub(t.ceilDiv(entries.count, s.getEntries()), t.index(1));
    // All rows see all entries of the blocks before this one.
    Value mixed = t.minimum(t.divide(rows.staying, s.getEntries()), last);
    fetchNumbers(last);
    t.when(t.isLess(t.index(0), last),
           [&] { fetchNumbers(t.sub(last, t.index(1))); });
    t.commit();
    loadQuery();
    t.waitForAll(0);
    fetchKeys(last, Extent::Last, /*hides=*/true);
    t.commit();
    fetchNext(last, Extent::Last, /*hides=*/true);
    waitForStage(/*pending=*/1);
    SmallVector<Value> state = beginWithLast(last);
    auto attendFrom = [&](Value past, Value count, bool hides) {
      state = t.loop(t.index(0), count, 1, state,
                     [&](Value number, ValueRange carried) {
                       Value block = t.sub(t.sub(past, number), t.index(1));
                       return attend(block, Carried(carried), hides);
                     });
    };
    attendFrom(last, t.sub(last, mixed), /*hides=*/true);
    attendFrom(mixed, mixed, /*hides=*/false);
    waitForStage(/*pending=*/0);
    storeOutputs(Carried(state), stageOf(t.index(0)));
  }

  Value numberStage(Value block) { return t.remainder(block, kNumberStages); }

  void fetchNumbers(Value block) {
    t.copy(lists.numbers, rows.listed(t, t.mul(block, s.getEntries())),
           numberRing, numberStage(block), sizeof(int32_t));
  }

  void fetchPanels(Value pool, Value own, Value ring, Value block,
                   Extent extent) {
    Value count = extent == Extent::Last
                      ? rows.countFrom(t, t.mul(block, s.getEntries()))
                      : t.index(s.getEntries());
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copyRows(entries.chosen(t, shape, pool, own,
                                t.index(panel * s.getPanel()), shape.size),
                 numberRing, numberStage(block), count, ring,
                 t.add(stageOf(block), panel), shape.alignedEntry());
    }
  }

  void fetchKeys(Value block, Extent extent, bool hides) {
    fetchPanels(memory.keys, lists.rowKeys, keyRing, block, extent);
    Place place = rows.listed(t, t.mul(block, s.getEntries()));
    Value stage = t.remainder(block, s.getStages());
    t.copy(lists.masks, place, masks.buffer(), stage, sizeof(float));
    if (hides) {
      t.copy(lists.untils, place, untilRing, stage, sizeof(int32_t));
    }
  }

  /// What the turn after that of `block` reads, and the numbers that the next
  /// turn needs.
  void fetchNext(Value block, Extent extent, bool hides) {
    Value one = t.index(1);
    t.when(t.isLess(t.index(0), block),
           [&] { fetchKeys(t.sub(block, one), Extent::Whole, hides); });
    t.when(t.isLess(one, block),
           [&] { fetchNumbers(t.sub(block, t.index(2))); });
    fetchPanels(memory.values, lists.rowValues, valueRing, block, extent);
    t.commit();
  }

  /// After it, the stages are there for tensor cores, and all warps are done
  /// with the others.
  void waitForStage(int64_t pending) {
    WaitOp::create(t.b, uint64_t(pending));
    FenceOp::create(t.b);
    t.barrier();
  }

  Weighed weighBlock(RunningSoftmax &softmax, Value block, Value products,
                     bool hides) {
    Value stage = t.remainder(block, s.getStages());
    MaskedScores masked(t, shape, products, masks.read(t, stage, scores));
    if (hides) {
      masked.hideUnseen(t, t.mul(block, s.getEntries()), rows);
      auto perEntry = t.sliceType(t.withElement(scores, t.b.getI32Type()), 0);
      Value zero = t.index(0);
      masked.hideGone(t, t.read(perEntry, untilRing, stage, zero, zero), rows);
    }
    return weigh(softmax, masked);
  }

  SmallVector<Value> beginWithLast(Value last) {
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    Value products = t.warpgroupWait(beginScores(stageOf(last)), 0);
    return carriedFrom(softmax,
                       weighBlock(softmax, last, products, /*hides=*/true));
  }

  /// One block of entries. `carried` is of the block after it.
  SmallVector<Value> attend(Value block, const Carried &carried, bool hides) {
    waitForStage(/*pending=*/0);
    Value begunScores = beginScores(stageOf(block));
    Value begunSums = beginSums(stageOf(t.add(block, 1)), carried);
    fetchNext(block, Extent::Whole, hides);
    Value products = t.warpgroupWait(begunScores, 1);
    RunningSoftmax softmax{carried.best, carried.sum};
    Weighed weighed = weighBlock(softmax, block, products, hides);
    Value sums = t.warpgroupWait(begunSums, 0, carried.weights);
    return carriedFrom(softmax, weighed, sums);
  }

  const Candidates &lists;
  Value numberRing, untilRing;
};
} // namespace

void cheems::tile::buildAttentionOfKeptByWarpgroups(
    TileBuilder &t, AttentionTileAttr s, const AttentionShape &shape,
    const AttentionMemory &memory, Value query, Value y) {
  WarpgroupWindow(t, s, shape, memory, query, y).build();
}
