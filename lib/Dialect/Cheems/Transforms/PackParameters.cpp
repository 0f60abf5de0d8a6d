// cheems-pack-parameters: weights of products become panels, products become
// linalg.mmt4d.
#include "Weights.h"
#include "cheems/Dialect/Cheems/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::cheems {
#define GEN_PASS_DEF_PACKPARAMETERSPASS
#include "cheems/Dialect/Cheems/Transforms/Passes.h.inc"
} // namespace mlir::cheems

using namespace mlir;
using namespace mlir::cheems;

namespace {
constexpr int64_t kRows = 16; // rows of W, columns of the product, a panel

PanelsAttr layoutOf(RankedTensorType matrix) {
  bool pairs =
      matrix.getElementType().isBF16() && matrix.getDimSize(1) % 2 == 0;
  return PanelsAttr::get(matrix.getContext(), kRows, pairs ? 2 : 1);
}

RankedTensorType packedType(RankedTensorType matrix) {
  PanelsAttr layout = layoutOf(matrix);
  int64_t panels = llvm::divideCeil(matrix.getDimSize(0), kRows);
  return RankedTensorType::get({panels, matrix.getDimSize(1) / layout.getPair(),
                                kRows, layout.getPair()},
                               matrix.getElementType());
}

/// y = x * W^T + y with W in panels. Columns past N exist only inside.
void packProduct(linalg::MatmulOp op, Value weight, RankedTensorType matrix,
                 IRRewriter &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  PanelsAttr layout = layoutOf(matrix);
  int64_t pair = layout.getPair(), columns = matrix.getDimSize(0),
          size = matrix.getDimSize(1);
  int64_t panels = llvm::divideCeil(columns, kRows);
  Value x = op.getInputs()[0], init = op.getOutputs()[0];
  OpFoldResult rows = tensor::getMixedSize(rewriter, loc, x, 0);
  auto index = [&](int64_t value) { return rewriter.getIndexAttr(value); };
  auto expand = [&](Value value, ArrayRef<OpFoldResult> shape) -> Value {
    auto type = RankedTensorType::get(
        decomposeMixedValues(SmallVector<OpFoldResult>(shape)).first,
        cast<RankedTensorType>(value.getType()).getElementType());
    return tensor::ExpandShapeOp::create(
        rewriter, loc, type, value,
        SmallVector<ReassociationIndices>{{0}, {1, 2, 3}}, shape);
  };
  Value tiles = expand(x, {rows, index(size / pair), index(1), index(pair)});
  bool whole = columns % kRows == 0;
  Value target = init;
  if (!whole) {
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    target = tensor::EmptyOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{rows, index(panels * kRows)},
        rewriter.getF32Type());
    target = linalg::FillOp::create(rewriter, loc, zero, target).getResult(0);
  }
  SmallVector<OpFoldResult> accShape{rows, index(panels), index(1),
                                     index(kRows)};
  // A fill commutes with the reshape; this way it can join the product's tile.
  Value acc;
  if (auto fill = target.getDefiningOp<linalg::FillOp>()) {
    Value filled = fill.getOutputs()[0];
    acc = filled.getDefiningOp<tensor::EmptyOp>()
              ? tensor::EmptyOp::create(rewriter, loc, accShape,
                                        rewriter.getF32Type())
                    .getResult()
              : expand(filled, accShape);
    acc = linalg::FillOp::create(rewriter, loc, fill.getInputs()[0], acc)
              .getResult(0);
  } else {
    acc = expand(target, accShape);
  }
  Value product = linalg::Mmt4DOp::create(rewriter, loc, acc.getType(),
                                          ValueRange{tiles, weight}, acc)
                      .getResult(0);
  Value flat = tensor::CollapseShapeOp::create(
      rewriter, loc, product,
      SmallVector<ReassociationIndices>{{0}, {1, 2, 3}});
  if (!whole) {
    flat = tensor::ExtractSliceOp::create(
        rewriter, loc, flat, ArrayRef<OpFoldResult>{index(0), index(0)},
        ArrayRef<OpFoldResult>{rows, index(columns)},
        ArrayRef<OpFoldResult>{index(1), index(1)});
    AffineMap all = rewriter.getMultiDimIdentityMap(2);
    flat =
        linalg::GenericOp::create(
            rewriter, loc, init.getType(), flat, init,
            ArrayRef<AffineMap>{all, all},
            SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
            [](OpBuilder &b, Location loc, ValueRange args) {
              linalg::YieldOp::create(
                  b, loc,
                  arith::AddFOp::create(b, loc, args[0], args[1]).getResult());
            })
            .getResult(0);
  }
  rewriter.replaceOp(op, flat);
}

/// W[n, k] reads panels[n / rows, k / pair, n % rows, k % pair].
void packRead(tensor::ExtractOp op, Value weight, RankedTensorType matrix,
              IRRewriter &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  PanelsAttr layout = layoutOf(matrix);
  AffineExpr d = rewriter.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, Value value) -> Value {
    return affine::makeComposedAffineApply(
        rewriter, loc, AffineMap::get(1, 0, expr), {OpFoldResult(value)});
  };
  Value n = op.getIndices()[0], k = op.getIndices()[1];
  rewriter.replaceOpWithNewOp<tensor::ExtractOp>(
      op, weight,
      ValueRange{apply(d.floorDiv(kRows), n),
                 apply(d.floorDiv(layout.getPair()), k), apply(d % kRows, n),
                 apply(d % layout.getPair(), k)});
}

struct PackParameters : cheems::impl::PackParametersPassBase<PackParameters> {
  void runOnOperation() override {
    WeightUses uses(getOperation());
    IRRewriter rewriter(&getContext());
    for (WeightUses::Group &group : uses.groups()) {
      auto matrix = dyn_cast<RankedTensorType>(group.type());
      bool product = llvm::any_of(group.leaves, [](OpOperand *use) {
        return isTransposedWeight(*use);
      });
      if (!matrix || matrix.getRank() != 2 || !product || group.permuted()) {
        continue;
      }
      for (OpOperand *use : group.leaves) {
        if (!isTransposedWeight(*use) &&
            !isa<tensor::ExtractOp>(use->getOwner())) {
          use->getOwner()->emitOpError(
              "reads a weight that products need as panels");
          return signalPassFailure();
        }
      }
      RankedTensorType packed = packedType(matrix);
      group.setType(packed);
      for (ParameterOp parameter : group.parameters) {
        parameter.setLayoutAttr(layoutOf(matrix));
      }
      for (OpOperand *use : group.leaves) {
        if (auto read = dyn_cast<tensor::ExtractOp>(use->getOwner())) {
          packRead(read, use->get(), matrix, rewriter);
        } else {
          packProduct(cast<linalg::MatmulOp>(use->getOwner()), use->get(),
                      matrix, rewriter);
        }
      }
    }
  }
};
} // namespace
