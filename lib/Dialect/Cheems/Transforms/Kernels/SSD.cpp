// One chunk of SSD, a head at a time. One row is the recurrence, a single pass
// over the state; more rows are products on register tiles.
//
// Every sum runs in ascending order through one chain of fused multiply-adds,
// in every tile shape: neither the rows beside a row nor the columns beside a
// column change its bits.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kTile = 4;   // rows of a product held in registers
constexpr int64_t kMost = 512; // rows of scratch; scratch grows with its square
constexpr int64_t kRows = 64;  // at a time where more may come
constexpr int64_t kLeast = 8;  // columns below which a remainder is not split

using Body = llvm::function_ref<void(Value)>;
using Fold = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

struct SSDChunk {
  OpBuilder &b;
  Location loc;
  SSDChunkOp op;
  int64_t width; // columns of a product's tile
  int64_t lanes; // rows that decays are computed for at once
  int64_t stateSize, headSize;
  Value zero, one;
  /// Of the most rows of a chunk, rounded up to whole vectors: sum of the
  /// decays' logarithms up to a row (f64), decay from before the chunk to a
  /// row, decay from a row to the last times step, step; b transposed [N,
  /// rows]; what a row of y takes from an earlier row of x [rows, rows].
  Value logarithm, fromStart, toEnd, steps, inputs, weights;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value plus(Value l, Value r) { return arith::AddIOp::create(b, loc, l, r); }
  Value plus(Value l, int64_t r) { return r == 0 ? l : plus(l, index(r)); }
  Value times(Value l, Value r) { return arith::MulFOp::create(b, loc, l, r); }
  Value read(Value buffer, ValueRange at) {
    return memref::LoadOp::create(b, loc, buffer, at);
  }
  void write(Value value, Value buffer, ValueRange at) {
    memref::StoreOp::create(b, loc, value, buffer, at);
  }
  VectorType vector(int64_t count) {
    return VectorType::get({count}, b.getF32Type());
  }
  Value load(VectorType type, Value buffer, ValueRange at) {
    return vector::LoadOp::create(b, loc, type, buffer, at);
  }
  void store(Value value, Value buffer, ValueRange at) {
    vector::StoreOp::create(b, loc, value, buffer, at);
  }
  Value spread(VectorType type, Value scalar) {
    return vector::BroadcastOp::create(b, loc, type, scalar);
  }
  Value none(Type type) {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  }
  /// sum + scalar * row
  Value fused(Value scalar, Value row, Value sum) {
    return vector::FMAOp::create(
        b, loc, spread(cast<VectorType>(row.getType()), scalar), row, sum);
  }
  /// Exponential of f64 logarithms; only here are they rounded to f32.
  Value decay(Value logarithms) {
    auto type = cast<VectorType>(logarithms.getType()).clone(b.getF32Type());
    return math::ExpOp::create(
        b, loc, arith::TruncFOp::create(b, loc, type, logarithms));
  }

  ValueRange fold(Value from, Value to, ValueRange inits, Fold body) {
    auto loop = scf::ForOp::create(
        b, loc, from, to, one, inits,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          scf::YieldOp::create(b, loc, body(i, args));
        });
    return loop.getResults();
  }
  void each(Value from, Value to, int64_t step, Body body) {
    scf::ForOp::create(b, loc, from, to, index(step), ValueRange{},
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         body(i);
                         scf::YieldOp::create(b, loc);
                       });
  }
  /// body(first, n) for tiles of kTile, then for what is left one by one.
  void tiles(Value count, llvm::function_ref<void(Value, int64_t)> body) {
    Value rest = arith::RemUIOp::create(b, loc, count, index(kTile));
    Value full = arith::SubIOp::create(b, loc, count, rest);
    each(zero, full, kTile, [&](Value i) { body(i, kTile); });
    each(full, count, 1, [&](Value i) { body(i, 1); });
  }
  /// body(first, vector) for all columns of the head: whole tiles, then halves
  /// of them, then the few that are left.
  void columns(int64_t most, llvm::function_ref<void(Value, VectorType)> body) {
    int64_t at = headSize / most * most;
    if (at > 0) {
      each(zero, index(at), most, [&](Value p) { body(p, vector(most)); });
    }
    for (int64_t count = most / 2; at < headSize; count /= 2) {
      if (count < kLeast) {
        count = headSize - at;
      }
      if (at + count <= headSize) {
        body(index(at), vector(count));
        at += count;
      }
    }
  }

  void oneRow(Value t, Value h, Value g) {
    Value rate = read(op.getStep(), {t, h});
    Value decay = math::ExpOp::create(b, loc, times(read(op.getA(), h), rate));
    // The pass is bound by memory: as few columns of the state are skipped
    // over as registers allow.
    columns(4 * width, [&](Value p, VectorType type) {
      Value x = load(type, op.getX(), {t, h, p});
      Value in = times(spread(type, rate), x), keep = spread(type, decay);
      Value y =
          fold(zero, index(stateSize), none(type), [&](Value n, ValueRange y) {
            Value added = times(spread(type, read(op.getB(), {t, g, n})), in);
            Value state = vector::FMAOp::create(
                b, loc, keep, load(type, op.getState(), {h, n, p}), added);
            store(state, op.getState(), {h, n, p});
            return SmallVector<Value>{
                fused(read(op.getC(), {t, g, n}), state, y[0])};
          })[0];
      if (op.getSkip()) {
        y = fused(read(op.getSkip(), h), x, y);
      }
      store(y, op.getY(), {t, h, p});
    });
  }

  /// Decays and b of rows [first, first + count). Past the last row scratch
  /// holds anything, and nothing reads it.
  void prepare(Value first, Value count, Value h, Value g) {
    Type f64 = b.getF64Type();
    auto widen = [&](Value value) -> Value {
      return arith::ExtFOp::create(b, loc, f64, value);
    };
    Value rate = widen(read(op.getA(), h));
    Value total = fold(zero, count, none(f64), [&](Value t, ValueRange sum) {
      Value step = read(op.getStep(), {plus(first, t), h});
      Value next =
          arith::AddFOp::create(b, loc, sum[0], times(rate, widen(step)));
      write(next, logarithm, t);
      write(step, steps, t);
      return SmallVector<Value>{next};
    })[0];
    VectorType type = vector(lanes), wide = type.clone(f64);
    each(zero, count, lanes, [&](Value u) {
      Value l = load(wide, logarithm, u);
      store(decay(l), fromStart, u);
      Value left = arith::SubFOp::create(b, loc, spread(wide, total), l);
      store(times(decay(left), load(type, steps, u)), toEnd, u);
    });
    each(zero, count, 1, [&](Value u) {
      each(zero, index(stateSize), 1, [&](Value n) {
        write(read(op.getB(), {plus(first, u), g, n}), inputs, {n, u});
      });
    });
  }

  /// weights[t, u] for u <= t.
  void weigh(Value first, Value count, Value g) {
    VectorType type = vector(lanes), wide = type.clone(b.getF64Type());
    tiles(count, [&](Value t, int64_t rows) {
      each(zero, plus(t, rows), lanes, [&](Value u) {
        SmallVector<Value> inits(rows, none(type));
        ValueRange sums =
            fold(zero, index(stateSize), inits, [&](Value n, ValueRange sums) {
              Value row = load(type, inputs, {n, u});
              SmallVector<Value> next;
              for (int64_t i = 0; i < rows; ++i) {
                Value c = read(op.getC(), {plus(plus(first, t), i), g, n});
                next.push_back(fused(c, row, sums[i]));
              }
              return next;
            });
        for (int64_t i = 0; i < rows; ++i) {
          store(sums[i], weights, {plus(t, i), u});
        }
      });
    });
    each(zero, count, 1, [&](Value t) {
      Value to = spread(wide, read(logarithm, t));
      each(zero, plus(t, 1), lanes, [&](Value u) {
        Value power =
            arith::SubFOp::create(b, loc, to, load(wide, logarithm, u));
        Value factor = times(decay(power), load(type, steps, u));
        store(times(load(type, weights, {t, u}), factor), weights, {t, u});
      });
    });
  }

  void output(Value first, Value count, Value h, Value g) {
    columns(width, [&](Value p, VectorType type) {
      tiles(count, [&](Value t, int64_t rows) {
        SmallVector<Value> inits(rows, none(type));
        auto rowAt = [&](Value u) {
          return load(type, op.getX(), {plus(first, u), h, p});
        };
        SmallVector<Value> sums = llvm::to_vector(
            fold(zero, index(stateSize), inits, [&](Value n, ValueRange sums) {
              Value row = load(type, op.getState(), {h, n, p});
              SmallVector<Value> next;
              for (int64_t i = 0; i < rows; ++i) {
                Value c = read(op.getC(), {plus(plus(first, t), i), g, n});
                next.push_back(fused(c, row, sums[i]));
              }
              return next;
            }));
        for (int64_t i = 0; i < rows; ++i) {
          sums[i] = times(spread(type, read(fromStart, plus(t, i))), sums[i]);
        }
        sums =
            llvm::to_vector(fold(zero, t, sums, [&](Value u, ValueRange sums) {
              Value row = rowAt(u);
              SmallVector<Value> next;
              for (int64_t i = 0; i < rows; ++i) {
                next.push_back(
                    fused(read(weights, {plus(t, i), u}), row, sums[i]));
              }
              return next;
            }));
        // A row of the tile sees itself and those before it: an infinity in a
        // later one must not meet a weight of zero.
        for (int64_t k = 0; k < rows; ++k) {
          Value u = plus(t, k), row = rowAt(u);
          for (int64_t i = k; i < rows; ++i) {
            sums[i] = fused(read(weights, {plus(t, i), u}), row, sums[i]);
          }
          if (op.getSkip()) {
            sums[k] = fused(read(op.getSkip(), h), row, sums[k]);
          }
          store(sums[k], op.getY(), {plus(first, u), h, p});
        }
      });
    });
  }

  /// The state after the chunk; `inputs` are weighted on the way.
  void carry(Value first, Value count, Value h) {
    VectorType along = vector(lanes);
    each(zero, index(stateSize), 1, [&](Value n) {
      each(zero, count, lanes, [&](Value u) {
        Value weighted =
            times(load(along, inputs, {n, u}), load(along, toEnd, u));
        store(weighted, inputs, {n, u});
      });
    });
    Value last = arith::SubIOp::create(b, loc, count, one);
    Value whole = read(fromStart, last);
    columns(width, [&](Value p, VectorType type) {
      tiles(index(stateSize), [&](Value n, int64_t rows) {
        SmallVector<Value> inits(rows, none(type));
        ValueRange sums =
            fold(zero, count, inits, [&](Value u, ValueRange sums) {
              Value row = load(type, op.getX(), {plus(first, u), h, p});
              SmallVector<Value> next;
              for (int64_t i = 0; i < rows; ++i) {
                next.push_back(
                    fused(read(inputs, {plus(n, i), u}), row, sums[i]));
              }
              return next;
            });
        for (int64_t i = 0; i < rows; ++i) {
          Value at = plus(n, i);
          Value old = load(type, op.getState(), {h, at, p});
          store(fused(whole, old, sums[i]), op.getState(), {h, at, p});
        }
      });
    });
  }

  /// Scratch for chunks of at most `most` rows.
  void allocate(int64_t most) {
    int64_t padded = llvm::alignTo(most, lanes);
    auto buffer = [&](ArrayRef<int64_t> shape, Type element) -> Value {
      return memref::AllocOp::create(b, loc, MemRefType::get(shape, element));
    };
    Type f32 = b.getF32Type();
    logarithm = buffer({padded}, b.getF64Type());
    fromStart = buffer({padded}, f32);
    toEnd = buffer({padded}, f32);
    steps = buffer({padded}, f32);
    inputs = buffer({stateSize, padded}, f32);
    weights = buffer({most, padded}, f32);
  }

  void head(Value h, Value g, Value rows, int64_t most) {
    if (most == 1) {
      each(zero, rows, 1, [&](Value t) { oneRow(t, h, g); });
      return;
    }
    each(zero, rows, most, [&](Value first) {
      Value left = arith::SubIOp::create(b, loc, rows, first);
      Value count = arith::MinUIOp::create(b, loc, left, index(most));
      Value single =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, one);
      scf::IfOp::create(
          b, loc, single,
          [&](OpBuilder &, Location) {
            oneRow(first, h, g);
            scf::YieldOp::create(b, loc);
          },
          [&](OpBuilder &, Location) {
            prepare(first, count, h, g);
            weigh(first, count, g);
            output(first, count, h, g);
            carry(first, count, h);
            scf::YieldOp::create(b, loc);
          });
    });
  }
};
} // namespace

LogicalResult cheems::lowerSSDChunk(SSDChunkOp op, const VectorUnit &unit,
                                    RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto state = cast<MemRefType>(op.getState().getType());
  int64_t heads = state.getDimSize(0);
  int64_t groups = cast<MemRefType>(op.getB().getType()).getDimSize(1);
  for (Value buffer :
       {op.getX(), op.getB(), op.getC(), op.getY(), op.getState()}) {
    if (!cast<MemRefType>(buffer.getType()).isLastDimUnitStride()) {
      return op.emitOpError("has no kernel for rows that are not contiguous");
    }
  }
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, {op.getX(), /*dim=*/0},
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  int64_t most = succeeded(bound) && *bound <= kMost
                     ? std::max<int64_t>(*bound, 1)
                     : kRows;
  // Half of the registers hold sums; the rest is for operands.
  int64_t width =
      std::max<int64_t>(unit.lanes * unit.registers / (2 * kTile), 1);
  int64_t lanes = std::min<int64_t>(std::max<int64_t>(2 * unit.lanes, 1),
                                    llvm::PowerOf2Ceil(most));
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  SSDChunk chunk{rewriter,
                 loc,
                 op,
                 width,
                 lanes,
                 state.getDimSize(1),
                 state.getDimSize(2),
                 zero,
                 one,
                 {},
                 {},
                 {},
                 {},
                 {},
                 {}};
  if (most > 1) {
    chunk.allocate(most);
  }
  Value rows = memref::DimOp::create(rewriter, loc, op.getX(), zero);
  chunk.each(zero, chunk.index(heads), 1, [&](Value h) {
    Value g =
        arith::DivUIOp::create(rewriter, loc, h, chunk.index(heads / groups));
    chunk.head(h, g, rows, most);
  });
  return success();
}
