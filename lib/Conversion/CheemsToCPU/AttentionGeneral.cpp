// Attention's loops for any segments.
#include "AttentionLoops.h"
#include "SegmentTable.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"

using namespace mlir;

namespace cheems {

void AttentionLoops::putBack(ValueRange pools, const Sequence &of,
                             ValueRange state) {
  for (auto [i, pool] : llvm::enumerate(pools)) {
    e.insertParallel(state[i], pool, of.offsets[i], of.sizes[i]);
  }
}

void AttentionLoops::putRows(Value y, Value output, const Extents &offsets,
                             const Extents &sizes) {
  e.insertParallel(y, output, offsets, sizes);
}

/// True where rows will have to go again, or some had to before.
Value AttentionLoops::evicts(const Sequence &of) {
  return arith::CmpIOp::create(e.b, arith::CmpIPredicate::ugt,
                               e.add(of.position, of.length),
                               e.index(*op.getKeep()));
}

/// `length` where `condition` is as `wanted`, else 0.
Value AttentionLoops::lengthIf(Value condition, bool wanted, Value length) {
  Value none = e.index(0);
  return wanted ? arith::SelectOp::create(e.b, condition, length, none)
                : arith::SelectOp::create(e.b, condition, none, length);
}

/// Stores each sequence's rows. Rows that need what the rows before them left
/// also attend here. Returns y [T, H, P].
Value AttentionLoops::store() {
  ImplicitLocOpBuilder &b = e.b;
  constexpr int64_t any = ShapedType::kDynamic;
  bool inOrder = op.getKeep() || op.getCounts();
  SmallVector<Value> shared;
  if (inOrder) {
    shared.push_back(output());
  }
  llvm::append_range(shared, statePools);
  SmallVector<OpFoldResult> bounds{e.rows(op.getSegments()),
                                   e.attr(visible.size())};
  auto loop = scf::ForallOp::create(b, bounds, shared, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ValueRange own = loop.getRegionOutArgs();
  ValueRange pools = inOrder ? own.drop_front() : own;
  Sequence of = sequenceOf(loop.getInductionVar(0), loop.getInductionVar(1),
                           pools, /*decode=*/false);
  AttentionState sequence = stateOf(of);
  Value counts;
  if (op.getCounts()) {
    counts = sequence.takeCount(of.position);
  }
  auto [offsets, sizes] = placeOf(of, of.start, of.length);
  Value y;
  if (inOrder) {
    y = e.slice(own[0], offsets, sizes, {any, queries, size});
  }
  if (op.getKeep()) {
    Value evicted = evicts(of);
    sequence.appendAll(of.start, lengthIf(evicted, false, of.length),
                       of.position);
    y = sequence.inBlocks(of.start, lengthIf(evicted, true, of.length),
                          of.position, y);
  } else if (op.getCounts()) {
    y = sequence.inBlocks(of.start, of.length, of.position, y);
  } else {
    sequence.appendAll(of.start, of.length, of.position);
  }
  SmallVector<Value> state = sequence.entries;
  if (op.getCounts()) {
    state.push_back(sequence.putCount(counts));
  }
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  if (inOrder) {
    putRows(y, own[0], offsets, sizes);
  }
  putBack(pools, of, state);
  ResultRange results = loop.getResults();
  ValueRange after = inOrder ? ValueRange(results).drop_front() : results;
  statePools.assign(after.begin(), after.end());
  return inOrder ? Value(results[0]) : Value();
}

/// Rows that see all rows before them, in blocks that threads share. A sequence
/// may have fewer heads than there are threads.
Value AttentionLoops::attend(Value output) {
  ImplicitLocOpBuilder &b = e.b;
  constexpr int64_t any = ShapedType::kDynamic;
  int64_t most = op.getBlock();
  AffineExpr rows = b.getAffineDimExpr(0);
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(1, 0, rows.ceilDiv(most)),
      {e.rows(op.getQuery())});
  SmallVector<OpFoldResult> bounds{e.rows(op.getSegments()),
                                   e.attr(visible.size()), blocks};
  auto loop =
      scf::ForallOp::create(b, bounds, ValueRange{output}, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Sequence of = sequenceOf(loop.getInductionVar(0), loop.getInductionVar(1),
                           statePools, /*decode=*/false);
  Value length = of.length;
  if (op.getKeep()) {
    length = lengthIf(evicts(of), false, length);
  }
  // Late blocks see more entries than early ones. So blocks are taken from both
  // ends by turns, and each thread gets as much work. Past the last block,
  // nothing is left.
  Value turn = loop.getInductionVar(2), one = e.index(1);
  Value count = arith::CeilDivUIOp::create(b, length, e.index(most));
  Value half = arith::ShRUIOp::create(b, turn, one);
  Value odd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                    arith::AndIOp::create(b, turn, one), one);
  Value fromEnd =
      arith::SubIOp::create(b, arith::SubIOp::create(b, count, one), half);
  Value block = arith::SelectOp::create(b, odd, fromEnd, half);
  Value inside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, turn, count);
  block = arith::SelectOp::create(b, inside, block, e.index(0));
  Value first = arith::MulIOp::create(b, block, e.index(most));
  Value left = arith::MinUIOp::create(b, e.index(most),
                                      arith::SubIOp::create(b, length, first));
  left = lengthIf(inside, true, left);
  Value row = e.add(of.start, first);
  auto [offsets, sizes] = placeOf(of, row, left);
  Value y =
      e.slice(loop.getRegionOutArgs()[0], offsets, sizes, {any, queries, size});
  y = stateOf(of).attendTo(row, left, e.add(of.position, first), y);
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  putRows(y, loop.getRegionOutArgs()[0], offsets, sizes);
  return loop.getResult(0);
}

Value AttentionLoops::general() {
  Value stored = store();
  if (op.getCounts()) {
    return stored;
  }
  return attend(stored ? stored : output());
}

namespace {
struct ExpandAttention : OpRewritePattern<SegmentedAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SegmentedAttentionOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder e(ImplicitLocOpBuilder(op.getLoc(), rewriter));
    AttentionLoops loops(e, op);
    SmallVector<Value> results{op.getOneRow() ? loops.decode()
                                              : loops.general()};
    llvm::append_range(results, loops.updatedPools());
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void populateExpandAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandAttention>(patterns.getContext());
}
} // namespace cheems
