// Verification of linear and of what ends its epilogue.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

bool LinearOp::mayHold(Operation *op) {
  return (op->hasTrait<OpTrait::ConstantLike>() ||
          OpTrait::hasElementwiseMappableTraits(op)) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

LogicalResult LinearOp::verify() {
  auto x = cast<ShapedType>(getX().getType());
  auto y = cast<ShapedType>(getY().getType());
  if (!compatible(x.getDimSize(0), y.getDimSize(0)) || x.isDynamicDim(1) ||
      x.getDimSize(1) == 0) {
    return emitOpError("C1: x [T, K] and y [T, N] have one T, and K is static "
                       "and not 0, got ")
           << x << " and " << y;
  }
  int64_t size = x.getDimSize(1), columns = y.getDimSize(1);
  if (getWeights().empty() || getWeights().size() > 2) {
    return emitOpError("C2: there are one or two weights, got ")
           << getWeights().size();
  }
  auto first = cast<ShapedType>(getWeights()[0].getType());
  for (Value weight : getWeights()) {
    auto type = cast<ShapedType>(weight.getType());
    int64_t pair = type.getDimSize(3);
    bool panels =
        type.getDimSize(2) == kColumns &&
        (pair == 1 || (pair == 2 && type.getElementType().isBF16())) &&
        type.getDimSize(1) == size / pair && size % pair == 0;
    bool covers = ShapedType::isDynamic(columns) || type.isDynamicDim(0) ||
                  type.getDimSize(0) == (columns + kColumns - 1) / kColumns;
    if (!panels || !covers || type.getShape() != first.getShape() ||
        type.getElementType() != first.getElementType()) {
      return emitOpError(
                 "C2: weights are [ceil(N/16), K/pair, 16, pair] of one "
                 "type, got ")
             << type << " for K = " << size << " and " << y;
    }
  }
  for (Value operand : getWith()) {
    auto type = cast<ShapedType>(operand.getType());
    bool row = type.getRank() == 1 && compatible(type.getDimSize(0), columns);
    bool whole = type.getRank() == 2 &&
                 compatible(type.getDimSize(0), y.getDimSize(0)) &&
                 compatible(type.getDimSize(1), columns);
    if (!row && !whole) {
      return emitOpError("C3: operands of with are [T, N] or [N], got ")
             << type << " for " << y;
    }
  }
  return success();
}

LogicalResult LinearOp::verifyRegions() {
  if (getEpilogue().empty()) {
    if (getWeights().size() != 1 || !getWith().empty()) {
      return emitOpError(
          "C6: without an epilogue there is one weight and nothing beside it");
    }
    return success();
  }
  if (!getEpilogue().hasOneBlock()) {
    return emitOpError("C4: the epilogue is one block");
  }
  Block &block = getEpilogue().front();
  if (block.getNumArguments() != getWeights().size() + getWith().size() ||
      !llvm::all_of(block.getArgumentTypes(),
                    [](Type type) { return type.isF32(); })) {
    return emitOpError("C4: the epilogue takes one f32 for each of ")
           << getWeights().size() << " weights and " << getWith().size()
           << " operands";
  }
  if (block.empty() || !isa<YieldOp>(block.back())) {
    return emitOpError("C5: the epilogue ends with cheems.yield");
  }
  for (Operation &op : block.without_terminator()) {
    if (!mayHold(&op)) {
      return emitOpError("C5: the epilogue holds elementwise ops and constants "
                         "on scalars only, not ")
             << op.getName();
    }
  }
  return success();
}

LogicalResult YieldOp::verify() {
  if (!isa<LinearOp>((*this)->getParentOp())) {
    return emitOpError("C1: stands in the epilogue of a cheems.linear");
  }
  return success();
}
