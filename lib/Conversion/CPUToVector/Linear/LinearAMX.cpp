// Matmuls of bf16 on AMX tiles.
//
// Every output element is a chain of tdpbf16ps over blocks of 32 k, in
// ascending order, in every shape of tile. So a row's result does not depend on
// the other rows of a step. A row alone takes another way to the same bits
// (LinearAMXRow.cpp).
#include "LinearTiles.h"

using namespace mlir;
using namespace cheems;

namespace {
class BF16Tiles : public TileMatmuls {
public:
  explicit BF16Tiles(LinearKernel &kernel)
      : TileMatmuls(kernel, packed, kernel.b.getBF16Type(),
                    kernel.b.getF32Type()),
        packed(kernel, true) {}

  void run() {
    bool ahead = packed.packBefore();
    scf::IfOp::create(
        b, loc, packed.isSingle(k.rows),
        [&](OpBuilder &, Location) {
          if (!ahead) {
            packed.packSingle();
          }
          lowerLinearAMXRow(k, packed.single);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          fillTails();
          ahead ? all() : here();
          scf::YieldOp::create(b, loc);
        });
  }

private:
  LinearPack packed;

  Value product(Value input, Value weight, Value sum) override {
    return amx::TileMulFOp::create(b, loc, sums, input, weight, sum);
  }

  void storeRows(const Rows &rows, Value n, int64_t panels) override {
    int64_t matrices = k.weights.size(), height = rows.tiles * kTile;
    k.each(k.zero, rows.count, 1, [&](Value r) {
      Value row = arith::AddIOp::create(b, loc, rows.row, r);
      for (int64_t p = 0; p < panels; ++p) {
        SmallVector<Value> rowSums;
        for (int64_t w = 0; w < matrices; ++w) {
          Value at = k.add(r, (p * matrices + w) * height);
          rowSums.push_back(vector::LoadOp::create(b, loc, k.column, scratch,
                                                   ValueRange{at, k.zero}));
        }
        k.store(row, k.add(n, p), rowSums);
      }
    });
  }

  /// 16 rows at a time, each packed before it is multiplied.
  void here() {
    k.each(k.zero, k.rows, kTile, [&](Value m) {
      Value end = arith::MinUIOp::create(b, loc, k.add(m, kTile), k.rows);
      packed.packHere(m, end);
      few(m, arith::SubIOp::create(b, loc, end, m));
    });
  }

  void all() {
    whole();
    Value count = arith::SubIOp::create(b, loc, k.rows, packed.whole);
    Value some =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, count, k.zero);
    auto branch = scf::IfOp::create(b, loc, some);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    few(packed.whole, count);
  }
};
} // namespace

LogicalResult cheems::lowerLinearAMX(LinearKernel &kernel) {
  BF16Tiles(kernel).run();
  return success();
}
