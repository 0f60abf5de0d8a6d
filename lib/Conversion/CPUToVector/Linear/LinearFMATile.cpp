// The register tile of f32 matmuls: rows by panels, k innermost.
#include "LinearFMA.h"

using namespace mlir;
using namespace cheems;

SmallVector<Value> FMATile::load(const Stream &stream, Value i) {
  Value weight = k.weights[stream.weight];
  Type element = cast<MemRefType>(weight.getType()).getElementType();
  auto stored = VectorType::get({k.kColumns * k.pair}, element);
  Value raw = vector::LoadOp::create(b, loc, stored, weight,
                                     ValueRange{stream.panel, i, k.zero});
  if (k.pair == 1) {
    return {element.isF32()
                ? raw
                : arith::ExtFOp::create(b, loc, k.column, raw).getResult()};
  }
  // Two bf16 share 32 bits: the low one moves up, the high one only loses its
  // neighbour.
  auto words = VectorType::get({k.kColumns}, b.getI32Type());
  Value both = vector::BitCastOp::create(b, loc, words, raw);
  Value sixteen = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(16)));
  Value upper = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(words, b.getI32IntegerAttr(int32_t(0xffff0000))));
  Value low = arith::ShLIOp::create(b, loc, both, sixteen);
  Value high = arith::AndIOp::create(b, loc, both, upper);
  return {arith::BitcastOp::create(b, loc, k.column, low),
          arith::BitcastOp::create(b, loc, k.column, high)};
}

void FMATile::widen(ArrayRef<Stream> streams, const Widened &widened) {
  int64_t width = streams.size() * k.kColumns;
  k.each(k.zero, k.index(k.size / k.pair), 1, [&](Value i) {
    Value at = arith::AddIOp::create(
        b, loc, widened.base,
        arith::MulIOp::create(b, loc, i, k.index(width * k.pair)));
    for (auto [s, stream] : llvm::enumerate(streams)) {
      for (auto [j, column] : llvm::enumerate(load(stream, i))) {
        vector::StoreOp::create(b, loc, column, widened.buffer,
                                k.add(at, j * width + s * k.kColumns));
      }
    }
  });
}

Value FMATile::rowOf(const Rows &rows, Value r) {
  Value row = arith::AddIOp::create(b, loc, rows.top, r);
  if (!rows.mayEnd) {
    return row;
  }
  Value last = arith::SubIOp::create(b, loc, k.rows, k.one);
  return arith::MinUIOp::create(b, loc, row, last);
}

SmallVector<Value> FMATile::multiply(const Rows &rows, ArrayRef<Stream> streams,
                                     const Widened &widened,
                                     const Fetch &fetch) {
  int64_t width = streams.size() * k.kColumns;
  Value zeros = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
  SmallVector<Value> inits(rows.count * streams.size(), zeros);
  if (fetch.pace) {
    inits.push_back(fetch.begin);
  }
  SmallVector<Value> lie;
  for (int64_t r = 0; r < rows.count; ++r) {
    lie.push_back(rowOf(rows, k.index(r)));
  }
  auto body = [&](OpBuilder &, Location, Value i, ValueRange args) {
    SmallVector<Value> sums(args);
    Value ahead;
    if (fetch.pace) {
      ahead = sums.pop_back_val();
      for (const Stream &stream : streams) {
        memref::PrefetchOp::create(b, loc, k.weights[stream.weight],
                                   ValueRange{stream.ahead, k.zero, ahead},
                                   /*isWrite=*/false, /*localityHint=*/3,
                                   /*isDataCache=*/true);
      }
      ahead = arith::AddIOp::create(b, loc, ahead, fetch.pace);
    }
    SmallVector<SmallVector<Value>> columns;
    for (const Stream &stream : streams) {
      if (!widened.buffer) {
        columns.push_back(load(stream, i));
      }
    }
    Value from = arith::MulIOp::create(b, loc, i, k.index(k.pair)), at, tile;
    if (widened.buffer) {
      at = arith::AddIOp::create(
          b, loc, widened.base,
          arith::MulIOp::create(b, loc, from, k.index(width)));
    }
    if (rows.packed) {
      tile = arith::AddIOp::create(
          b, loc, rows.first,
          arith::MulIOp::create(b, loc, from, k.index(rows.count)));
    }
    for (int64_t j = 0; j < k.pair; ++j) {
      SmallVector<Value> step;
      for (size_t s = 0; s < streams.size(); ++s) {
        step.push_back(
            widened.buffer
                ? vector::LoadOp::create(b, loc, k.column, widened.buffer,
                                         k.add(at, j * width + s * k.kColumns))
                      .getResult()
                : columns[s][j]);
      }
      for (int64_t r = 0; r < rows.count; ++r) {
        Value scalar =
            rows.packed
                ? memref::LoadOp::create(b, loc, rows.packed,
                                         k.add(tile, j * rows.count + r))
                : memref::LoadOp::create(b, loc, k.x,
                                         ValueRange{lie[r], k.add(from, j)});
        Value spread = vector::BroadcastOp::create(b, loc, k.column, scalar);
        for (auto [s, column] : llvm::enumerate(step)) {
          Value &sum = sums[r * streams.size() + s];
          sum = vector::FMAOp::create(b, loc, spread, column, sum);
        }
      }
    }
    if (ahead) {
      sums.push_back(ahead);
    }
    scf::YieldOp::create(b, loc, sums);
  };
  auto loop = scf::ForOp::create(b, loc, k.zero, k.index(k.size / k.pair),
                                 k.one, inits, body);
  return SmallVector<Value>(
      loop.getResults().take_front(rows.count * streams.size()));
}
