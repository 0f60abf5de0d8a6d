// Attention with entries in f32 or in int8: no tensor cores, no rounding.
#include "AttentionKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Threads have the rows of a matmul of buffers; weights go
/// through shared memory between the two matmuls.
class ExactAttention {
public:
  ExactAttention(TileBuilder &t, AttentionTileAttr s,
                 const AttentionShape &shape, const AttentionMemory &memory,
                 const HeadRows &query, const FirstStores &stores, Value y)
      : t(t), s(s), shape(shape), memory(memory), query(query), stores(stores),
        y(y) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type();
    // A warp has 4 rows and 8 columns of threads: eight neighbours read eight
    // rows of a buffer, which lie in different banks.
    auto layout = BlockedAttr::get(context, 4 * s.getWarpsM(), 8, 1);
    int64_t half =
        std::max(int64_t(8), int64_t(llvm::bit_ceil(uint64_t(shape.half()))));
    int64_t columns = std::max(int64_t(32), 2 * half);
    scores = t.tileType({s.getRows(), s.getEntries()}, f32, layout);
    output = t.tileType({s.getRows(), columns}, f32, layout);
    // Rows of queries: neighbours read a row.
    int64_t threads = s.warps() * kWarpThreads;
    auto byRow = BlockedAttr::get(context, threads / 8, 8,
                                  std::min<int64_t>(4, half / 8));
    rowTile = t.tileType({s.getRows(), half}, f32, byRow);
    keyTile = t.tileType({s.getEntries(), half}, f32, byRow);
    // Values across: eight neighbours read 32 bytes of a row.
    auto across = BlockedAttr::get(context, threads / 4, 4, 1);
    valueTile = t.tileType({columns, s.getEntries()}, f32, across);
    // A stage for each half of heads.
    queryBuffer = t.alloc({2, s.getRows(), half}, f32, /*swizzled=*/true);
    keyBuffer = t.alloc({2, s.getEntries(), half}, f32, /*swizzled=*/true);
    valueBuffer = t.alloc({1, columns, s.getEntries()}, f32, /*swizzled=*/true);
    weightBuffer =
        t.alloc({1, s.getRows(), s.getEntries()}, f32, /*swizzled=*/true);
    if (memory.hasLists()) {
      numberBuffer = t.alloc({2, 1, s.getEntries()}, t.b.getI32Type(),
                             /*swizzled=*/false);
    }
  }

  void build() {
    if (!shape.oneRow) {
      rows = QueryRows::ofHead(t, shape, memory, s.getRows());
      t.when(rows.exist, [&] {
        rows.loadSeen(t, s.getRows());
        buildRows();
      });
      return;
    }
    rows = QueryRows::ofOneRow(t, shape, memory, s.getRows());
    auto store = [&] {
      storeOneEntry(t, stores.strategy, shape, rows, memory, *stores.added);
    };
    if (stores.added && shape.window) {
      store();
    } else if (stores.added) {
      // A row that is not stored has an index after all entries.
      t.when(t.isLess(rows.ownPlace, t.extent(memory.keys, 3)), store);
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
    if (memory.hasLists()) {
      copyNumbers(zero);
      t.commit();
      t.waitForAll(0);
    }
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    Value begin = rows.firstBlock(t, shape, s.getEntries());
    SmallVector<Value> state =
        t.loop(begin ? begin : zero, t.ceilDiv(entries.count, s.getEntries()),
               1, {softmax.best, softmax.sum, t.fill(output, 0)},
               [&](Value block, ValueRange now) { return attend(block, now); });
    Value sums = t.broadcast(divisorOf(t, shape, state[1]), output);
    storeOutput(t, arith::DivFOp::create(t.b, state[2], sums), y, outputs(),
                sizeof(float));
  }

  /// Quantized values as numbers of f32.
  Value widened(Value tile) {
    return shape.isQuantized()
               ? arith::SIToFPOp::create(
                     t.b,
                     t.withElement(cast<RankedTensorType>(tile.getType()),
                                   t.b.getF32Type()),
                     tile)
                     .getResult()
               : tile;
  }
  /// A number per entry from `entry` on, for each row of scores.
  Value perEntry(Value memory, const Place &place, bool areMasks = false) {
    Value numbers = t.load(t.sliceType(scores, 0), memory, place);
    return t.broadcast(areMasks ? maskNumbers(t, shape, numbers) : numbers,
                       scores);
  }
  Value scales(Value pool, Value list, Value entry) {
    return memory.hasLists() ? perEntry(list, listed(entry))
                             : perEntry(pool, entries.numbers(t, entry));
  }
  /// Numbers in a list from `entry` on, as a slice.
  Place listed(Value entry) {
    return {{rows.list, rows.stateHead, entry}, {2}, {rows.count}};
  }

  void copyNumbers(Value block) {
    t.copy(memory.candidates.numbers,
           rows.listed(t, t.mul(block, s.getEntries())), numberBuffer,
           t.remainder(block, 2), sizeof(int32_t));
  }
  /// Numbers of a block's entries in one memory, -1 where they are in the other
  /// one or do not exist.
  struct Chosen {
    Value ofPool, ofRows;
  };
  Chosen chosen(Value block, RankedTensorType slice) {
    auto type = t.withElement(slice, t.b.getI32Type());
    Value zero = t.index(0);
    Value number =
        t.read(type, numberBuffer, t.remainder(block, 2), zero, zero);
    Value exists =
        t.isLess(t.indicesFrom(t.mul(block, s.getEntries()), type, 0),
                 t.splatIndex(type, rows.count));
    Value none = t.fillInteger(type, -1),
          keep = t.fillInteger(type, shape.keep);
    number = t.select(exists, number, none);
    Value isOfPool = t.isLess(number, keep);
    // Below -1 is none, too.
    return {t.select(isOfPool, number, none),
            t.select(isOfPool, none, t.sub(number, keep))};
  }
  /// Gathers from the pool if the entry is there, else from the step's rows.
  Value gathered(RankedTensorType type, Value pool, Value own,
                 const Chosen &numbers, Value column, ArrayRef<int64_t> dims,
                 int64_t aligned) {
    auto stored = t.withElement(type, shape.stored);
    Value zero = t.index(0);
    Value ofPool =
        t.gather(stored, pool,
                 {{entries.slot, memory.layer, entries.stateHead, zero, column},
                  SmallVector<int64_t>(dims)},
                 numbers.ofPool, aligned);
    Value ofRows = t.gather(stored, own,
                            {{zero, zero, entries.stateHead, zero, column},
                             SmallVector<int64_t>(dims)},
                            numbers.ofRows, aligned);
    // What is chosen of the other one is zero, and the sum exact.
    return t.add(widened(ofPool), widened(ofRows));
  }

  void fetchKeys(Value block, Value entry) {
    Value zero = t.index(0);
    int64_t aligned = alignmentOf(shape.half(), shape.stored);
    for (int64_t part : {0, 1}) {
      int64_t first = part * shape.half(), past = first + shape.half();
      Value column = t.index(first), stage = t.index(part);
      const Candidates &lists = memory.candidates;
      Place place = entries.keys(t, entry, column, past);
      if (!memory.hasLists() && shape.isQuantized()) {
        auto codes = t.withElement(keyTile, shape.stored);
        t.write(widened(t.load(codes, memory.keys, place, aligned)), keyBuffer,
                stage, zero, zero);
      } else if (!memory.hasLists()) {
        t.copy(memory.keys, place, keyBuffer, stage, aligned);
      } else if (shape.isQuantized()) {
        Value tile = gathered(keyTile, memory.keys, lists.rowKeys,
                              chosen(block, t.sliceType(keyTile, 1)), column,
                              {3, 4}, aligned);
        t.write(withoutRest(tile), keyBuffer, stage, zero, zero);
      } else {
        t.copyRows(
            entries.chosen(t, shape, memory.keys, lists.rowKeys, column, past),
            numberBuffer, t.remainder(block, 2), rows.countFrom(t, entry),
            keyBuffer, stage, aligned);
      }
    }
    if (memory.hasLists()) {
      copyNumbers(t.add(block, 1));
    }
    t.commit();
  }
  /// Gathered columns past a half are those of the next one.
  Value withoutRest(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getDimSize(1) == shape.half()) {
      return tile;
    }
    auto numbers = t.withElement(type, t.b.getI32Type());
    Value column = IndicesOp::create(t.b, numbers, uint64_t(1));
    return t.select(t.isLess(column, t.fillInteger(numbers, shape.half())),
                    tile, t.fill(type, 0));
  }

  Value values(Value block, Value entry) {
    Value zero = t.index(0);
    if (memory.hasLists()) {
      return gathered(valueTile, memory.values, memory.candidates.rowValues,
                      chosen(block, t.sliceType(valueTile, 0)), zero, {4, 3},
                      0);
    }
    return widened(t.load(t.withElement(valueTile, shape.stored), memory.values,
                          entries.valuesAcross(t, entry, shape.size)));
  }

  /// One block of entries.
  SmallVector<Value> attend(Value block, ValueRange state) {
    Value entry = t.mul(block, s.getEntries()), zero = t.index(0);
    // Nobody reads the block before any more.
    BarrierOp::create(t.b);
    fetchKeys(block, entry);
    t.write(values(block, entry), valueBuffer, zero, zero, zero);
    const Candidates &lists = memory.candidates;
    Value mask = memory.hasLists()
                     ? perEntry(lists.masks, listed(entry), /*areMasks=*/true)
                     : masksOf(t, shape, rows, entries, entry, scores);
    t.waitForAll(0);

    Value products = t.fill(scores, 0);
    for (Value part : {zero, t.index(1)}) {
      products = FmaOp::create(t.b, scores, queryBuffer, part, keyBuffer, part,
                               products);
    }
    if (shape.isQuantized()) {
      products =
          t.mul(products, scales(memory.keyScales, lists.keyScales, entry));
    }
    MaskedScores masked(t, shape, products, mask);
    masked.hideUnseen(t, entry, rows);
    if (memory.hasLists()) {
      auto numbers = t.sliceType(t.withElement(scores, t.b.getI32Type()), 0);
      masked.hideGone(t, t.load(numbers, lists.untils, listed(entry)), rows);
    }
    RunningSoftmax softmax{state[0], state[1]};
    RunningSoftmax::Step step = softmax.take(t, masked.scores);
    Value weights = masked.weighed(t, step.weights);
    if (shape.isQuantized()) {
      weights =
          t.mul(weights, scales(memory.valueScales, lists.valueScales, entry));
    }
    t.write(weights, weightBuffer, zero, zero, zero);
    BarrierOp::create(t.b);
    Value sums = t.mul(state[2], t.broadcast(step.shrink, output));
    sums =
        FmaOp::create(t.b, output, weightBuffer, zero, valueBuffer, zero, sums);
    return {softmax.best, softmax.sum, sums};
  }

  TileBuilder &t;
  AttentionTileAttr s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  const HeadRows &query;
  const FirstStores &stores;
  Value y;
  RankedTensorType scores, output, rowTile, keyTile, valueTile;
  Value queryBuffer, keyBuffer, valueBuffer, weightBuffer, numberBuffer;
  QueryRows rows;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionF32(TileBuilder &t, AttentionTileAttr s,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory,
                                     const HeadRows &query,
                                     const FirstStores &stores, Value y) {
  ExactAttention(t, s, shape, memory, query, stores, y).build();
}
