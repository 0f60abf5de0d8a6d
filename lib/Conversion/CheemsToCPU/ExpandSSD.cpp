// segmented_ssd as a parallel loop over segments and heads.
#include "SegmentTable.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// The state's slice. Before a sequence's first row it is zeros, because what
/// an earlier sequence left in the slot must not be seen.
Value freshAtStart(TensorBuilder &e, Value position, Value state) {
  ImplicitLocOpBuilder &b = e.b;
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position, e.index(0));
  return scf::IfOp::create(
             b, first,
             [&](OpBuilder &b, Location loc) {
               Value zero =
                   arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
               scf::YieldOp::create(
                   b, loc,
                   linalg::FillOp::create(b, loc, zero, state).getResult(0));
             },
             [&](OpBuilder &b, Location loc) {
               scf::YieldOp::create(b, loc, state);
             })
      .getResult(0);
}

struct ExpandSSD : OpRewritePattern<SegmentedSSDOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SegmentedSSDOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder e(ImplicitLocOpBuilder(op.getLoc(), rewriter));
    ImplicitLocOpBuilder &b = e.b;
    ArrayRef<int64_t> x = op.getX().getType().getShape(),
                      ofGroups = op.getB().getType().getShape();
    int64_t heads = x[1], size = x[2], groups = ofGroups[1],
            states = ofGroups[2];
    // A row alone shares nothing.
    int64_t together = op.getOneRow() ? 1 : headsPerIteration(heads, groups);
    Value segments = op.getSegments();
    SmallVector<OpFoldResult> bounds{e.rows(segments),
                                     e.attr(heads / together)};
    auto loop = scf::ForallOp::create(
        b, bounds, ValueRange{op.getY(), op.getPool()}, std::nullopt);
    b.setInsertionPointToStart(loop.getBody());
    Value s = loop.getInductionVar(0);
    ArrayRef<BlockArgument> own = loop.getRegionOutArgs();
    Value slot = segmentField(e, segments, s, kSlot),
          start = segmentField(e, segments, s, kStart),
          position = segmentField(e, segments, s, kPosition);
    OpFoldResult count =
        op.getOneRow() ? e.attr(1)
                       : OpFoldResult(segmentField(e, segments, s, kLength));
    int64_t rows = op.getOneRow() ? 1 : ShapedType::kDynamic;
    OpFoldResult zero = e.attr(0), one = e.attr(1);
    AffineExpr h = b.getAffineDimExpr(0);
    auto apply = [&](AffineExpr map) {
      return affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), AffineMap::get(1, 0, map),
          OpFoldResult(loop.getInductionVar(1)));
    };
    OpFoldResult head = apply(h * together), shared = e.attr(together),
                 group = apply((h * together).floorDiv(heads / groups));

    SmallVector<OpFoldResult> rowOffsets{start, head, zero},
        rowSizes{count, shared, e.attr(size)};
    SmallVector<OpFoldResult> offsets{slot, op.getLayer(), head, zero, zero},
        sizes{one, one, shared, e.attr(states), e.attr(size)};
    Value state = freshAtStart(
        e, position, e.slice(own[1], offsets, sizes, {together, states, size}));
    auto ofHeads = [&](Value vector) {
      return e.slice(vector, {head}, {shared}, {together});
    };
    auto ofGroup = [&](Value all) {
      return e.slice(all, {start, group, zero}, {count, one, e.attr(states)},
                     {rows, 1, states});
    };
    Value xs = e.slice(op.getX(), rowOffsets, rowSizes, {rows, together, size}),
          steps = e.slice(op.getStep(), {start, head}, {count, shared},
                          {rows, together});
    Value as = ofHeads(op.getA()), bs = ofGroup(op.getB()),
          cs = ofGroup(op.getC());
    Value skips = op.getSkip() ? ofHeads(op.getSkip()) : Value();
    Value y = e.slice(own[0], rowOffsets, rowSizes, {rows, together, size});
    auto ssd =
        SSDOp::create(b, TypeRange{y.getType(), state.getType()}, xs, steps, as,
                      bs, cs, skips, y, state, op.getAllowBf16());

    b.setInsertionPointToStart(loop.getTerminator().getBody());
    e.insertParallel(ssd.getResult(0), own[0], rowOffsets, rowSizes);
    e.insertParallel(ssd.getResult(1), own[1], offsets, sizes);
    rewriter.replaceOp(op, loop.getResults());
    return success();
  }
};
} // namespace

void cheems::populateExpandSSDPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandSSD>(patterns.getContext());
}
