// Attention with entries in f32 or in codes: no tensor cores, no rounding.
#include "AttentionKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Threads have the rows of a product of buffers; weights go
/// through shared memory between the two products.
class ExactAttention {
public:
  ExactAttention(TileBuilder &t, const AttentionStrategy &s,
                 const AttentionShape &shape, const AttentionMemory &memory,
                 const HeadRows &query, const FirstStores &stores, Value y)
      : t(t), s(s), shape(shape), memory(memory), query(query), stores(stores),
        y(y) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type();
    // A warp has 4 rows and 8 columns of threads: eight neighbours read eight
    // rows of a buffer, which lie in different banks.
    auto layout = BlockedAttr::get(context, 4 * s.warpsM, 8, 1);
    int64_t half =
        std::max(int64_t(8), int64_t(llvm::bit_ceil(uint64_t(shape.half()))));
    int64_t columns = std::max(int64_t(32), 2 * half);
    scores = t.tileType({s.rows, s.entries}, f32, layout);
    output = t.tileType({s.rows, columns}, f32, layout);
    // Rows of queries: neighbours read a row.
    int64_t threads = s.warps() * kWarpThreads;
    auto byRow = BlockedAttr::get(context, threads / 8, 8,
                                  std::min<int64_t>(4, half / 8));
    rowTile = t.tileType({s.rows, half}, f32, byRow);
    keyTile = t.tileType({s.entries, half}, f32, byRow);
    // Values across: eight neighbours read 32 bytes of a row.
    auto across = BlockedAttr::get(context, threads / 4, 4, 1);
    valueTile = t.tileType({columns, s.entries}, f32, across);
    // A stage for each half of heads.
    queryBuffer = t.alloc({2, s.rows, half}, f32, /*swizzled=*/true);
    keyBuffer = t.alloc({2, s.entries, half}, f32, /*swizzled=*/true);
    valueBuffer = t.alloc({1, columns, s.entries}, f32, /*swizzled=*/true);
    weightBuffer = t.alloc({1, s.rows, s.entries}, f32, /*swizzled=*/true);
  }

  void build() {
    if (!shape.oneRow) {
      rows = QueryRows::ofHead(t, shape, memory, s.rows);
      t.when(rows.exist, [&] {
        rows.loadSeen(t, s.rows);
        buildRows();
      });
      return;
    }
    rows = QueryRows::ofOneRow(t, shape, memory, s.rows);
    if (stores.added) {
      // A row that is not stored has a place behind all entries.
      t.when(t.isLess(rows.ownPlace, t.extent(memory.keys, 3)), [&] {
        storeOneEntry(t, stores.strategy, shape, rows, memory, *stores.added);
      });
    }
    buildRows();
  }

private:
  Place outputs() { return rows.place.at(t, 0, shape.size); }

  void buildRows() {
    entries = rows.entries(memory);
    Value zero = t.index(0);
    HalvesOfHeads::Halves halves =
        HalvesOfHeads(t, query, rows.place, shape.size, rowTile).load(0);
    t.write(halves.low, queryBuffer, zero, zero, zero);
    t.write(halves.high, queryBuffer, t.index(1), zero, zero);
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    SmallVector<Value> state =
        t.loop(zero, t.ceilDiv(entries.count, s.entries), 1,
               {softmax.best, softmax.sum, t.fill(output, 0)},
               [&](Value block, ValueRange now) {
                 return attend(t.mul(block, s.entries), now);
               });
    Value sums = t.broadcast(divisorOf(t, shape, state[1]), output);
    storeOutput(t, arith::DivFOp::create(t.b, state[2], sums), y, outputs(),
                sizeof(float));
  }

  /// Codes as numbers of f32.
  Value widened(RankedTensorType type, Value codes, const Place &place,
                int64_t aligned) {
    return arith::SIToFPOp::create(
        t.b, type,
        t.load(t.withElement(type, shape.stored), codes, place, aligned));
  }
  /// Of the entries from `entry` on, for each row of scores.
  Value scales(Value pool, Value entry) {
    Value numbers =
        t.load(t.sliceType(scores, 0), pool, entries.numbers(entry));
    return t.broadcast(numbers, scores);
  }

  /// One block of entries, from `entry` on.
  SmallVector<Value> attend(Value entry, ValueRange state) {
    Value zero = t.index(0);
    // Nobody reads the block before any more.
    BarrierOp::create(t.b);
    for (int64_t part : {0, 1}) {
      int64_t column = part * shape.half();
      Place place =
          entries.keys(t, entry, t.index(column), column + shape.half());
      int64_t aligned = alignmentOf(shape.half(), shape.stored);
      if (shape.hasCodes()) {
        t.write(widened(keyTile, memory.keys, place, aligned), keyBuffer,
                t.index(part), zero, zero);
      } else {
        t.copy(memory.keys, place, keyBuffer, t.index(part), aligned);
      }
    }
    t.commit();
    Place across{{entries.slot, memory.layer, entries.stateHead, entry, zero},
                 {4, 3},
                 {t.index(shape.size), entries.count}};
    t.write(shape.hasCodes() ? widened(valueTile, memory.values, across, 0)
                             : t.load(valueTile, memory.values, across),
            valueBuffer, zero, zero, zero);
    Value mask = masksOf(t, shape, rows, entries, entry, scores);
    t.waitForAll(0);

    Value products = t.fill(scores, 0);
    for (Value part : {zero, t.index(1)}) {
      products = FmaOp::create(t.b, scores, queryBuffer, part, keyBuffer, part,
                               products);
    }
    if (shape.hasCodes()) {
      products = t.mul(products, scales(memory.keyScales, entry));
    }
    MaskedScores masked(t, shape, products, mask);
    masked.hideLater(t, entry, rows);
    RunningSoftmax softmax{state[0], state[1]};
    RunningSoftmax::Step step = softmax.take(t, masked.scores);
    Value weights = masked.weighed(t, step.weights);
    if (shape.hasCodes()) {
      weights = t.mul(weights, scales(memory.valueScales, entry));
    }
    t.write(weights, weightBuffer, zero, zero, zero);
    BarrierOp::create(t.b);
    Value sums = t.mul(state[2], t.broadcast(step.shrink, output));
    sums =
        FmaOp::create(t.b, output, weightBuffer, zero, valueBuffer, zero, sums);
    return {softmax.best, softmax.sum, sums};
  }

  TileBuilder &t;
  const AttentionStrategy &s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const HeadRows &query;
  const FirstStores &stores;
  Value y;
  RankedTensorType scores, output, rowTile, keyTile, valueTile;
  Value queryBuffer, keyBuffer, valueBuffer, weightBuffer;
  QueryRows rows;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionF32(TileBuilder &t, const AttentionStrategy &s,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory,
                                     const HeadRows &query,
                                     const FirstStores &stores, Value y) {
  ExactAttention(t, s, shape, memory, query, stores, y).build();
}
