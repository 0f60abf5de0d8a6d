// Attention of blocks of rows by warpgroups, to entries that lists choose:
// threads gather keys and values into panels of shared memory.
#include "AttentionKernels.h"
#include "MaskRing.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel, whose turns are those of attention to all entries
/// (AttentionPromptWgmma.cpp). Blocks of entries come from the last one to the
/// first here, too: so only the last one may have fewer candidates than a
/// buffer has rows, and no other copy needs a guard.
class WarpgroupWindow {
public:
  WarpgroupWindow(TileBuilder &t, const AttentionStrategy &s,
                  const AttentionShape &shape, const AttentionMemory &memory,
                  Value query, Value y)
      : t(t), s(s), shape(shape), memory(memory), lists(memory.candidates),
        query(query), y(y), panels(shape.size / s.panel), masks(shape, s) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type(), i32 = t.b.getI32Type();
    auto sums = FragmentAttr::get(context, FragmentRole::C, s.warpsM, 1, 1, 2);
    scores = t.tileType({s.tileRows(), s.entries}, f32, sums);
    output = t.tileType({s.tileRows(), shape.size}, f32, sums);
    weights = t.tileType(
        {s.tileRows(), s.entries}, shape.stored,
        FragmentAttr::get(context, FragmentRole::A, s.warpsM, 1, 1, 2));
    // A row of a panel is read by neighbouring threads, of one head at a time.
    int64_t across = s.panel / kWidth;
    loaded =
        t.tileType({s.rows, s.panel}, f32,
                   BlockedAttr::get(context, s.warps() * kWarpThreads / across,
                                    across, kWidth));
    queries = t.alloc({panels, s.tileRows(), s.panel}, shape.stored,
                      /*swizzled=*/true);
    SmallVector<int64_t> ring = {s.stages * panels, s.entries, s.panel};
    keyRing = t.alloc(ring, shape.stored, /*swizzled=*/true);
    valueRing = t.alloc(ring, shape.stored, /*swizzled=*/true);
    masks.alloc(t);
    numberRing = t.alloc({kNumberStages, 1, s.entries}, i32,
                         /*swizzled=*/false);
    untilRing = t.alloc({s.stages, 1, s.entries}, i32, /*swizzled=*/false);
  }

  void build() {
    rows = QueryRows::ofHead(t, shape, memory, s.rows, s.heads);
    t.when(rows.exist, [&] { buildRows(); });
  }

private:
  /// Neighbours that a thread loads of a query: 16 bytes.
  static constexpr int64_t kWidth = 4;
  /// Numbers come a turn before keys are copied, and values one behind keys.
  /// The fourth stage makes a mask of the division.
  static constexpr int64_t kNumberStages = 4;

  /// The stage that the first panel of a block of entries is in.
  Value stageOf(Value block) {
    return t.mul(t.remainder(block, s.stages), panels);
  }

  /// What is carried from a block to the one before: a bound and a sum for
  /// softmax, the block's weights, and the sums of the blocks behind it.
  struct Carried {
    Value best, sum, weights, output;
    explicit Carried(ValueRange values)
        : best(values[0]), sum(values[1]), weights(values[2]),
          output(values[3]) {}
  };

  /// The last block may have fewer candidates than others.
  enum class Extent { Whole, Last };

  void buildRows() {
    entries = rows.entries(memory);
    // A row sees itself at least.
    Value last = t.sub(t.ceilDiv(entries.count, s.entries), t.index(1));
    // All rows see all entries of the blocks before this one.
    Value mixed = t.minimum(t.divide(rows.staying, s.entries), last);
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
    Carried end(state);
    Value sums = t.warpgroupWait(beginSums(t.index(0), end), 0, end.weights);
    storeOutputs(end.sum, sums);
  }

  void loadQuery() {
    for (int64_t head = 0; head < s.heads; ++head) {
      HeadPlace place = rows.place;
      place.head = t.add(place.head, head);
      for (int64_t panel = 0; panel < panels; ++panel) {
        Value tile =
            t.load(loaded, query, place.at(t, panel * s.panel, shape.size),
                   shape.alignedQuery(t));
        tile = arith::TruncFOp::create(t.b, t.withElement(loaded, shape.stored),
                                       tile);
        t.write(tile, queries, t.index(panel), t.index(head * s.rows),
                t.index(0));
      }
    }
  }

  Value numberStage(Value block) { return t.remainder(block, kNumberStages); }

  void fetchNumbers(Value block) {
    t.copy(lists.numbers, rows.listed(t, t.mul(block, s.entries)), numberRing,
           numberStage(block), sizeof(int32_t));
  }

  void fetchPanels(Value pool, Value own, Value ring, Value block,
                   Extent extent) {
    Value count = extent == Extent::Last
                      ? rows.countFrom(t, t.mul(block, s.entries))
                      : t.index(s.entries);
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copyRows(entries.chosen(t, shape, pool, own, t.index(panel * s.panel),
                                shape.size),
                 numberRing, numberStage(block), count, ring,
                 t.add(stageOf(block), panel), shape.alignedEntry());
    }
  }

  void fetchKeys(Value block, Extent extent, bool hides) {
    fetchPanels(memory.keys, lists.rowKeys, keyRing, block, extent);
    Place place = rows.listed(t, t.mul(block, s.entries));
    Value stage = t.remainder(block, s.stages);
    t.copy(lists.masks, place, masks.buffer(), stage, sizeof(float));
    if (hides) {
      t.copy(lists.untils, place, untilRing, stage, sizeof(int32_t));
    }
  }

  /// What the turn behind that of `block` reads, and the numbers that the next
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

  /// Behind it, the stages are there for tensor cores, and all warps are done
  /// with the others.
  void waitForStage(int64_t pending) {
    WaitOp::create(t.b, uint64_t(pending));
    FenceOp::create(t.b);
    t.barrier();
  }

  Value beginScores(Value block) {
    Value stage = stageOf(block), products = t.fill(scores, 0);
    for (int64_t panel = 0; panel < panels; ++panel) {
      products = WarpgroupMmaOp::create(t.b, scores, queries, t.index(panel),
                                        keyRing, t.add(stage, panel), products);
    }
    return products;
  }

  Value beginSums(Value block, const Carried &carried) {
    return WarpgroupMmaRegistersOp::create(t.b, output, carried.weights,
                                           valueRing, stageOf(block),
                                           carried.output);
  }

  struct Weighed {
    Value weights; ///< in f32
    Value shrink;  ///< what sums over the blocks behind are multiplied by
  };
  Weighed weigh(RunningSoftmax &softmax, Value block, Value products,
                bool hides) {
    Value stage = t.remainder(block, s.stages);
    MaskedScores masked(t, shape, products, masks.read(t, stage, scores));
    if (hides) {
      masked.hideLater(t, t.mul(block, s.entries), rows);
      auto perEntry = t.sliceType(t.withElement(scores, t.b.getI32Type()), 0);
      Value zero = t.index(0);
      masked.hideGone(t, t.read(perEntry, untilRing, stage, zero, zero), rows);
    }
    RunningSoftmax::Step step = softmax.take(t, masked.scores);
    return {masked.weighed(t, step.weights), step.shrink};
  }

  /// The operand of products that begin later. No product may be under way
  /// where its registers are written: the assembler would make all wait.
  Value operand(Value weighed) {
    Value rounded = arith::TruncFOp::create(
        t.b, t.withElement(scores, shape.stored), weighed);
    return t.convertLayout(rounded, weights);
  }

  SmallVector<Value> beginWithLast(Value last) {
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    Value products = t.warpgroupWait(beginScores(last), 0);
    Weighed weighed = weigh(softmax, last, products, /*hides=*/true);
    return {softmax.best, softmax.sum, operand(weighed.weights),
            t.fill(output, 0)};
  }

  /// One block of entries. `carried` is of the block behind it.
  SmallVector<Value> attend(Value block, const Carried &carried, bool hides) {
    waitForStage(/*pending=*/0);
    Value begunScores = beginScores(block);
    Value begunSums = beginSums(t.add(block, 1), carried);
    fetchNext(block, Extent::Whole, hides);
    Value products = t.warpgroupWait(begunScores, 1);
    RunningSoftmax softmax{carried.best, carried.sum};
    Weighed weighed = weigh(softmax, block, products, hides);
    Value sums = t.warpgroupWait(begunSums, 0, carried.weights);
    sums = t.mul(sums, t.broadcast(weighed.shrink, output));
    return {softmax.best, softmax.sum, operand(weighed.weights), sums};
  }

  void storeOutputs(Value divisors, Value sums) {
    auto perRow = cast<RankedTensorType>(divisors.getType());
    Value scale = arith::DivFOp::create(t.b, t.fill(perRow, 1),
                                        divisorOf(t, shape, divisors));
    storeOutput(t, t.mul(sums, t.broadcast(scale, output)), y,
                rows.at(t, 0, shape.size), shape.alignedQuery(t));
  }

  TileBuilder &t;
  const AttentionStrategy &s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const Candidates &lists;
  Value query, y;
  int64_t panels; ///< that a head is stored as, each as wide as a swizzle
  RankedTensorType scores, output, weights, loaded;
  Value queries, keyRing, valueRing, numberRing, untilRing;
  MaskRing masks;
  QueryRows rows;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionOfKeptByWarpgroups(
    TileBuilder &t, const AttentionStrategy &s, const AttentionShape &shape,
    const AttentionMemory &memory, Value query, Value y) {
  WarpgroupWindow(t, s, shape, memory, query, y).build();
}
