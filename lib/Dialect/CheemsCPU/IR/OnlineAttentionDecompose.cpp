// online_attention as scalar loops. The block's maximum comes first. If the row
// sees anything, its exponentials are then added to the rescaled state.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// maximum [T, H], sum [T, H] and y [T, H, P].
using State = SmallVector<Value>;
} // namespace

/// Whether the row sees one of the block's entries [first, count), and their
/// highest score.
static std::pair<Value, Value> highest(const AttentionRow &row, OpBuilder &b,
                                       Location loc, Value first, Value count) {
  Value none = arith::ConstantOp::create(b, loc, b.getBoolAttr(false)),
        lowest = constantF32(b, loc, -std::numeric_limits<double>::infinity());
  auto loop = scf::ForOp::create(
      b, loc, first, count, row.one, ValueRange{none, lowest},
      [&](OpBuilder &b, Location loc, Value j, ValueRange args) {
        auto [s, shown] = row.score(b, loc, j);
        Value any = arith::OrIOp::create(b, loc, args[0], shown);
        Value higher = arith::MaximumFOp::create(b, loc, args[1], s);
        Value best = arith::SelectOp::create(b, loc, shown, higher, args[1]);
        scf::YieldOp::create(b, loc, ValueRange{any, best});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

static State accumulate(const AttentionRow &row, OpBuilder &b, Location loc,
                        Value first, Value count, Value best,
                        ValueRange state) {
  SmallVector<Value> place{row.t, row.head};
  Value before = tensor::ExtractOp::create(b, loc, state[0], place);
  Value maximum = arith::MaximumFOp::create(b, loc, before, best);
  Value shrink = math::ExpOp::create(
      b, loc, arith::SubFOp::create(b, loc, before, maximum));
  Value y = row.update(b, loc, state[2],
                       [&](OpBuilder &b, Value old, Value) -> Value {
                         return arith::MulFOp::create(b, loc, old, shrink);
                       });
  Value sum = arith::MulFOp::create(
      b, loc, tensor::ExtractOp::create(b, loc, state[1], place), shrink);
  auto loop = scf::ForOp::create(
      b, loc, first, count, row.one, ValueRange{sum, y},
      [&](OpBuilder &b, Location loc, Value j, ValueRange args) {
        auto [s, shown] = row.score(b, loc, j);
        Value power = arith::SubFOp::create(b, loc, s, maximum);
        Value e = arith::SelectOp::create(b, loc, shown,
                                          math::ExpOp::create(b, loc, power),
                                          constantF32(b, loc, 0));
        Value next = arith::AddFOp::create(b, loc, args[0], e);
        Value mixed = row.add(b, loc, args[1], row.weight(b, loc, e, j), j);
        scf::YieldOp::create(b, loc, ValueRange{next, mixed});
      });
  return {tensor::InsertOp::create(b, loc, maximum, state[0], place),
          tensor::InsertOp::create(b, loc, loop.getResult(0), state[1], place),
          loop.getResult(1)};
}

FailureOr<SmallVector<Value>>
OnlineAttentionOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value heads = constantIndex(b, loc, shapeOf(getQuery())[1]);
  Value rows = tensor::DimOp::create(b, loc, getQuery(), zero),
        entries = tensor::DimOp::create(b, loc, getKeys(), one);
  auto perRow = [&](OpBuilder &b, Location loc, Value t, ValueRange outer) {
    // The row sees so many of the block's entries. The count is negative if it
    // sees none.
    Value count =
        arith::SubIOp::create(b, loc, entriesSeen(*this, b, loc, t), getFrom());
    count = arith::MinSIOp::create(b, loc, count, entries);
    Value first = zero;
    if (getWindow()) {
      Value passed = entriesPassed(*this, b, loc, t);
      first = arith::MaxSIOp::create(
          b, loc, zero, arith::SubIOp::create(b, loc, passed, getFrom()));
    }
    auto perHead = [&](OpBuilder &b, Location loc, Value h, ValueRange state) {
      AttentionRow row(*this, b, loc, t, h);
      auto [any, best] = highest(row, b, loc, first, count);
      Value top = best;
      auto next = scf::IfOp::create(
          b, loc, any,
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(
                b, loc, accumulate(row, b, loc, first, count, top, state));
          },
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(b, loc, state);
          });
      scf::YieldOp::create(b, loc, next.getResults());
    };
    auto loop = scf::ForOp::create(b, loc, zero, heads, one, outer, perHead);
    scf::YieldOp::create(b, loc, loop.getResults());
  };
  auto loop =
      scf::ForOp::create(b, loc, zero, rows, one,
                         ValueRange{getMaximum(), getSum(), getY()}, perRow);
  return SmallVector<Value>(loop.getResults());
}
