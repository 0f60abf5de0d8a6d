// The matmuls of an SSD chunk by f32 multiply-adds on register tiles: sums
// stay in registers, the left factor is a scalar a row of the tile, the right
// one per vector of columns. Scratch of a chunk lies in the first two caches.
#include "SSD.h"
#include "Transpose.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;

SSDMatmulsFMA::SSDMatmulsFMA(SSDKernel &kernel)
    : k(kernel), b(kernel.b), loc(kernel.loc) {
  // With 16 registers, all are taken: by sums, by the columns' vectors, and one
  // by scalars. With 32, half of them hold sums. That is enough to hide the
  // latency of an addition, and it divides the rows of chunks.
  height = k.unit.registers >= 32 ? 8 : 6;
  width = 2 * k.unit.lanes;
  // The state's rows need not divide it: the more columns, the fewer loads of
  // scalars a multiply-add.
  stateHeight = 6;
  stateWidth = k.unit.registers >= 32 ? 4 * k.unit.lanes : width;
  Type f32 = b.getF32Type();
  int64_t rows = llvm::alignTo(k.padded, height);
  pitch = rows;
  outputGates = k.allocate({k.stateSize * pitch}, f32);
  products = k.allocate({rows, k.padded}, f32);
  weights = k.allocate({rows, rows}, f32);
  lasting = k.allocate({rows * k.headSize}, f32);
}

Value SSDMatmulsFMA::flat(Value i, int64_t offset, int64_t pitch,
                          Value column) {
  Value row = arith::MulIOp::create(b, loc, i, k.index(pitch));
  return k.add(k.add(row, column), offset * pitch);
}

void SSDMatmulsFMA::group(const SSDRows &rows, Value g) {
  transposeGates(rows, g);
  multiplyGates(rows, g);
}

void SSDMatmulsFMA::head(const SSDRows &rows, Value h, Value g) {
  weigh(rows);
  decayInputs(rows, h);
  k.columns(width, [&](Value p, VectorType type) { output(rows, h, p, type); });
  k.columns(stateWidth,
            [&](Value p, VectorType type) { carry(rows, h, g, p, type); });
}

void SSDMatmulsFMA::transposeGates(const SSDRows &rows, Value g) {
  int64_t lanes = std::max<int64_t>(k.unit.lanes, 1);
  VectorType type = k.vectorOf(lanes);
  int64_t whole = k.stateSize / lanes * lanes;
  k.each(k.zero, rows.count, lanes, [&](Value t) {
    SmallVector<Value> lie;
    for (int64_t i = 0; i < lanes; ++i) {
      lie.push_back(k.clamped(rows, k.add(t, i)));
    }
    k.each(k.zero, k.index(whole), lanes, [&](Value n) {
      SmallVector<Value> square;
      for (Value row : lie) {
        square.push_back(k.load(type, k.op.getC(), {row, g, n}));
      }
      transposeSquare(b, loc, square);
      for (int64_t i = 0; i < lanes; ++i) {
        k.store(square[i], outputGates, flat(n, i, pitch, t));
      }
    });
    k.each(k.index(whole), k.index(k.stateSize), 1, [&](Value n) {
      for (int64_t i = 0; i < lanes; ++i) {
        k.write(k.read(k.op.getC(), {lie[i], g, n}), outputGates,
                flat(n, 0, pitch, k.add(t, i)));
      }
    });
  });
}

/// products[u, t] for all t from the tile on that u lies in.
void SSDMatmulsFMA::multiplyGates(const SSDRows &rows, Value g) {
  // If registers allow it, tiles are squares of a block. Half of a square on
  // the diagonal is left out.
  bool squares = height == SSDKernel::kBlock / 2;
  int64_t down = squares ? 2 * height : height,
          across = squares ? width / 2 : width;
  VectorType type = k.vectorOf(across);
  k.each(k.zero, rows.count, down, [&](Value u) {
    SmallVector<Value> lie;
    for (int64_t i = 0; i < down; ++i) {
      lie.push_back(k.clamped(rows, k.add(u, i)));
    }
    Value start = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, u, k.index(across)),
        k.index(across));
    k.each(start, rows.count, across, [&](Value t) {
      SmallVector<Value> inits(down, k.zeroOf(type));
      SmallVector<Value> sums =
          k.loop(k.zero, k.index(k.stateSize), 1, inits,
                 [&](Value n, ValueRange sums) {
                   Value row = k.load(type, outputGates, flat(n, 0, pitch, t));
                   SmallVector<Value> next;
                   for (int64_t i = 0; i < down; ++i) {
                     Value gate = k.read(k.op.getB(), {lie[i], g, n});
                     next.push_back(k.fused(gate, row, sums[i]));
                   }
                   return next;
                 });
      for (int64_t i = 0; i < down; ++i) {
        k.store(sums[i], products, {k.add(u, i), t});
      }
    });
  });
}

/// weights[u, t] for u <= t; nothing reads the others.
void SSDMatmulsFMA::weigh(const SSDRows &rows) {
  VectorType type = k.vectorOf(SSDKernel::kBlock),
             wide = type.clone(b.getF64Type());
  k.each(k.zero, rows.count, SSDKernel::kBlock, [&](Value t) {
    Value to = k.load(wide, k.logarithm, t);
    Value last = arith::MaxUIOp::create(b, loc, t, k.one);
    Value until = k.spread(wide, k.read(k.logarithm, k.sub(last, k.one)));
    Value within = k.decay(arith::SubFOp::create(b, loc, to, until));
    k.blockDecays(t);
    k.each(k.zero, t, 1, [&](Value u) {
      Value factor = k.mul(k.spread(type, k.read(k.near, u)), within);
      k.store(k.mul(k.load(type, products, {u, t}), factor), weights, {u, t});
    });
    Value end =
        arith::MinUIOp::create(b, loc, k.add(t, SSDKernel::kBlock), rows.count);
    k.each(t, end, 1, [&](Value u) {
      Value power = arith::SubFOp::create(
          b, loc, to, k.spread(wide, k.read(k.logarithm, u)));
      Value factor = k.mul(k.decay(power), k.spread(type, k.read(k.steps, u)));
      k.store(k.mul(k.load(type, products, {u, t}), factor), weights, {u, t});
    });
  });
}

void SSDMatmulsFMA::decayInputs(const SSDRows &rows, Value h) {
  k.each(k.zero, rows.count, 1, [&](Value u) {
    Value left = k.read(k.toEnd, u);
    k.columns(4 * k.unit.lanes, [&](Value p, VectorType type) {
      Value x = k.load(type, k.op.getX(), {k.add(rows.first, u), h, p});
      k.store(k.mul(k.spread(type, left), x), lasting,
              flat(u, 0, k.headSize, p));
    });
  });
}

/// Columns of y from `p` on.
void SSDMatmulsFMA::output(const SSDRows &rows, Value h, Value p,
                           VectorType type) {
  int64_t count = type.getDimSize(0);
  Value ahead, next;
  std::tie(ahead, next) = k.nextHead(rows, h);
  k.each(k.zero, rows.count, height, [&](Value t) {
    // The sums of rows from the `from`-th of the tile on; left(i) is a factor
    // of the i-th.
    auto add = [&](ValueRange sums, Value row, int64_t from, auto left) {
      SmallVector<Value> result(sums);
      for (int64_t i = from; i < height; ++i) {
        result[i] = k.fused(left(i), row, result[i]);
      }
      return result;
    };
    auto weight = [&](Value u) {
      return [&, u](int64_t i) { return k.read(weights, {u, k.add(t, i)}); };
    };
    auto input = [&](Value row) {
      return k.load(type, k.op.getX(), {row, h, p});
    };
    // Between parts of the state, rows are fetched that are stored below or
    // that the next head reads. All of them at once would fill the few buffers
    // that loads need, too.
    SmallVector<Value> sums(height, k.zeroOf(type));
    // A state may have no rows.
    int64_t share = std::max<int64_t>(
        4, llvm::alignTo(llvm::divideCeil(k.stateSize, height), int64_t(4)));
    int64_t parts = llvm::divideCeil(k.stateSize, share);
    sums = k.loop(
        k.zero, k.index(parts), 1, sums, [&](Value part, ValueRange before) {
          Value row = k.add(t, part);
          k.fetch(k.op.getY(), {k.add(rows.first, row), h, p}, count,
                  /*isWrite=*/true);
          k.fetch(k.op.getX(), {k.add(ahead, row), next, p}, count);
          Value from = arith::MulIOp::create(b, loc, part, k.index(share));
          Value to = arith::MinUIOp::create(b, loc, k.add(from, share),
                                            k.index(k.stateSize));
          return k.loopFours(
              from, to, before,
              [&](Value n, int64_t offset, ValueRange before) {
                Value state =
                    k.load(type, k.op.getState(), {h, k.add(n, offset), p});
                return add(before, state, 0, [&](int64_t i) {
                  return k.read(outputGates,
                                flat(n, offset, pitch, k.add(t, i)));
                });
              });
        });
    for (int64_t i = 0; i < height; ++i) {
      Value decay = k.read(k.fromStart, k.add(t, i));
      sums[i] = k.mul(k.spread(type, decay), sums[i]);
    }
    sums = k.loop(k.zero, t, 1, sums, [&](Value u, ValueRange s) {
      return add(s, input(k.add(rows.first, u)), 0, weight(u));
    });
    // A row of the tile sees itself and those before it: an infinity in a
    // later one must not meet a weight of zero.
    for (int64_t i = 0; i < height; ++i) {
      Value u = k.add(t, i), row = input(k.clamped(rows, u));
      sums = add(sums, row, i, weight(u));
      if (k.op.getSkip()) {
        sums[i] = k.fused(k.read(k.op.getSkip(), h), row, sums[i]);
      }
      Value there = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, u,
                                          rows.count);
      k.when(there, [&] {
        k.store(sums[i], k.op.getY(), {k.add(rows.first, u), h, p});
      });
    }
  });
}

/// Columns of the state after the chunk from `p` on.
void SSDMatmulsFMA::carry(const SSDRows &rows, Value h, Value g, Value p,
                          VectorType type) {
  Value last = k.sub(rows.count, k.one);
  Value whole = k.read(k.fromStart, last);
  // With each tile some rows of c and b come nearer, for the next chunk.
  int64_t down = llvm::divideCeil(k.stateSize, stateHeight),
          across = llvm::divideCeil(k.headSize, stateWidth);
  int64_t share = llvm::divideCeil(k.most, down * across);
  auto tile = [&](Value n, int64_t count) {
    Value number = k.add(
        arith::DivUIOp::create(b, loc, n, k.index(stateHeight)),
        arith::MulIOp::create(
            b, loc, arith::DivUIOp::create(b, loc, p, k.index(stateWidth)),
            k.index(down)));
    for (int64_t i = 0; i < share; ++i) {
      k.fetchGates(
          rows, h,
          k.add(arith::MulIOp::create(b, loc, number, k.index(share)), i));
    }
    SmallVector<Value> inits(count, k.zeroOf(type));
    SmallVector<Value> sums = k.loopFours(
        k.zero, rows.count, inits,
        [&](Value u, int64_t offset, ValueRange sums) {
          Value row = k.load(type, lasting, flat(u, offset, k.headSize, p));
          Value from = k.add(k.add(rows.first, u), offset);
          SmallVector<Value> next;
          for (int64_t i = 0; i < count; ++i) {
            Value gate = k.read(k.op.getB(), {from, g, k.add(n, i)});
            next.push_back(k.fused(gate, row, sums[i]));
          }
          return next;
        });
    for (int64_t i = 0; i < count; ++i) {
      Value at = k.add(n, i);
      Value old = k.load(type, k.op.getState(), {h, at, p});
      k.store(k.fused(whole, old, sums[i]), k.op.getState(), {h, at, p});
    }
  };
  int64_t full = k.stateSize / stateHeight * stateHeight,
          rest = k.stateSize % stateHeight;
  k.each(k.zero, k.index(full), stateHeight,
         [&](Value n) { tile(n, stateHeight); });
  if (rest) {
    tile(k.index(full), rest);
  }
}
