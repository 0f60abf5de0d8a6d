// Scores of attention: a tile's queries against keys transposed, each
// the chain of its products over ascending p.
#include "Attention.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

// Each round moves the top bit of the row number to the bottom of the lane
// number, and that one's to the row's.
SmallVector<Value> cheems::transpose(OpBuilder &b, Location loc,
                                     SmallVector<Value> rows) {
  int64_t lanes = static_cast<int64_t>(rows.size());
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    low.append({i, i + lanes});
    high.append({i + lanes / 2, i + lanes / 2 + lanes});
  }
  for (int64_t round = lanes; round > 1; round /= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < lanes / 2; ++i) {
      for (ArrayRef<int64_t> half : {ArrayRef(low), ArrayRef(high)}) {
        next.push_back(vector::ShuffleOp::create(b, loc, rows[i],
                                                 rows[i + lanes / 2], half));
      }
    }
    rows = next;
  }
  return rows;
}

Value AttentionKernel::load(Value entries, Value keyHead, Value j, Value p,
                            int64_t count) {
  Type element = cast<MemRefType>(entries.getType()).getElementType();
  Value stored =
      vector::LoadOp::create(b, loc, VectorType::get({count}, element), entries,
                             ValueRange{keyHead, j, p});
  if (element.isInteger()) {
    return arith::SIToFPOp::create(b, loc, vectorOf(count), stored);
  }
  return element.isF32()
             ? stored
             : arith::ExtFOp::create(b, loc, vectorOf(count), stored)
                   .getResult();
}

void AttentionKernel::prefetch(Value entries, Value keyHead, Value first,
                               Value at, int64_t count) {
  auto type = cast<MemRefType>(entries.getType());
  int64_t line = kLineBytes * 8 / type.getElementTypeBitWidth();
  Value row = index(size);
  for (int64_t from = 0; from < count; from += line) {
    Value element = add(at, from);
    Value entry = arith::AddIOp::create(
        b, loc, first, arith::DivUIOp::create(b, loc, element, row));
    memref::PrefetchOp::create(
        b, loc, entries,
        ValueRange{keyHead, arith::MinUIOp::create(b, loc, entry, lastEntry),
                   arith::RemUIOp::create(b, loc, element, row)},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

Value cheems::padded(OpBuilder &b, Location loc, Value vector, int64_t lanes) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getDimSize(0) == lanes) {
    return vector;
  }
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < lanes; ++i) {
    order.push_back(std::min(i, type.getDimSize(0)));
  }
  return vector::ShuffleOp::create(b, loc, vector, zeros, order);
}

/// The two bf16 or four quantized values that stand in each of `words`, as f32:
/// all that come first, then the second, ...
SmallVector<Value> AttentionKernel::widenWords(Value words) {
  auto type = cast<VectorType>(words.getType());
  VectorType numbers = vectorOf(type.getDimSize(0));
  auto constant = [&](int32_t value) {
    return spread(
        type, arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)));
  };
  SmallVector<Value> result;
  if (!op.getKeyScales()) {
    Value even = arith::ShLIOp::create(b, loc, words, constant(16)),
          odd = arith::AndIOp::create(b, loc, words,
                                      constant(int32_t(0xffff0000)));
    for (Value bits : {even, odd}) {
      result.push_back(vector::BitCastOp::create(b, loc, numbers, bits));
    }
    return result;
  }
  for (int32_t above : {24, 16, 8, 0}) {
    Value code = arith::ShLIOp::create(b, loc, words, constant(above));
    code = arith::ShRSIOp::create(b, loc, code, constant(24));
    result.push_back(arith::SIToFPOp::create(b, loc, numbers, code));
  }
  return result;
}

void AttentionKernel::turnKeys(Value keyHead, Value base, Value count) {
  Value final = arith::SubIOp::create(
      b, loc, arith::AddIOp::create(b, loc, base, count), one);
  each(zero, count, lanes, [&](Value x) {
    SmallVector<Value> indices;
    Value from = arith::AddIOp::create(b, loc, base, x);
    for (int64_t i = 0; i < lanes; ++i) {
      // Past the end the last key is read again: nobody sees its column.
      indices.push_back(arith::MinUIOp::create(b, loc, add(from, i), final));
    }
    // A row alone waits for memory. Its values are fetched while keys are
    // transposed, in the order in which they lie: the processor's own
    // prefetching works best so.
    auto prefetchValues = [&](Value p, int64_t width) {
      if (!ofRows) {
        prefetch(op.getValues(), keyHead, base,
                 add(mul(x, size), mul(p, lanes)), lanes * width);
      }
    };
    auto square = [&](Value p, int64_t width) {
      prefetchValues(p, width);
      SmallVector<Value> rows;
      for (Value j : indices) {
        Value row = load(op.getKeys(), keyHead, j, p, width);
        rows.push_back(padded(b, loc, row, lanes));
      }
      rows = transpose(b, loc, rows);
      for (int64_t i = 0; i < width; ++i) {
        vector::StoreOp::create(b, loc, rows[i], transposedKeys,
                                ValueRange{add(p, i), x});
      }
    };
    // Two bf16, or four quantized values, are transposed as one i32.
    Type element = cast<MemRefType>(op.getKeys().getType()).getElementType();
    int64_t share = 32 / element.getIntOrFloatBitWidth();
    auto words = [&](Value p) {
      prefetchValues(p, share * lanes);
      auto stored = VectorType::get({share * lanes}, element);
      auto word = VectorType::get({lanes}, b.getI32Type());
      SmallVector<Value> rows;
      for (Value j : indices) {
        Value row = vector::LoadOp::create(b, loc, stored, op.getKeys(),
                                           ValueRange{keyHead, j, p});
        rows.push_back(vector::BitCastOp::create(b, loc, word, row));
      }
      rows = transpose(b, loc, rows);
      for (int64_t i = 0; i < lanes; ++i) {
        for (auto [at, numbers] : llvm::enumerate(widenWords(rows[i]))) {
          vector::StoreOp::create(
              b, loc, numbers, transposedKeys,
              ValueRange{add(p, share * i + static_cast<int64_t>(at)), x});
        }
      }
    };
    int64_t transposed = 0;
    if (share > 1) {
      transposed = size - size % (share * lanes);
      each(zero, index(transposed), share * lanes, words);
    }
    int64_t rest = (size - transposed) % lanes;
    each(index(transposed), index(size - rest), lanes,
         [&](Value p) { square(p, lanes); });
    if (rest != 0) {
      square(index(size - rest), rest);
    }
  });
}

void AttentionKernel::widenValues(Value keyHead, Value base, Value count) {
  int64_t rest = size % lanes;
  each(zero, count, 1, [&](Value j) {
    Value from = arith::AddIOp::create(b, loc, base, j);
    auto copy = [&](Value p, int64_t width) {
      Value row = load(op.getValues(), keyHead, from, p, width);
      vector::StoreOp::create(b, loc, row, widenedValues, ValueRange{j, p});
    };
    each(zero, index(size - rest), lanes, [&](Value p) { copy(p, lanes); });
    if (rest != 0) {
      copy(index(size - rest), rest);
    }
  });
}

void AttentionKernel::score(const Tile &of) {
  static_assert(kEntries % kGroup == 0);
  // Chains enough to hide an addition's latency, and a register to spare.
  int64_t side = 4;
  while (side > 1 && (of.count * side > registers / 2 ||
                      (of.count + 1) * side + 1 >= registers)) {
    side /= 2;
  }
  VectorType type = vectorOf(side * lanes);
  each(zero, of.most, side * lanes, [&](Value x) {
    SmallVector<Value> sums(of.count, spread(type, zeros));
    sums = loop(zero, index(size), 1, sums, [&](Value p, ValueRange args) {
      Value keys = vector::LoadOp::create(b, loc, type, transposedKeys,
                                          ValueRange{p, x});
      if (!ofRows) { // half of the next keys
        int64_t share = side * lanes / 2;
        prefetch(op.getKeys(), of.keyHead, add(of.base, kEntries),
                 add(mul(x, size / 2), mul(p, share)), share);
      }
      SmallVector<Value> next;
      for (auto [i, sum] : llvm::enumerate(args)) {
        auto place = static_cast<int64_t>(i);
        Value q = memref::LoadOp::create(
            b, loc, op.getQuery(),
            ValueRange{of.ofRows ? add(of.row, place) : of.row,
                       of.ofRows ? of.head : add(of.head, place), p});
        next.push_back(
            vector::FMAOp::create(b, loc, spread(type, q), keys, sum));
      }
      return next;
    });
    for (auto [i, scores] : llvm::enumerate(sums)) {
      vector::StoreOp::create(b, loc, scores, weights,
                              ValueRange{index(static_cast<int64_t>(i)), x});
    }
  });
}
