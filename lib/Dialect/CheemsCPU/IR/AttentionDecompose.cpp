// dynamic_mask_attention as scalar loops: the maximum first, then exponentials
// and their sum. No T x T buffer.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

std::pair<Value, Value> AttentionRow::score(OpBuilder &b, Location loc,
                                            Value j) const {
  auto dot = scf::ForOp::create(
      b, loc, zero, constantIndex(b, loc, size), one, constantF32(b, loc, 0),
      [&](OpBuilder &b, Location loc, Value p, ValueRange sum) {
        Value q =
            tensor::ExtractOp::create(b, loc, query, ValueRange{t, head, p});
        Value k = widen(
            b, loc,
            tensor::ExtractOp::create(b, loc, keys, ValueRange{keyHead, j, p}));
        Value product = arith::MulFOp::create(b, loc, q, k);
        scf::YieldOp::create(
            b, loc, arith::AddFOp::create(b, loc, sum[0], product).getResult());
      });
  Value s = dot.getResult(0);
  if (keyScales) {
    s = arith::MulFOp::create(
        b, loc, s,
        tensor::ExtractOp::create(b, loc, keyScales, ValueRange{keyHead, j}));
  }
  s = arith::MulFOp::create(b, loc, s, constantF32(b, loc, scale));
  Value masked =
      mask ? tensor::ExtractOp::create(b, loc, mask, ValueRange{maskHead, j})
                 .getResult()
           : Value();
  Value shown = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  switch (kind) {
  case MaskKind::Bias:
    s = arith::AddFOp::create(b, loc, s, masked);
    break;
  case MaskKind::Threshold:
    shown = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, masked,
                                  constantF32(b, loc, *hideBelow));
    break;
  case MaskKind::Scale:
  case MaskKind::None:
    break;
  }
  if (threshold) {
    Value bound =
        tensor::ExtractOp::create(b, loc, threshold, ValueRange{t, maskHead});
    Value worst =
        tensor::ExtractOp::create(b, loc, last, ValueRange{t, maskHead});
    Value at =
        tensor::ExtractOp::create(b, loc, position, ValueRange{maskHead, j});
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, masked, bound);
    Value tie =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, masked, bound);
    Value early =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, at, worst);
    shown = arith::OrIOp::create(b, loc, above,
                                 arith::AndIOp::create(b, loc, tie, early));
  }
  return {s, shown};
}

Value AttentionRow::weight(OpBuilder &b, Location loc, Value e, Value j) const {
  auto times = [&](Value factors, Value of) {
    Value factor =
        tensor::ExtractOp::create(b, loc, factors, ValueRange{of, j});
    e = arith::MulFOp::create(b, loc, e, factor);
  };
  if (kind == MaskKind::Scale) {
    times(mask, maskHead);
  }
  if (valueScales) {
    times(valueScales, keyHead);
  }
  return e;
}

Value AttentionRow::update(
    OpBuilder &b, Location loc, Value y,
    llvm::function_ref<Value(OpBuilder &, Value, Value)> map) const {
  auto loop = scf::ForOp::create(
      b, loc, zero, constantIndex(b, loc, size), one, y,
      [&](OpBuilder &b, Location loc, Value p, ValueRange args) {
        Value old =
            tensor::ExtractOp::create(b, loc, args[0], ValueRange{t, head, p});
        Value next = tensor::InsertOp::create(b, loc, map(b, old, p), args[0],
                                              ValueRange{t, head, p});
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

Value AttentionRow::add(OpBuilder &b, Location loc, Value y, Value weight,
                        Value j) const {
  return update(b, loc, y, [&](OpBuilder &b, Value old, Value p) -> Value {
    Value v = widen(
        b, loc,
        tensor::ExtractOp::create(b, loc, values, ValueRange{keyHead, j, p}));
    return arith::AddFOp::create(b, loc, old,
                                 arith::MulFOp::create(b, loc, weight, v));
  });
}

/// Entries of the sequence [first, count); `ring`: how many of them are stored,
/// each in the place of an earlier one, or null.
static Value attend(const AttentionRow &row, OpBuilder &b, Location loc,
                    Value first, Value count, Value ring, Value y) {
  auto placeOf = [&](OpBuilder &b, Location loc, Value j) -> Value {
    return ring ? arith::RemUIOp::create(b, loc, j, ring).getResult() : j;
  };
  Value zeroF32 = constantF32(b, loc, 0),
        lowest = constantF32(b, loc, -std::numeric_limits<double>::infinity());
  auto maximum = scf::ForOp::create(
      b, loc, first, count, row.one, lowest,
      [&](OpBuilder &b, Location loc, Value j, ValueRange best) {
        auto [s, shown] = row.score(b, loc, placeOf(b, loc, j));
        Value next = arith::MaximumFOp::create(b, loc, best[0], s);
        scf::YieldOp::create(
            b, loc,
            arith::SelectOp::create(b, loc, shown, next, best[0]).getResult());
      });
  y = row.update(b, loc, y, [&](OpBuilder &, Value, Value) { return zeroF32; });
  auto weigh = scf::ForOp::create(
      b, loc, first, count, row.one, ValueRange{zeroF32, y},
      [&](OpBuilder &b, Location loc, Value j, ValueRange args) {
        j = placeOf(b, loc, j);
        auto [s, shown] = row.score(b, loc, j);
        Value power = arith::SubFOp::create(b, loc, s, maximum.getResult(0));
        // A hidden entry has no weight, whatever its score is. If no entry is
        // seen, the maximum is -infinity and is not used.
        Value e = arith::SelectOp::create(
            b, loc, shown, math::ExpOp::create(b, loc, power), zeroF32);
        Value sum = arith::AddFOp::create(b, loc, args[0], e);
        Value next = row.add(b, loc, args[1], row.weight(b, loc, e, j), j);
        scf::YieldOp::create(b, loc, ValueRange{sum, next});
      });
  Value sum = weigh.getResult(0);
  Value any =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, sum, zeroF32);
  Value divisor =
      arith::SelectOp::create(b, loc, any, sum, constantF32(b, loc, 1));
  return row.update(b, loc, weigh.getResult(1),
                    [&](OpBuilder &b, Value old, Value) -> Value {
                      return arith::DivFOp::create(b, loc, old, divisor);
                    });
}

FailureOr<SmallVector<Value>>
DynamicMaskAttentionOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value heads = constantIndex(b, loc, shapeOf(getQuery())[1]);
  Value rows = tensor::DimOp::create(b, loc, getQuery(), zero), ring;
  if (getWindow()) {
    ring = tensor::DimOp::create(b, loc, getKeys(), one);
  }
  auto loop = scf::ForOp::create(
      b, loc, zero, rows, one, getY(),
      [&](OpBuilder &b, Location loc, Value t, ValueRange y) {
        Value first = entriesPassed(*this, b, loc, t),
              count = entriesSeen(*this, b, loc, t);
        auto perHead = scf::ForOp::create(
            b, loc, zero, heads, one, y,
            [&](OpBuilder &b, Location loc, Value h, ValueRange y) {
              AttentionRow row(*this, b, loc, t, h);
              scf::YieldOp::create(
                  b, loc, attend(row, b, loc, first, count, ring, y[0]));
            });
        scf::YieldOp::create(b, loc, perHead.getResults());
      });
  return SmallVector<Value>(loop.getResults());
}
