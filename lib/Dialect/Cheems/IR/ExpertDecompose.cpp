// Expert ops as scalar loops.
#include "OpUtils.h"
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include <limits>

using namespace mlir;
using namespace cheems;

namespace {
constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();

Value constantI64(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

/// One i64 that compares as (score descending, index ascending) does: the
/// score's bits in numeric order above the complement of the index. NaN is
/// below every number, -0 is 0.
Value rankOf(OpBuilder &b, Location loc, Value score, Value index) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto integer = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value zero = constantF32(b, loc, 0);
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, score, zero);
  Value bits = arith::BitcastOp::create(
      b, loc, i32, arith::SelectOp::create(b, loc, isZero, zero, score));
  Value sign = arith::ShRSIOp::create(b, loc, bits, integer(31));
  Value flip = arith::AndIOp::create(
      b, loc, sign, integer(std::numeric_limits<int32_t>::max()));
  Value order = arith::XOrIOp::create(b, loc, bits, flip);
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, score, score);
  order = arith::SelectOp::create(
      b, loc, isNaN, integer(std::numeric_limits<int32_t>::min()), order);
  Value high =
      arith::ShLIOp::create(b, loc, arith::ExtSIOp::create(b, loc, i64, order),
                            constantI64(b, loc, 32));
  Value low = arith::SubIOp::create(
      b, loc, constantI64(b, loc, std::numeric_limits<uint32_t>::max()),
      arith::IndexCastOp::create(b, loc, i64, index));
  return arith::OrIOp::create(b, loc, high, low);
}

/// The index in a rank.
Value indexOf(OpBuilder &b, Location loc, Value rank) {
  Value mask = constantI64(b, loc, std::numeric_limits<uint32_t>::max());
  Value low = arith::SubIOp::create(b, loc, mask,
                                    arith::AndIOp::create(b, loc, rank, mask));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), low);
}

/// A list of `shape` that holds nothing yet.
Value emptyList(OpBuilder &b, Location loc, ArrayRef<int64_t> shape) {
  Value list = tensor::EmptyOp::create(b, loc, shape, b.getI64Type());
  return linalg::FillOp::create(b, loc, constantI64(b, loc, kNothing), list)
      .getResult(0);
}

/// `list`[at, 0..count), ranks in descending order, after `rank` has pushed out
/// the last or itself.
Value insertRank(OpBuilder &b, Location loc, Value list, ValueRange at,
                 int64_t count, Value rank) {
  auto place = [&](Value p) {
    SmallVector<Value> indices(at);
    indices.push_back(p);
    return indices;
  };
  Value worst = tensor::ExtractOp::create(
      b, loc, list, place(constantIndex(b, loc, count - 1)));
  Value better =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, rank, worst);
  auto change = scf::IfOp::create(
      b, loc, better,
      [&](OpBuilder &b, Location loc) {
        auto loop = scf::ForOp::create(
            b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, count),
            constantIndex(b, loc, 1), ValueRange{list, rank},
            [&](OpBuilder &b, Location loc, Value p, ValueRange args) {
              Value held = tensor::ExtractOp::create(b, loc, args[0], place(p));
              Value stays = arith::MaxSIOp::create(b, loc, held, args[1]);
              Value moves = arith::MinSIOp::create(b, loc, held, args[1]);
              Value next =
                  tensor::InsertOp::create(b, loc, stays, args[0], place(p));
              scf::YieldOp::create(b, loc, ValueRange{next, moves});
            });
        scf::YieldOp::create(b, loc, loop.getResult(0));
      },
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, list); });
  return change.getResult(0);
}

/// The `count` ranks of `list`, by index ascending, their scores lost.
Value byIndex(OpBuilder &b, Location loc, Value list, int64_t count) {
  return scf::ForOp::create(
             b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, count),
             constantIndex(b, loc, 1), emptyList(b, loc, {count}),
             [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
               Value rank = tensor::ExtractOp::create(b, loc, list, i);
               Value equal = rankOf(b, loc, constantF32(b, loc, 0),
                                    indexOf(b, loc, rank));
               scf::YieldOp::create(
                   b, loc, insertRank(b, loc, args[0], {}, count, equal));
             })
      .getResult(0);
}

/// Two nested loops over [0, first) x [0, second) that carry one tensor.
Value loopPairs(
    OpBuilder &b, Location loc, int64_t first, int64_t second, Value init,
    function_ref<Value(OpBuilder &, Location, Value, Value, Value)> body) {
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  return scf::ForOp::create(
             b, loc, zero, constantIndex(b, loc, first), one, init,
             [&](OpBuilder &b, Location loc, Value i, ValueRange outer) {
               auto inner = scf::ForOp::create(
                   b, loc, zero, constantIndex(b, loc, second), one, outer,
                   [&](OpBuilder &b, Location loc, Value j, ValueRange args) {
                     scf::YieldOp::create(b, loc, body(b, loc, i, j, args[0]));
                   });
               scf::YieldOp::create(b, loc, inner.getResults());
             })
      .getResult(0);
}
} // namespace

FailureOr<SmallVector<Value>>
RetrieveExpertsOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  int64_t heads = cast<ShapedType>(getScores().getType()).getDimSize(2);
  int64_t keys = cast<ShapedType>(getScores().getType()).getDimSize(3);
  int64_t k = cast<ShapedType>(getScore().getType()).getDimSize(2);
  int64_t kept = std::min(k, keys);
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value halves[] = {zero, one};

  auto perHead = [&](OpBuilder &b, Location loc, Value t, Value h,
                     ValueRange results) {
    auto scoreOf = [&](OpBuilder &b, Location loc, Value half,
                       Value key) -> Value {
      return tensor::ExtractOp::create(b, loc, getScores(),
                                       ValueRange{t, half, h, key});
    };
    Value best = loopPairs(
        b, loc, 2, keys, emptyList(b, loc, {2, kept}),
        [&](OpBuilder &b, Location loc, Value half, Value key, Value list) {
          Value rank = rankOf(b, loc, scoreOf(b, loc, half, key), key);
          return insertRank(b, loc, list, half, kept, rank);
        });
    Value size = constantIndex(b, loc, keys);
    auto sum = [&](OpBuilder &b, Location loc, Value i, Value j) -> Value {
      return arith::AddFOp::create(b, loc, scoreOf(b, loc, zero, i),
                                   scoreOf(b, loc, one, j));
    };
    Value pairs = loopPairs(
        b, loc, kept, kept, emptyList(b, loc, {k}),
        [&](OpBuilder &b, Location loc, Value i, Value j, Value list) {
          Value chosen[] = {i, j};
          for (auto [half, place] : llvm::zip_equal(halves, chosen)) {
            place = indexOf(b, loc,
                            tensor::ExtractOp::create(b, loc, best,
                                                      ValueRange{half, place}));
          }
          Value expert = arith::AddIOp::create(
              b, loc, arith::MulIOp::create(b, loc, chosen[0], size),
              chosen[1]);
          Value rank =
              rankOf(b, loc, sum(b, loc, chosen[0], chosen[1]), expert);
          return insertRank(b, loc, list, {}, k, rank);
        });
    if (getAscending()) {
      pairs = byIndex(b, loc, pairs, k);
    }
    return scf::ForOp::create(
               b, loc, zero, constantIndex(b, loc, k), one, results,
               [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
                 Value expert = indexOf(
                     b, loc, tensor::ExtractOp::create(b, loc, pairs, i));
                 Value score =
                     sum(b, loc, arith::DivUIOp::create(b, loc, expert, size),
                         arith::RemUIOp::create(b, loc, expert, size));
                 Value id =
                     arith::IndexCastOp::create(b, loc, b.getI32Type(), expert);
                 Value place[] = {t, h, i};
                 Value scores =
                     tensor::InsertOp::create(b, loc, score, args[0], place);
                 Value experts =
                     tensor::InsertOp::create(b, loc, id, args[1], place);
                 scf::YieldOp::create(b, loc, ValueRange{scores, experts});
               })
        .getResults();
  };

  Value rows = tensor::DimOp::create(b, loc, getScores(), zero);
  auto loop = scf::ForOp::create(
      b, loc, zero, rows, one, ValueRange{getScore(), getExpert()},
      [&](OpBuilder &b, Location loc, Value t, ValueRange outer) {
        auto inner = scf::ForOp::create(
            b, loc, zero, constantIndex(b, loc, heads), one, outer,
            [&](OpBuilder &b, Location loc, Value h, ValueRange args) {
              scf::YieldOp::create(b, loc, perHead(b, loc, t, h, args));
            });
        scf::YieldOp::create(b, loc, inner.getResults());
      });
  return SmallVector<Value>(loop.getResults());
}

namespace {
/// mix_experts of one row and head.
struct HeadMixing {
  MixExpertsOp op;
  Value t, h, zero, one, count, size;

  Value score(OpBuilder &b, Location loc, Value i) {
    return tensor::ExtractOp::create(b, loc, op.getScore(),
                                     ValueRange{t, h, i});
  }

  /// Folds the scores of the head's experts.
  Value fold(OpBuilder &b, Location loc, double init,
             function_ref<Value(OpBuilder &, Location, Value, Value)> body) {
    return scf::ForOp::create(
               b, loc, zero, count, one, constantF32(b, loc, init),
               [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
                 scf::YieldOp::create(b, loc,
                                      body(b, loc, args[0], score(b, loc, i)));
               })
        .getResult(0);
  }

  /// `value` times the expert's scale in `down` or `up`, where tables have
  /// scales.
  Value scaled(OpBuilder &b, Location loc, Value value, bool up, Value expert) {
    Value scales = up ? op.getUpScales() : op.getDownScales();
    return scales ? arith::MulFOp::create(
                        b, loc, value,
                        tensor::ExtractOp::create(b, loc, scales, expert))
                        .getResult()
                  : value;
  }

  Value hit(OpBuilder &b, Location loc, Value expert) {
    Value sum =
        scf::ForOp::create(
            b, loc, zero, size, one, constantF32(b, loc, 0),
            [&](OpBuilder &b, Location loc, Value d, ValueRange sum) {
              Value x = tensor::ExtractOp::create(b, loc, op.getX(),
                                                  ValueRange{t, d});
              Value down =
                  widen(b, loc,
                        tensor::ExtractOp::create(b, loc, op.getDown(),
                                                  ValueRange{expert, d}));
              Value product = arith::MulFOp::create(b, loc, x, down);
              scf::YieldOp::create(
                  b, loc,
                  arith::AddFOp::create(b, loc, sum[0], product).getResult());
            })
            .getResult(0);
    return scaled(b, loc, sum, /*up=*/false, expert);
  }

  Value mix(OpBuilder &b, Location loc, Value y) {
    bool softmax = op.getPlacement() == ScorePlacement::Softmax;
    Value highest, total;
    auto power = [&](OpBuilder &b, Location loc, Value score) -> Value {
      return math::ExpOp::create(b, loc,
                                 arith::SubFOp::create(b, loc, score, highest));
    };
    if (softmax) {
      highest = fold(
          b, loc, -std::numeric_limits<double>::infinity(),
          [](OpBuilder &b, Location loc, Value most, Value score) -> Value {
            return arith::MaximumFOp::create(b, loc, most, score);
          });
      total = fold(
          b, loc, 0,
          [&](OpBuilder &b, Location loc, Value sum, Value score) -> Value {
            return arith::AddFOp::create(b, loc, sum, power(b, loc, score));
          });
    }
    auto perExpert = [&](OpBuilder &b, Location loc, Value i, ValueRange args) {
      Value expert = arith::IndexCastOp::create(
          b, loc, b.getIndexType(),
          tensor::ExtractOp::create(b, loc, op.getExpert(),
                                    ValueRange{t, h, i}));
      Value weight = hit(b, loc, expert);
      if (softmax) {
        Value share = arith::DivFOp::create(
            b, loc, power(b, loc, score(b, loc, i)), total);
        weight = arith::MulFOp::create(
            b, loc, activate(b, loc, op.getActivation(), weight), share);
      } else {
        weight =
            activate(b, loc, op.getActivation(),
                     arith::MulFOp::create(b, loc, weight, score(b, loc, i)));
      }
      weight = scaled(b, loc, weight, /*up=*/true, expert);
      auto add = scf::ForOp::create(
          b, loc, zero, size, one, args,
          [&](OpBuilder &b, Location loc, Value d, ValueRange row) {
            Value up = widen(b, loc,
                             tensor::ExtractOp::create(b, loc, op.getUp(),
                                                       ValueRange{expert, d}));
            Value held =
                tensor::ExtractOp::create(b, loc, row[0], ValueRange{t, d});
            Value sum = arith::AddFOp::create(
                b, loc, held, arith::MulFOp::create(b, loc, weight, up));
            scf::YieldOp::create(
                b, loc,
                tensor::InsertOp::create(b, loc, sum, row[0], ValueRange{t, d})
                    .getResult());
          });
      scf::YieldOp::create(b, loc, add.getResults());
    };
    return scf::ForOp::create(b, loc, zero, count, one, y, perExpert)
        .getResult(0);
  }
};
} // namespace

FailureOr<SmallVector<Value>> MixExpertsOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  auto score = cast<ShapedType>(getScore().getType());
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  Value rows = tensor::DimOp::create(b, loc, getX(), zero);
  Value heads = constantIndex(b, loc, score.getDimSize(1)),
        count = constantIndex(b, loc, score.getDimSize(2)),
        size = constantIndex(b, loc,
                             cast<ShapedType>(getX().getType()).getDimSize(1));
  auto loop = scf::ForOp::create(
      b, loc, zero, rows, one, getY(),
      [&](OpBuilder &b, Location loc, Value t, ValueRange outer) {
        auto inner = scf::ForOp::create(
            b, loc, zero, heads, one, outer,
            [&](OpBuilder &b, Location loc, Value h, ValueRange args) {
              HeadMixing head{*this, t, h, zero, one, count, size};
              scf::YieldOp::create(b, loc, head.mix(b, loc, args[0]));
            });
        scf::YieldOp::create(b, loc, inner.getResults());
      });
  return SmallVector<Value>(loop.getResults());
}
