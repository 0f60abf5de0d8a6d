// Attention of one row per sequence: blocks share its entries, and what they
// have is merged after them.
#include "SplitMerging.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// k that a load of 16 bytes per lane gives.
constexpr int64_t kLoadDepth = 32;

/// One kernel. Rows of its matmuls are the query heads that share entries;
/// each warp has entries of its own.
class OneRow {
public:
  OneRow(TileBuilder &t, AttentionTileAttr s, const AttentionShape &shape,
         const AttentionMemory &memory, const HeadRows &query,
         const FirstStores &stores, const PartialAttention &partial)
      : t(t), s(s), shape(shape), memory(memory), query(query), stores(stores),
        partial(partial) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type();
    // Warps have other entries: n of the first matmul, k of the second.
    auto first = [&](FragmentRole role, int64_t width) {
      return FragmentAttr::get(context, role, 1, s.getWarpsN(), 1, width);
    };
    auto second = [&](FragmentRole role) {
      return FragmentAttr::get(context, role, 1, 1, s.getWarpsN(), 2);
    };
    size = int64_t(llvm::alignTo(uint64_t(shape.size), uint64_t(kMmaDepth)));
    queries = t.tileType({s.getRows(), kLoadDepth}, shape.stored,
                         first(FragmentRole::A, 8));
    keyTile = t.tileType({s.getEntries(), kLoadDepth}, shape.stored,
                         first(FragmentRole::B, 8));
    scores = t.tileType({s.getRows(), s.getEntries()}, f32,
                        first(FragmentRole::C, 2));
    weights = t.tileType({s.getRows(), s.getEntries()}, shape.stored,
                         second(FragmentRole::A));
    valueTile = t.tileType({size, s.getEntries()}, shape.stored,
                           second(FragmentRole::B));
    partialSums = t.tileType({s.getRows(), size}, f32, second(FragmentRole::C));
    // A row of threads reads all banks of its row, or half of them, and the row
    // below the other half.
    int64_t threads = s.warps() * kWarpThreads / s.getRows();
    width = size % (4 * threads) == 0 ? 4 : 2;
    auto byRow = BlockedAttr::get(context, s.getRows(), threads, width);
    outputs = t.tileType({s.getRows(), size}, f32, byRow);
    int64_t columns =
        std::max(kMmaDepth, int64_t(llvm::bit_ceil(uint64_t(shape.size))));
    valueBuffer =
        t.alloc({1, s.getEntries(), columns}, shape.stored, /*swizzled=*/true);
  }

  void build() {
    piece = t.block(GridDimension::X);
    first = t.mul(piece, s.getEntries());
    sequence = t.block(GridDimension::Z);
    rows = QueryRows::ofOneRow(t, shape, memory, s.getRows());
    // With a window the first split is that in which it begins: there are as
    // many as a ring has blocks.
    if (Value begin = rows.firstBlock(t, shape, s.getEntries())) {
      first = t.add(first, t.mul(begin, s.getEntries()));
    }
    t.when(t.isLess(first, rows.count), [&] {
      if (stores.added) {
        // A row that is not stored has an index after all splits.
        Value isHere =
            t.isLess(t.sub(rows.ownPlace, first), t.index(s.getEntries()));
        t.when(isHere, [&] {
          storeOneEntry(t, stores.strategy, shape, rows, memory, *stores.added);
        });
      }
      attend();
    });
  }

private:
  /// Columns of keys; zeros from `limit` on. Halves of heads begin a tile each:
  /// so the order of sums depends on the size of heads alone, not on what is
  /// done with the query.
  Value loadKeys(int64_t column, int64_t limit) {
    return t.load(keyTile, memory.keys,
                  entries.keys(t, first, t.index(column), limit),
                  alignmentOf(shape.half(), shape.stored));
  }

  /// The query's columns in the order of the keys'.
  SmallVector<Value> loadQuery() {
    RankedTensorType type = t.withElement(queries, t.b.getF32Type());
    HalvesOfHeads heads(t, query, rows.place, shape.size, type);
    SmallVector<Value> tiles;
    for (int64_t k = 0; k < shape.half(); k += kLoadDepth) {
      HalvesOfHeads::Halves halves = heads.load(k);
      for (Value half : {halves.low, halves.high}) {
        tiles.push_back(arith::TruncFOp::create(t.b, queries, half));
      }
    }
    return tiles;
  }

  void attend() {
    entries = rows.entries(memory);
    Value zero = t.index(0);
    t.copy(memory.values, entries.keys(t, first, zero, shape.size), valueBuffer,
           zero, shape.alignedEntry());
    t.commit();
    // Keys are under way while the query is made.
    SmallVector<Value> keys;
    for (int64_t k = 0; k < shape.half(); k += kLoadDepth) {
      keys.push_back(loadKeys(k, shape.half()));
      keys.push_back(loadKeys(shape.half() + k, shape.size));
    }
    Value products = t.fill(scores, 0);
    for (auto [left, right] : llvm::zip_equal(loadQuery(), keys)) {
      products = t.mma(left, right, products);
    }
    MaskedScores masked(t, shape, products,
                        masksOf(t, shape, rows, entries, first, scores));
    masked.hideUnseen(t, first, rows);
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    RunningSoftmax::Step step = softmax.take(t, masked.scores);
    Value rounded =
        arith::TruncFOp::create(t.b, t.withElement(scores, shape.stored),
                                masked.weighed(t, step.weights));
    Value left = t.convertLayout(rounded, weights);
    t.waitForAll(0);
    Value right = t.readTransposed(valueTile, valueBuffer, zero, zero, zero);
    Value sums = t.mma(left, right, t.fill(partialSums, 0));
    sums = SumPartialsOp::create(t.b, outputs, sums, IntegerAttr());

    const HeadPlace &heads = rows.place;
    Place numbers{{sequence, piece, heads.head}, {2}, {heads.past}};
    t.store(softmax.best, partial.best, numbers);
    t.store(softmax.sum, partial.sums, numbers);
    t.store(sums, partial.outputs,
            {{sequence, piece, heads.head, zero},
             {2, 3},
             {heads.past, t.index(shape.size)}},
            std::min(width * int64_t(sizeof(float)), shape.alignedQuery(t)));
  }

  TileBuilder &t;
  AttentionTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const HeadRows &query;
  const FirstStores &stores;
  const PartialAttention &partial;
  int64_t size;  ///< of a head, as matmuls take it
  int64_t width; ///< of a thread's parts of an output
  RankedTensorType queries, keyTile, scores, weights, valueTile, partialSums,
      outputs;
  Value valueBuffer;
  Value piece, first, sequence;
  QueryRows rows;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionOfOneRow(TileBuilder &t, AttentionTileAttr s,
                                          const AttentionShape &shape,
                                          const AttentionMemory &memory,
                                          const HeadRows &query,
                                          const FirstStores &stores,
                                          const PartialAttention &partial) {
  OneRow(t, s, shape, memory, query, stores, partial).build();
}
