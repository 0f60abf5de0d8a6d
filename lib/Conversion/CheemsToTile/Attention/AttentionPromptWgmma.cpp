// Attention of blocks of rows by warpgroups, to all entries of a sequence.
#include "WarpgroupAttention.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Steps are blocks of entries in the order in which they come. A
/// warp of its own fetches entries by bulk copies, or all warps do by copies of
/// threads.
class WarpgroupPrompt : WarpgroupAttention {
public:
  using WarpgroupAttention::WarpgroupAttention;

  void build() {
    rows = QueryRows::ofHead(t, shape, memory, s.getRows(), s.getHeads());
    t.when(rows.exist, [&] {
      rows.loadSeen(t, s.getRows());
      buildRows();
    });
  }

private:
  bool isBulk() const { return s.getCopy() == OperandCopy::Bulk; }
  Value blockOf(Value step) { return t.sub(last, step); }
  Value stageOf(Value step) { return t.remainder(step, s.getStages()); }
  /// Returns the index of the first panel of a step.
  Value panelsOf(Value step) { return t.mul(stageOf(step), panels); }

  void buildRows() {
    entries = rows.entries(memory);
    // Without entries there is one block, which hides all it has.
    Value blocks = t.ceilDiv(entries.count, s.getEntries());
    last = t.sub(t.maximum(blocks, t.index(1)), t.index(1));
    if (isBulk() && !shape.visible.empty()) {
      // A head that sees nothing has blocks of what others have stored.
      rows.lastOfFirst = t.select(t.isEqual(entries.count, t.index(0)),
                                  t.index(-s.getRows()), rows.lastOfFirst);
    }
    // All rows see all entries of the blocks before this one.
    Value mixed =
        t.minimum(t.divide(t.add(rows.lastOfFirst, 1), s.getEntries()), last);
    Value first = t.index(0), one = t.index(1);
    lastStep = last;
    if (Value begin = rows.firstBlock(t, shape, s.getEntries())) {
      mixed = begin; // there may be no block that all rows see
      lastStep = t.sub(last, begin);
    }
    if (isBulk()) {
      fillRings();
    }
    loadQuery();
    if (isBulk()) {
      forTensorCores();
    } else {
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
    Value seen = t.add(t.sub(last, mixed), one), past = t.add(lastStep, one);
    attendFrom(one, seen, /*hides=*/true);
    attendFrom(seen, past, /*hides=*/false);
    if (!isBulk()) {
      waitForCopies(/*pending=*/0);
    }
    storeOutputs(Carried(state), valuesOf(lastStep));
  }

  /// The rings of keys, with masks, and of values.
  void fillRings() {
    Value steps = t.add(lastStep, 1);
    Value begin = entries.firstIn(t, memory.keys, rows.stateHead);
    SmallVector<Value> masksBegin = masks.begins(t, rows, entries);
    // What fills a ring of stages has arithmetic alone.
    Value stored = shape.window ? t.extent(memory.keys, 3) : Value();
    auto placeOf = [&](Value entry) {
      return stored ? arith::RemUIOp::create(t.b, entry, stored).getResult()
                    : entry;
    };
    keyStages = t.fillRing(steps, s.getStages(), [&](Value step, Value stage) {
      Value entry = t.mul(blockOf(step), s.getEntries());
      copyPanels(memory.keyMap, t.add(begin, placeOf(entry)), keyRing, stage);
      masks.fill(t, memory.maskMap, masksBegin, entry, stage);
    });
    valueStages =
        t.fillRing(steps, s.getStages(), [&](Value step, Value stage) {
          Value entry = t.mul(blockOf(step), s.getEntries());
          copyPanels(memory.valueMap, t.add(begin, placeOf(entry)), valueRing,
                     stage);
        });
  }

  void copyPanels(Value map, Value row, Value ring, Value stage) {
    Value first = t.mul(stage, panels);
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copyBox(map, row, t.index(panel * s.getPanel()), ring,
                t.add(first, panel));
    }
  }

  /// Makes what threads wrote visible to the tensor cores of all warps.
  void forTensorCores() {
    FenceOp::create(t.b);
    t.barrier();
  }

  /// Bulk copies also bring what lies after the last entry. That may be NaN,
  /// and a weight of zero times NaN is NaN. So the values there become zeros.
  void clearValuesAfterLast() {
    Value have = t.sub(entries.count, t.mul(last, s.getEntries()));
    t.when(t.isLess(have, t.index(s.getEntries())), [&] {
      constexpr int64_t width = 8; // 16 bytes
      int64_t across = s.getPanel() / width;
      auto type = t.tileType({s.getEntries(), s.getPanel()}, shape.stored,
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

  // Threads copy the panels.
  void fetchPanels(Value pool, Value ring, Value step) {
    Value stage = panelsOf(step), entry = t.mul(blockOf(step), s.getEntries());
    for (int64_t panel = 0; panel < panels; ++panel) {
      t.copy(pool,
             entries.keys(t, entry, t.index(panel * s.getPanel()), shape.size),
             ring, t.add(stage, panel), shape.alignedEntry());
    }
  }

  void fetchKeys(Value step) {
    fetchPanels(memory.keys, keyRing, step);
    masks.fetch(t, rows, entries, t.mul(blockOf(step), s.getEntries()),
                stageOf(step));
  }

  /// Begins to copy what the turn after that of `step` reads.
  void fetchNext(Value step) {
    t.when(t.isLess(step, lastStep), [&] { fetchKeys(t.add(step, 1)); });
    fetchPanels(memory.values, valueRing, step);
    t.commit();
  }

  /// Waits until at most `pending` groups of copies are under way. Then tensor
  /// cores can read the stages that were copied, and no warp uses the others
  /// any more.
  void waitForCopies(int64_t pending) {
    WaitOp::create(t.b, uint64_t(pending));
    forTensorCores();
  }

  /// Returns the index of the keys of a step, once they are there.
  Value keysOf(Value step) {
    if (isBulk()) {
      t.waitForStage(keyStages, step);
    }
    return panelsOf(step);
  }
  Value valuesOf(Value step) {
    if (isBulk()) {
      t.waitForStage(valueStages, step);
    }
    return panelsOf(step);
  }

  Weighed weighStep(RunningSoftmax &softmax, Value step, Value products,
                    bool hides) {
    Value read = masks.read(t, stageOf(step), scores);
    if (isBulk()) {
      t.freeStage(keyStages, step);
    }
    MaskedScores masked(t, shape, products, read);
    if (hides) {
      masked.hideUnseen(t, t.mul(blockOf(step), s.getEntries()), rows);
    }
    return weigh(softmax, masked);
  }

  SmallVector<Value> beginWithLast() {
    if (!isBulk()) {
      waitForCopies(/*pending=*/1);
    }
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    Value first = t.index(0);
    Value products = t.warpgroupWait(beginScores(keysOf(first)), 0);
    Weighed weighed = weighStep(softmax, first, products, /*hides=*/true);
    SmallVector<Value> carried = carriedFrom(softmax, weighed);
    if (isBulk()) {
      clearValuesAfterLast();
    }
    return carried;
  }

  /// One block of entries. `carried` is of the block after it.
  SmallVector<Value> attend(Value step, const Carried &carried, bool hides) {
    if (!isBulk()) {
      waitForCopies(/*pending=*/0);
    }
    Value before = t.sub(step, t.index(1));
    Value begunScores = beginScores(keysOf(step));
    Value begunSums = beginSums(valuesOf(before), carried);
    if (!isBulk()) {
      fetchNext(step);
    }
    Value products = t.warpgroupWait(begunScores, 1);
    RunningSoftmax softmax{carried.best, carried.sum};
    Weighed weighed = weighStep(softmax, step, products, hides);
    Value sums = t.warpgroupWait(begunSums, 0, carried.weights);
    if (isBulk()) {
      t.freeStage(valueStages, before);
    }
    return carriedFrom(softmax, weighed, sums);
  }

  Value keyStages, valueStages; ///< of bulk copies
  Value last;                   ///< block of entries, which comes first
  Value lastStep;               ///< that of the first block that rows see
};
} // namespace

void cheems::tile::buildAttentionOfWarpgroups(TileBuilder &t,
                                              AttentionTileAttr s,
                                              const AttentionShape &shape,
                                              const AttentionMemory &memory,
                                              Value query, Value y) {
  WarpgroupPrompt(t, s, shape, memory, query, y).build();
}
