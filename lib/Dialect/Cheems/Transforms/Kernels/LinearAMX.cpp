// Products on AMX tiles: 16 rows by 16 columns of sums a tile, four tiles of
// them at once.
//
// Every output element is a chain of tdpbf16ps over blocks of 32 k, ascending,
// in every shape of tile: a row's result does not depend on how many rows it
// shares a step with. All tiles are 16 x 64 bytes: a tile register has one
// shape a function, and four sums, two inputs and two weights take all eight.
// So rows that are not there are multiplied, too, and not stored; and the last
// block of k is filled up with zeros.
//
// A row that is the only one takes another way to the same bits,
// LinearAMXRow.cpp.
#include "LinearPack.h"
#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kTile = 16;  ///< rows, and columns of f32
constexpr int64_t kBlock = 32; ///< k of a tile of bf16
constexpr int64_t kSums = 4;   ///< tiles of sums
/// From this K on the inputs of a few hundred rows outgrow the second-level
/// cache.
constexpr int64_t kLongRow = 1024;
constexpr int64_t kAhead = 4; ///< blocks of k that weights are fetched ahead
static_assert(LinearPack::kRows == kTile && LinearPack::kWidth == kBlock &&
              LinearKernel::kColumns == kTile);

struct Tiles {
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  LinearPack pack;
  amx::TileType inputs, sums;
  Value scratch; ///< [kSums * 16, 16] f32: finished sums
  Value tails;   ///< [kSums, 16, 32] bf16: weights of the last block of k, null
                 ///< where K has whole blocks
  int64_t blocks, left; ///< whole blocks of k, and what is left

  explicit Tiles(LinearKernel &kernel)
      : k(kernel), b(kernel.b), loc(kernel.loc), pack(kernel, true),
        blocks(kernel.size / kBlock), left(kernel.size % kBlock) {
    inputs = amx::TileType::get({kTile, kBlock}, b.getBF16Type());
    sums = amx::TileType::get({kTile, kTile}, b.getF32Type());
    scratch = memref::AllocOp::create(
        b, loc, MemRefType::get({kSums * kTile, kTile}, b.getF32Type()));
    if (left) {
      tails = memref::AllocOp::create(
          b, loc, MemRefType::get({kSums, kTile, kBlock}, b.getBF16Type()));
    }
  }

  void fillTails() {
    if (left) {
      auto row = VectorType::get({kBlock}, b.getBF16Type());
      Value nothing = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(row, b.getFloatAttr(b.getBF16Type(), 0)));
      for (int64_t s = 0; s < kSums; ++s) {
        for (int64_t r = left / 2; r < kTile; ++r) {
          vector::StoreOp::create(b, loc, nothing, tails,
                                  ValueRange{k.index(s), k.index(r), k.zero});
        }
      }
    }
  }

  /// Rows of packed inputs that one step multiplies.
  struct Rows {
    Value packed, at; ///< where they are packed
    Value row, count; ///< where they are in x, and how many there are
    int64_t tiles;    ///< 1 or 2
  };

  Value loadInputs(const Rows &rows, int64_t tile, Value column) {
    return amx::TileLoadOp::create(
        b, loc, inputs, rows.packed,
        ValueRange{k.add(rows.at, tile * kTile), column});
  }

  /// One block of k: each input with each weight. Operands are loaded where
  /// they are first used, so that products start before all are there.
  SmallVector<Value> multiply(const Rows &rows, Value column, ValueRange before,
                              llvm::function_ref<Value(int64_t)> weight) {
    SmallVector<Value> after(before);
    int64_t streams = before.size() / rows.tiles;
    SmallVector<Value> weights(streams);
    for (int64_t t = 0; t < rows.tiles; ++t) {
      Value input = loadInputs(rows, t, column);
      for (int64_t s = 0; s < streams; ++s) {
        if (t == 0) {
          weights[s] = weight(s);
        }
        Value &sum = after[t * streams + s];
        sum = amx::TileMulFOp::create(b, loc, sums, input, weights[s], sum);
      }
    }
    return after;
  }

  void prefetch(Value memref, ValueRange at, int64_t locality) {
    memref::PrefetchOp::create(b, loc, memref, at, /*isWrite=*/false, locality,
                               /*isDataCache=*/true);
  }

  /// During block i of k: a share of the inputs of the next pair of tiles,
  /// which all panels together fetch.
  void fetchInputs(const Rows &rows, Value n, int64_t panels, Value column) {
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

  /// `panels` panels from n of every weight.
  void block(const Rows &rows, Value n, int64_t panels) {
    int64_t matrices = k.weights.size(), streams = panels * matrices;
    auto weightOf = [&](int64_t s) { return k.weights[s % matrices]; };
    SmallVector<Value> panel, total;
    for (int64_t s = 0; s < streams; ++s) {
      panel.push_back(k.add(n, s / matrices));
    }
    // Each is a register of its own: copies of one zero would go through
    // memory.
    for (int64_t s = 0; s < streams * rows.tiles; ++s) {
      total.push_back(amx::TileZeroOp::create(b, loc, sums));
    }
    if (blocks) {
      auto loop = scf::ForOp::create(
          b, loc, k.zero, k.index(blocks), k.one, total,
          [&](OpBuilder &, Location, Value i, ValueRange before) {
            Value pairs = arith::MulIOp::create(b, loc, i, k.index(kBlock / 2));
            Value column = arith::MulIOp::create(b, loc, i, k.index(kBlock));
            if (rows.tiles == 2 && k.size >= kLongRow) {
              fetchInputs(rows, n, panels, column);
            }
            if (rows.tiles == 1) {
              // With few rows weights come from memory. Tiles are not fetched
              // ahead by the hardware as vectors are.
              for (int64_t s = 0; s < streams; ++s) {
                for (int64_t r = 0; r < kTile; ++r) {
                  Value pair = k.add(pairs, kAhead * kBlock / 2 + r);
                  prefetch(weightOf(s), ValueRange{panel[s], pair, k.zero}, 3);
                }
              }
            }
            scf::YieldOp::create(
                b, loc, multiply(rows, column, before, [&](int64_t s) -> Value {
                  return amx::TileLoadOp::create(
                      b, loc, inputs, weightOf(s),
                      ValueRange{panel[s], pairs, k.zero});
                }));
          });
      total.assign(loop.result_begin(), loop.result_end());
    }
    if (left) {
      auto row = VectorType::get({kBlock}, b.getBF16Type());
      for (int64_t s = 0; s < streams; ++s) {
        for (int64_t r = 0; r < left / 2; ++r) {
          Value pair = k.index(blocks * kBlock / 2 + r);
          Value weights = vector::LoadOp::create(
              b, loc, row, weightOf(s), ValueRange{panel[s], pair, k.zero});
          vector::StoreOp::create(b, loc, weights, tails,
                                  ValueRange{k.index(s), k.index(r), k.zero});
        }
      }
      total = multiply(
          rows, k.index(blocks * kBlock), total, [&](int64_t s) -> Value {
            return amx::TileLoadOp::create(
                b, loc, inputs, tails, ValueRange{k.index(s), k.zero, k.zero});
          });
    }
    int64_t height = rows.tiles * kTile;
    for (int64_t t = 0; t < rows.tiles; ++t) {
      for (int64_t s = 0; s < streams; ++s) {
        amx::TileStoreOp::create(
            b, loc, scratch,
            ValueRange{k.index(s * height + t * kTile), k.zero},
            total[t * streams + s]);
      }
    }
    k.each(k.zero, rows.count, 1, [&](Value r) {
      Value row = arith::AddIOp::create(b, loc, rows.row, r);
      for (int64_t p = 0; p < panels; ++p) {
        SmallVector<Value> finished;
        for (int64_t w = 0; w < matrices; ++w) {
          Value at = k.add(r, (p * matrices + w) * height);
          finished.push_back(vector::LoadOp::create(b, loc, k.column, scratch,
                                                    ValueRange{at, k.zero}));
        }
        k.store(row, k.add(n, p), finished);
      }
    });
  }

  /// All panels, as many at once as there are tiles of sums.
  void panels(const Rows &rows) {
    int64_t matrices = k.weights.size();
    int64_t width = kSums / rows.tiles / matrices;
    Value rest = arith::RemUIOp::create(b, loc, k.panels, k.index(width));
    Value full = arith::SubIOp::create(b, loc, k.panels, rest);
    k.each(k.zero, full, width, [&](Value n) { block(rows, n, width); });
    if (width > 1) {
      k.each(full, k.panels, 1, [&](Value n) { block(rows, n, 1); });
    }
  }

  /// What is packed in `rest`.
  void few(Value row, Value count) {
    panels({pack.rest, k.zero, row, count, 1});
  }

  void run() {
    bool ahead = pack.packAhead();
    scf::IfOp::create(
        b, loc, pack.isSingle(k.rows),
        [&](OpBuilder &, Location) {
          if (!ahead) {
            pack.packSingle();
          }
          lowerLinearAMXRow(k, pack.single);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          fillTails();
          ahead ? all() : here();
          scf::YieldOp::create(b, loc);
        });
  }

  /// 16 rows at a time, each packed before it is multiplied.
  void here() {
    k.each(k.zero, k.rows, kTile, [&](Value m) {
      Value end = arith::MinUIOp::create(b, loc, k.add(m, kTile), k.rows);
      pack.packHere(m, end);
      few(m, arith::SubIOp::create(b, loc, end, m));
    });
  }

  void all() {
    // A pair of tiles against all panels of this iteration: the inputs stay in
    // the first-level cache or next to it, the weights in the second.
    Value odd = arith::RemUIOp::create(b, loc, pack.whole, k.index(2 * kTile));
    Value pairs = arith::SubIOp::create(b, loc, pack.whole, odd);
    k.each(k.zero, pairs, 2 * kTile, [&](Value m) {
      panels({pack.blocks, m, m, k.index(2 * kTile), 2});
    });
    k.each(pairs, pack.whole, kTile,
           [&](Value m) { panels({pack.blocks, m, m, k.index(kTile), 1}); });
    Value count = arith::SubIOp::create(b, loc, k.rows, pack.whole);
    Value some =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, count, k.zero);
    auto branch = scf::IfOp::create(b, loc, some);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    few(pack.whole, count);
  }
};
} // namespace

LogicalResult cheems::lowerLinearAMX(LinearKernel &kernel) {
  Tiles(kernel).run();
  return success();
}
