// append_visible: verification and its one lowering.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

LogicalResult AppendVisibleOp::verify() { return success(); }

FailureOr<SmallVector<Value>>
AppendVisibleOp::decomposeOperation(OpBuilder &b) {
  return failure();
}
