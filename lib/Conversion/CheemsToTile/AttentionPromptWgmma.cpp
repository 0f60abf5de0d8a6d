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
/// weights of its own while those are under way. Steps are these blocks in the
/// order in which they come. A warp of its own fetches entries by bulk copies,
/// or all warps do by copies of threads.
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

  bool isBulk() const { return s.copy == OperandCopy::Bulk; }
  Value blockOf(Value step) { return t.sub(last, step); }
  Value stageOf(Value step) { return t.remainder(step, s.stages); }
  /// Where the first panel of a step is.
  Value panelsOf(Value step) { return t.mul(stageOf(step), panels); }

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
    last = t.sub(t.maximum(blocks, t.index(1)), t.index(1));
    if (isBulk() && !shape.visible.empty()) {
      // A head that sees nothing has blocks of what others have stored.
      rows.lastOfFirst = t.select(t.isEqual(entries.count, t.index(0)),
                                  t.index(-s.rows), rows.lastOfFirst);
    }
    // All rows see all entries of the blocks before this one.
    Value mixed =
        t.minimum(t.divide(t.add(rows.lastOfFirst, 1), s.entries), last);
    Value first = t.index(0), one = t.index(1);
    if (isBulk()) {
      fillRings();
    }
    loadQuery();
    if (!isBulk()) {
      fetchKeys(first);
      t.commit();
      fetchNext(first);
    }
    SmallVector<Value> state = beginWithLast();
    auto attendFrom = [&](Value from, Value to, bool hides) {
      state = t.loop(from, to, 1, state, [&](Value step, ValueRange carried) {
        return attend(step, Carried(carried), hides);
      });
    };
    Value seen = t.add(t.sub(last, mixed), one), past = t.add(last, one);
    attendFrom(one, seen, /*hides=*/true);
    attendFrom(seen, past, /*hides=*/false);
    if (!isBulk()) {
      waitForCopies(/*pending=*/0);
    }
    Carried end(state);
    Value sums = t.warpgroupWait(beginSums(last, end), 0, end.weights);
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
    if (isBulk()) {
      forTensorCores();
    }
  }

  /// The rings of keys, with masks, and of values.
  void fillRings() {
    Value steps = t.add(last, 1);
    Value begin = entries.firstIn(t, memory.keys, rows.stateHead);
    SmallVector<Value> masksBegin = masks.begins(t, rows, entries);
    keyStages = t.fillRing(steps, s.stages, [&](Value step, Value stage) {
      Value entry = t.mul(blockOf(step), s.entries);
      copyPanels(memory.keyMap, t.add(begin, entry), keyRing, stage);
      masks.fill(t, memory.maskMap, masksBegin, entry, stage);
    });
    valueStages = t.fillRing(steps, s.stages, [&](Value step, Value stage) {
      Value entry = t.mul(blockOf(step), s.entries);
      copyPanels(memory.valueMap, t.add(begin, entry), valueRing, stage);
    });
  }

  void copyPanels(Value map, Value row, Value ring, Value stage) {
    Value first = t.mul(stage, panels);
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copyBox(map, row, t.index(panel * s.panel), ring, t.add(first, panel));
    }
  }

  /// What threads wrote is there for tensor cores of all warps.
  void forTensorCores() {
    FenceOp::create(t.b);
    t.barrier();
  }

  /// Bulk copies bring what lies behind the last entry, and a weight of zero
  /// times what is no number is no number. So its values become zeros.
  void clearValuesBehindLast() {
    Value have = t.sub(entries.count, t.mul(last, s.entries));
    t.when(t.isLess(have, t.index(s.entries)), [&] {
      constexpr int64_t width = 8; // 16 bytes
      int64_t across = s.panel / width;
      auto type = t.tileType({s.entries, s.panel}, shape.stored,
                             BlockedAttr::get(t.b.getContext(),
                                              s.warps() * kWarpThreads / across,
                                              across, width));
      auto perRow = t.sliceType(type, 1);
      Value isThere =
          t.isLess(t.broadcast(t.indicesFrom(t.index(0), perRow, 0), type),
                   t.splatIndex(type, have));
      Value zero = t.index(0);
      t.waitForStage(valueStages, zero);
      for (int64_t panel = 0; panel < panels; ++panel) {
        Value stage = t.index(panel);
        Value tile = t.read(type, valueRing, stage, zero, zero);
        t.write(t.select(isThere, tile, t.fill(type, 0)), valueRing, stage,
                zero, zero);
      }
      forTensorCores();
    });
  }

  // By copies of threads.
  void fetchPanels(Value pool, Value ring, Value step) {
    Value stage = panelsOf(step), entry = t.mul(blockOf(step), s.entries);
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copy(pool, entries.keys(t, entry, t.index(panel * s.panel), shape.size),
             ring, t.add(stage, panel), shape.alignedEntry());
    }
  }

  void fetchKeys(Value step) {
    fetchPanels(memory.keys, keyRing, step);
    masks.fetch(t, rows, entries, t.mul(blockOf(step), s.entries),
                stageOf(step));
  }

  /// What the turn behind that of `step` reads.
  void fetchNext(Value step) {
    t.when(t.isLess(step, last), [&] { fetchKeys(t.add(step, 1)); });
    fetchPanels(memory.values, valueRing, step);
    t.commit();
  }

  /// Behind it, the stages are there for tensor cores, and all warps are done
  /// with the others.
  void waitForCopies(int64_t pending) {
    WaitOp::create(t.b, uint64_t(pending));
    forTensorCores();
  }

  Value beginScores(Value step) {
    if (isBulk()) {
      t.waitForStage(keyStages, step);
    }
    Value stage = panelsOf(step), products = t.fill(scores, 0);
    for (int64_t panel = 0; panel < panels; ++panel) {
      products = WarpgroupMmaOp::create(t.b, scores, queries, t.index(panel),
                                        keyRing, t.add(stage, panel), products);
    }
    return products;
  }

  Value beginSums(Value step, const Carried &carried) {
    if (isBulk()) {
      t.waitForStage(valueStages, step);
    }
    return WarpgroupMmaRegistersOp::create(t.b, output, carried.weights,
                                           valueRing, panelsOf(step),
                                           carried.output);
  }

  struct Weighed {
    Value weights; ///< in f32
    Value shrink;  ///< what sums over the blocks behind are multiplied by
  };
  Weighed weigh(RunningSoftmax &softmax, Value step, Value products,
                bool hides) {
    Value read = masks.read(t, stageOf(step), scores);
    if (isBulk()) {
      t.freeStage(keyStages, step);
    }
    MaskedScores masked(t, shape, products, read);
    if (hides) {
      masked.hideLater(t, t.mul(blockOf(step), s.entries), rows);
    }
    RunningSoftmax::Step found = softmax.take(t, masked.scores);
    return {masked.weighed(t, found.weights), found.shrink};
  }

  /// The operand of products that begin later. No product may be under way
  /// where its registers are written: the assembler would make all wait.
  Value operand(Value weighed) {
    Value rounded = arith::TruncFOp::create(
        t.b, t.withElement(scores, shape.stored), weighed);
    return t.convertLayout(rounded, weights);
  }

  SmallVector<Value> beginWithLast() {
    if (!isBulk()) {
      waitForCopies(/*pending=*/1);
    }
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    Value first = t.index(0);
    Value products = t.warpgroupWait(beginScores(first), 0);
    Weighed weighed = weigh(softmax, first, products, /*hides=*/true);
    Value left = operand(weighed.weights);
    if (isBulk()) {
      clearValuesBehindLast();
    }
    return {softmax.best, softmax.sum, left, t.fill(output, 0)};
  }

  /// One block of entries. `carried` is of the block behind it.
  SmallVector<Value> attend(Value step, const Carried &carried, bool hides) {
    if (!isBulk()) {
      waitForCopies(/*pending=*/0);
    }
    Value before = t.sub(step, t.index(1));
    Value begunScores = beginScores(step);
    Value begunSums = beginSums(before, carried);
    if (!isBulk()) {
      fetchNext(step);
    }
    Value products = t.warpgroupWait(begunScores, 1);
    RunningSoftmax softmax{carried.best, carried.sum};
    Weighed weighed = weigh(softmax, step, products, hides);
    Value sums = t.warpgroupWait(begunSums, 0, carried.weights);
    if (isBulk()) {
      t.freeStage(valueStages, before);
    }
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
  Value keyStages, valueStages; ///< of bulk copies
  Value last;                   ///< block of entries, which comes first
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
