// Attention of one row per sequence: blocks share its entries, and a second
// kernel merges what they have.
#include "AttentionKernels.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// k that a load of 16 bytes per lane gives, and that of one instruction.
constexpr int64_t kLoadDepth = 32, kDepth = 16;

/// One kernel. Rows of its products are the query heads that share entries;
/// each warp has entries of its own.
class OneRow {
public:
  OneRow(TileBuilder &t, const AttentionStrategy &s,
         const AttentionShape &shape, const AttentionMemory &memory,
         Value query, const PartialAttention &partial)
      : t(t), s(s), shape(shape), memory(memory), query(query),
        partial(partial) {
    MLIRContext *context = t.b.getContext();
    Type f32 = t.b.getF32Type();
    // Warps have other entries: n of the first product, k of the second.
    auto first = [&](FragmentRole role, int64_t width) {
      return FragmentAttr::get(context, role, 1, s.warpsN, 1, width);
    };
    auto second = [&](FragmentRole role) {
      return FragmentAttr::get(context, role, 1, 1, s.warpsN, 2);
    };
    size = int64_t(llvm::alignTo(uint64_t(shape.size), uint64_t(kDepth)));
    queries = t.tileType({s.rows, kLoadDepth}, shape.stored,
                         first(FragmentRole::A, 8));
    keyTile = t.tileType({s.entries, kLoadDepth}, shape.stored,
                         first(FragmentRole::B, 8));
    scores = t.tileType({s.rows, s.entries}, f32, first(FragmentRole::C, 2));
    weights =
        t.tileType({s.rows, s.entries}, shape.stored, second(FragmentRole::A));
    valueTile =
        t.tileType({size, s.entries}, shape.stored, second(FragmentRole::B));
    partialSums = t.tileType({s.rows, size}, f32, second(FragmentRole::C));
    // A row of threads reads all banks of its row, or half of them, and the row
    // below the other half.
    int64_t threads = s.warps() * kWarpThreads / s.rows;
    width = size % (4 * threads) == 0 ? 4 : 2;
    auto byRow = BlockedAttr::get(context, s.rows, threads, width);
    outputs = t.tileType({s.rows, size}, f32, byRow);
    int64_t columns =
        std::max(kDepth, int64_t(llvm::bit_ceil(uint64_t(shape.size))));
    valueBuffer =
        t.alloc({1, s.entries, columns}, shape.stored, /*swizzled=*/true);
  }

  void build() {
    piece = t.block(GridDimension::X);
    first = t.mul(piece, s.entries);
    int64_t blocks = llvm::divideCeil(shape.queriesPerState(), s.rows);
    Value group = t.block(GridDimension::Y);
    stateHead = t.divide(group, blocks);
    // The block's rows among those that share the entries.
    firstRow = t.mul(t.remainder(group, blocks), s.rows);
    Value heads = t.mul(stateHead, shape.queriesPerState());
    firstHead = t.add(heads, firstRow);
    pastHeads = t.add(heads, shape.queriesPerState());
    sequence = t.block(GridDimension::Z);
    segment = loadSegment(t, memory.segments, sequence, /*oneRow=*/true);
    Value count = t.add(segment.position, 1);
    t.when(t.isLess(first, count), [&] {
      entries = {memory, segment.slot, stateHead, count};
      attend();
    });
  }

private:
  void attend() {
    Value zero = t.index(0);
    t.copy(memory.values, entries.keys(t, first, zero, shape.size), valueBuffer,
           zero, shape.alignedEntry());
    t.commit();
    Value products = t.fill(scores, 0);
    for (int64_t k = 0; k < shape.size; k += kLoadDepth) {
      Place place{{segment.start, firstHead, t.index(k)},
                  {1, 2},
                  {pastHeads, t.index(shape.size)}};
      Value left = t.load(t.withElement(queries, t.b.getF32Type()), query,
                          place, shape.alignedQuery(t));
      Value right = t.load(keyTile, memory.keys,
                           entries.keys(t, first, t.index(k), shape.size),
                           shape.alignedEntry());
      products =
          t.mma(arith::TruncFOp::create(t.b, queries, left), right, products);
    }
    products = biased(t, shape, products, masks());
    products = hideLater(t, products, first, segment.position,
                         /*samePerRow=*/true);
    RunningSoftmax softmax = RunningSoftmax::none(t, scores);
    RunningSoftmax::Step step = softmax.take(t, products);
    Value rounded = arith::TruncFOp::create(
        t.b, t.withElement(scores, shape.stored), step.weights);
    Value left = t.convertLayout(rounded, weights);
    t.waitForAll(0);
    Value right = t.readTransposed(valueTile, valueBuffer, zero, zero, zero);
    Value sums = t.mma(left, right, t.fill(partialSums, 0));
    sums = SumPartialsOp::create(t.b, outputs, sums, IntegerAttr());

    Place numbers{{sequence, firstHead, piece}, {1}, {pastHeads}};
    t.store(softmax.best, partial.best, numbers);
    t.store(softmax.sum, partial.sums, numbers);
    t.store(sums, partial.outputs,
            {{sequence, firstHead, piece, zero},
             {1, 3},
             {pastHeads, t.index(shape.size)}},
            std::min(width * int64_t(sizeof(float)), shape.alignedQuery(t)));
  }

  /// Of the rows' heads of A, in base 2.
  Value masks() {
    RankedTensorType perEntry = t.sliceType(scores, 0);
    Value all;
    for (int64_t i = 0; i < shape.masksPerState(); ++i) {
      Value maskHead = t.add(t.mul(stateHead, shape.masksPerState()), i);
      Value mask =
          t.load(perEntry, memory.masks, entries.mask(maskHead, first));
      mask = t.mul(mask, t.fill(perEntry, llvm::numbers::log2e));
      mask = t.broadcast(mask, scores);
      if (!all) {
        all = mask;
        continue;
      }
      // From this row on.
      RankedTensorType perRow = t.sliceType(scores, 1);
      Value row = t.indicesFrom(firstRow, perRow, 0);
      Value before =
          t.isLess(row, t.fillInteger(cast<RankedTensorType>(row.getType()),
                                      i * shape.queriesPerMask()));
      all = t.select(t.broadcast(before, scores), all, mask);
    }
    return all;
  }

  TileBuilder &t;
  const AttentionStrategy &s;
  const AttentionShape &shape;
  const AttentionMemory &memory;
  Value query;
  const PartialAttention &partial;
  int64_t size;  ///< of a head, as products take it
  int64_t width; ///< of a thread's parts of an output
  RankedTensorType queries, keyTile, scores, weights, valueTile, partialSums,
      outputs;
  Value valueBuffer;
  Value piece, first, stateHead, firstRow, firstHead, pastHeads, sequence;
  SegmentRow segment;
  Entries entries;
};
} // namespace

void cheems::tile::buildAttentionOfOneRow(TileBuilder &t,
                                          const AttentionStrategy &s,
                                          const AttentionShape &shape,
                                          const AttentionMemory &memory,
                                          Value query,
                                          const PartialAttention &partial) {
  OneRow(t, s, shape, memory, query, partial).build();
}

/// Each row of threads takes every so many pieces, one after the other; then
/// the rows are added. So the order depends on the number of pieces alone.
void cheems::tile::buildMergePieces(TileBuilder &t, const RowStrategy &s,
                                    const AttentionShape &shape,
                                    int64_t entriesPerPiece, Value segments,
                                    const PartialAttention &partial, Value y) {
  Value head = t.block(GridDimension::X), sequence = t.block(GridDimension::Y);
  SegmentRow segment = loadSegment(t, segments, sequence, /*oneRow=*/true);
  Value pieces = t.ceilDiv(t.add(segment.position, 1), entriesPerPiece);
  auto layout = BlockedAttr::get(t.b.getContext(), s.rows, s.threads, s.width);
  auto type = t.tileType({s.rows, s.columns}, t.b.getF32Type(), layout);
  RankedTensorType perPiece = t.sliceType(type, 1);
  int64_t aligned = shape.alignedQuery(t);
  Value zero = t.index(0);
  SmallVector<Value> none = {t.fill(perPiece, kNoScore), t.fill(perPiece, 0),
                             t.fill(type, 0)};
  SmallVector<Value> state =
      t.loop(zero, pieces, s.rows, none,
             [&](Value first, ValueRange now) -> SmallVector<Value> {
               Place numbers{{sequence, head, first}, {2}, {pieces}};
               Value best = t.load(perPiece, partial.best, numbers);
               Value sums = t.load(perPiece, partial.sums, numbers);
               Value outputs = t.load(type, partial.outputs,
                                      {{sequence, head, first, zero},
                                       {2, 3},
                                       {pieces, t.index(shape.size)}},
                                      aligned);
               Value number = t.indicesFrom(first, perPiece, 0);
               auto i32 = cast<RankedTensorType>(number.getType());
               Value last = t.splat(i32, arith::IndexCastOp::create(
                                             t.b, t.b.getI32Type(), pieces));
               best = t.select(t.isLess(number, last), best, none[0]);
               Value next = t.maximum(now[0], best);
               Value shrink = t.exp2(t.sub(now[0], next));
               Value share = t.exp2(t.sub(best, next));
               Value sum = t.fma(now[1], shrink, t.mul(sums, share));
               Value output = t.fma(now[2], t.broadcast(shrink, type),
                                    t.mul(outputs, t.broadcast(share, type)));
               return {next, sum, output};
             });
  Value best = t.broadcast(state[0], type);
  Value highest = t.broadcast(t.reduce(Combine::Maximum, best, 0), type);
  Value share = t.exp2(t.sub(best, highest));
  Value sum =
      t.reduce(Combine::Add, t.mul(t.broadcast(state[1], type), share), 0);
  Value output = t.reduce(Combine::Add, t.mul(state[2], share), 0);
  t.store(arith::DivFOp::create(t.b, output, sum), y,
          {{segment.start, head, zero}, {2}}, aligned);
}
