// Products by fused multiply-adds: a tile of rows by panels of 16 columns stays
// in registers while k runs.
//
// Every output element is one chain of fused multiply-adds in ascending k, in
// every tile shape: a row's result does not depend on how many rows it shares a
// step with.
#include "Linear.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kGroup =
    4; // panels whose weights stay in cache while rows pass

struct Multiply {
  LinearKernel &k;
  OpBuilder &b;
  Location loc;

  explicit Multiply(LinearKernel &kernel)
      : k(kernel), b(kernel.b), loc(kernel.loc) {}

  /// The pair's f32 columns of panel n at step i.
  SmallVector<Value> load(Value weight, Value n, Value i) {
    Type element = cast<MemRefType>(weight.getType()).getElementType();
    auto stored = VectorType::get({k.kColumns * k.pair}, element);
    Value raw = vector::LoadOp::create(b, loc, stored, weight,
                                       ValueRange{n, i, k.zero});
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
        DenseElementsAttr::get(words,
                               b.getI32IntegerAttr(int32_t(0xffff0000))));
    Value low = arith::ShLIOp::create(b, loc, both, sixteen);
    Value high = arith::AndIOp::create(b, loc, both, upper);
    return {arith::BitcastOp::create(b, loc, k.column, low),
            arith::BitcastOp::create(b, loc, k.column, high)};
  }

  /// `rows` rows from m, `panels` panels from n of every weight.
  void tile(Value m, int64_t rows, Value n, int64_t panels) {
    int64_t matrices = k.weights.size(), streams = panels * matrices;
    Value nothing = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(k.column, b.getF32FloatAttr(0)));
    SmallVector<Value> inits(rows * streams, nothing);
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(k.size / k.pair), k.one, inits,
        [&](OpBuilder &, Location, Value i, ValueRange args) {
          SmallVector<Value> sums(args);
          SmallVector<SmallVector<Value>> columns;
          for (int64_t s = 0; s < streams; ++s) {
            columns.push_back(
                load(k.weights[s % matrices], k.add(n, s / matrices), i));
          }
          Value from = arith::MulIOp::create(b, loc, i, k.index(k.pair));
          for (int64_t j = 0; j < k.pair; ++j) {
            for (int64_t r = 0; r < rows; ++r) {
              Value scalar = memref::LoadOp::create(
                  b, loc, k.x, ValueRange{k.add(m, r), k.add(from, j)});
              Value spread =
                  vector::BroadcastOp::create(b, loc, k.column, scalar);
              for (int64_t s = 0; s < streams; ++s) {
                Value &sum = sums[r * streams + s];
                sum = vector::FMAOp::create(b, loc, spread, columns[s][j], sum);
              }
            }
          }
          scf::YieldOp::create(b, loc, sums);
        });
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t p = 0; p < panels; ++p) {
        k.store(k.add(m, r), k.add(n, p),
                loop.getResults().slice(r * streams + p * matrices, matrices));
      }
    }
  }

  /// All rows of `width` panels from n on: tiles of `rows` by `panels`, then
  /// what is left row by row, all panels at once: a single row needs many sums
  /// side by side to hide the latency of each.
  void rowsOf(Value n, int64_t width, int64_t rows, int64_t panels) {
    Value rest = arith::RemUIOp::create(b, loc, k.rows, k.index(rows));
    Value full = arith::SubIOp::create(b, loc, k.rows, rest);
    auto pass = [&](Value from, Value to, int64_t height, int64_t breadth) {
      k.each(from, to, height, [&](Value m) {
        for (int64_t p = 0; p < width; p += breadth) {
          tile(m, height, k.add(n, p), breadth);
        }
      });
    };
    pass(k.zero, full, rows, std::min(panels, width));
    pass(full, k.rows, 1, width);
  }
};
} // namespace

LogicalResult cheems::lowerLinearFMA(LinearKernel &kernel) {
  Multiply multiply(kernel);
  // Three quarters of the registers hold sums; the rest is for weights and the
  // spread input.
  const VectorUnit &unit = kernel.unit;
  int64_t matrices = kernel.weights.size();
  int64_t sums = std::max<int64_t>(
      unit.registers * 3 / 4 * unit.lanes / kernel.kColumns, 1);
  int64_t panels = std::max<int64_t>((sums >= 16 ? 4 : 2) / matrices, 1);
  int64_t rows = std::max<int64_t>(sums / (panels * matrices), 1);
  OpBuilder &b = kernel.b;
  Value rest = arith::RemUIOp::create(b, kernel.loc, kernel.panels,
                                      kernel.index(kGroup));
  Value full = arith::SubIOp::create(b, kernel.loc, kernel.panels, rest);
  kernel.each(kernel.zero, full, kGroup,
              [&](Value n) { multiply.rowsOf(n, kGroup, rows, panels); });
  kernel.each(full, kernel.panels, 1,
              [&](Value n) { multiply.rowsOf(n, 1, rows, 1); });
  return success();
}
