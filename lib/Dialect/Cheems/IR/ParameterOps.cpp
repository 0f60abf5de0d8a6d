// Verification of named weights.
#include "OpUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::cheems;

/// C6. Rows past the last and what `group` divides are the writer's to check:
/// shapes before packing are not known here.
static LogicalResult verifyQuantized(ParameterOp op, QuantizedAttr quantized,
                                     RankedTensorType type) {
  PanelsAttr panels = op.getLayoutAttr();
  QuantizedPart part = quantized.getPart();
  bool codes = part == QuantizedPart::Codes;
  bool shaped = part == QuantizedPart::Matrix
                    ? type.getRank() == 2 && !panels && !op.getBeside()
                : panels ? type.getRank() == (codes ? 4 : 3) &&
                               type.getDimSize(2) == panels.getRows()
                         : type.getRank() == 2 && quantized.getBits() == 8;
  bool element = codes ? type.getElementType().isInteger(8)
                       : isa<FloatType>(type.getElementType());
  if (op.getPermute() || !shaped || !element) {
    return op.emitOpError("C6: a parameter of ")
           << quantized << " is codes of i8 or scales, without permute, got "
           << type;
  }
  return success();
}

LogicalResult ParameterOp::verify() {
  if (getNames().empty()) {
    return emitOpError("C1: needs at least one name");
  }
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.hasStaticShape()) {
    return emitOpError("C2: the result needs a static shape, got ") << type;
  }
  auto panels = getLayoutAttr();
  if (panels && !getQuantized()) {
    if (type.getRank() < 4 ||
        type.getShape().take_back(2) !=
            ArrayRef<int64_t>{panels.getRows(), panels.getPair()}) {
      return emitOpError("C3: a result in layout ")
             << panels << " is [N', K', rows, pair], got " << type;
    }
  }
  if (std::optional<ArrayRef<int64_t>> permute = getPermute()) {
    // Panels have two dimensions more than their matrix.
    int64_t rank = type.getRank() - (getLayoutAttr() ? 2 : 0);
    if (static_cast<int64_t>(permute->size()) != rank ||
        !isPermutationVector(*permute)) {
      return emitOpError("C4: permute orders the ")
             << rank << " dimensions of " << type;
    }
    if (getNames().size() != 1) {
      return emitOpError("C4: permute takes one name");
    }
  } else if (panels && !getQuantized() && type.getRank() != 4) {
    return emitOpError("C3: without permute a result in a layout is one "
                       "matrix, got ")
           << type;
  }
  QuantizedAttr quantized = getQuantizedAttr();
  if (quantized && failed(verifyQuantized(*this, quantized, type))) {
    return failure();
  }
  auto names = static_cast<int64_t>(getNames().size());
  if (getBeside() && (getLayoutAttr() || getPermuteAttr() ||
                      type.getRank() != 2 || type.getDimSize(1) % names != 0)) {
    return emitOpError("C5: beside stands at a matrix of ")
           << names << " parts of as many columns, in rows, got " << type;
  }
  return success();
}

void WorkerOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // Reading thread state keeps it from moving out of its loop.
  effects.emplace_back(MemoryEffects::Read::get());
}

LogicalResult WorkerOp::verify() {
  if (!(*this)->getParentOfType<scf::ForallOp>()) {
    return emitOpError("C1: stands inside an scf.forall");
  }
  return success();
}
