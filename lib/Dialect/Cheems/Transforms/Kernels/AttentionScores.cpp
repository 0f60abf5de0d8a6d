// Scores of attention: one row against keys as they are stored, or a tile of
// rows against keys turned on their side.
//
// Both sum the products of a query and a key in the same order: `lanes` chains
// over ascending p, added in halves. So a row's scores are the same to the bit
// alone and in a tile.
#include "Attention.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
/// Position of key k's sum after `fold` of `lanes` vectors, by running it on
/// numbers.
struct Fold {
  /// Lanes of the two halves of each block of `width` lanes of a and b.
  static void halves(int64_t lanes, int64_t width, SmallVector<int64_t> &low,
                     SmallVector<int64_t> &high) {
    int64_t half = width / 2;
    // Blocks of two interleave within 128 bits, which is one instruction.
    int64_t together = width == 2 ? std::min<int64_t>(2, lanes / 2) : 1;
    for (int64_t block = 0; block < lanes / width; block += together) {
      for (int64_t from : {int64_t(0), lanes}) {
        for (int64_t i = 0; i < together; ++i) {
          for (int64_t lane = 0; lane < half; ++lane) {
            int64_t at = from + (block + i) * width + lane;
            low.push_back(at);
            high.push_back(at + half);
          }
        }
      }
    }
  }
};
} // namespace

/// The sums of `vectors`, as many as lanes: lane i of the result is that of
/// vector order[i]. Lanes half a width apart are added, then a quarter, ...
template <typename T, typename Combine>
static T fold(SmallVector<T> vectors, int64_t lanes, Combine combine) {
  for (int64_t width = lanes; width > 1; width /= 2) {
    SmallVector<int64_t> low, high;
    Fold::halves(lanes, width, low, high);
    SmallVector<T> next;
    size_t half = vectors.size() / 2;
    for (size_t i = 0; i < half; ++i) {
      next.push_back(combine(vectors[i], vectors[i + half], low, high));
    }
    vectors = next;
  }
  return vectors[0];
}

/// Which vector's sum each lane holds when vector i goes in at place i.
static SmallVector<int64_t> foldOrder(int64_t lanes) {
  SmallVector<SmallVector<int64_t>> vectors;
  for (int64_t i = 0; i < lanes; ++i) {
    vectors.emplace_back(lanes, i);
  }
  return fold(vectors, lanes,
              [&](const SmallVector<int64_t> &x, const SmallVector<int64_t> &y,
                  ArrayRef<int64_t> low, ArrayRef<int64_t>) {
                SmallVector<int64_t> result;
                for (int64_t at : low) {
                  result.push_back(at < lanes ? x[at] : y[at - lanes]);
                }
                return result;
              });
}

/// Rows of a square become its columns: each round moves the top bit of the row
/// number to the bottom of the lane number, and that one's to the row's.
static SmallVector<Value> transpose(OpBuilder &b, Location loc,
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
  return element.isF32()
             ? stored
             : arith::ExtFOp::create(b, loc, vectorOf(count), stored)
                   .getResult();
}

/// `vector` with zeros behind it.
static Value padded(OpBuilder &b, Location loc, Value vector, int64_t lanes) {
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

void AttentionKernel::turnKeys(Value keyHead, Value base, Value count) {
  Value final = arith::SubIOp::create(
      b, loc, arith::AddIOp::create(b, loc, base, count), one);
  each(zero, count, lanes, [&](Value x) {
    SmallVector<Value> places;
    Value from = arith::AddIOp::create(b, loc, base, x);
    for (int64_t i = 0; i < lanes; ++i) {
      // Past the end the last key is read again: nobody sees its column.
      places.push_back(arith::MinUIOp::create(b, loc, add(from, i), final));
    }
    auto square = [&](Value p, int64_t width) {
      SmallVector<Value> rows;
      for (Value j : places) {
        Value row = load(op.getKeys(), keyHead, j, p, width);
        rows.push_back(padded(b, loc, row, lanes));
      }
      rows = transpose(b, loc, rows);
      for (int64_t i = 0; i < width; ++i) {
        vector::StoreOp::create(b, loc, rows[i], turnedKeys,
                                ValueRange{add(p, i), x});
      }
    };
    int64_t rest = size % lanes;
    each(zero, index(size - rest), lanes, [&](Value p) { square(p, lanes); });
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

void AttentionKernel::scoreRow(const Tile &of) {
  static_assert(kEntries % kGroup == 0);
  SmallVector<int64_t> order = foldOrder(lanes);
  Value final = arith::SubIOp::create(
      b, loc, arith::AddIOp::create(b, loc, of.base, of.most), one);
  each(zero, of.most, lanes, [&](Value x) {
    Value from = arith::AddIOp::create(b, loc, of.base, x);
    // Vector order[k] goes in at place ... so that key k comes out in lane k.
    SmallVector<Value> places(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      // Past the end the last key is read again: its lane is hidden.
      places[order[lane]] =
          arith::MinUIOp::create(b, loc, add(from, lane), final);
    }
    auto chunk = [&](Value p, int64_t width, ValueRange sums) {
      Value q = vector::LoadOp::create(b, loc, vectorOf(width), op.getQuery(),
                                       ValueRange{of.row, of.head, p});
      q = padded(b, loc, q, lanes);
      SmallVector<Value> next;
      for (auto [j, sum] : llvm::zip_equal(places, sums)) {
        Value k =
            padded(b, loc, load(op.getKeys(), of.keyHead, j, p, width), lanes);
        next.push_back(vector::FMAOp::create(b, loc, q, k, sum));
      }
      return next;
    };
    SmallVector<Value> sums(lanes, spread(vectorOf(lanes), nothing));
    int64_t rest = size % lanes;
    if (size >= lanes) {
      sums =
          loop(zero, index(size - rest), lanes, sums,
               [&](Value p, ValueRange args) { return chunk(p, lanes, args); });
    }
    if (rest != 0) {
      sums = chunk(index(size - rest), rest, sums);
    }
    Value scores =
        fold(sums, lanes,
             [&](Value x, Value y, ArrayRef<int64_t> low,
                 ArrayRef<int64_t> high) -> Value {
               return arith::AddFOp::create(
                   b, loc, vector::ShuffleOp::create(b, loc, x, y, low),
                   vector::ShuffleOp::create(b, loc, x, y, high));
             });
    vector::StoreOp::create(b, loc, scores, weights, ValueRange{zero, x});
  });
}

/// The sums over p = lane, lane + stride, ... of each row of the tile, for
/// entries [x, x + 2 lanes): at stride `lanes` a chain, below in halves.
SmallVector<Value> AttentionKernel::partialScores(const Tile &of, Value x,
                                                  int64_t lane,
                                                  int64_t stride) {
  VectorType type = vectorOf(2 * lanes);
  if (stride < lanes) {
    SmallVector<Value> even = partialScores(of, x, lane, 2 * stride),
                       odd = partialScores(of, x, lane + stride, 2 * stride);
    for (auto [sum, other] : llvm::zip_equal(even, odd)) {
      sum = arith::AddFOp::create(b, loc, sum, other);
    }
    return even;
  }
  SmallVector<Value> sums(of.count, spread(type, nothing));
  if (lane >= size) {
    return sums;
  }
  return loop(
      index(lane), index(size), lanes, sums, [&](Value p, ValueRange args) {
        Value keys =
            vector::LoadOp::create(b, loc, type, turnedKeys, ValueRange{p, x});
        SmallVector<Value> next;
        for (auto [i, sum] : llvm::enumerate(args)) {
          Value q = memref::LoadOp::create(
              b, loc, op.getQuery(),
              ValueRange{add(of.row, static_cast<int64_t>(i)), of.head, p});
          next.push_back(
              vector::FMAOp::create(b, loc, spread(type, q), keys, sum));
        }
        return next;
      });
}

void AttentionKernel::scoreTile(const Tile &of) {
  each(zero, of.most, 2 * lanes, [&](Value x) {
    for (auto [i, scores] :
         llvm::enumerate(partialScores(of, x, 0, /*stride=*/1))) {
      vector::StoreOp::create(b, loc, scores, weights,
                              ValueRange{index(static_cast<int64_t>(i)), x});
    }
  });
}
