// What splits of a row's entries give is added in the order of splits. Their
// shares are powers of two of the difference to the greatest bound of all: so a
// sum is the same one, whoever computes it.
#include "SplitMerging.h"
#include "Strategy/LoadsAhead.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// How many entries a query head reads of a sequence that has one row.
static Value entriesOfOneRow(TileBuilder &t, const AttentionShape &shape,
                             const AttentionMemory &memory,
                             const SegmentRow &segment, Value head) {
  if (memory.seen) {
    return loadIndex(t, memory.seen,
                     {segment.start, t.divide(head, shape.queriesPerState())});
  }
  Value count = t.add(segment.position, 1);
  Value sees = seesRows(t, shape, t.divide(head, shape.queriesPerMask()));
  return sees ? t.select(sees, count, t.index(0)) : count;
}

/// Bounds of splits whose numbers are `numbers`; kNoScore from `count` on.
static Value known(TileBuilder &t, Value best, Value numbers, Value count) {
  auto type = cast<RankedTensorType>(best.getType());
  return t.select(t.isLess(numbers, t.splatIndex(type, count)), best,
                  t.fill(type, kNoScore));
}

void cheems::tile::buildMergeSplits(TileBuilder &t, RowTileAttr s,
                                    const AttentionShape &shape,
                                    int64_t entriesPerSplit,
                                    const AttentionMemory &memory,
                                    const PartialAttention &partial, Value y) {
  Value head = t.block(GridDimension::X), sequence = t.block(GridDimension::Y);
  SegmentRow segment =
      loadSegment(t, memory.segments, sequence, /*oneRow=*/true);
  Value entries = entriesOfOneRow(t, shape, memory, segment, head),
        count = t.ceilDiv(entries, entriesPerSplit);
  auto layout = BlockedAttr::get(t.b.getContext(), s.getRows(), s.getThreads(),
                                 s.getWidth());
  auto type =
      t.tileType({s.getRows(), s.getColumns()}, t.b.getF32Type(), layout);
  RankedTensorType perRow = t.sliceType(type, 1);
  Value zero = t.index(0), nextSequence = t.add(sequence, 1);
  if (shape.window) { // the first split is that in which it begins
    Value window = t.index(shape.window);
    count = t.sub(count, t.divide(t.sub(t.maximum(entries, window), window),
                                  entriesPerSplit));
  }

  Value best =
      t.loop(zero, count, s.getColumns(), t.fill(type, kNoScore),
             [&](Value first, ValueRange now) -> SmallVector<Value> {
               Value next = t.load(
                   type, partial.best,
                   {{sequence, first, head}, {0, 1}, {nextSequence, count}});
               next = known(t, next, t.indicesFrom(first, type, 1), count);
               return {t.maximum(now[0], next)};
             })[0];
  Value highest = t.reduce(Combine::Maximum, best, 1);
  SmallVector<Value> state =
      t.loop(zero, count, kSplitsAhead, {t.fill(perRow, 0), t.fill(type, 0)},
             [&](Value first, ValueRange now) -> SmallVector<Value> {
               SmallVector<Value> shares, sums, outputs;
               for (int64_t i = 0; i < kSplitsAhead; ++i) {
                 Value piece = t.add(first, i);
                 Place numbers{{sequence, piece, head}, {1}, {count}};
                 Value own = known(t, t.load(perRow, partial.best, numbers),
                                   t.splatIndex(perRow, piece), count);
                 shares.push_back(t.exp2(t.sub(own, highest)));
                 sums.push_back(t.load(perRow, partial.sums, numbers));
                 outputs.push_back(t.load(type, partial.outputs,
                                          {{sequence, piece, head, zero},
                                           {1, 3},
                                           {count, t.index(shape.size)}},
                                          shape.alignedQuery(t)));
               }
               Value sum = now[0], output = now[1];
               for (auto [share, ofSums, ofOutputs] :
                    llvm::zip_equal(shares, sums, outputs)) {
                 sum = t.fma(ofSums, share, sum);
                 output = t.fma(ofOutputs, t.broadcast(share, type), output);
               }
               return {sum, output};
             });
  Value sum = t.broadcast(divisorOf(t, shape, state[0]), type);
  storeOutput(t, arith::DivFOp::create(t.b, state[1], sum), y,
              {{segment.start, head, zero},
               {1, 2},
               {t.add(head, 1), t.index(shape.size)}},
              shape.alignedQuery(t));
}

RowMerger::RowMerger(TileBuilder &t, MergeTileAttr s, RowTileAttr row,
                     const SplitsOfRow &pieces)
    : s(s), pieces(pieces) {
  auto layout = BlockedAttr::get(t.b.getContext(), row.getRows(),
                                 row.getThreads(), row.getWidth());
  rowType =
      t.tileType({row.getRows(), row.getColumns()}, t.b.getF32Type(), layout);
  // Columns after the row are those of heads that there are not.
  columns = int64_t(llvm::alignTo(
      uint64_t(std::max(pieces.heads, int64_t(llvm::divideCeil(row.getColumns(),
                                                               pieces.size)))),
      uint64_t(kWarpThreads)));
  buffer = t.alloc({kStages, s.getMost(), columns}, t.b.getF32Type(),
                   /*swizzled=*/false);
}

/// A warp has a split at a time, a lane some heads.
RankedTensorType RowMerger::numbersType(TileBuilder &t, int64_t rows) const {
  auto layout = BlockedAttr::get(t.b.getContext(), s.getWarps(), kWarpThreads,
                                 /*width=*/1);
  return t.tileType({rows, columns}, t.b.getF32Type(), layout);
}

Value RowMerger::pick(TileBuilder &t, Stage stage, Value piece,
                      Value heads) const {
  Value rows = t.splatIndex(cast<RankedTensorType>(heads.getType()), piece);
  return t.pick(buffer, t.index(stage), rows, heads);
}

/// Writes the share of each split of each head, and what heads are divided by.
void RowMerger::weigh(TileBuilder &t, ValueRange memory, Value count) const {
  RankedTensorType type = numbersType(t, s.getMost());
  Value zero = t.index(0);
  Place place{{zero, zero, zero}, {1, 2}, {count, t.index(pieces.heads)}};
  Value best = known(t, t.load(type, memory[1], place),
                     t.indicesFrom(zero, type, 0), count);
  Value sums = t.load(type, memory[2], place);
  Value highest = t.reduce(Combine::Maximum, best, 0);
  t.write(t.exp2(t.sub(best, t.broadcast(highest, type))), buffer,
          t.index(kShares), zero, zero);
  t.write(sums, buffer, t.index(kSums), zero, zero);
  t.barrier();
  RankedTensorType perHead = numbersType(t, s.getWarps());
  Value heads = IndicesOp::create(t.b, t.withElement(perHead, t.b.getI32Type()),
                                  uint64_t(1));
  Value total = t.loop(zero, count, 1, t.fill(perHead, 0),
                       [&](Value piece, ValueRange now) -> SmallVector<Value> {
                         return {t.fma(pick(t, kSums, piece, heads),
                                       pick(t, kShares, piece, heads), now[0])};
                       })[0];
  // A head that sees nothing, or that is none, gives zero.
  Value isNone = arith::CmpFOp::create(t.b, arith::CmpFPredicate::OEQ, total,
                                       t.fill(perHead, 0));
  t.write(t.select(isNone, t.fill(perHead, 1), total), buffer,
          t.index(kDivisors), zero, zero);
  t.barrier();
}

Value RowMerger::merge(TileBuilder &t, ValueRange memory) const {
  Value zero = t.index(0);
  SegmentRow segment = loadSegment(t, memory[0], zero, /*oneRow=*/true);
  Value count = t.ceilDiv(t.add(segment.position, 1), pieces.entries);
  Value length = t.index(pieces.heads * pieces.size);
  auto load = [&](Value first) {
    SmallVector<Value> outputs;
    for (int64_t i = 0; i < s.getAhead(); ++i) {
      Value piece = t.add(first, i);
      // The row of others would be a split after it.
      Value past = t.minimum(t.add(piece, 1), count);
      outputs.push_back(t.load(
          rowType, memory[3], {{zero, piece, zero}, {1, 2}, {past, length}},
          alignmentOf(pieces.heads * pieces.size, t.b.getF32Type())));
    }
    return outputs;
  };
  RankedTensorType numbers = t.withElement(rowType, t.b.getI32Type());
  Value heads =
      arith::DivUIOp::create(t.b, IndicesOp::create(t.b, numbers, uint64_t(1)),
                             t.fillInteger(numbers, pieces.size));
  auto add = [&](ArrayRef<Value> outputs, Value first, Value sum) {
    for (auto [i, output] : llvm::enumerate(outputs)) {
      Value share = pick(t, kShares, t.add(first, int64_t(i)), heads);
      sum = t.fma(output, share, sum);
    }
    return sum;
  };
  // Outputs of the first splits come while they are weighed.
  SmallVector<Value> outputs = load(zero);
  weigh(t, memory, count);
  Value sum = add(outputs, zero, t.fill(rowType, 0));
  sum = t.loop(t.index(s.getAhead()), count, s.getAhead(), sum,
               [&](Value first, ValueRange now) -> SmallVector<Value> {
                 return {add(load(first), first, now[0])};
               })[0];
  return arith::DivFOp::create(t.b, sum, pick(t, kDivisors, zero, heads));
}
