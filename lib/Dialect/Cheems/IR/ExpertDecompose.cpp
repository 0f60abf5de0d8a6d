// Expert ops as scalar loops.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

FailureOr<SmallVector<Value>>
RetrieveExpertsOp::decomposeOperation(OpBuilder &b) {
  return failure();
}

FailureOr<SmallVector<Value>> MixExpertsOp::decomposeOperation(OpBuilder &b) {
  return failure();
}
