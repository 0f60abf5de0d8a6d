// What the ops on stored keys and values share where those are signed bytes
// with a scale each.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_IR_ENTRYUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMS_IR_ENTRYUTILS_H

#include "OpUtils.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// `label`: scales [X, C] belong to codes [X, C, P], and only to those.
template <typename Op> LogicalResult verifyScales(Op op, StringRef label) {
  auto keys = cast<ShapedType>(op.getKeys().getType());
  bool codes = keys.getElementType().isInteger(8);
  Value scales[] = {op.getKeyScales(), op.getValueScales()};
  for (Value each : scales) {
    if (static_cast<bool>(each) != codes) {
      return op.emitOpError(label)
             << ": key_scales and value_scales are given if keys and "
                "values are i8, and only then";
    }
    if (each && failed(verifySameShape(
                    op, label, cast<ShapedType>(each.getType()).getShape(),
                    keys.getShape().take_front(2),
                    "shapes of scales and of entries"))) {
      return failure();
    }
  }
  return success();
}

/// Row t of [T, P] as codes: their scale, and what makes codes of numbers.
struct RowScale {
  Value scale, factor;
  RowScale(OpBuilder &b, Location loc, Value rows, Value t);
};

/// The code of a number, given its row's factor.
Value codeOf(OpBuilder &b, Location loc, Value number, Value factor);

} // namespace cheems

#endif
