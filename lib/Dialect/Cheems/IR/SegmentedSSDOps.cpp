// Verification of segmented_ssd.
#include "SegmentUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult SegmentedSSDOp::verify() {
  ArrayRef<int64_t> x = shapeOf(getX()), b = shapeOf(getB()),
                    pool = shapeOf(getPool());
  int64_t rows = x[0], heads = x[1];
  if (failed(verifySameShape(*this, "C1", x, shapeOf(getY()),
                             "shapes of x and y")) ||
      failed(verifySameShape(*this, "C2", shapeOf(getStep()), {rows, heads},
                             "shapes of step and [T, H]")) ||
      failed(verifySameShape(*this, "C2", shapeOf(getA()), {heads},
                             "shapes of a and [H]")) ||
      (getSkip() &&
       failed(verifySameShape(*this, "C2", shapeOf(getSkip()), {heads},
                              "shapes of skip and [H]")))) {
    return failure();
  }
  if (failed(verifySameShape(*this, "C3", b, shapeOf(getC()),
                             "shapes of b and c")) ||
      failed(verifySameShape(*this, "C3", b, {rows, b[1], b[2]},
                             "shapes of b and [T, G, N]")) ||
      failed(verifySameShape(*this, "C4", pool.drop_front(2),
                             {heads, b[2], x[2]},
                             "shapes of a slot's state and [H, N, P]"))) {
    return failure();
  }
  if (ShapedType::isDynamicShape(x.drop_front()) ||
      ShapedType::isDynamicShape(b.drop_front()) ||
      ShapedType::isDynamicShape(pool.drop_front(2))) {
    return emitOpError("C5: H, G, N and P are static");
  }
  if (b[2] == 0 || x[2] == 0) {
    return emitOpError("C5: N and P are not zero");
  }
  if (heads == 0 || b[1] == 0 || heads % b[1] != 0) {
    return emitOpError("C5: ")
           << heads << " heads cannot be divided among " << b[1] << " groups";
  }
  if (getAllowBf16() && getAllowPairs()) {
    return emitOpError("C7: allow_bf16 and allow_pairs are not given together");
  }
  return verifySegments(*this, "C6", getSegments());
}
