// Attention of one row and head at a time: keys in blocks of 16, scores and
// weights in one vector, the weighted values in registers. The running maximum
// moves the sums when it grows, so no row of scores is ever stored.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kBlock = 16; // keys at a time

struct Attention {
  OpBuilder &b;
  Location loc;
  DynamicMaskAttentionOp op;
  VectorType head, block; // P x f32, 16 x f32
  Value zero, one, lowest, nothing;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value f32(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value spread(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, loc, type, scalar);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }

  /// Row j of keys or values, widened.
  Value row(Value entries, Value keyHead, Value j) {
    Type element = cast<MemRefType>(entries.getType()).getElementType();
    Value stored = vector::LoadOp::create(
        b, loc, VectorType::get(head.getShape(), element), entries,
        ValueRange{keyHead, j, zero});
    return element.isF32()
               ? stored
               : arith::ExtFOp::create(b, loc, head, stored).getResult();
  }

  Value entries(Value buffer, Value maskHead, Value from, Value inside,
                TypedAttr fill) {
    auto type = VectorType::get(
        {kBlock}, cast<MemRefType>(buffer.getType()).getElementType());
    Value pass = spread(type, arith::ConstantOp::create(b, loc, fill));
    return vector::MaskedLoadOp::create(
        b, loc, type, buffer, ValueRange{maskHead, from}, inside, pass);
  }

  /// Which of the block's entries row t sees, given those inside the row's
  /// range.
  Value visible(Value inside, Value mask, Value from, Value t, Value maskHead) {
    auto both = [&](Value a, Value c) -> Value {
      return arith::AndIOp::create(b, loc, a, c);
    };
    if (op.getKind() == MaskKind::threshold) {
      Value bound = spread(block, f32(op.getHideBelow()->convertToDouble()));
      return both(inside, arith::CmpFOp::create(
                              b, loc, arith::CmpFPredicate::OGE, mask, bound));
    }
    if (!op.getThreshold()) {
      return inside;
    }
    Value position = entries(op.getPosition(), maskHead, from, inside,
                             b.getI32IntegerAttr(0));
    Value bound =
        spread(block, memref::LoadOp::create(b, loc, op.getThreshold(),
                                             ValueRange{t, maskHead}));
    Value last = spread(
        cast<VectorType>(position.getType()),
        memref::LoadOp::create(b, loc, op.getLast(), ValueRange{t, maskHead}));
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, mask, bound);
    Value tie =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, mask, bound);
    Value late = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                       position, last);
    return both(inside, arith::OrIOp::create(b, loc, above, both(tie, late)));
  }

  /// One block of keys: new maximum, sum and weighted values.
  SmallVector<Value> step(Value from, Value count, Value q, Value t,
                          Value keyHead, Value maskHead, ValueRange state) {
    Value left = arith::SubIOp::create(b, loc, count, from);
    Value inside = vector::CreateMaskOp::create(
        b, loc, VectorType::get({kBlock}, b.getI1Type()), left);
    Value final = arith::SubIOp::create(b, loc, count, one);
    SmallVector<Value> places;
    Value scores = spread(block, nothing);
    auto fast = arith::FastMathFlagsAttr::get(b.getContext(),
                                              arith::FastMathFlags::reassoc);
    for (int64_t i = 0; i < kBlock; ++i) {
      // Past the end the last key is read again: its lane is hidden, its
      // address is valid.
      Value j = arith::AddIOp::create(b, loc, from, index(i));
      places.push_back(arith::MinUIOp::create(b, loc, j, final));
      Value product = arith::MulFOp::create(
          b, loc, q, row(op.getKeys(), keyHead, places.back()));
      Value dot = vector::ReductionOp::create(
          b, loc, vector::CombiningKind::ADD, product, fast.getValue());
      scores =
          vector::InsertOp::create(b, loc, dot, scores, ArrayRef<int64_t>{i});
    }
    Value mask =
        entries(op.getMask(), maskHead, from, inside, b.getF32FloatAttr(0));
    if (op.getKind() == MaskKind::bias) {
      scores = arith::AddFOp::create(b, loc, scores, mask);
    }
    scores = select(visible(inside, mask, from, t, maskHead), scores,
                    spread(block, lowest));
    Value best = vector::ReductionOp::create(
        b, loc, vector::CombiningKind::MAXIMUMF, scores);
    Value maximum = arith::MaximumFOp::create(b, loc, state[0], best);
    // While nothing is seen the maximum is -infinity; 0 in its place keeps
    // every exponential at 0 and not NaN.
    Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                       maximum, lowest);
    Value origin = select(none, nothing, maximum);
    Value shrink = math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, state[0], origin));
    Value weights = math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, scores, spread(block, origin)));
    Value total = vector::ReductionOp::create(
        b, loc, vector::CombiningKind::ADD, weights, fast.getValue());
    Value sum = math::FmaOp::create(b, loc, state[1], shrink, total);
    if (op.getKind() == MaskKind::scale) {
      weights = arith::MulFOp::create(b, loc, weights, mask);
    }
    Value mixed = arith::MulFOp::create(b, loc, state[2], spread(head, shrink));
    for (int64_t i = 0; i < kBlock; ++i) {
      Value weight =
          vector::ExtractOp::create(b, loc, weights, ArrayRef<int64_t>{i});
      mixed =
          vector::FMAOp::create(b, loc, spread(head, weight),
                                row(op.getValues(), keyHead, places[i]), mixed);
    }
    return {maximum, sum, mixed};
  }

  void attend(Value t, Value h, Value keyHead, Value maskHead) {
    Value q = vector::LoadOp::create(b, loc, head, op.getQuery(),
                                     ValueRange{t, h, zero});
    q = arith::MulFOp::create(
        b, loc, q, spread(head, f32(op.getScale().convertToDouble())));
    Value count = arith::AddIOp::create(
        b, loc, arith::AddIOp::create(b, loc, op.getFirst(), t), one);
    if (op.getSeen()) {
      count = arith::IndexCastOp::create(
          b, loc, b.getIndexType(),
          memref::LoadOp::create(b, loc, op.getSeen(), t));
    }
    auto loop = scf::ForOp::create(
        b, loc, zero, count, index(kBlock),
        ValueRange{lowest, nothing, spread(head, nothing)},
        [&](OpBuilder &, Location, Value from, ValueRange state) {
          scf::YieldOp::create(
              b, loc, step(from, count, q, t, keyHead, maskHead, state));
        });
    Value sum = loop.getResult(1);
    Value any =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, sum, nothing);
    Value divisor = spread(head, select(any, sum, f32(1)));
    Value y = arith::DivFOp::create(b, loc, loop.getResult(2), divisor);
    vector::StoreOp::create(b, loc, y, op.getY(), ValueRange{t, h, zero});
  }
};
} // namespace

LogicalResult cheems::lowerAttention(DynamicMaskAttentionOp op,
                                     RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto query = cast<MemRefType>(op.getQuery().getType());
  int64_t heads = query.getDimSize(1), size = query.getDimSize(2);
  int64_t perKey =
      heads / cast<MemRefType>(op.getKeys().getType()).getDimSize(0);
  int64_t perMask =
      heads / cast<MemRefType>(op.getMask().getType()).getDimSize(0);
  Type f32 = rewriter.getF32Type();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value lowest = arith::ConstantOp::create(
      rewriter, loc,
      rewriter.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
  Value nothing =
      arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
  Attention attention{rewriter,
                      loc,
                      op,
                      VectorType::get({size}, f32),
                      VectorType::get({kBlock}, f32),
                      zero,
                      one,
                      lowest,
                      nothing};
  Value rows = memref::DimOp::create(rewriter, loc, op.getQuery(), zero);
  scf::ForOp::create(
      rewriter, loc, zero, attention.index(heads), one, ValueRange{},
      [&](OpBuilder &, Location, Value h, ValueRange) {
        Value keyHead =
            arith::DivUIOp::create(rewriter, loc, h, attention.index(perKey));
        Value maskHead =
            arith::DivUIOp::create(rewriter, loc, h, attention.index(perMask));
        scf::ForOp::create(rewriter, loc, zero, rows, one, ValueRange{},
                           [&](OpBuilder &, Location, Value t, ValueRange) {
                             attention.attend(t, h, keyHead, maskHead);
                             scf::YieldOp::create(rewriter, loc);
                           });
        scf::YieldOp::create(rewriter, loc);
      });
  return success();
}
