// Batched matmuls become matmuls with panels.
#include "BatchedMatmuls.h"
#include "cheems/Dialect/Cheems/IR/BaseBuilder.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
bool isSumOfMatmuls(linalg::GenericOp op) {
  std::string ignored;
  llvm::raw_string_ostream errors(ignored);
  return linalg::detail::isContractionBody(
      *op.getBlock(),
      [](Operation *product, Operation *sum) {
        return isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum);
      },
      errors);
}

struct BatchedMatmul : BaseBuilder<BatchedMatmul> {
  RewriterBase &b;
  Location loc;
  Value x, weight;
  int64_t size, columns; ///< K, N

  BatchedMatmul(RewriterBase &b, Location loc, Value x, Value weight,
                int64_t columns)
      : b(b), loc(loc), x(x), weight(weight),
        size(cast<RankedTensorType>(x.getType()).getDimSize(3)),
        columns(columns) {}
  Location location() { return loc; }

  /// Matrix [i, j] for `count` rows from `row` on, into what is there of y.
  struct Place {
    SmallVector<OpFoldResult> offsets, sizes;
    Value sums;
  };
  Place product(OpFoldResult row, OpFoldResult count, Value i, Value j,
                Value y) {
    std::optional<int64_t> fixed = getConstantIntValue(count);
    int64_t rows = fixed.value_or(ShapedType::kDynamic);
    Place place;
    place.offsets = {row, i, j, attr(0)};
    place.sizes = {count, attr(1), attr(1), attr(columns)};
    Value rowsOfX = slice(x, place.offsets,
                          {count, attr(1), attr(1), attr(size)}, {rows, size});
    ArrayRef<int64_t> panels =
        cast<RankedTensorType>(weight.getType()).getShape();
    SmallVector<OpFoldResult> offsets{i, j}, sizes{attr(1), attr(1)};
    for (int64_t extent : panels.drop_front(2)) {
      offsets.push_back(attr(0));
      sizes.push_back(attr(extent));
    }
    Value matrix = slice(weight, offsets, sizes, panels.drop_front(2));
    Value into = slice(y, place.offsets, place.sizes, {rows, columns});
    place.sums =
        LinearOp::create(b, loc, TypeRange{into.getType()}, rowsOfX, matrix,
                         /*bits=*/IntegerAttr(), /*scales=*/ValueRange(),
                         /*with=*/ValueRange(), into)
            .getResult(0);
    return place;
  }
};
} // namespace

bool cheems::isBatchedWeight(OpOperand &use) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!op || use.getOperandNumber() != 1 || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op.getNumLoops() != 5) {
    return false;
  }
  MLIRContext *context = op.getContext();
  AffineExpr t, i, j, k, n;
  bindDims(context, t, i, j, k, n);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(5, 0, results, context);
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return maps[0] == map({t, i, j, k}) && maps[1] == map({i, j, k, n}) &&
         maps[2] == map({t, i, j, n}) && isSumOfMatmuls(op) && fill &&
         matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

void cheems::packBatchedMatmul(linalg::GenericOp op, Value weight,
                               RewriterBase &b) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value x = op.getInputs()[0];
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  // Every element is written: what the fill wrote is not read.
  Value y = op.getOutputs()[0].getDefiningOp<linalg::FillOp>().getOutputs()[0];
  BatchedMatmul batched(b, loc, x, weight, type.getDimSize(3));
  OpFoldResult rows = tensor::getMixedSize(b, loc, x, 0);
  if (hasFewRows(op)) {
    Value zero = batched.index(0), one = batched.index(1),
          outer = batched.index(type.getDimSize(1)),
          inner = batched.index(type.getDimSize(2));
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, {zero, zero}, {outer, inner}, {one, one}, y,
        [&](OpBuilder &, Location, ValueRange at,
            ValueRange args) -> scf::ValueVector {
          BatchedMatmul::Place place =
              batched.product(batched.attr(0), rows, at[0], at[1], args[0]);
          return {
              batched.insert(place.sums, args[0], place.offsets, place.sizes)};
        });
    b.replaceOp(op, nest.results);
    return;
  }
  AffineExpr block = b.getAffineDimExpr(0), all = b.getAffineSymbolExpr(0);
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(0, 1, all.ceilDiv(kStackRows)), {rows});
  auto loop = scf::ForallOp::create(
      b, loc,
      ArrayRef<OpFoldResult>{blocks, b.getIndexAttr(type.getDimSize(1)),
                             b.getIndexAttr(type.getDimSize(2))},
      ValueRange{y}, std::nullopt, [&](OpBuilder &, Location, ValueRange args) {
        OpFoldResult row = affine::makeComposedFoldedAffineApply(
            b, loc, block * kStackRows, {args[0]});
        OpFoldResult count = affine::makeComposedFoldedAffineMin(
            b, loc,
            AffineMap::get(
                1, 1,
                {b.getAffineConstantExpr(kStackRows), all - block * kStackRows},
                b.getContext()),
            {args[0], rows});
        BatchedMatmul::Place place =
            batched.product(row, count, args[1], args[2], args[3]);
        auto yields = scf::InParallelOp::create(b, loc);
        b.setInsertionPointToStart(yields.getBody());
        batched.insertParallel(place.sums, args[3], place.offsets, place.sizes);
      });
  b.replaceOp(op, loop.getResults());
}
