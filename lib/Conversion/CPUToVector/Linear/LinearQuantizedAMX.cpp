// Quantized matmuls on AMX tiles: exact sums of 64 k per step. Few rows take
// vectors, which read weights from memory faster. Both ways give the same bits.
//
// Nibbles are taken apart once for all rows. A tile ends where a group ends:
// its sums become f32 before those of the next group begin.
#include "LinearQuantized.h"
#include "LinearTiles.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
class ByteTiles : public TileMatmuls {
public:
  explicit ByteTiles(QuantizedKernel &codes)
      : TileMatmuls(codes.k, codes.pack, codes.b.getI8Type(),
                    codes.b.getI32Type()),
        codes(codes) {}

  void run() {
    bool ahead = codes.pack.packBefore();
    fillTails();
    if (ahead) {
      whole();
    }
    codes.rest([&](Value row, Value count) {
      scf::IfOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, count,
                                k.index(kFewQuantizedRows)),
          [&](OpBuilder &, Location) {
            codes.dotFew(row, count);
            scf::YieldOp::create(b, loc);
          },
          [&](OpBuilder &, Location) {
            few(row, count);
            scf::YieldOp::create(b, loc);
          });
    });
  }

protected:
  QuantizedKernel &codes;

  Value product(Value input, Value weight, Value sum) override {
    return amx::TileMulIOp::create(b, loc, sums, input, weight, sum,
                                   /*isZextLhs=*/false, /*isZextRhs=*/true);
  }

  void storeRows(const Rows &rows, Value n, int64_t panels) override {
    SmallVector<Value> all;
    for (int64_t p = 0; p < panels; ++p) {
      all.push_back(k.add(n, p));
    }
    codes.storeRows(scratch, rows.tiles * kTile, rows.packed, rows.at, rows.row,
                    rows.count, all);
  }
};

class NibbleTiles : public TileMatmuls {
public:
  explicit NibbleTiles(QuantizedKernel &codes)
      : TileMatmuls(codes.k, codes.pack, codes.b.getI8Type(),
                    codes.b.getI32Type()),
        codes(codes), matrices(k.weights.size()),
        height(codes.form.groupSize / kPerRow) {
    // If a group is shorter than a tile, the next group is read, too, and
    // multiplied with zeros.
    bytes = memref::AllocOp::create(
        b, loc,
        MemRefType::get({kStreams, k.size / kPerRow + kTile, width}, element));
    totals = memref::AllocOp::create(
        b, loc, MemRefType::get({kSums * kTile, kTile}, b.getF32Type()));
  }

  void run() {
    if (codes.pack.packBefore()) {
      int64_t step = kStreams / matrices;
      Value rest = arith::RemUIOp::create(b, loc, k.panels, k.index(step));
      Value full = arith::SubIOp::create(b, loc, k.panels, rest);
      k.each(k.zero, full, step, [&](Value n) { columns(n, step); });
      if (step > 1) {
        k.each(full, k.panels, 1, [&](Value n) { columns(n, 1); });
      }
    }
    codes.rest([&](Value row, Value count) { codes.dotFew(row, count); });
  }

private:
  /// With two tiles of inputs, their sums are the kSums tiles.
  static constexpr int64_t kStreams = 2;
  static constexpr int64_t kPerRow = 4; ///< k of a row of bytes
  /// Vectors of sums that are scaled side by side.
  static constexpr int64_t kUnrolled = 4;

  QuantizedKernel &codes;
  int64_t matrices, height; ///< rows of bytes of a group
  Value bytes;  ///< [kStreams, K / 4 + 16, 64] i8: quantized values, signed
  Value totals; ///< [kSums * 16, 16] f32: sums over groups

  Value product(Value input, Value weight, Value sum) override {
    return amx::TileMulIOp::create(b, loc, sums, input, weight, sum,
                                   /*isZextLhs=*/false, /*isZextRhs=*/false);
  }

  void unpackNibbles(Value n, int64_t panels) {
    auto row = VectorType::get({width}, element);
    auto words = VectorType::get({width / 2}, b.getI16Type());
    auto splat = [&](VectorType type, int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              type, b.getIntegerAttr(type.getElementType(), value)));
    };
    Value mask = splat(words, 0x0f0f), four = splat(words, 4),
          zero = splat(row, codes.form.zero);
    k.each(k.zero, k.index(k.size / k.pair), 1, [&](Value i) {
      for (int64_t s = 0; s < panels * matrices; ++s) {
        Value stored = vector::BitCastOp::create(
            b, loc, words,
            vector::LoadOp::create(
                b, loc, row, k.weights[s % matrices],
                ValueRange{k.add(n, s / matrices), i, k.zero}));
        Value at = arith::MulIOp::create(b, loc, i, k.index(2));
        for (Value half :
             {stored,
              arith::ShRUIOp::create(b, loc, stored, four).getResult()}) {
          Value code = vector::BitCastOp::create(
              b, loc, row, arith::AndIOp::create(b, loc, half, mask));
          vector::StoreOp::create(b, loc,
                                  arith::SubIOp::create(b, loc, code, zero),
                                  bytes, ValueRange{k.index(s), at, k.zero});
          at = k.add(at, 1);
        }
      }
    });
  }

  /// All rows by `panels` panels from n.
  void columns(Value n, int64_t panels) {
    unpackNibbles(n, panels);
    Value odd =
        arith::RemUIOp::create(b, loc, codes.pack.whole, k.index(2 * kTile));
    Value pairs = arith::SubIOp::create(b, loc, codes.pack.whole, odd);
    auto part = [&](Value from, Value to, int64_t tiles) {
      k.each(from, to, tiles * kTile, [&](Value m) {
        block({codes.pack.blocks, m, m, k.index(tiles * kTile), tiles}, n,
              panels);
      });
    };
    part(k.zero, pairs, 2);
    part(pairs, codes.pack.whole, 1);
  }

  void block(const Rows &rows, Value n, int64_t panels) override {
    int64_t streams = panels * matrices, high = rows.tiles * kTile;
    Value zeros = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
    k.each(k.zero, k.index(streams * high), 1, [&](Value r) {
      vector::StoreOp::create(b, loc, zeros, totals, ValueRange{r, k.zero});
    });
    k.each(k.zero, k.index(codes.form.groups), 1, [&](Value g) {
      SmallVector<Value> total = none(streams * rows.tiles);
      Value first = arith::MulIOp::create(b, loc, g, k.index(height)),
            column = arith::MulIOp::create(b, loc, g,
                                           k.index(codes.pack.groupBytes));
      for (int64_t from = 0; from < height; from += kTile) {
        total =
            multiply(rows, k.add(column, from * kPerRow), total,
                     [&](int64_t s) -> Value {
                       return amx::TileLoadOp::create(
                           b, loc, inputs, bytes,
                           ValueRange{k.index(s), k.add(first, from), k.zero});
                     });
      }
      storeSums(rows, total);
      auto exact = VectorType::get({kTile}, b.getI32Type());
      for (int64_t s = 0; s < streams; ++s) {
        Value scale = codes.scales(s % matrices, k.add(n, s / matrices), g, 0,
                                   k.kColumns);
        k.each(
            k.index(s * high), k.index((s + 1) * high), kUnrolled,
            [&](Value r) {
              for (int64_t i = 0; i < kUnrolled; ++i) {
                SmallVector<Value> at{k.add(r, i), k.zero};
                Value sum = vector::LoadOp::create(b, loc, exact, scratch, at),
                      before =
                          vector::LoadOp::create(b, loc, k.column, totals, at);
                sum = arith::SIToFPOp::create(b, loc, k.column, sum);
                sum = vector::FMAOp::create(b, loc, sum, scale, before);
                vector::StoreOp::create(b, loc, sum, totals, at);
                if (s == 0) { // the next group's line of this row
                  prefetch(
                      rows.packed,
                      ValueRange{arith::AddIOp::create(b, loc, rows.at, at[0]),
                                 k.add(column, codes.pack.groupBytes)},
                      3);
                }
              }
            });
      }
    });
    storeRows(rows, n, panels);
  }

  void storeRows(const Rows &rows, Value n, int64_t panels) override {
    SmallVector<Value> all;
    for (int64_t p = 0; p < panels; ++p) {
      all.push_back(k.add(n, p));
    }
    codes.storeRows(totals, rows.tiles * kTile, rows.packed, rows.at, rows.row,
                    rows.count, all);
  }
};
} // namespace

LogicalResult cheems::lowerLinearQuantizedAMX(QuantizedKernel &codes) {
  if (codes.form.nibbles) {
    NibbleTiles(codes).run();
  } else {
    ByteTiles(codes).run();
  }
  return success();
}
