// Verification of column_epilogue.
#include "EpilogueUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include <numeric>

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

int64_t ColumnEpilogueOp::getLeastPanels() {
  int64_t size = std::max<int64_t>(getHeadSize(), 1);
  return std::lcm(size, LinearOp::kColumns) / LinearOp::kColumns;
}

LogicalResult ColumnEpilogueOp::verify() {
  bool turns = getRotated().has_value();
  if (static_cast<bool>(getCosine()) != turns ||
      static_cast<bool>(getSine()) != turns) {
    return emitOpError(
        "C1: cosine and sine are given if rotated is, and only then");
  }
  if (turns) {
    auto cosine = cast<ShapedType>(getCosine().getType()),
         sine = cast<ShapedType>(getSine().getType());
    int64_t rows = cast<ShapedType>(getY().getType()).getDimSize(0);
    if (failed(verifySameShape(*this, "C1", cosine.getShape(), sine.getShape(),
                               "shapes of cosine and sine"))) {
      return failure();
    }
    if (!compatible(cosine.getDimSize(0), rows) || cosine.isDynamicDim(1) ||
        sine.isDynamicDim(1) || cosine.getDimSize(1) == 0) {
      return emitOpError("C1: angles are [T, P/2] of y's rows, got ") << cosine;
    }
    int64_t columns = getRotatedColumns();
    if (columns < 1 || columns % getHeadSize() != 0) {
      return emitOpError("C2: must rotate whole heads of ")
             << getHeadSize() << " columns, not " << columns;
    }
    int64_t all = cast<ShapedType>(getY().getType()).getDimSize(1);
    if (!getAt() && !ShapedType::isDynamic(all) && all < columns &&
        all % getHeadSize() != 0) {
      return emitOpError("C2: y ends inside a head of ")
             << getHeadSize() << " columns: it has " << all;
    }
  }
  if (!getMapped() && !hasIdentityEpilogue()) {
    return emitOpError("C3: without mapped the epilogue is the identity");
  }
  int64_t width = 0;
  if (std::optional<ArrayRef<int64_t>> mapped = getMapped()) {
    if (mapped->size() != 2 || (*mapped)[0] < getRotatedColumns() ||
        (*mapped)[0] >= (*mapped)[1]) {
      return emitOpError("C3: mapped is [from, to], with rotated <= from and "
                         "from < to");
    }
    width = (*mapped)[1] - (*mapped)[0];
  }
  for (Value operand : getWith()) {
    auto type = cast<ShapedType>(operand.getType());
    if (type.getDimSize(0) != width) {
      return emitOpError("C6: operands of with are [")
             << width << "], got " << type;
    }
  }
  return success();
}

LogicalResult ColumnEpilogueOp::verifyRegions() {
  size_t operands = getWith().size();
  return verifyEpilogue(*this, getEpilogue(), 1 + operands,
                        "y and one for each of " + Twine(operands) +
                            " operands");
}
