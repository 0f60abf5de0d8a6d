// Verification of dynamic_mask.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult DynamicMaskOp::verify() {
  if (failed(verifySameShape(*this, "C1", shapeOf(getStep()),
                             shapeOf(getMask()), "shapes of step and mask"))) {
    return failure();
  }
  if (!compatible(shapeOf(getA())[0], shapeOf(getStep())[1])) {
    return emitOpError("C2: a has one entry per head of step, got ")
           << getA().getType();
  }
  return success();
}
