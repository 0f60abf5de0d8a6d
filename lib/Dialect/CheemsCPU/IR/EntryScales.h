// What the ops on stored keys and values share where those are signed bytes
// with a scale each.
#ifndef CHEEMS_LIB_DIALECT_CHEEMSCPU_IR_ENTRYSCALES_H
#define CHEEMS_LIB_DIALECT_CHEEMSCPU_IR_ENTRYSCALES_H

#include "cheems/Support/MLIR.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"

namespace cheems::cpu {

/// `label`: scales [X, C] belong to quantized values [X, C, P], and only to
/// those.
template <typename Op> LogicalResult verifyEntryScales(Op op, StringRef label) {
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

} // namespace cheems::cpu

#endif
