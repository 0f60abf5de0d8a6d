// Loops over tiles of matmuls: pairs of tiles of rows share two weights, and
// weights that come from memory are prefetched.
#include "LinearTiles.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

static_assert(RowPack::kRows == TileMatmuls::kTile &&
              LinearKernel::kColumns == TileMatmuls::kTile);

TileMatmuls::TileMatmuls(LinearKernel &kernel, RowPack &pack, Type element,
                         Type sum)
    : k(kernel), b(kernel.b), loc(kernel.loc), pack(pack), element(element),
      width(kLineBytes * 8 / element.getIntOrFloatBitWidth()) {
  int64_t steps = k.size / k.pair;
  blocks = steps / kTile;
  left = steps % kTile;
  inputs = amx::TileType::get({kTile, width}, element);
  sums = amx::TileType::get({kTile, kTile}, sum);
  scratch = memref::AllocOp::create(
      b, loc, MemRefType::get({kSums * kTile, kTile}, sum));
  if (left) {
    tails = memref::AllocOp::create(
        b, loc, MemRefType::get({kSums, kTile, width}, element));
  }
}

void TileMatmuls::fillTails() {
  if (left) {
    auto row = VectorType::get({width}, element);
    Value zeros = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(row, b.getZeroAttr(element)));
    for (int64_t s = 0; s < kSums; ++s) {
      for (int64_t r = left; r < kTile; ++r) {
        vector::StoreOp::create(b, loc, zeros, tails,
                                ValueRange{k.index(s), k.index(r), k.zero});
      }
    }
  }
}

/// Operands are loaded where they are first used, so that products start before
/// all are there.
SmallVector<Value>
TileMatmuls::multiply(const Rows &rows, Value column, ValueRange before,
                      llvm::function_ref<Value(int64_t)> weight) {
  SmallVector<Value> after(before);
  int64_t streams = before.size() / rows.tiles;
  SmallVector<Value> weights(streams);
  for (int64_t t = 0; t < rows.tiles; ++t) {
    Value input =
        amx::TileLoadOp::create(b, loc, inputs, rows.packed,
                                ValueRange{k.add(rows.at, t * kTile), column});
    for (int64_t s = 0; s < streams; ++s) {
      if (t == 0) {
        weights[s] = weight(s);
      }
      Value &sum = after[t * streams + s];
      sum = product(input, weights[s], sum);
    }
  }
  return after;
}

void TileMatmuls::prefetch(Value memref, ValueRange at, int64_t locality,
                           bool write) {
  memref::PrefetchOp::create(b, loc, memref, at, write, locality,
                             /*isDataCache=*/true);
}

/// During a block of k: a share of the inputs of the next pair of tiles, which
/// all panels together fetch.
void TileMatmuls::fetchInputs(const Rows &rows, Value n, int64_t panels,
                              Value column) {
  constexpr int64_t height = 2 * kTile;
  int64_t all = cast<MemRefType>(k.weights[0].getType()).getDimSize(0);
  int64_t share = height * panels / (ShapedType::isDynamic(all) ? 4 : all);
  share = std::clamp(share, panels, height);
  Value first = arith::MulIOp::create(b, loc, n, k.index(share / panels));
  first = arith::AndIOp::create(b, loc, first, k.index(height - 1));
  first = arith::AddIOp::create(b, loc, first, k.add(rows.at, height));
  for (int64_t r = 0; r < share; ++r) {
    prefetch(rows.packed, ValueRange{k.add(first, r), column}, 2);
  }
}

/// During block `i` of k: a share of the lines that these sums go to, which
/// are seldom in a near cache.
void TileMatmuls::fetchResults(const Rows &rows, Value n, int64_t panels,
                               Value i) {
  constexpr int64_t height = 2 * kTile;
  int64_t share = llvm::divideCeil(height, blocks);
  Value first = arith::MulIOp::create(b, loc, i, k.index(share));
  first = arith::MinUIOp::create(b, loc, first, k.index(height - share));
  first = arith::AddIOp::create(b, loc, first, rows.row);
  for (int64_t p = 0; p < panels; ++p) {
    Value column = arith::MulIOp::create(b, loc, k.add(n, p), k.index(kTile));
    for (int64_t r = 0; r < share; ++r) {
      prefetch(k.y, ValueRange{k.add(first, r), column}, 3, /*write=*/true);
    }
  }
}

/// Each is a register of its own: copies of one zero would go through memory.
SmallVector<Value> TileMatmuls::none(int64_t count) {
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i) {
    result.push_back(amx::TileZeroOp::create(b, loc, sums));
  }
  return result;
}

void TileMatmuls::storeSums(const Rows &rows, ValueRange total) {
  int64_t height = rows.tiles * kTile, streams = total.size() / rows.tiles;
  for (int64_t t = 0; t < rows.tiles; ++t) {
    for (int64_t s = 0; s < streams; ++s) {
      amx::TileStoreOp::create(
          b, loc, scratch, ValueRange{k.index(s * height + t * kTile), k.zero},
          total[t * streams + s]);
    }
  }
}

void TileMatmuls::block(const Rows &rows, Value n, int64_t panels) {
  int64_t matrices = k.weights.size(), streams = panels * matrices;
  auto weightOf = [&](int64_t s) { return k.weights[s % matrices]; };
  SmallVector<Value> panel;
  for (int64_t s = 0; s < streams; ++s) {
    panel.push_back(k.add(n, s / matrices));
  }
  SmallVector<Value> total = none(streams * rows.tiles);
  if (blocks) {
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(blocks), k.one, total,
        [&](OpBuilder &, Location, Value i, ValueRange before) {
          Value step = arith::MulIOp::create(b, loc, i, k.index(kTile));
          Value column = arith::MulIOp::create(b, loc, i, k.index(width));
          if (rows.tiles == 2 &&
              pack.stride > kLongRowBytes * width / kLineBytes) {
            fetchInputs(rows, n, panels, column);
          }
          if (rows.tiles == 2) {
            fetchResults(rows, n, panels, i);
          }
          if (rows.tiles == 1) {
            // With few rows weights come from memory. The hardware does
            // not prefetch tiles as it prefetches vectors.
            for (int64_t s = 0; s < streams; ++s) {
              for (int64_t r = 0; r < kTile; ++r) {
                Value ahead = k.add(step, kTileBlocksAhead * kTile + r);
                prefetch(weightOf(s), ValueRange{panel[s], ahead, k.zero}, 3);
              }
            }
          }
          scf::YieldOp::create(
              b, loc, multiply(rows, column, before, [&](int64_t s) -> Value {
                return amx::TileLoadOp::create(
                    b, loc, inputs, weightOf(s),
                    ValueRange{panel[s], step, k.zero});
              }));
        });
    total.assign(loop.result_begin(), loop.result_end());
  }
  if (left) {
    auto row = VectorType::get({width}, element);
    for (int64_t s = 0; s < streams; ++s) {
      for (int64_t r = 0; r < left; ++r) {
        Value step = k.index(blocks * kTile + r);
        Value weights = vector::LoadOp::create(
            b, loc, row, weightOf(s), ValueRange{panel[s], step, k.zero});
        vector::StoreOp::create(b, loc, weights, tails,
                                ValueRange{k.index(s), k.index(r), k.zero});
      }
    }
    total =
        multiply(rows, k.index(blocks * width), total, [&](int64_t s) -> Value {
          return amx::TileLoadOp::create(
              b, loc, inputs, tails, ValueRange{k.index(s), k.zero, k.zero});
        });
  }
  storeSums(rows, total);
  storeRows(rows, n, panels);
}

void TileMatmuls::panels(const Rows &rows) {
  int64_t matrices = k.weights.size();
  int64_t width = kSums / rows.tiles / matrices;
  Value rest = arith::RemUIOp::create(b, loc, k.panels, k.index(width));
  Value full = arith::SubIOp::create(b, loc, k.panels, rest);
  k.each(k.zero, full, width, [&](Value n) { block(rows, n, width); });
  if (width > 1) {
    k.each(full, k.panels, 1, [&](Value n) { block(rows, n, 1); });
  }
}

void TileMatmuls::whole() {
  // A pair of tiles against all panels of this iteration: the inputs stay in
  // the first-level cache or next to it, the weights in the second.
  Value odd = arith::RemUIOp::create(b, loc, pack.whole, k.index(2 * kTile));
  Value pairs = arith::SubIOp::create(b, loc, pack.whole, odd);
  k.each(k.zero, pairs, 2 * kTile,
         [&](Value m) { panels({pack.blocks, m, m, k.index(2 * kTile), 2}); });
  k.each(pairs, pack.whole, kTile,
         [&](Value m) { panels({pack.blocks, m, m, k.index(kTile), 1}); });
}
