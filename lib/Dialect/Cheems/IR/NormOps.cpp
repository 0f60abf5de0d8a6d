// Verification of rms_norm.
#include "OpUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult RmsNormOp::verify() {
  auto x = cast<ShapedType>(getX().getType());
  if (failed(verifySameShape(*this, "C1", x.getShape(),
                             cast<ShapedType>(getY().getType()).getShape(),
                             "shapes of x and y"))) {
    return failure();
  }
  if (!compatible(cast<ShapedType>(getWeight().getType()).getDimSize(0),
                  x.getShape().back())) {
    return emitOpError("C2: weight is as long as the last dimension of x, got ")
           << getWeight().getType() << " for " << x;
  }
  // What is below is no normal f32: zero there, or where denormals are.
  double epsilon = getEpsilon().convertToDouble();
  if (!(epsilon == 0 || epsilon >= 0x1p-126)) {
    return emitOpError("C3: epsilon is 0, or at least 2^-126");
  }
  return success();
}
