// Verification of linear and of what ends its epilogue.
#include "EpilogueUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

int64_t LinearOp::getPair() {
  auto type = cast<ShapedType>(getWeights()[0].getType());
  // A byte holds one code of 8 bits, or two of 4.
  return getBits() ? type.getDimSize(3) * 8 / int64_t(*getBits())
                   : type.getDimSize(3);
}

/// On buffers two weights may be parts of one, at offsets of their own.
static bool sameShape(ShapedType a, ShapedType b) {
  return a.getShape() == b.getShape() &&
         a.getElementType() == b.getElementType();
}

/// The part of C6 that the others rely on: quantized weights have `bits`.
static LogicalResult verifyBits(LinearOp op) {
  auto weights = cast<ShapedType>(op.getWeights()[0].getType());
  bool codes = weights.getElementType().isInteger();
  std::optional<uint64_t> bits = op.getBits();
  if (bits.has_value() == codes && (!bits || *bits == 8 || *bits == 4)) {
    return success();
  }
  InFlightDiagnostic error = op.emitOpError(
      "C6: quantized weights have bits 8 or 4, others have none, got ");
  if (bits) {
    error << int64_t(*bits);
  } else {
    error << "none";
  }
  return error << " for " << weights;
}

/// C2, for K = `size` and N = `columns`.
static LogicalResult verifyWeights(LinearOp op, int64_t size, int64_t columns) {
  auto first = cast<ShapedType>(op.getWeights()[0].getType());
  for (Value weight : op.getWeights()) {
    auto type = cast<ShapedType>(weight.getType());
    int64_t steps = type.getDimSize(1), last = type.getDimSize(3);
    bool codes = type.getElementType().isInteger();
    // Divided, since what is multiplied may be dynamic, or overflow.
    int64_t pair = steps > 0 && size % steps == 0 ? size / steps : 0;
    bool pairs =
        codes ? last == 4 && pair == op.getPair()
              : (last == 1 || (last == 2 && type.getElementType().isBF16())) &&
                    pair == last;
    bool covers = ShapedType::isDynamic(columns) || type.isDynamicDim(0) ||
                  type.getDimSize(0) ==
                      (columns + LinearOp::kColumns - 1) / LinearOp::kColumns;
    if (!pairs || type.getDimSize(2) != LinearOp::kColumns || !covers ||
        !sameShape(type, first)) {
      return op.emitOpError(
                 "C2: weights are [ceil(N/16), K/pair, 16, pair] of one "
                 "type, got ")
             << type << " for K = " << size << " and N = " << columns;
    }
  }
  return success();
}

/// C6, for K = `size`.
static LogicalResult verifyScales(LinearOp op, int64_t size) {
  auto weights = cast<ShapedType>(op.getWeights()[0].getType());
  bool codes = weights.getElementType().isInteger();
  if (op.getScales().size() != (codes ? op.getWeights().size() : 0)) {
    return op.emitOpError("C6: each quantized weight has its scales, others "
                          "have none, got ")
           << op.getScales().size() << " scales for " << op.getWeights().size()
           << " weights " << weights;
  }
  constexpr int64_t mostCodes = 65536; // their products' sum fits into 32 bits
  for (Value scales : op.getScales()) {
    auto type = cast<ShapedType>(scales.getType());
    int64_t groups = type.getDimSize(1);
    bool whole = *op.getBits() == 8
                     ? groups == 1
                     : groups > 0 && size % groups == 0 &&
                           llvm::is_contained({32, 64, 128}, size / groups);
    if (!whole || size > mostCodes ||
        !sameShape(type, cast<ShapedType>(op.getScales()[0].getType())) ||
        !compatible(type.getDimSize(0), weights.getDimSize(0)) ||
        type.getDimSize(2) != LinearOp::kColumns) {
      return op.emitOpError("C6: scales are [P, 1, 16] for 8 bits and [P, K/32 "
                            "or 64 or 128, 16] for 4, with K <= 65536, got ")
             << type << " for K = " << size << " and " << weights;
    }
  }
  return success();
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
  if (failed(verifyBits(*this)) ||
      failed(verifyWeights(*this, size, columns)) ||
      failed(verifyScales(*this, size))) {
    return failure();
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
  size_t weights = getWeights().size(), operands = getWith().size();
  return verifyEpilogue(*this, getEpilogue(), weights + operands,
                        "each of " + Twine(weights) + " weights and " +
                            Twine(operands) + " operands");
}

LogicalResult YieldOp::verify() {
  if (!isa<LinearOp, ColumnEpilogueOp>((*this)->getParentOp())) {
    return emitOpError("C1: must be in the epilogue of a cheems_cpu.linear or "
                       "cheems_cpu.column_epilogue");
  }
  return success();
}
