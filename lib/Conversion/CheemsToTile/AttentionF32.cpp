// Attention with entries in f32: no tensor cores, no rounding.
#include "AttentionKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// One kernel. Threads have the rows of a product of buffers; weights go
/// through shared memory between the two products.
class PromptF32 {
public:
  PromptF32(TileBuilder &t, const AttentionStrategy &s,
            const AttentionShape &shape, const AttentionMemory &memory,
            Value query, Value y)
      : t(t), s(s), shape(shape), memory(memory), query(query), y(y) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type();
    // A warp has 4 rows and 8 columns of threads: eight neighbours read eight
    // rows of a buffer, which lie in different banks.
    auto layout = BlockedAttr::get(context, 4 * s.warpsM, 8, 1);
    int64_t columns =
        std::max(int64_t(32), int64_t(llvm::bit_ceil(uint64_t(shape.size))));
    scores = t.tileType({s.rows, s.entries}, f32, layout);
    output = t.tileType({s.rows, columns}, f32, layout);
    // Rows of queries and keys: neighbours read a row.
    int64_t threads = s.warps() * kWarpThreads;
    auto byRow = BlockedAttr::get(context, threads / 8, 8, 4);
    rowTile = t.tileType({s.rows, columns}, f32, byRow);
    // Values across: eight neighbours read 32 bytes of a row.
    auto across = BlockedAttr::get(context, threads / 4, 4, 1);
    valueTile = t.tileType({columns, s.entries}, f32, across);
    queryBuffer = t.alloc({1, s.rows, columns}, f32, /*swizzled=*/true);
    keyBuffer = t.alloc({1, s.entries, columns}, f32, /*swizzled=*/true);
    valueBuffer = t.alloc({1, columns, s.entries}, f32, /*swizzled=*/true);
    weightBuffer = t.alloc({1, s.rows, s.entries}, f32, /*swizzled=*/true);
  }

  void build() {
    first = t.mul(t.block(GridDimension::X), s.rows);
    head = t.block(GridDimension::Y);
    segment = loadSegment(t, memory.segments, t.block(GridDimension::Z),
                          shape.oneRow);
    t.when(t.isLess(first, segment.length), [&] { buildRows(); });
  }

private:
  Place rowsAt() {
    return {{t.add(segment.start, first), head, t.index(0)},
            {0, 2},
            {t.add(segment.start, segment.length), t.index(shape.size)}};
  }

  void buildRows() {
    lastOfFirst = t.add(segment.position, first);
    Value past = t.minimum(segment.length, t.add(first, s.rows));
    entries = {memory, segment.slot, t.divide(head, shape.queriesPerState()),
               t.add(segment.position, past)};
    Value zero = t.index(0);
    t.write(t.load(rowTile, query, rowsAt(), shape.alignedQuery(t)),
            queryBuffer, zero, zero, zero);
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    SmallVector<Value> state =
        t.loop(zero, t.ceilDiv(entries.count, s.entries), 1,
               {softmax.best, softmax.sum, t.fill(output, 0)},
               [&](Value block, ValueRange now) {
                 return attend(t.mul(block, s.entries), now);
               });
    Value sums = t.broadcast(state[1], output);
    t.store(arith::DivFOp::create(t.b, state[2], sums), y, rowsAt());
  }

  /// One block of entries, from `entry` on.
  SmallVector<Value> attend(Value entry, ValueRange state) {
    Value zero = t.index(0);
    // Nobody reads the block before any more.
    BarrierOp::create(t.b);
    t.copy(memory.keys, entries.keys(t, entry, zero, shape.size), keyBuffer,
           zero, shape.alignedEntry());
    t.commit();
    Place across{{segment.slot, memory.layer, entries.stateHead, entry, zero},
                 {4, 3},
                 {t.index(shape.size), entries.count}};
    t.write(t.load(valueTile, memory.values, across), valueBuffer, zero, zero,
            zero);
    RankedTensorType perEntry = t.sliceType(scores, 0);
    Value maskHead = t.divide(head, shape.queriesPerMask());
    Value mask = t.load(perEntry, memory.masks, entries.mask(maskHead, entry));
    mask = t.mul(mask, t.fill(perEntry, llvm::numbers::log2e));
    t.waitForAll(0);

    Value products = FmaOp::create(t.b, scores, queryBuffer, zero, keyBuffer,
                                   zero, t.fill(scores, 0));
    products = biased(t, shape, products, t.broadcast(mask, scores));
    products = hideLater(t, products, entry, lastOfFirst, /*samePerRow=*/false);
    RunningSoftmax softmax{state[0], state[1]};
    RunningSoftmax::Step step = softmax.take(t, products);
    t.write(step.weights, weightBuffer, zero, zero, zero);
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
  Value query, y;
  RankedTensorType scores, output, rowTile, valueTile;
  Value queryBuffer, keyBuffer, valueBuffer, weightBuffer;
  Value first, head, lastOfFirst;
  SegmentRow segment;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionF32(TileBuilder &t, const AttentionStrategy &s,
                                     const AttentionShape &shape,
                                     const AttentionMemory &memory, Value query,
                                     Value y) {
  PromptF32(t, s, shape, memory, query, y).build();
}
