// Verification of the rotary ops.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult RotaryTableOp::verify() {
  auto cosine = cast<ShapedType>(getCosine().getType());
  int64_t rows = cosine.getDimSize(0);
  if (failed(verifySameShape(*this, "C1", cosine.getShape(),
                             cast<ShapedType>(getSine().getType()).getShape(),
                             "shapes of cosine and sine"))) {
    return failure();
  }
  if (!compatible(cast<ShapedType>(getPosition().getType()).getDimSize(0),
                  rows) ||
      !compatible(cast<ShapedType>(getLength().getType()).getDimSize(0),
                  rows)) {
    return emitOpError(
        "C1: position and length have one entry per row of the tables");
  }
  if (!(getTheta().convertToDouble() > 0)) {
    return emitOpError("C2: theta is positive");
  }
  bool tooSmall =
      !ShapedType::isDynamic(cosine.getDimSize(1)) && cosine.getDimSize(1) < 2;
  if (getDynamic() && (!(getFactor().convertToDouble() >= 1) ||
                       static_cast<int64_t>(getTrained()) < 1 || tooSmall)) {
    return emitOpError(
        "C3: dynamic needs factor >= 1, trained >= 1 and a head size above 2");
  }
  return success();
}

LogicalResult RotaryOp::verify() {
  auto x = cast<ShapedType>(getX().getType());
  auto cosine = cast<ShapedType>(getCosine().getType());
  if (failed(verifySameShape(*this, "C1", x.getShape(),
                             cast<ShapedType>(getY().getType()).getShape(),
                             "shapes of x and y"))) {
    return failure();
  }
  int64_t head = x.getDimSize(2);
  if (ShapedType::isDynamic(head) || head % 2 != 0) {
    return emitOpError("C2: the head size is static and even, got ") << x;
  }
  int64_t half[] = {x.getDimSize(0), head / 2};
  if (failed(verifySameShape(*this, "C2", cosine.getShape(), half,
                             "shapes of cosine and [T, P/2]"))) {
    return failure();
  }
  return verifySameShape(*this, "C2", cosine.getShape(),
                         cast<ShapedType>(getSine().getType()).getShape(),
                         "shapes of cosine and sine");
}
