// The sum of a row's experts, eight at a time: their products with the row,
// their weights, then a sum of the weighted rows that is added to y. In a
// decode step with large tables such pieces are iterations, whose sums are
// added in order; else rows are, and while one row's experts are read in a
// prefill those of the next are on their way.
#include "Kernels.h"
#include "cheems/Dialect/Cheems/IR/Activation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kLanes = 16;
/// Experts of a piece. The bits depend on it, and on nothing else here.
constexpr int64_t kPiece = 8;
/// Vectors of a step: one or two cache lines of a row.
constexpr int64_t kVectors = 2;
/// Rows of an iteration, one behind the other on one thread.
constexpr int64_t kRows = 8;
// Tables below this stay in a cache by themselves.
constexpr int64_t kFarBytes = 1 << 20, kLineBytes = 64;
/// A row that is on its own is shared by threads where its tables are as large:
/// what a cache holds is read in the time that handing over takes.
constexpr int64_t kSharedBytes = 16 << 20;

struct Mixing {
  OpBuilder &b;
  Location loc;
  MixExpertsOp op;
  int64_t size, heads, count; // D, H, k
  int64_t sums;               // products summed side by side
  VectorType lanes;           // 16 x f32
  bool far;                   // tables worth fetching ahead
  bool shared;                // and worth more than one thread

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value plus(Value a, int64_t c) {
    return c ? arith::AddIOp::create(b, loc, a, index(c)).getResult() : a;
  }
  Value times(Value a, int64_t c) {
    return arith::MulIOp::create(b, loc, a, index(c));
  }
  Value add(Value a, Value c) { return arith::AddFOp::create(b, loc, a, c); }
  Value nothing() {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(lanes));
  }
  Value spread(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, loc, type, scalar);
  }
  Value lowest(VectorType type) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            type, b.getF32FloatAttr(-std::numeric_limits<float>::infinity())));
  }
  /// The first `left` lanes.
  Value inside(int64_t width, Value left) {
    return vector::CreateMaskOp::create(
        b, loc, VectorType::get({width}, b.getI1Type()), left);
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
  void parallel(ArrayRef<OpFoldResult> counts,
                function_ref<void(ValueRange)> body) {
    auto loop =
        scf::ForallOp::create(b, loc, counts, ValueRange(), std::nullopt,
                              [&](OpBuilder &, Location, ValueRange at) {
                                body(at);
                                scf::InParallelOp::create(b, loc);
                              });
    loop->setAttr("cheems.name", b.getStringAttr("mix_experts"));
  }

  Value expert(Value t, Value h, Value i) {
    Value id =
        memref::LoadOp::create(b, loc, op.getExpert(), ValueRange{t, h, i});
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), id);
  }
  SmallVector<Value> experts(Value t, Value h, Value first, int64_t n) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < n; ++i) {
      rows.push_back(expert(t, h, plus(first, i)));
    }
    return rows;
  }

  /// 16 elements from [at..., d], widened; with a mask, zero where it is not
  /// set. Rows of fewer elements come one by one: AVX2 has no masked load of
  /// bf16.
  Value load(Value buffer, ValueRange at, Value d, Value mask) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    auto stored = VectorType::get(lanes.getShape(), element);
    SmallVector<Value> indices(at);
    indices.push_back(d);
    auto widen = [&](Type type, Value value) -> Value {
      return element.isF32()
                 ? value
                 : arith::ExtFOp::create(b, loc, type, value).getResult();
    };
    if (size < kLanes) {
      Value row = nothing();
      for (int64_t c = 0; c < size; ++c) {
        indices.back() = plus(d, c);
        Value one = widen(b.getF32Type(),
                          memref::LoadOp::create(b, loc, buffer, indices));
        row = vector::InsertOp::create(b, loc, one, row, ArrayRef<int64_t>{c});
      }
      return row;
    }
    Value value =
        widen(lanes, vector::LoadOp::create(b, loc, stored, buffer, indices));
    return mask ? arith::SelectOp::create(b, loc, mask, value, nothing())
                      .getResult()
                : value;
  }
  void store(Value value, Value buffer, ValueRange at, Value d, Value mask) {
    SmallVector<Value> indices(at);
    indices.push_back(d);
    if (mask) {
      vector::MaskedStoreOp::create(b, loc, buffer, indices, mask, value);
    } else {
      vector::StoreOp::create(b, loc, value, buffer, indices);
    }
  }

  /// Columns in steps of vectors, then one vector by one, then what is left,
  /// under a mask in a vector that ends where the row does: body(first column,
  /// vectors, mask, state).
  SmallVector<Value>
  columns(ValueRange init,
          function_ref<SmallVector<Value>(Value, int64_t, Value, ValueRange)>
              body) {
    SmallVector<Value> state(init);
    int64_t from = 0;
    for (int64_t vectors : {kVectors, int64_t(1)}) {
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
    if (from == size) {
      return state;
    }
    SmallVector<bool> last(kLanes);
    int64_t begin = std::max<int64_t>(size - kLanes, 0);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      last[lane] = begin + lane >= from && begin + lane < size;
    }
    Value mask = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(VectorType::get({kLanes}, b.getI1Type()),
                               ArrayRef<bool>(last)));
    return body(index(begin), 1, mask, state);
  }

  /// Asks for the lines of `rows` that columns [d, d + columns) begin in.
  void fetch(Value table, ValueRange rows, Value d, int64_t columns) {
    int64_t bytes =
        cast<MemRefType>(table.getType()).getElementTypeBitWidth() / 8;
    for (Value row : rows) {
      for (int64_t c = 0; c < columns; c += kLineBytes / bytes) {
        memref::PrefetchOp::create(b, loc, table, ValueRange{row, plus(d, c)},
                                   /*isWrite=*/false, /*locality=*/2,
                                   /*isDataCache=*/true);
      }
    }
  }

  /// The sums of the vectors' lanes, one lane a vector: halves of what is left
  /// of each are added until it is one lane.
  Value addLanes(SmallVector<Value> vectors) {
    for (int64_t left = kLanes; left > 1; left /= 2) {
      SmallVector<Value> next;
      while (vectors.size() > 1 && vectors.size() % 2 != 0) {
        vectors.push_back(vectors.back());
      }
      for (size_t v = 0; v < vectors.size(); v += 2) {
        Value a = vectors[v], c = vectors[std::min(v + 1, vectors.size() - 1)];
        bool two = vectors.size() > 1;
        int64_t width = cast<VectorType>(a.getType()).getDimSize(0);
        SmallVector<int64_t> low, high;
        for (int64_t from = 0; from < (two ? 2 : 1) * width; from += left) {
          llvm::append_range(low, llvm::seq(from, from + left / 2));
          llvm::append_range(high, llvm::seq(from + left / 2, from + left));
        }
        next.push_back(add(vector::ShuffleOp::create(b, loc, a, c, low),
                           vector::ShuffleOp::create(b, loc, a, c, high)));
      }
      vectors = std::move(next);
    }
    return vectors.front();
  }

  /// x[t] . down[e] of the experts in `rows`, a lane each and maybe more
  /// behind; meanwhile the lines of `next` are asked for.
  Value hits(Value t, ValueRange rows, ValueRange next) {
    auto n = static_cast<int64_t>(rows.size());
    SmallVector<Value> parts;
    for (int64_t first = 0; first < n; first += sums) {
      int64_t some = std::min(sums, n - first);
      SmallVector<Value> products = columns(
          SmallVector<Value>(some, nothing()),
          [&](Value d, int64_t vectors, Value mask, ValueRange args) {
            SmallVector<Value> sum(args);
            if (!next.empty()) {
              fetch(op.getDown(), next.slice(first, some), d, vectors * kLanes);
            }
            for (int64_t v = 0; v < vectors; ++v) {
              Value at = plus(d, v * kLanes), x = load(op.getX(), t, at, mask);
              for (int64_t i = 0; i < some; ++i) {
                sum[i] = vector::FMAOp::create(
                    b, loc, x, load(op.getDown(), rows[first + i], at, mask),
                    sum[i]);
              }
            }
            return sum;
          });
      llvm::append_range(parts, products);
    }
    return addLanes(std::move(parts));
  }

  /// Scores of the experts from i on; -infinity past the last.
  Value scores(Value t, Value h, Value i, int64_t width) {
    auto type = VectorType::get({width}, b.getF32Type());
    Value left = arith::SubIOp::create(b, loc, index(count), i);
    return vector::MaskedLoadOp::create(b, loc, type, op.getScore(),
                                        ValueRange{t, h, i},
                                        inside(width, left), lowest(type));
  }
  Value power(Value score, Value highest) {
    auto type = cast<VectorType>(score.getType());
    return math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, score, spread(type, highest)));
  }

  /// A softmax over a head's scores: its highest, and the sum of the powers.
  struct Softmax {
    Value highest, total;
  };
  Softmax softmax(Value t, Value h) {
    if (op.getPlacement() != ScorePlacement::softmax) {
      return {};
    }
    Value most = loop(index(0), index(count), kLanes, lowest(lanes),
                      [&](Value i, ValueRange most) -> SmallVector<Value> {
                        return {arith::MaximumFOp::create(
                            b, loc, most[0], scores(t, h, i, kLanes))};
                      })
                     .front();
    Value highest = vector::ReductionOp::create(
        b, loc, vector::CombiningKind::MAXIMUMF, most);
    Value sum =
        loop(index(0), index(count), kLanes, nothing(),
             [&](Value i, ValueRange sum) -> SmallVector<Value> {
               return {add(sum[0], power(scores(t, h, i, kLanes), highest))};
             })
            .front();
    return {highest, vector::ExtractOp::create(b, loc, addLanes({sum}),
                                               ArrayRef<int64_t>{0})};
  }

  /// The weights of the experts from `first` on, of their hits.
  Value weights(Value t, Value h, Value first, Value hits,
                const Softmax &softmax) {
    auto type = cast<VectorType>(hits.getType());
    Value score = scores(t, h, first, type.getDimSize(0));
    if (!softmax.total) {
      return activate(b, loc, op.getActivation(),
                      arith::MulFOp::create(b, loc, hits, score));
    }
    Value share = arith::DivFOp::create(b, loc, power(score, softmax.highest),
                                        spread(type, softmax.total));
    return arith::MulFOp::create(
        b, loc, activate(b, loc, op.getActivation(), hits), share);
  }

  /// `n` experts of a head from `first` on: `write` gets the sum of their
  /// weighted rows, 16 columns at a time. `after` is the row whose experts are
  /// read next, or null.
  void piece(Value t, Value h, Value first, int64_t n, const Softmax &softmax,
             Value after,
             function_ref<void(Value sum, Value d, Value mask)> write) {
    SmallVector<Value> rows = experts(t, h, first, n), next;
    if (after && far) {
      next = experts(after, h, first, n);
    }
    Value weight = weights(t, h, first, hits(t, rows, next), softmax);
    SmallVector<Value> shares;
    for (int64_t i = 0; i < n; ++i) {
      shares.push_back(
          spread(lanes, vector::ExtractOp::create(b, loc, weight,
                                                  ArrayRef<int64_t>{i})));
    }
    columns({},
            [&](Value d, int64_t vectors, Value mask,
                ValueRange) -> SmallVector<Value> {
              if (!next.empty()) {
                fetch(op.getUp(), next, d, vectors * kLanes);
              }
              for (int64_t v = 0; v < vectors; ++v) {
                Value at = plus(d, v * kLanes), sum = nothing();
                for (auto [row, share] : llvm::zip_equal(rows, shares)) {
                  sum = vector::FMAOp::create(
                      b, loc, share, load(op.getUp(), row, at, mask), sum);
                }
                write(sum, at, mask);
              }
              return {};
            });
  }

  int64_t full() const { return count / kPiece; }
  int64_t rest() const { return count % kPiece; }
  int64_t pieces() const { return full() + (rest() ? 1 : 0); }

  void addTo(Value t, Value sum, Value d, Value mask) {
    store(add(load(op.getY(), t, d, mask), sum), op.getY(), t, d, mask);
  }

  /// All of a row's experts, a head after the other.
  void row(Value t, Value after) {
    auto write = [&](Value sum, Value d, Value mask) {
      addTo(t, sum, d, mask);
    };
    loop(index(0), index(heads), 1, {},
         [&](Value h, ValueRange) -> SmallVector<Value> {
           Softmax of = softmax(t, h);
           loop(index(0), index(full() * kPiece), kPiece, {},
                [&](Value first, ValueRange) -> SmallVector<Value> {
                  piece(t, h, first, kPiece, of, after, write);
                  return {};
                });
           if (rest()) {
             piece(t, h, index(full() * kPiece), rest(), of, after, write);
           }
           return {};
         });
  }

  void mixRows(Value rows) {
    Value last = arith::SubIOp::create(b, loc, rows, index(1));
    Value blocks = arith::CeilDivUIOp::create(b, loc, rows, index(kRows));
    parallel({blocks}, [&](ValueRange at) {
      Value from = times(at[0], kRows);
      Value to = arith::MinUIOp::create(b, loc, plus(from, kRows), rows);
      loop(from, to, 1, {}, [&](Value t, ValueRange) -> SmallVector<Value> {
        row(t, arith::MinUIOp::create(b, loc, plus(t, 1), last));
        return {};
      });
    });
  }

  /// The row count of the step, no less than the rows of x.
  Value mostRows() {
    Value source = op.getX();
    while (auto view = source.getDefiningOp<ViewLikeOpInterface>()) {
      source = view.getViewSource();
    }
    auto alloc = source.getDefiningOp<memref::AllocOp>();
    return alloc && alloc.getDynamicSizes().size() == 1
               ? alloc.getDynamicSizes()[0]
               : memref::DimOp::create(b, loc, source, index(0)).getResult();
  }

  void fetchAll(ValueRange rows) {
    for (Value table : {op.getDown(), op.getUp()}) {
      columns({},
              [&](Value d, int64_t vectors, Value,
                  ValueRange) -> SmallVector<Value> {
                fetch(table, rows, d, vectors * kLanes);
                return {};
              });
    }
  }

  /// Rows that are on their own, each by one thread.
  void mixAlone(Value rows) {
    parallel({rows}, [&](ValueRange at) {
      Value t = at[0];
      if (far) {
        loop(index(0), index(heads), 1, {},
             [&](Value h, ValueRange) -> SmallVector<Value> {
               loop(index(0), index(count), 1, {},
                    [&](Value i, ValueRange) -> SmallVector<Value> {
                      fetchAll(experts(t, h, i, 1));
                      return {};
                    });
               return {};
             });
      }
      row(t, Value());
    });
  }

  /// A piece of a row that is on its own: its rows are asked for first.
  void pieceAlone(Value t, Value h, Value first, int64_t n,
                  function_ref<void(Value, Value, Value)> write) {
    fetchAll(experts(t, h, first, n));
    piece(t, h, first, n, softmax(t, h), Value(), write);
  }

  void mixPieces(Value rows) {
    int64_t each = pieces(), all = heads * each;
    Value partial;
    if (all > 1) {
      auto type = cast<MemRefType>(op.getX().getType());
      bool dynamic = type.isDynamicDim(0);
      partial = memref::AllocOp::create(
          b, loc,
          MemRefType::get({type.getDimSize(0), all, size}, b.getF32Type()),
          dynamic ? ValueRange{mostRows()} : ValueRange());
    }
    parallel({rows, b.getIndexAttr(all)}, [&](ValueRange at) {
      Value t = at[0], p = at[1];
      Value h = arith::DivUIOp::create(b, loc, p, index(each));
      Value first =
          times(arith::RemUIOp::create(b, loc, p, index(each)), kPiece);
      auto write = [&](Value sum, Value d, Value mask) {
        partial ? store(sum, partial, {t, p}, d, mask) : addTo(t, sum, d, mask);
      };
      if (rest() == 0 || full() == 0) {
        pieceAlone(t, h, first, rest() ? rest() : kPiece, write);
        return;
      }
      Value whole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          first, index(full() * kPiece));
      scf::IfOp::create(
          b, loc, whole,
          [&](OpBuilder &, Location) {
            pieceAlone(t, h, first, kPiece, write);
            scf::YieldOp::create(b, loc);
          },
          [&](OpBuilder &, Location) {
            pieceAlone(t, h, first, rest(), write);
            scf::YieldOp::create(b, loc);
          });
    });
    if (!partial) {
      return;
    }
    loop(index(0), rows, 1, {}, [&](Value t, ValueRange) -> SmallVector<Value> {
      return columns(
          {},
          [&](Value d, int64_t vectors, Value mask,
              ValueRange) -> SmallVector<Value> {
            SmallVector<Value> sum;
            for (int64_t v = 0; v < vectors; ++v) {
              sum.push_back(load(op.getY(), t, plus(d, v * kLanes), mask));
            }
            sum = loop(
                index(0), index(all), 1, sum, [&](Value p, ValueRange args) {
                  SmallVector<Value> next;
                  for (auto [v, value] : llvm::enumerate(args)) {
                    Value at = plus(d, static_cast<int64_t>(v) * kLanes);
                    next.push_back(add(value, load(partial, {t, p}, at, mask)));
                  }
                  return next;
                });
            for (auto [v, value] : llvm::enumerate(sum)) {
              Value at = plus(d, static_cast<int64_t>(v) * kLanes);
              store(value, op.getY(), t, at, mask);
            }
            return {};
          });
    });
  }
};
} // namespace

LogicalResult cheems::lowerMixing(MixExpertsOp op, const VectorUnit &unit,
                                  RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto score = cast<MemRefType>(op.getScore().getType());
  auto table = cast<MemRefType>(op.getDown().getType());
  int64_t heads = score.getDimSize(1), count = score.getDimSize(2);
  if (heads == 0 || count == 0) {
    return success();
  }
  int64_t bytes = table.getNumElements() * table.getElementTypeBitWidth() / 8;
  Mixing mixing{rewriter,
                loc,
                op,
                cast<MemRefType>(op.getX().getType()).getDimSize(1),
                heads,
                count,
                unit.lanes < kLanes ? kPiece / 2 : kPiece,
                VectorType::get({kLanes}, rewriter.getF32Type()),
                bytes >= kFarBytes,
                bytes >= kSharedBytes};
  Value rows = memref::DimOp::create(rewriter, loc, op.getX(), mixing.index(0));
  if (!op->getParentOfType<func::FuncOp>()->hasAttr("cheems.decode")) {
    mixing.mixRows(rows);
  } else if (mixing.shared) {
    mixing.mixPieces(rows);
  } else {
    mixing.mixAlone(rows);
  }
  return success();
}
