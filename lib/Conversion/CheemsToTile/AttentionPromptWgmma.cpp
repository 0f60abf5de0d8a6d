// Attention of blocks of rows by warpgroups: tensor cores read queries, keys
// and values from shared memory by themselves, and weights from registers.
#include "AttentionKernels.h"
#include "MaskRing.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Blocks of entries come from the last one to the first, so the
/// one that hides entries from all rows is known to be first. A turn begins the
/// scores of one block and the weighted sums of the one before, and finds the
/// weights of its own while those are under way.
class WarpgroupPrompt {
public:
  WarpgroupPrompt(TileBuilder &t, const AttentionStrategy &s,
                  const AttentionShape &shape, const AttentionMemory &memory,
                  Value query, Value y)
      : t(t), s(s), shape(shape), memory(memory), query(query), y(y),
        panels(shape.size / s.panel), masks(shape, s) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type();
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
  }

  void build() {
    rows = QueryRows::ofHead(t, shape, memory, s.rows, s.heads);
    t.when(rows.exist, [&] {
      rows.loadSeen(t, s.rows);
      buildRows();
    });
  }

private:
  /// Neighbours that a thread loads of a query: 16 bytes.
  static constexpr int64_t kWidth = 4;

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

  void buildRows() {
    entries = rows.entries(memory);
    // Without entries there is one block, which hides all it has.
    Value blocks = t.ceilDiv(entries.count, s.entries);
    Value last = t.sub(t.maximum(blocks, t.index(1)), t.index(1));
    // All rows see all entries of the blocks before this one.
    Value mixed =
        t.minimum(t.divide(t.add(rows.lastOfFirst, 1), s.entries), last);
    loadQuery();
    fetchKeys(last);
    t.commit();
    fetchNext(last);
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

  void fetchPanels(Value pool, Value ring, Value block) {
    Value stage = stageOf(block), entry = t.mul(block, s.entries);
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copy(pool, entries.keys(t, entry, t.index(panel * s.panel), shape.size),
             ring, t.add(stage, panel), shape.alignedEntry());
    }
  }

  void fetchKeys(Value block) {
    fetchPanels(memory.keys, keyRing, block);
    masks.fetch(t, rows, entries, t.mul(block, s.entries),
                t.remainder(block, s.stages));
  }

  /// What the turn behind that of `block` reads.
  void fetchNext(Value block) {
    t.when(t.isLess(t.index(0), block),
           [&] { fetchKeys(t.sub(block, t.index(1))); });
    fetchPanels(memory.values, valueRing, block);
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
    MaskedScores masked(t, shape, products,
                        masks.read(t, t.remainder(block, s.stages), scores));
    if (hides) {
      masked.hideLater(t, t.mul(block, s.entries), rows);
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
    fetchNext(block);
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
  Value query, y;
  int64_t panels; ///< that a head is stored as, each as wide as a swizzle
  RankedTensorType scores, output, weights, loaded;
  Value queries, keyRing, valueRing;
  MaskRing masks;
  QueryRows rows;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionOfWarpgroups(TileBuilder &t,
                                              const AttentionStrategy &s,
                                              const AttentionShape &shape,
                                              const AttentionMemory &memory,
                                              Value query, Value y) {
  WarpgroupPrompt(t, s, shape, memory, query, y).build();
}
