// Ops that may become the epilogue of a matmul.
#include "cheems/Dialect/Cheems/Utils/Elementwise.h"

using namespace mlir;
using namespace cheems;

bool cheems::isElementwiseOnRows(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getNumLoops() != 2 || op.getNumParallelLoops() != 2 ||
      op.hasIndexSemantics()) {
    return false;
  }
  AffineMap all = AffineMap::getMultiDimIdentityMap(2, op.getContext()),
            row = all.dropResult(0);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || !type.getElementType().isF32() ||
        (map != all && (map != row || op.isDpsInit(&operand)))) {
      return false;
    }
  }
  return llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) { return isOnScalars(&inner); });
}

linalg::GenericOp cheems::lastElementwiseUse(Value value) {
  linalg::GenericOp last;
  while (value.hasOneUse()) {
    auto op = dyn_cast<linalg::GenericOp>(*value.user_begin());
    if (!op || !isElementwiseOnRows(op)) {
      break;
    }
    last = op;
    value = op.getResult(0);
  }
  return last;
}
