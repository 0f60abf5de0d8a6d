// Attention of blocks of rows: keys and values come through a ring of shared
// buffers, scores and weights stay in registers.
#include "AttentionKernels.h"
#include "MaskRing.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. A warp has rows of its own, all columns of them unless heads are
/// great. A tile of outputs has as many columns as an instruction has k.
class Prompt {
public:
  Prompt(TileBuilder &t, AttentionTileAttr s, const AttentionShape &shape,
         const AttentionMemory &memory, Value query, Value y)
      : t(t), s(s), shape(shape), memory(memory), query(query), y(y),
        masks(shape, s) {
    auto fragment = [&](FragmentRole role) {
      return FragmentAttr::get(t.b.getContext(), role, s.getWarpsM(),
                               s.getWarpsN(), 1, 2);
    };
    Type f32 = t.b.getF32Type();
    int64_t tileRows = s.tileRows();
    scores =
        t.tileType({tileRows, s.getEntries()}, f32, fragment(FragmentRole::C));
    output = t.tileType({tileRows, kMmaDepth}, f32, fragment(FragmentRole::C));
    queries = t.tileType({tileRows, kMmaDepth}, shape.stored,
                         fragment(FragmentRole::A));
    weights = t.tileType({tileRows, s.getEntries()}, shape.stored,
                         fragment(FragmentRole::A));
    keyTile = t.tileType({s.getEntries(), kMmaDepth}, shape.stored,
                         fragment(FragmentRole::B));
    valueTile = t.tileType({kMmaDepth, s.getEntries()}, shape.stored,
                           fragment(FragmentRole::B));
    // A row of a swizzled buffer has 2^n pieces of 16 bytes.
    int64_t columns =
        std::max(kMmaDepth, int64_t(llvm::bit_ceil(uint64_t(shape.size))));
    SmallVector<int64_t> ring = {s.getStages(), s.getEntries(), columns};
    keyRing = t.alloc(ring, shape.stored, /*swizzled=*/true);
    valueRing = t.alloc(ring, shape.stored, /*swizzled=*/true);
    masks.alloc(t);
    if (memory.hasLists()) {
      // Numbers come before the rows that they choose.
      numberRing =
          t.alloc({2 * s.getStages() - 1, 1, s.getEntries()}, t.b.getI32Type(),
                  /*swizzled=*/false);
      untilRing = t.alloc({s.getStages(), 1, s.getEntries()}, t.b.getI32Type(),
                          /*swizzled=*/false);
    }
    if (!s.getQueryInRegisters()) {
      sharedQuery = t.alloc({1, tileRows, columns}, shape.stored, true);
    }
  }

  void build() {
    rows = QueryRows::ofHead(t, shape, memory, s.getRows(), s.getHeads());
    t.when(rows.exist, [&] {
      rows.loadSeen(t, s.getRows());
      buildRows();
    });
  }

private:
  int64_t chunks() const { return llvm::divideCeil(shape.size, kMmaDepth); }

  void buildRows() {
    entries = rows.entries(memory);
    loadQuery();
    if (memory.hasLists()) {
      for (int64_t ahead = 0; ahead + 1 < s.getStages(); ++ahead) {
        fetchNumbers(t.index(ahead));
      }
      t.commit();
      t.waitForAll(0);
    }
    Value begin = rows.firstBlock(t, shape, s.getEntries());
    for (int64_t ahead = 0; ahead + 1 < s.getStages(); ++ahead) {
      Value block = begin ? t.add(begin, ahead) : t.index(ahead);
      fetch(block, begin ? stageOf(block) : t.index(ahead));
    }
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    SmallVector<Value> state = {softmax.best, softmax.sum};
    state.append(size_t(chunks()), t.fill(output, 0));
    // All rows see all entries of the blocks before `mixed`.
    Value mixed = arith::DivUIOp::create(t.b, t.add(rows.lastOfFirst, 1),
                                         t.index(s.getEntries()));
    Value blocks = t.ceilDiv(entries.count, s.getEntries());
    if (memory.hasLists()) {
      mixed = t.divide(rows.staying, s.getEntries());
    }
    if (!shape.visible.empty()) {
      mixed = t.minimum(mixed, blocks);
    }
    if (begin) { // there may be no block that all rows see
      mixed = begin;
    }
    state = t.loop(begin ? begin : t.index(0), mixed, 1, state,
                   [&](Value i, ValueRange now) {
                     return attend(i, now, /*hides=*/false);
                   });
    state = t.loop(mixed, blocks, 1, state, [&](Value i, ValueRange now) {
      return attend(i, now, /*hides=*/true);
    });
    WaitOp::create(t.b, uint64_t(0));
    storeOutputs(state);
  }

  void loadQuery() {
    for (int64_t chunk = 0; chunk < chunks(); ++chunk) {
      Value tile = t.load(t.withElement(queries, t.b.getF32Type()), query,
                          rows.at(t, chunk * kMmaDepth, shape.size),
                          shape.alignedQuery(t));
      tile = arith::TruncFOp::create(t.b, queries, tile);
      if (s.getQueryInRegisters()) {
        queryTiles.push_back(tile);
      } else {
        t.write(tile, sharedQuery, t.index(0), t.index(0),
                t.index(chunk * kMmaDepth));
      }
    }
  }

  void fetchNumbers(Value block) {
    t.copy(memory.candidates.numbers,
           rows.listed(t, t.mul(block, s.getEntries())), numberRing,
           t.remainder(block, 2 * s.getStages() - 1), sizeof(int32_t));
  }

  /// The rows that a block's numbers choose, and numbers for a later one.
  void fetchListed(Value block, Value stage) {
    Value entry = t.mul(block, s.getEntries());
    const Candidates &lists = memory.candidates;
    Value numbers = t.remainder(block, 2 * s.getStages() - 1);
    Value count = rows.countFrom(t, entry);
    for (auto [pool, own, ring] :
         {std::tuple(memory.keys, lists.rowKeys, keyRing),
          std::tuple(memory.values, lists.rowValues, valueRing)}) {
      t.copyRows(entries.chosen(t, shape, pool, own, t.index(0), shape.size),
                 numberRing, numbers, count, ring, stage, shape.alignedEntry());
    }
    Place place = rows.listed(t, entry);
    t.copy(lists.masks, place, masks.buffer(), stage, sizeof(float));
    t.copy(lists.untils, place, untilRing, stage, sizeof(int32_t));
    fetchNumbers(t.add(block, s.getStages() - 1));
    t.commit();
  }

  /// Past the last entry it fetches zeros.
  void fetch(Value block, Value stage) {
    if (memory.hasLists()) {
      fetchListed(block, stage);
      return;
    }
    Value entry = t.mul(block, s.getEntries());
    Place place = entries.keys(t, entry, t.index(0), shape.size);
    t.copy(memory.keys, place, keyRing, stage, shape.alignedEntry());
    t.copy(memory.values, place, valueRing, stage, shape.alignedEntry());
    masks.fetch(t, rows, entries, entry, stage);
    t.commit();
  }

  Value stageOf(Value block) { return t.remainder(block, s.getStages()); }

  /// One block of entries.
  SmallVector<Value> attend(Value block, ValueRange state, bool hides) {
    // After it, this stage is there, and nobody reads the one before.
    t.waitForAll(s.getStages() - 2);
    Value next = t.add(block, s.getStages() - 1);
    fetch(next, stageOf(next));
    Value stage = stageOf(block), zero = t.index(0);

    Value products = t.fill(scores, 0);
    for (int64_t chunk = 0; chunk < chunks(); ++chunk) {
      Value column = t.index(chunk * kMmaDepth);
      Value left = s.getQueryInRegisters()
                       ? queryTiles[size_t(chunk)]
                       : t.read(queries, sharedQuery, zero, zero, column);
      products =
          t.mma(left, t.read(keyTile, keyRing, stage, zero, column), products);
    }
    MaskedScores masked(t, shape, products, masks.read(t, stage, scores));
    if (hides) {
      masked.hideUnseen(t, t.mul(block, s.getEntries()), rows);
    }
    if (hides && memory.hasLists()) {
      auto perEntry = t.sliceType(t.withElement(scores, t.b.getI32Type()), 0);
      masked.hideGone(t, t.read(perEntry, untilRing, stage, zero, zero), rows);
    }
    RunningSoftmax softmax{state[0], state[1]};
    RunningSoftmax::Step step = softmax.take(t, masked.scores);
    Value rounded =
        arith::TruncFOp::create(t.b, t.withElement(scores, shape.stored),
                                masked.weighed(t, step.weights));
    Value left = t.convertLayout(rounded, weights);
    Value shrink = t.broadcast(step.shrink, output);
    SmallVector<Value> result = {softmax.best, softmax.sum};
    for (auto [chunk, sums] : llvm::enumerate(state.drop_front(2))) {
      Value right = t.readTransposed(valueTile, valueRing, stage, zero,
                                     t.index(int64_t(chunk) * kMmaDepth));
      result.push_back(t.mma(left, right, t.mul(sums, shrink)));
    }
    return result;
  }

  void storeOutputs(ArrayRef<Value> state) {
    auto perRow = cast<RankedTensorType>(state[1].getType());
    Value scale =
        t.broadcast(arith::DivFOp::create(t.b, t.fill(perRow, 1),
                                          divisorOf(t, shape, state[1])),
                    output);
    for (auto [chunk, sums] : llvm::enumerate(state.drop_front(2))) {
      storeOutput(t, t.mul(sums, scale), y,
                  rows.at(t, int64_t(chunk) * kMmaDepth, shape.size),
                  shape.alignedQuery(t));
    }
  }

  TileBuilder &t;
  AttentionTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  Value query, y;
  RankedTensorType scores, output, queries, weights, keyTile, valueTile;
  Value keyRing, valueRing, numberRing, untilRing, sharedQuery;
  MaskRing masks;
  QueryRows rows;
  Entries entries;
  SmallVector<Value> queryTiles; ///< if they are in registers
};
} // namespace

void cheems::tile::buildAttention(TileBuilder &t, AttentionTileAttr s,
                                  const AttentionShape &shape,
                                  const AttentionMemory &memory, Value query,
                                  Value y) {
  if (s.getUnit() == Unit::Wgmma) {
    auto *build = memory.hasLists() ? buildAttentionOfKeptByWarpgroups
                                    : buildAttentionOfWarpgroups;
    return build(t, s, shape, memory, query, y);
  }
  Prompt(t, s, shape, memory, query, y).build();
}
