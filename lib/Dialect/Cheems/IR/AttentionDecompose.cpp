// dynamic_mask_attention as scalar loops: the maximum first, then exponentials
// and their sum. No T x T buffer.
#include "OpUtils.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// The loops' shared context for one row and query head.
struct Row {
  DynamicMaskAttentionOp op;
  Value t, head, keyHead, maskHead, size, zero, one;

  /// Score and visibility of entry j.
  std::pair<Value, Value> score(OpBuilder &b, Location loc, Value j) {
    auto dot = scf::ForOp::create(
        b, loc, zero, size, one, constantF32(b, loc, 0),
        [&](OpBuilder &b, Location loc, Value p, ValueRange sum) {
          Value q = tensor::ExtractOp::create(b, loc, op.getQuery(),
                                              ValueRange{t, head, p});
          Value k = widen(b, loc,
                          tensor::ExtractOp::create(b, loc, op.getKeys(),
                                                    ValueRange{keyHead, j, p}));
          Value product = arith::MulFOp::create(b, loc, q, k);
          scf::YieldOp::create(
              b, loc,
              arith::AddFOp::create(b, loc, sum[0], product).getResult());
        });
    Value s = arith::MulFOp::create(
        b, loc, dot.getResult(0),
        constantF32(b, loc, op.getScale().convertToDouble()));
    Value mask = tensor::ExtractOp::create(b, loc, op.getMask(),
                                           ValueRange{maskHead, j});
    Value seen = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    switch (op.getKind()) {
    case MaskKind::bias:
      s = arith::AddFOp::create(b, loc, s, mask);
      break;
    case MaskKind::threshold:
      seen = arith::CmpFOp::create(
          b, loc, arith::CmpFPredicate::OGE, mask,
          constantF32(b, loc, op.getHideBelow()->convertToDouble()));
      break;
    case MaskKind::scale:
      break;
    }
    if (op.getThreshold()) {
      Value bound = tensor::ExtractOp::create(b, loc, op.getThreshold(),
                                              ValueRange{t, maskHead});
      Value last = tensor::ExtractOp::create(b, loc, op.getLast(),
                                             ValueRange{t, maskHead});
      Value position = tensor::ExtractOp::create(b, loc, op.getPosition(),
                                                 ValueRange{maskHead, j});
      Value above =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, mask, bound);
      Value tie =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, mask, bound);
      Value late = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         position, last);
      seen = arith::OrIOp::create(b, loc, above,
                                  arith::AndIOp::create(b, loc, tie, late));
    }
    return {s, seen};
  }

  /// y[t, head, p] = map(y[t, head, p], p) for every p.
  Value update(OpBuilder &b, Location loc, Value y,
               llvm::function_ref<Value(OpBuilder &, Value, Value)> map) {
    auto loop = scf::ForOp::create(
        b, loc, zero, size, one, y,
        [&](OpBuilder &b, Location loc, Value p, ValueRange args) {
          Value old = tensor::ExtractOp::create(b, loc, args[0],
                                                ValueRange{t, head, p});
          Value next = tensor::InsertOp::create(b, loc, map(b, old, p), args[0],
                                                ValueRange{t, head, p});
          scf::YieldOp::create(b, loc, next);
        });
    return loop.getResult(0);
  }

  /// How many entries the row may see.
  Value count(OpBuilder &b, Location loc) {
    if (op.getSeen()) {
      Value seen =
          tensor::ExtractOp::create(b, loc, op.getSeen(), ValueRange{t});
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), seen);
    }
    Value before = arith::AddIOp::create(b, loc, op.getFirst(), t);
    return arith::AddIOp::create(b, loc, before, one);
  }

  Value attend(OpBuilder &b, Location loc, Value y) {
    Value count = this->count(b, loc);
    Value nothing = constantF32(b, loc, 0),
          lowest =
              constantF32(b, loc, -std::numeric_limits<double>::infinity());
    auto maximum = scf::ForOp::create(
        b, loc, zero, count, one, lowest,
        [&](OpBuilder &b, Location loc, Value j, ValueRange best) {
          auto [s, seen] = score(b, loc, j);
          Value next = arith::MaximumFOp::create(b, loc, best[0], s);
          scf::YieldOp::create(
              b, loc,
              arith::SelectOp::create(b, loc, seen, next, best[0]).getResult());
        });
    y = update(b, loc, y, [&](OpBuilder &, Value, Value) { return nothing; });
    auto weigh = scf::ForOp::create(
        b, loc, zero, count, one, ValueRange{nothing, y},
        [&](OpBuilder &b, Location loc, Value j, ValueRange args) {
          auto [s, seen] = score(b, loc, j);
          Value power = arith::SubFOp::create(b, loc, s, maximum.getResult(0));
          // A hidden entry weighs nothing whatever its score; with none seen
          // the maximum is -infinity and unused.
          Value e = arith::SelectOp::create(
              b, loc, seen, math::ExpOp::create(b, loc, power), nothing);
          Value sum = arith::AddFOp::create(b, loc, args[0], e);
          Value weight = e;
          if (op.getKind() == MaskKind::scale) {
            weight = arith::MulFOp::create(
                b, loc, e,
                tensor::ExtractOp::create(b, loc, op.getMask(),
                                          ValueRange{maskHead, j}));
          }
          Value next = update(
              b, loc, args[1], [&](OpBuilder &b, Value old, Value p) -> Value {
                Value v =
                    widen(b, loc,
                          tensor::ExtractOp::create(b, loc, op.getValues(),
                                                    ValueRange{keyHead, j, p}));
                return arith::AddFOp::create(
                    b, loc, old, arith::MulFOp::create(b, loc, weight, v));
              });
          scf::YieldOp::create(b, loc, ValueRange{sum, next});
        });
    Value sum = weigh.getResult(0);
    Value any =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, sum, nothing);
    Value divisor =
        arith::SelectOp::create(b, loc, any, sum, constantF32(b, loc, 1));
    return update(b, loc, weigh.getResult(1),
                  [&](OpBuilder &b, Value old, Value) -> Value {
                    return arith::DivFOp::create(b, loc, old, divisor);
                  });
  }
};
} // namespace

FailureOr<SmallVector<Value>>
DynamicMaskAttentionOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  auto query = cast<RankedTensorType>(getQuery().getType());
  int64_t heads = query.getDimSize(1);
  int64_t perKey = heads / cast<ShapedType>(getKeys().getType()).getDimSize(0);
  int64_t perMask = heads / cast<ShapedType>(getMask().getType()).getDimSize(0);
  Value rows = tensor::DimOp::create(b, loc, getQuery(), zero);
  auto loop = scf::ForOp::create(
      b, loc, zero, rows, one, getY(),
      [&](OpBuilder &b, Location loc, Value t, ValueRange y) {
        auto perHead = scf::ForOp::create(
            b, loc, zero, constantIndex(b, loc, heads), one, y,
            [&](OpBuilder &b, Location loc, Value h, ValueRange y) {
              Value keyHead = arith::DivUIOp::create(
                  b, loc, h, constantIndex(b, loc, perKey));
              Value maskHead = arith::DivUIOp::create(
                  b, loc, h, constantIndex(b, loc, perMask));
              Row row{*this,    t,
                      h,        keyHead,
                      maskHead, constantIndex(b, loc, query.getDimSize(2)),
                      zero,     one};
              scf::YieldOp::create(b, loc, row.attend(b, loc, y[0]));
            });
        scf::YieldOp::create(b, loc, perHead.getResults());
      });
  return SmallVector<Value>(loop.getResults());
}
