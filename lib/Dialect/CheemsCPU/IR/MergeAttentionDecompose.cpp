// merge_attention as scalar loops.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include <limits>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// One row and query head.
struct Merge {
  MergeAttentionOp op;
  Value t, head;

  Value at(OpBuilder &b, Location loc, Value numbers) {
    return tensor::ExtractOp::create(b, loc, numbers, ValueRange{t, head});
  }
  Value put(OpBuilder &b, Location loc, Value number, Value into) {
    return tensor::InsertOp::create(b, loc, number, into, ValueRange{t, head});
  }

  /// `state` with y[t, head, p] = map(y[t, head, p], later_y[t, head, p]).
  SmallVector<Value> with(OpBuilder &b, Location loc, Value maximum, Value sum,
                          ValueRange state,
                          function_ref<Value(OpBuilder &, Value, Value)> map) {
    Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1),
          size = tensor::DimOp::create(b, loc, state[2], 2);
    auto loop = scf::ForOp::create(
        b, loc, zero, size, one, state[2],
        [&](OpBuilder &b, Location loc, Value p, ValueRange y) {
          SmallVector<Value> place{t, head, p};
          Value old = tensor::ExtractOp::create(b, loc, y[0], place),
                later =
                    tensor::ExtractOp::create(b, loc, op.getLaterY(), place);
          Value next =
              tensor::InsertOp::create(b, loc, map(b, old, later), y[0], place);
          scf::YieldOp::create(b, loc, next);
        });
    return {put(b, loc, maximum, state[0]), put(b, loc, sum, state[1]),
            loop.getResult(0)};
  }

  SmallVector<Value> take(OpBuilder &b, Location loc, ValueRange state) {
    return with(b, loc, at(b, loc, op.getLaterMaximum()),
                at(b, loc, op.getLaterSum()), state,
                [](OpBuilder &, Value, Value later) { return later; });
  }

  SmallVector<Value> combine(OpBuilder &b, Location loc, ValueRange state) {
    Value before = at(b, loc, state[0]),
          later = at(b, loc, op.getLaterMaximum());
    Value maximum = arith::MaximumFOp::create(b, loc, before, later);
    auto factor = [&](Value of) -> Value {
      return math::ExpOp::create(b, loc,
                                 arith::SubFOp::create(b, loc, of, maximum));
    };
    Value keeps = factor(before), joins = factor(later);
    auto sum = [&](OpBuilder &b, Value old, Value added) -> Value {
      return arith::AddFOp::create(b, loc,
                                   arith::MulFOp::create(b, loc, old, keeps),
                                   arith::MulFOp::create(b, loc, added, joins));
    };
    return with(b, loc, maximum,
                sum(b, at(b, loc, state[1]), at(b, loc, op.getLaterSum())),
                state, sum);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
MergeAttentionOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1),
        lowest = constantF32(b, loc, -std::numeric_limits<double>::infinity());
  auto extent = [&](int64_t i) -> Value {
    return tensor::DimOp::create(b, loc, getY(), i);
  };
  Value rows = extent(0), heads = extent(1);
  using Build =
      function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;
  // Written so that a NaN counts as seen and spreads.
  auto ifSeen = [&](OpBuilder &b, Location loc, Value maximum, Build yes,
                    Build no) -> SmallVector<Value> {
    Value seen = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                       maximum, lowest);
    auto branch = scf::IfOp::create(
        b, loc, seen,
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, yes(b, loc, {}));
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, no(b, loc, {}));
        });
    return branch.getResults();
  };
  auto perRow = [&](OpBuilder &b, Location loc, Value t, ValueRange outer) {
    auto perHead = [&](OpBuilder &b, Location loc, Value h, ValueRange state) {
      Merge merge{*this, t, h};
      auto before = [&](OpBuilder &b, Location loc, ValueRange) {
        return ifSeen(
            b, loc, merge.at(b, loc, state[0]),
            [&](OpBuilder &b, Location loc, ValueRange) {
              return merge.combine(b, loc, state);
            },
            [&](OpBuilder &b, Location loc, ValueRange) {
              return merge.take(b, loc, state);
            });
      };
      SmallVector<Value> next =
          ifSeen(b, loc, merge.at(b, loc, getLaterMaximum()), before,
                 [&](OpBuilder &, Location, ValueRange) {
                   return SmallVector<Value>(state);
                 });
      scf::YieldOp::create(b, loc, next);
    };
    auto loop = scf::ForOp::create(b, loc, zero, heads, one, outer, perHead);
    scf::YieldOp::create(b, loc, loop.getResults());
  };
  auto loop =
      scf::ForOp::create(b, loc, zero, rows, one,
                         ValueRange{getMaximum(), getSum(), getY()}, perRow);
  return SmallVector<Value>(loop.getResults());
}
