// gather_rows and positions as loops over rows.
#include "SegmentTable.h"
#include "cheems/Conversion/CheemsToCPU/Patterns.h"

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
} // namespace

void cheems::populateExpandRowsPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandGatherRows, ExpandPositions>(patterns.getContext());
}
