// gather_rows, positions and top_logits as loops over rows.
#include "SegmentTable.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace cheems;

namespace {
struct ExpandGatherRows : OpRewritePattern<GatherRowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherRowsOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder e(ImplicitLocOpBuilder(op.getLoc(), rewriter));
    AffineMap all = e.b.getMultiDimIdentityMap(2);
    rewriter.replaceOp(
        op, e.map(op.getIds(), all.dropResult(1), op.getY(),
                  [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                    Value row = arith::IndexCastOp::create(
                        b, loc, b.getIndexType(), args[0]);
                    Value column = linalg::IndexOp::create(b, loc, 1);
                    Value element = tensor::ExtractOp::create(
                        b, loc, op.getTable(), ValueRange{row, column});
                    return element.getType().isF32()
                               ? element
                               : arith::ExtFOp::create(b, loc, b.getF32Type(),
                                                       element)
                                     .getResult();
                  }));
    return success();
  }
};

struct ExpandPositions : OpRewritePattern<PositionsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PositionsOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder e(ImplicitLocOpBuilder(op.getLoc(), rewriter));
    ImplicitLocOpBuilder &b = e.b;
    Type i32 = b.getI32Type();
    Value segments = op.getSegments();
    Value zero = e.index(0), one = e.index(1);
    auto overSegments = scf::ForOp::create(
        b, zero, e.rows(segments), one,
        ValueRange{op.getPosition(), op.getLength()},
        [&](OpBuilder &, Location, Value s, ValueRange outer) {
          Value start = segmentField(e, segments, s, kStart);
          Value length =
              op.getOneRow() ? one : segmentField(e, segments, s, kLength);
          Value position = segmentField(e, segments, s, kPosition);
          Value reach = arith::IndexCastOp::create(
              b, i32, segmentField(e, segments, s, kRopeLength));
          auto overRows = scf::ForOp::create(
              b, zero, length, one, outer,
              [&](OpBuilder &, Location, Value t, ValueRange carried) {
                Value row = e.add(start, t);
                Value at =
                    arith::IndexCastOp::create(b, i32, e.add(position, t));
                Value positions =
                    tensor::InsertOp::create(b, at, carried[0], row);
                Value lengths =
                    tensor::InsertOp::create(b, reach, carried[1], row);
                scf::YieldOp::create(b, ValueRange{positions, lengths});
              });
          scf::YieldOp::create(b, overRows.getResults());
        });
    rewriter.replaceOp(op, overSegments.getResults());
    return success();
  }
};

/// A pass over the row for each of the best, and two for the sum.
struct ExpandTopLogits : OpRewritePattern<TopLogitsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TopLogitsOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder e(ImplicitLocOpBuilder(op.getLoc(), rewriter));
    SmallVector<Value> outs(op.getDpsInits());
    rewriter.replaceOp(op, e.loop(e.index(0), e.rows(op.getLogits()), 1, outs,
                                  [&](Value row, ValueRange carried) {
                                    return expandRow(e, op, row, carried);
                                  }));
    return success();
  }

private:
  static SmallVector<Value> expandRow(TensorBuilder &e, TopLogitsOp op,
                                      Value row, ValueRange outs) {
    ImplicitLocOpBuilder &b = e.b;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value noColumn = e.integer(b.getI32Type(), -1);
    SmallVector<Value> state = {outs[0], outs[1], e.f32(infinity), noColumn};
    SmallVector<Value> best = e.loop(
        e.index(0), e.index(op.getCount()), 1, state,
        [&](Value i, ValueRange carried) -> SmallVector<Value> {
          SmallVector<Value> found = overRow(
              e, op, row, {e.f32(-infinity), noColumn},
              [&](Value x, Value column, ValueRange so) {
                Value isBetter = isAfter(b, x, column, carried[2], carried[3]);
                isBetter = arith::AndIOp::create(
                    b, isBetter,
                    arith::OrIOp::create(
                        b, compare(b, arith::CmpFPredicate::OGT, x, so[0]),
                        arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                              so[1], noColumn)));
                return SmallVector<Value>{e.select(isBetter, x, so[0]),
                                          e.select(isBetter, column, so[1])};
              });
          SmallVector<Value> at = {row, i};
          return {tensor::InsertOp::create(b, found[0], carried[0], at),
                  tensor::InsertOp::create(b, found[1], carried[1], at),
                  found[0], found[1]};
        });
    // So that the difference of -infinity to it is a number.
    Value greatest = arith::MaximumFOp::create(
        b, tensor::ExtractOp::create(b, best[0], ValueRange{row, e.index(0)}),
        e.f32(std::numeric_limits<float>::lowest()));
    Value sum =
        overRow(e, op, row, e.f32(0),
                [&](Value x, Value, ValueRange so) -> SmallVector<Value> {
                  return {
                      e.add(so[0], math::ExpOp::create(b, e.sub(x, greatest)))};
                })
            .front();
    Value all = e.add(greatest, math::LogOp::create(b, sum));
    return {best[0], best[1], tensor::InsertOp::create(b, all, outs[2], row)};
  }

  /// Whether the logit `x` comes after one that was found before.
  static Value isAfter(ImplicitLocOpBuilder &b, Value x, Value column,
                       Value last, Value lastColumn) {
    Value isSame = arith::AndIOp::create(
        b, compare(b, arith::CmpFPredicate::OEQ, x, last),
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, column,
                              lastColumn));
    return arith::OrIOp::create(
        b, compare(b, arith::CmpFPredicate::OLT, x, last), isSame);
  }

  static Value compare(ImplicitLocOpBuilder &b, arith::CmpFPredicate how,
                       Value a, Value c) {
    return arith::CmpFOp::create(b, how, a, c);
  }

  /// Carries `state` over a row's logits and their columns, which are i32.
  static SmallVector<Value>
  overRow(TensorBuilder &e, TopLogitsOp op, Value row, ValueRange state,
          function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
    return e.loop(e.index(0), e.index(op.getVocabulary()), 1, state,
                  [&](Value v, ValueRange carried) {
                    Value x = tensor::ExtractOp::create(e.b, op.getLogits(),
                                                        ValueRange{row, v});
                    return body(
                        x, arith::IndexCastOp::create(e.b, e.b.getI32Type(), v),
                        carried);
                  });
  }
};
} // namespace

void cheems::populateExpandRowsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandGatherRows, ExpandPositions, ExpandTopLogits>(
      patterns.getContext());
}
