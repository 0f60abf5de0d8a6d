// Verification of named weights.
#include "OpUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace cheems;

/// C6. Rows past the last and what `group` divides are the writer's to check:
/// shapes before packing are not known here.
static LogicalResult verifyQuantized(ParameterOp op, QuantizedAttr quantized,
                                     RankedTensorType type) {
  LayoutAttrInterface layout = op.getLayoutAttr();
  QuantizedPart part = quantized.getPart();
  bool codes = part == QuantizedPart::Codes;
  bool shaped =
      part == QuantizedPart::Matrix
          ? type.getRank() == 2 && !layout && !op.getByColumns()
      : layout ? layout.mayHave(type.getShape(), /*stacked=*/false, quantized)
               : type.getRank() == 2 && (quantized.getBits() == 8 || !codes);
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
  LayoutAttrInterface layout = getLayoutAttr();
  QuantizedAttr quantized = getQuantizedAttr();
  std::optional<ArrayRef<int64_t>> permute = getPermute();
  if (layout && !quantized &&
      !layout.mayHave(type.getShape(), permute.has_value(), {})) {
    return emitOpError("C3: a result with layout ")
           << layout << " cannot have this shape: " << type;
  }
  if (permute) {
    int64_t rank =
        type.getRank() - (layout ? layout.getFurtherDimensions() : 0);
    if (static_cast<int64_t>(permute->size()) != rank ||
        !isPermutationVector(*permute)) {
      return emitOpError("C4: permute orders the ")
             << rank << " dimensions of " << type;
    }
    if (getNames().size() != 1) {
      return emitOpError("C4: permute takes one name");
    }
  }
  if (quantized && failed(verifyQuantized(*this, quantized, type))) {
    return failure();
  }
  auto names = static_cast<int64_t>(getNames().size());
  if (getByColumns() && (layout || permute || type.getRank() != 2 ||
                         type.getDimSize(1) % names != 0)) {
    return emitOpError("C5: by_columns needs a matrix of rows with ")
           << names << " equal parts, got " << type;
  }
  return success();
}
