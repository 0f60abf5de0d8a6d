// The sum of a row's experts, a head at a time: while one is worked on, the
// rows of the next are on their way. First come the products with the row, then
// the weights of 16 experts at a time, then the weighted rows, added up in
// registers.
#include "Kernels.h"
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kLanes = 16, kUnroll = 4;
// Tables below this stay in a cache by themselves.
constexpr int64_t kFarBytes = 1 << 20, kLineBytes = 64;

struct Mixing {
  OpBuilder &b;
  Location loc;
  MixExpertsOp op;
  int64_t size, heads, count; // D, H, k
  VectorType lanes;           // 16 x f32
  Value weight;               // [k in whole vectors]

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value plus(Value a, int64_t c) {
    return c ? arith::AddIOp::create(b, loc, a, index(c)).getResult() : a;
  }
  Value nothing() {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(lanes));
  }
  Value spread(Value scalar) {
    return vector::BroadcastOp::create(b, loc, lanes, scalar);
  }
  Value inside(Value left) {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({kLanes}, b.getI1Type()), left);
  }
  /// A loop over [from, to) that carries `state`.
  SmallVector<Value>
  loop(Value from, Value to, int64_t step, ValueRange state,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(
        b, loc, from, to, index(step), state,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          scf::YieldOp::create(b, loc, body(i, args));
        });
    return op.getResults();
  }

  Value expert(Value t, Value h, Value i) {
    Value id =
        memref::LoadOp::create(b, loc, op.getExpert(), ValueRange{t, h, i});
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
  }

  /// 16 elements of a row from column d, widened; with a mask, zero where it is
  /// not set.
  Value load(Value buffer, Value row, Value d, Value mask) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    auto stored = VectorType::get(lanes.getShape(), element);
    Value value;
    if (mask) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(stored));
      value = vector::MaskedLoadOp::create(b, loc, stored, buffer,
                                           ValueRange{row, d}, mask, zero);
    } else {
      value =
          vector::LoadOp::create(b, loc, stored, buffer, ValueRange{row, d});
    }
    return element.isF32()
               ? value
               : arith::ExtFOp::create(b, loc, lanes, value).getResult();
  }

  /// Columns in groups of four vectors, then one by one, then the last lanes:
  /// body(first column, vectors, mask, state).
  SmallVector<Value>
  columns(ValueRange init,
          function_ref<SmallVector<Value>(Value, int64_t, Value, ValueRange)>
              body) {
    SmallVector<Value> state(init);
    int64_t from = 0;
    for (int64_t vectors : {kUnroll, int64_t(1)}) {
      int64_t step = vectors * kLanes;
      int64_t to = from + (size - from) / step * step;
      if (to > from) {
        state = loop(index(from), index(to), step, state,
                     [&](Value d, ValueRange args) {
                       return body(d, vectors, Value(), args);
                     });
      }
      from = to;
    }
    return from < size ? body(index(from), 1, inside(index(size - from)), state)
                       : state;
  }

  void prefetch(Value t, Value h, Value i) {
    Value row = expert(t, h, i);
    int64_t bytes =
        cast<MemRefType>(op.getDown().getType()).getElementTypeBitWidth() / 8;
    loop(index(0), index(size), kLineBytes / bytes, {},
         [&](Value d, ValueRange) -> SmallVector<Value> {
           for (Value table : {op.getDown(), op.getUp()}) {
             memref::PrefetchOp::create(b, loc, table, ValueRange{row, d},
                                        /*isWrite=*/false, /*locality=*/2,
                                        /*isDataCache=*/true);
           }
           return {};
         });
  }

  /// x[t] . down[e]
  Value hit(Value t, Value row) {
    SmallVector<Value> sums =
        columns(SmallVector<Value>(kUnroll, nothing()),
                [&](Value d, int64_t vectors, Value mask, ValueRange sums) {
                  SmallVector<Value> next(sums);
                  for (int64_t v = 0; v < vectors; ++v) {
                    Value at = plus(d, v * kLanes);
                    next[v] = vector::FMAOp::create(
                        b, loc, load(op.getX(), t, at, mask),
                        load(op.getDown(), row, at, mask), next[v]);
                  }
                  return next;
                });
    auto add = [&](Value a, Value c) -> Value {
      return arith::AddFOp::create(b, loc, a, c);
    };
    return vector::ReductionOp::create(
        b, loc, vector::CombiningKind::ADD,
        add(add(sums[0], sums[1]), add(sums[2], sums[3])),
        arith::FastMathFlags::reassoc);
  }

  /// Scores of the experts from i on; -infinity, a weight of zero, past the
  /// last.
  Value scores(Value t, Value h, Value i) {
    Value lowest = arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    Value left = arith::SubIOp::create(b, loc, index(count), i);
    return vector::MaskedLoadOp::create(b, loc, lanes, op.getScore(),
                                        ValueRange{t, h, i}, inside(left),
                                        spread(lowest));
  }

  /// Makes a head's weights of its hits.
  void weigh(Value t, Value h) {
    bool softmax = op.getPlacement() == ScorePlacement::softmax;
    Value highest, total;
    auto power = [&](Value i) -> Value {
      return math::ExpOp::create(
          b, loc,
          arith::SubFOp::create(b, loc, scores(t, h, i), spread(highest)));
    };
    if (softmax) {
      Value lowest = spread(arith::ConstantOp::create(
          b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity())));
      Value most = loop(index(0), index(count), kLanes, lowest,
                        [&](Value i, ValueRange most) -> SmallVector<Value> {
                          return {arith::MaximumFOp::create(b, loc, most[0],
                                                            scores(t, h, i))};
                        })
                       .front();
      highest = vector::ReductionOp::create(
          b, loc, vector::CombiningKind::MAXIMUMF, most);
      Value sum =
          loop(index(0), index(count), kLanes, nothing(),
               [&](Value i, ValueRange sum) -> SmallVector<Value> {
                 return {arith::AddFOp::create(b, loc, sum[0], power(i))};
               })
              .front();
      total = spread(
          vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, sum,
                                      arith::FastMathFlags::reassoc));
    }
    loop(index(0), index(count), kLanes, {},
         [&](Value i, ValueRange) -> SmallVector<Value> {
           Value value = vector::LoadOp::create(b, loc, lanes, weight, i);
           if (softmax) {
             value = activate(b, loc, op.getActivation(), value);
             value = arith::MulFOp::create(
                 b, loc, value, arith::DivFOp::create(b, loc, power(i), total));
           } else {
             value = activate(
                 b, loc, op.getActivation(),
                 arith::MulFOp::create(b, loc, value, scores(t, h, i)));
           }
           vector::StoreOp::create(b, loc, value, weight, i);
           return {};
         });
  }

  /// y[t] += the weighted rows of experts [first, last) of a head.
  void add(Value t, Value h, Value first, Value last) {
    columns({},
            [&](Value d, int64_t vectors, Value mask,
                ValueRange) -> SmallVector<Value> {
              SmallVector<Value> sums;
              for (int64_t v = 0; v < vectors; ++v) {
                sums.push_back(load(op.getY(), t, plus(d, v * kLanes), mask));
              }
              sums = loop(first, last, 1, sums, [&](Value i, ValueRange args) {
                Value row = expert(t, h, i);
                Value share = spread(memref::LoadOp::create(b, loc, weight, i));
                SmallVector<Value> next;
                for (auto [v, sum] : llvm::enumerate(args)) {
                  Value up =
                      load(op.getUp(), row,
                           plus(d, static_cast<int64_t>(v) * kLanes), mask);
                  next.push_back(vector::FMAOp::create(b, loc, share, up, sum));
                }
                return next;
              });
              for (auto [v, sum] : llvm::enumerate(sums)) {
                Value at = plus(d, static_cast<int64_t>(v) * kLanes);
                if (mask) {
                  vector::MaskedStoreOp::create(b, loc, op.getY(),
                                                ValueRange{t, at}, mask, sum);
                } else {
                  vector::StoreOp::create(b, loc, sum, op.getY(),
                                          ValueRange{t, at});
                }
              }
              return {};
            });
  }

  void prefetchHead(Value t, Value h) {
    loop(index(0), index(count), 1, {},
         [&](Value i, ValueRange) -> SmallVector<Value> {
           prefetch(t, h, i);
           return {};
         });
  }

  void mixHead(Value t, Value h) {
    Value end = index(count);
    loop(index(0), end, 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      memref::StoreOp::create(b, loc, hit(t, expert(t, h, i)), weight, i);
      return {};
    });
    weigh(t, h);
    loop(index(0), end, kLanes, {},
         [&](Value i, ValueRange) -> SmallVector<Value> {
           add(t, h, i, arith::MinUIOp::create(b, loc, plus(i, kLanes), end));
           return {};
         });
  }

  void mix(Value t) {
    auto table = cast<MemRefType>(op.getDown().getType());
    bool far = heads > 0 &&
               table.getNumElements() * table.getElementTypeBitWidth() / 8 >=
                   kFarBytes;
    if (far) {
      prefetchHead(t, index(0));
    }
    loop(index(0), index(heads), 1, {},
         [&](Value h, ValueRange) -> SmallVector<Value> {
           if (far) {
             Value next = plus(h, 1);
             Value more = arith::CmpIOp::create(
                 b, loc, arith::CmpIPredicate::ult, next, index(heads));
             scf::IfOp::create(b, loc, more, [&](OpBuilder &, Location) {
               prefetchHead(t, next);
               scf::YieldOp::create(b, loc);
             });
           }
           mixHead(t, h);
           return {};
         });
  }
};
} // namespace

LogicalResult cheems::lowerMixing(MixExpertsOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto score = cast<MemRefType>(op.getScore().getType());
  int64_t heads = score.getDimSize(1), count = score.getDimSize(2);
  Type f32 = rewriter.getF32Type();
  int64_t padded = llvm::alignTo(count, kLanes);
  Value weight =
      memref::AllocOp::create(rewriter, loc, MemRefType::get({padded}, f32));
  Mixing mixing{rewriter,
                loc,
                op,
                cast<MemRefType>(op.getX().getType()).getDimSize(1),
                heads,
                count,
                VectorType::get({kLanes}, f32),
                weight};
  Value rows = memref::DimOp::create(rewriter, loc, op.getX(), mixing.index(0));
  mixing.loop(mixing.index(0), rows, 1, {},
              [&](Value t, ValueRange) -> SmallVector<Value> {
                mixing.mix(t);
                return {};
              });
  return success();
}
