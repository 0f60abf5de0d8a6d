// The products of an SSD chunk by f32 multiply-adds on register tiles: sums
// stay in registers, the left factor is a scalar a row of the tile, the right
// one a vector of columns. Scratch of a chunk lies in the first two caches.
#include "SSD.h"
#include "Transpose.h"

using namespace mlir;
using namespace mlir::cheems;

SSDProductsFMA::SSDProductsFMA(SSDKernel &kernel)
    : k(kernel), b(kernel.b), loc(kernel.loc) {
  // Sums, the columns' vectors and one for scalars take all registers of 16;
  // of 32 registers half hold sums, which hides an addition's latency, too, and
  // divides the rows of chunks.
  height = k.unit.registers >= 32 ? 8 : 6;
  width = 2 * k.unit.lanes;
  Type f32 = b.getF32Type();
  int64_t rows = llvm::alignTo(k.padded, height);
  outputGates = k.allocate({k.stateSize, rows}, f32);
  products = k.allocate({rows, k.padded}, f32);
  weights = k.allocate({rows, rows}, f32);
  inputs = k.allocate({rows, k.headSize}, f32);
  lasting = k.allocate({rows, k.headSize}, f32);
}

void SSDProductsFMA::group(const SSDRows &rows, Value g) {
  transposeGates(rows, g);
  multiplyGates(rows, g);
}

void SSDProductsFMA::head(const SSDRows &rows, Value h, Value g) {
  weigh(rows);
  pack(rows, h);
  output(rows, h);
  carry(rows, h, g);
}

void SSDProductsFMA::transposeGates(const SSDRows &rows, Value g) {
  int64_t lanes = std::max<int64_t>(k.unit.lanes, 1);
  VectorType type = k.vector(lanes);
  int64_t whole = k.stateSize / lanes * lanes;
  k.each(k.zero, rows.count, lanes, [&](Value t) {
    SmallVector<Value> lie;
    for (int64_t i = 0; i < lanes; ++i) {
      lie.push_back(k.clamped(rows, k.plus(t, i)));
    }
    k.each(k.zero, k.index(whole), lanes, [&](Value n) {
      SmallVector<Value> square;
      for (Value row : lie) {
        square.push_back(k.load(type, k.op.getC(), {row, g, n}));
      }
      transposeSquare(b, loc, square);
      for (int64_t i = 0; i < lanes; ++i) {
        k.store(square[i], outputGates, {k.plus(n, i), t});
      }
    });
    k.each(k.index(whole), k.index(k.stateSize), 1, [&](Value n) {
      for (int64_t i = 0; i < lanes; ++i) {
        k.write(k.read(k.op.getC(), {lie[i], g, n}), outputGates,
                {n, k.plus(t, i)});
      }
    });
  });
}

/// products[u, t] for all t from the tile on that u lies in.
void SSDProductsFMA::multiplyGates(const SSDRows &rows, Value g) {
  VectorType type = k.vector(width);
  k.each(k.zero, rows.count, height, [&](Value u) {
    SmallVector<Value> lie;
    for (int64_t i = 0; i < height; ++i) {
      lie.push_back(k.clamped(rows, k.plus(u, i)));
    }
    Value start = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, u, k.index(width)),
        k.index(width));
    k.each(start, rows.count, width, [&](Value t) {
      SmallVector<Value> inits(height, k.none(type));
      ValueRange sums = k.fold(
          k.zero, k.index(k.stateSize), inits, [&](Value n, ValueRange sums) {
            Value row = k.load(type, outputGates, {n, t});
            SmallVector<Value> next;
            for (int64_t i = 0; i < height; ++i) {
              Value gate = k.read(k.op.getB(), {lie[i], g, n});
              next.push_back(k.fused(gate, row, sums[i]));
            }
            return next;
          });
      for (int64_t i = 0; i < height; ++i) {
        k.store(sums[i], products, {k.plus(u, i), t});
      }
    });
  });
}

/// weights[u, t] for u <= t; nothing reads the others.
void SSDProductsFMA::weigh(const SSDRows &rows) {
  VectorType type = k.vector(SSDKernel::kBlock),
             wide = type.clone(b.getF64Type());
  k.each(k.zero, rows.count, SSDKernel::kBlock, [&](Value t) {
    Value to = k.load(wide, k.logarithm, t);
    Value last = arith::MaxUIOp::create(b, loc, t, k.one);
    Value until = k.spread(wide, k.read(k.logarithm, k.minus(last, k.one)));
    Value within = k.decay(arith::SubFOp::create(b, loc, to, until));
    k.blockDecays(t);
    k.each(k.zero, t, 1, [&](Value u) {
      Value factor = k.times(k.spread(type, k.read(k.near, u)), within);
      k.store(k.times(k.load(type, products, {u, t}), factor), weights, {u, t});
    });
    Value end = arith::MinUIOp::create(b, loc, k.plus(t, SSDKernel::kBlock),
                                       rows.count);
    k.each(t, end, 1, [&](Value u) {
      Value power = arith::SubFOp::create(
          b, loc, to, k.spread(wide, k.read(k.logarithm, u)));
      Value factor =
          k.times(k.decay(power), k.spread(type, k.read(k.steps, u)));
      k.store(k.times(k.load(type, products, {u, t}), factor), weights, {u, t});
    });
  });
}

void SSDProductsFMA::pack(const SSDRows &rows, Value h) {
  k.each(k.zero, rows.count, 1, [&](Value u) {
    Value left = k.read(k.toEnd, u);
    k.columns(4 * k.unit.lanes, [&](Value p, VectorType type) {
      Value x = k.load(type, k.op.getX(), {k.plus(rows.first, u), h, p});
      k.store(x, inputs, {u, p});
      k.store(k.times(k.spread(type, left), x), lasting, {u, p});
    });
  });
}

void SSDProductsFMA::output(const SSDRows &rows, Value h) {
  k.columns(width, [&](Value p, VectorType type) {
    k.each(k.zero, rows.count, height, [&](Value t) {
      auto add = [&](ValueRange sums, Value left, Value at, Value row,
                     int64_t from) {
        SmallVector<Value> next(sums);
        for (int64_t i = from; i < height; ++i) {
          next[i] = k.fused(k.read(left, {at, k.plus(t, i)}), row, next[i]);
        }
        return next;
      };
      SmallVector<Value> inits(height, k.none(type));
      SmallVector<Value> sums = llvm::to_vector(k.fold(
          k.zero, k.index(k.stateSize), inits, [&](Value n, ValueRange sums) {
            Value row = k.load(type, k.op.getState(), {h, n, p});
            return add(sums, outputGates, n, row, 0);
          }));
      for (int64_t i = 0; i < height; ++i) {
        Value decay = k.read(k.fromStart, k.plus(t, i));
        sums[i] = k.times(k.spread(type, decay), sums[i]);
      }
      sums =
          llvm::to_vector(k.fold(k.zero, t, sums, [&](Value u, ValueRange s) {
            return add(s, weights, u, k.load(type, inputs, {u, p}), 0);
          }));
      // A row of the tile sees itself and those before it: an infinity in a
      // later one must not meet a weight of zero.
      for (int64_t i = 0; i < height; ++i) {
        Value u = k.plus(t, i), row = k.load(type, inputs, {u, p});
        sums = add(sums, weights, u, row, i);
        if (k.op.getSkip()) {
          sums[i] = k.fused(k.read(k.op.getSkip(), h), row, sums[i]);
        }
        Value there = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            u, rows.count);
        k.when(there, [&] {
          k.store(sums[i], k.op.getY(), {k.plus(rows.first, u), h, p});
        });
      }
    });
  });
}

/// The state after the chunk.
void SSDProductsFMA::carry(const SSDRows &rows, Value h, Value g) {
  Value last = k.minus(rows.count, k.one);
  Value whole = k.read(k.fromStart, last);
  auto tile = [&](Value n, int64_t count, Value p, VectorType type) {
    SmallVector<Value> inits(count, k.none(type));
    ValueRange sums =
        k.fold(k.zero, rows.count, inits, [&](Value u, ValueRange sums) {
          Value row = k.load(type, lasting, {u, p});
          Value from = k.plus(rows.first, u);
          SmallVector<Value> next;
          for (int64_t i = 0; i < count; ++i) {
            Value gate = k.read(k.op.getB(), {from, g, k.plus(n, i)});
            next.push_back(k.fused(gate, row, sums[i]));
          }
          return next;
        });
    for (int64_t i = 0; i < count; ++i) {
      Value at = k.plus(n, i);
      Value old = k.load(type, k.op.getState(), {h, at, p});
      k.store(k.fused(whole, old, sums[i]), k.op.getState(), {h, at, p});
    }
  };
  int64_t full = k.stateSize / height * height, rest = k.stateSize % height;
  k.columns(width, [&](Value p, VectorType type) {
    k.each(k.zero, k.index(full), height,
           [&](Value n) { tile(n, height, p, type); });
    if (rest) {
      tile(k.index(full), rest, p, type);
    }
  });
}
