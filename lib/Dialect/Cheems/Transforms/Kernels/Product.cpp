// Products on panels: a tile of rows by panels of 16 columns stays in registers
// while k runs.
//
// Every output element is one chain of fused multiply-adds in ascending k, in
// every tile shape: a row's result does not depend on how many rows it shares a
// step with.
#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kColumns = 16; // of a panel
constexpr int64_t kGroup =
    4; // panels whose weights stay in cache while rows pass

struct Product {
  OpBuilder &b;
  Location loc;
  Value x, w, y; // [T, K/pair, 1, pair], [N, K/pair, 16*pair], [T, N, 1, 16]
  int64_t pair;
  VectorType column; // 16 x f32
  Value zero, one, steps;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value a, int64_t value) {
    return value == 0
               ? a
               : arith::AddIOp::create(b, loc, a, index(value)).getResult();
  }

  /// The pair's f32 columns of panel n at step k.
  SmallVector<Value> weights(Value n, Value k) {
    Type element = cast<MemRefType>(w.getType()).getElementType();
    auto stored = VectorType::get({kColumns * pair}, element);
    Value raw =
        vector::LoadOp::create(b, loc, stored, w, ValueRange{n, k, zero});
    if (pair == 1) {
      return {element.isF32()
                  ? raw
                  : arith::ExtFOp::create(b, loc, column, raw).getResult()};
    }
    // Two bf16 share 32 bits: the low one moves up, the high one only loses its
    // neighbour.
    auto words = VectorType::get({kColumns}, b.getI32Type());
    Value both = vector::BitCastOp::create(b, loc, words, raw);
    Value sixteen = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(16)));
    Value upper = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(words,
                               b.getI32IntegerAttr(int32_t(0xffff0000))));
    Value low = arith::ShLIOp::create(b, loc, both, sixteen);
    Value high = arith::AndIOp::create(b, loc, both, upper);
    return {arith::BitcastOp::create(b, loc, column, low),
            arith::BitcastOp::create(b, loc, column, high)};
  }

  void tile(Value m, int64_t rows, Value n, int64_t panels) {
    SmallVector<Value> inits;
    for (int64_t i = 0; i < rows * panels; ++i) {
      inits.push_back(vector::LoadOp::create(
          b, loc, column, y,
          ValueRange{add(m, i / panels), add(n, i % panels), zero, zero}));
    }
    auto loop = scf::ForOp::create(
        b, loc, zero, steps, one, inits,
        [&](OpBuilder &, Location, Value k, ValueRange args) {
          SmallVector<Value> sums(args);
          SmallVector<SmallVector<Value>> columns;
          for (int64_t p = 0; p < panels; ++p) {
            columns.push_back(weights(add(n, p), k));
          }
          for (int64_t i = 0; i < pair; ++i) {
            for (int64_t r = 0; r < rows; ++r) {
              Value scalar = memref::LoadOp::create(
                  b, loc, x, ValueRange{add(m, r), k, zero, index(i)});
              Value spread =
                  vector::BroadcastOp::create(b, loc, column, scalar);
              for (int64_t p = 0; p < panels; ++p) {
                Value &sum = sums[r * panels + p];
                sum = vector::FMAOp::create(b, loc, spread, columns[p][i], sum);
              }
            }
          }
          scf::YieldOp::create(b, loc, sums);
        });
    for (int64_t i = 0; i < rows * panels; ++i) {
      vector::StoreOp::create(
          b, loc, loop.getResult(i), y,
          ValueRange{add(m, i / panels), add(n, i % panels), zero, zero});
    }
  }

  /// All rows of `width` panels from n on: tiles of `rows` by `panels`, then
  /// what is left row by row, all panels at once: a single row needs many sums
  /// side by side to hide the latency of each.
  void rowsOf(Value n, int64_t width, int64_t rows, int64_t panels) {
    Value count = memref::DimOp::create(b, loc, y, zero);
    Value rest = arith::RemUIOp::create(b, loc, count, index(rows));
    Value full = arith::SubIOp::create(b, loc, count, rest);
    auto each = [&](Value from, Value to, int64_t height, int64_t breadth) {
      auto loop = scf::ForOp::create(b, loc, from, to, index(height));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      for (int64_t p = 0; p < width; p += breadth) {
        tile(loop.getInductionVar(), height, add(n, p), breadth);
      }
    };
    each(zero, full, rows, std::min(panels, width));
    each(full, count, 1, width);
  }
};
} // namespace

LogicalResult cheems::lowerProduct(linalg::Mmt4DOp op, const VectorUnit &unit,
                                   RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto x = cast<MemRefType>(op.getInputs()[0].getType()),
       w = cast<MemRefType>(op.getInputs()[1].getType());
  auto y = cast<MemRefType>(op.getOutputs()[0].getType());
  int64_t pair = w.getDimSize(3);
  bool types = x.getElementType().isF32() && y.getElementType().isF32() &&
               (w.getElementType().isF32() || w.getElementType().isBF16());
  if (!types || w.getDimSize(2) != kColumns || x.getDimSize(2) != 1 ||
      pair > 2 || (pair == 2 && !w.getElementType().isBF16())) {
    return op.emitOpError("has no kernel for these types and inner tiles");
  }
  Value flat = memref::CollapseShapeOp::create(
      rewriter, loc, op.getInputs()[1],
      SmallVector<ReassociationIndices>{{0}, {1}, {2, 3}});
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
        one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value steps = memref::DimOp::create(rewriter, loc, flat, one);
  Product product{rewriter,
                  loc,
                  op.getInputs()[0],
                  flat,
                  op.getOutputs()[0],
                  pair,
                  VectorType::get({kColumns}, rewriter.getF32Type()),
                  zero,
                  one,
                  steps};
  // Three quarters of the registers hold sums; the rest is for weights and the
  // spread input.
  int64_t sums =
      std::max<int64_t>(unit.registers * 3 / 4 * unit.lanes / kColumns, 1);
  int64_t panels = sums >= 16 ? 4 : 2;
  int64_t rows = std::max<int64_t>(sums / panels, 1);
  Value count = memref::DimOp::create(rewriter, loc, flat, zero);
  Value rest =
      arith::RemUIOp::create(rewriter, loc, count, product.index(kGroup));
  Value full = arith::SubIOp::create(rewriter, loc, count, rest);
  auto each = [&](Value from, Value to, int64_t width) {
    auto loop =
        scf::ForOp::create(rewriter, loc, from, to, product.index(width));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    product.rowsOf(loop.getInductionVar(), width, rows, panels);
  };
  each(zero, full, kGroup);
  each(full, count, 1);
  return success();
}
