// Factors of an SSD chunk's products rounded to bf16 (nearest, ties to even;
// denormals are zeros), in the order in which tiles are loaded.
#include "SSD.h"
#include "Transpose.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kLanes = 16;
} // namespace

/// 16 columns of f32 from `column` on, zeros past those that are there.
Value SSDProductsAMX::load(Value buffer, ArrayRef<Value> at, Value column,
                           int64_t there) {
  VectorType type = k.vector(kLanes);
  SmallVector<Value> indices(at);
  indices.push_back(column);
  if (there <= 0) {
    return k.none(type);
  }
  if (there >= kLanes) {
    return k.load(type, buffer, indices);
  }
  Value mask = vector::ConstantMaskOp::create(
      b, loc, VectorType::get({kLanes}, b.getI1Type()),
      ArrayRef<int64_t>{there});
  return vector::MaskedLoadOp::create(b, loc, type, buffer, indices, mask,
                                      k.none(type));
}

Value SSDProductsAMX::round(Value values) {
  return x86vector::CvtPackedF32ToBF16Op::create(
      b, loc, VectorType::get({kLanes}, b.getBF16Type()), values);
}

Value SSDProductsAMX::pairs(Value even, Value odd) {
  return vector::InterleaveOp::create(b, loc, round(even), round(odd));
}

Value SSDProductsAMX::zeroPairs() {
  return k.none(VectorType::get({2 * kLanes}, b.getBF16Type()));
}

void SSDProductsAMX::blocks(int64_t extent, int64_t room,
                            llvm::function_ref<void(Value, int64_t)> body) {
  int64_t whole = extent / kLanes * kLanes;
  k.each(k.zero, k.index(whole), kLanes,
         [&](Value column) { body(column, kLanes); });
  for (int64_t column = whole; column < room; column += kLanes) {
    body(k.index(column), extent - column);
  }
}

void SSDProductsAMX::roundGates(const SSDRows &rows, Value g) {
  k.each(k.zero, rows.count, 1, [&](Value t) {
    Value row = k.plus(rows.first, t);
    blocks(k.stateSize, states, [&](Value n, int64_t there) {
      k.store(round(load(k.op.getC(), {row, g}, n, there)), outputGates,
              {t, n});
    });
  });
}

/// b transposed: as pairs along N, and as rows of N. Rows past the last are the
/// last again: their columns of products are not read, their rows of inputs are
/// zeros.
void SSDProductsAMX::turnGates(const SSDRows &rows, Value g) {
  auto words = VectorType::get({kLanes}, b.getI32Type());
  auto packed = VectorType::get({2 * kLanes}, b.getBF16Type());
  auto turn = [&](SmallVectorImpl<Value> &square) {
    for (Value &row : square) {
      row = vector::BitCastOp::create(b, loc, words, row);
    }
    transposeSquare(b, loc, square);
    for (Value &row : square) {
      row = vector::BitCastOp::create(b, loc, packed, row);
    }
  };
  k.each(k.zero, rows.count, 2 * kLanes, [&](Value u) {
    SmallVector<Value> lie;
    for (int64_t i = 0; i < 2 * kLanes; ++i) {
      lie.push_back(k.clamped(rows, k.plus(u, i)));
    }
    blocks(k.stateSize, states, [&](Value n, int64_t there) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < 2 * kLanes; i += 2) {
        square.push_back(pairs(load(k.op.getB(), {lie[i], g}, n, there),
                               load(k.op.getB(), {lie[i + 1], g}, n, there)));
      }
      turn(square);
      for (int64_t i = 0; i < kLanes; ++i) {
        k.store(square[i], turnedGates, {k.plus(n, i), u});
      }
    });
  });
  // Two rows of N side by side are their pairs.
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < kLanes; ++i) {
    low.append({i, 2 * kLanes + i});
    high.append({kLanes + i, 3 * kLanes + i});
  }
  k.each(k.zero, k.index(states), 2, [&](Value n) {
    Value pair = arith::DivUIOp::create(b, loc, n, k.index(2));
    k.each(k.zero, rows.count, 2 * kLanes, [&](Value u) {
      Value even = k.load(packed, turnedGates, {n, u}),
            odd = k.load(packed, turnedGates, {k.plus(n, 1), u});
      Value column = k.plus(u, u);
      k.store(vector::ShuffleOp::create(b, loc, even, odd, low), inputGates,
              {pair, column});
      k.store(vector::ShuffleOp::create(b, loc, even, odd, high), inputGates,
              {pair, k.plus(column, 2 * kLanes)});
    });
  });
}

void SSDProductsAMX::packInputs(const SSDRows &rows, Value h) {
  Value odd = arith::RemUIOp::create(b, loc, rows.count, k.index(2));
  Value even = k.minus(rows.count, odd);
  Value end = k.roundedUp(rows.count, 2 * kLanes);
  auto put = [&](Value buffer, Value u, Value p, Value packed) {
    Value pair = arith::DivUIOp::create(b, loc, u, k.index(2));
    k.store(packed, buffer, {pair, k.plus(p, p)});
  };
  auto row = [&](Value u, Value p, int64_t there) {
    return load(k.op.getX(), {k.plus(rows.first, u), h}, p, there);
  };
  auto last = [&](Value u, Value x) {
    return k.times(k.spread(k.vector(kLanes), k.read(k.toEnd, u)), x);
  };
  k.each(k.zero, even, 2, [&](Value u) {
    blocks(k.headSize, columns, [&](Value p, int64_t there) {
      Value next = k.plus(u, 1);
      Value first = row(u, p, there), second = row(next, p, there);
      put(inputs, u, p, pairs(first, second));
      put(lasting, u, p, pairs(last(u, first), last(next, second)));
    });
  });
  // Rows that are not there are zeros.
  k.each(even, rows.count, 2, [&](Value u) {
    blocks(k.headSize, columns, [&](Value p, int64_t there) {
      Value first = row(u, p, there), nothing = k.none(k.vector(kLanes));
      put(inputs, u, p, pairs(first, nothing));
      put(lasting, u, p, pairs(last(u, first), nothing));
    });
  });
  k.each(k.plus(even, k.plus(odd, odd)), end, 2, [&](Value u) {
    k.each(k.zero, k.index(columns), kLanes, [&](Value p) {
      put(inputs, u, p, zeroPairs());
      put(lasting, u, p, zeroPairs());
    });
  });
}

void SSDProductsAMX::packState(Value h) {
  auto row = [&](Value n, Value p, int64_t there) {
    return load(k.op.getState(), {h, n}, p, there);
  };
  int64_t even = k.stateSize / 2 * 2;
  auto put = [&](Value n, Value p, Value packed) {
    Value pair = arith::DivUIOp::create(b, loc, n, k.index(2));
    k.store(packed, state, {pair, k.plus(p, p)});
  };
  k.each(k.zero, k.index(even), 2, [&](Value n) {
    blocks(k.headSize, columns, [&](Value p, int64_t there) {
      put(n, p, pairs(row(n, p, there), row(k.plus(n, 1), p, there)));
    });
  });
  if (even < k.stateSize) {
    blocks(k.headSize, columns, [&](Value p, int64_t there) {
      put(k.index(even), p,
          pairs(row(k.index(even), p, there), k.none(k.vector(kLanes))));
    });
  }
  k.each(k.index(llvm::alignTo(k.stateSize, 2)), k.index(states), 2,
         [&](Value n) {
           k.each(k.zero, k.index(columns), kLanes,
                  [&](Value p) { put(n, p, zeroPairs()); });
         });
}
