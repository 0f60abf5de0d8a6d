// ssd as its recurrence, ssd_chunk as products.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

FailureOr<SmallVector<Value>> SSDOp::decomposeOperation(OpBuilder &b) {
  return failure();
}

FailureOr<SmallVector<Value>> SSDChunkOp::decomposeOperation(OpBuilder &b) {
  return failure();
}
