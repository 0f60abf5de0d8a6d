// Factors of an SSD chunk's matmuls rounded to bf16 (nearest, ties to even;
// denormals are zeros), in the order in which tiles are loaded.
#include "SSD.h"
#include "Transpose.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cheems;

namespace {
constexpr int64_t kLanes = 16;
} // namespace

/// 16 columns of f32 from `column` on, zeros past those that are there.
Value SSDMatmulsAMX::load(Value buffer, ArrayRef<Value> at, Value column,
                          int64_t there) {
  VectorType type = k.vectorOf(kLanes);
  SmallVector<Value> indices(at);
  indices.push_back(column);
  if (there <= 0) {
    return k.zeroOf(type);
  }
  if (there >= kLanes) {
    return k.load(type, buffer, indices);
  }
  Value mask = vector::ConstantMaskOp::create(
      b, loc, VectorType::get({kLanes}, b.getI1Type()),
      ArrayRef<int64_t>{there});
  return vector::MaskedLoadOp::create(b, loc, type, buffer, indices, mask,
                                      k.zeroOf(type));
}

void SSDMatmulsAMX::store(Value values, Value buffer, ArrayRef<Value> at,
                          Value column, int64_t there) {
  SmallVector<Value> indices(at);
  indices.push_back(column);
  if (there >= kLanes) {
    k.store(values, buffer, indices);
  } else if (there > 0) {
    Value mask = vector::ConstantMaskOp::create(
        b, loc, VectorType::get({kLanes}, b.getI1Type()),
        ArrayRef<int64_t>{there});
    vector::MaskedStoreOp::create(b, loc, buffer, indices, mask, values);
  }
}

/// Both at once: an instruction for one vector takes as long.
Value SSDMatmulsAMX::round(Value low, Value high) {
  return LLVM::CallIntrinsicOp::create(
             b, loc, VectorType::get({2 * kLanes}, b.getBF16Type()),
             b.getStringAttr("llvm.x86.avx512bf16.cvtne2ps2bf16.512"),
             ValueRange{high, low})
      .getResult(0);
}

Value SSDMatmulsAMX::pairs(Value even, Value odd) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < kLanes; ++i) {
    order.append({i, kLanes + i});
  }
  Value both = round(even, odd);
  return vector::ShuffleOp::create(b, loc, both, both, order);
}

void SSDMatmulsAMX::blocks(int64_t extent, int64_t rowExtent, int64_t step,
                           llvm::function_ref<void(Value, int64_t)> body) {
  int64_t whole = extent / step * step;
  k.each(k.zero, k.index(whole), step,
         [&](Value column) { body(column, step); });
  for (int64_t column = whole; column < rowExtent; column += step) {
    body(k.index(column), extent - column);
  }
}

void SSDMatmulsAMX::roundGates(Value from, Value g, Value gates, Value to,
                               Value decay) {
  VectorType type = k.vectorOf(kLanes);
  auto gate = [&](Value n, int64_t there) {
    Value c = load(k.op.getC(), {from, g}, n, there);
    return decay ? k.mul(k.spread(type, decay), c) : c;
  };
  blocks(k.stateSize, states, 2 * kLanes, [&](Value n, int64_t there) {
    Value low = gate(n, there);
    k.store(round(low, gate(k.add(n, kLanes), there - kLanes)), gates, {to, n});
  });
}

/// b transposed: as pairs along N, and as rows of N. Rows past the last one
/// repeat it. Their columns of matmuls are not read, and their rows of inputs
/// are zeros.
void SSDMatmulsAMX::transposeGates(const SSDRows &rows, Value g) {
  auto words = VectorType::get({kLanes}, b.getI32Type());
  auto packed = VectorType::get({2 * kLanes}, b.getBF16Type());
  auto transpose = [&](SmallVectorImpl<Value> &square) {
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
      lie.push_back(k.clamped(rows, k.add(u, i)));
    }
    blocks(k.stateSize, states, kLanes, [&](Value n, int64_t there) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < 2 * kLanes; i += 2) {
        square.push_back(pairs(load(k.op.getB(), {lie[i], g}, n, there),
                               load(k.op.getB(), {lie[i + 1], g}, n, there)));
      }
      transpose(square);
      for (int64_t i = 0; i < kLanes; ++i) {
        k.store(square[i], transposedGates, {k.add(n, i), u});
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
      Value even = k.load(packed, transposedGates, {n, u}),
            odd = k.load(packed, transposedGates, {k.add(n, 1), u});
      Value column = k.add(u, u);
      k.store(vector::ShuffleOp::create(b, loc, even, odd, low), inputGates,
              {pair, column});
      k.store(vector::ShuffleOp::create(b, loc, even, odd, high), inputGates,
              {pair, k.add(column, 2 * kLanes)});
    });
  });
}

/// Rows that are not there are zeros.
void SSDMatmulsAMX::packInputs(const SSDRows &rows, Value h) {
  VectorType type = k.vectorOf(kLanes);
  Value zeros = k.zeroOf(type);
  auto row = [&](Value u, Value p, int64_t there) {
    return load(k.op.getX(), {k.add(rows.first, u), h}, p, there);
  };
  auto last = [&](Value u, Value x) {
    return k.mul(k.spread(type, k.read(k.toEnd, u)), x);
  };
  auto put = [&](Value buffer, Value u, Value p, Value even, Value odd) {
    Value pair = arith::DivUIOp::create(b, loc, u, k.index(2));
    k.store(pairs(even, odd), buffer, {pair, k.add(p, p)});
  };
  Value odd = arith::RemUIOp::create(b, loc, rows.count, k.index(2));
  Value even = k.sub(rows.count, odd);
  k.each(k.zero, even, 2, [&](Value u) {
    blocks(k.headSize, columns, kLanes, [&](Value p, int64_t there) {
      Value next = k.add(u, 1);
      Value first = row(u, p, there), second = row(next, p, there);
      put(inputs, u, p, first, second);
      put(lasting, u, p, last(u, first), last(next, second));
    });
  });
  k.each(even, rows.count, 2, [&](Value u) {
    blocks(k.headSize, columns, kLanes, [&](Value p, int64_t there) {
      Value first = row(u, p, there);
      put(inputs, u, p, first, zeros);
      put(lasting, u, p, last(u, first), zeros);
    });
  });
  k.each(k.add(even, k.add(odd, odd)), k.roundedUp(rows.count, 2 * kLanes), 2,
         [&](Value u) {
           k.each(k.zero, k.index(columns), kLanes, [&](Value p) {
             put(inputs, u, p, zeros, zeros);
             put(lasting, u, p, zeros, zeros);
           });
         });
}

/// 32 rows of the state from `n` on: in pairs as they are, then what is left of
/// them and the sums of tiles.
void SSDMatmulsAMX::packAndUpdateState(const SSDRows &rows, Value h, Value n,
                                       Value whole) {
  // What the next head packs, row by row while this one's state is transposed.
  Value ahead, next;
  std::tie(ahead, next) = k.nextHead(rows, h);
  int64_t perPair = llvm::divideCeil(2 * k.most, states);
  VectorType type = k.vectorOf(kLanes);
  Value left = k.spread(type, whole);
  auto twoRows = [&](Value r, int64_t count) {
    Value row = k.add(n, r);
    Value first = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, row, k.index(2)),
        k.index(perPair));
    for (int64_t i = 0; i < perPair; ++i) {
      k.fetch(k.op.getX(), {k.add(ahead, k.add(first, i)), next, k.zero},
              k.headSize);
    }
    blocks(k.headSize, columns, kLanes, [&](Value p, int64_t there) {
      SmallVector<Value> both;
      for (int64_t i = 0; i < 2; ++i) {
        Value at = k.add(row, i);
        Value old = load(k.op.getState(), {h, at}, p, i < count ? there : 0);
        both.push_back(old);
        if (i < count) {
          Value sum = k.load(type, tileSums, {k.add(r, i), p});
          store(vector::FMAOp::create(b, loc, left, old, sum), k.op.getState(),
                {h, at}, p, there);
        }
      }
      Value pair = arith::DivUIOp::create(b, loc, row, k.index(2));
      k.store(pairs(both[0], both[1]), state, {pair, k.add(p, p)});
    });
  };
  Value there = arith::MinUIOp::create(b, loc, k.sub(k.index(k.stateSize), n),
                                       k.index(2 * kLanes));
  Value odd = arith::RemUIOp::create(b, loc, there, k.index(2));
  Value even = k.sub(there, odd);
  k.each(k.zero, even, 2, [&](Value r) { twoRows(r, 2); });
  if (k.stateSize % 2) {
    k.each(even, there, 2, [&](Value r) { twoRows(r, 1); });
  }
  if (k.stateSize < states) {
    k.each(k.add(there, odd), k.index(2 * kLanes), 2,
           [&](Value r) { twoRows(r, 0); });
  }
}
