// Verification of gather_rows and positions.
#include "SegmentUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult GatherRowsOp::verify() {
  return verifySameShape(*this, "C1", shapeOf(getY()),
                         {shapeOf(getIds())[0], shapeOf(getTable())[1]},
                         "shapes of y and [T, D]");
}

LogicalResult PositionsOp::verify() {
  if (failed(verifySameShape(*this, "C1", shapeOf(getPosition()),
                             shapeOf(getLength()),
                             "shapes of position and length"))) {
    return failure();
  }
  return verifySegments(*this, "C2", getSegments());
}
