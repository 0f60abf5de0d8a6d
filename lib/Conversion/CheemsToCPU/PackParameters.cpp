// cheems-pack-parameters: weights of matmuls become panels, matmuls become
// cheems_cpu.linear.
#include "BatchedMatmuls.h"
#include "PackMatmul.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Dialect/Cheems/Utils/Weights.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/MathExtras.h"

namespace cheems {
#define GEN_PASS_DEF_PACKPARAMETERSPASS
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
constexpr int64_t kRows = LinearOp::kColumns; // of W

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

/// A permuted weight [A, B, K, N] that only batched matmuls use. Each of its
/// matrices becomes panels of its columns.
bool packBatched(WeightUses::Group &group, IRRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(group.type());
  if (!type || type.getRank() != 4 || group.leaves.empty() ||
      !llvm::all_of(group.leaves,
                    [](OpOperand *use) { return isBatchedWeight(*use); }) ||
      !llvm::all_of(group.parameters, [](ParameterOp parameter) {
        return parameter.getPermute().has_value();
      })) {
    return false;
  }
  ArrayRef<int64_t> shape = type.getShape();
  auto matrix =
      RankedTensorType::get({shape[3], shape[2]}, type.getElementType());
  RankedTensorType panels = packedType(matrix);
  SmallVector<int64_t> packed(shape.take_front(2));
  llvm::append_range(packed, panels.getShape());
  group.setType(RankedTensorType::get(packed, type.getElementType()));
  for (ParameterOp parameter : group.parameters) {
    SmallVector<int64_t> order(*parameter.getPermute());
    std::swap(order[2], order[3]);
    parameter.setPermute(order);
    parameter.setLayoutAttr(layoutOf(matrix));
  }
  for (OpOperand *use : group.leaves) {
    packBatchedMatmul(cast<linalg::GenericOp>(use->getOwner()), use->get(),
                      rewriter);
  }
  return true;
}

struct PackParameters : cheems::impl::PackParametersPassBase<PackParameters> {
  void runOnOperation() override {
    WeightUses uses(getOperation());
    IRRewriter rewriter(&getContext());
    for (WeightUses::Group &group : uses.groups()) {
      if (packBatched(group, rewriter)) {
        continue;
      }
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
              "reads a weight that matmuls need in panels");
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
          packMatmul(cast<linalg::MatmulOp>(use->getOwner()), use->get(),
                     /*bits=*/{}, /*scales=*/{}, rewriter);
        }
      }
    }
  }
};
} // namespace
