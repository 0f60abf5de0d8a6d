// online_attention as scalar loops.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

FailureOr<SmallVector<Value>>
OnlineAttentionOp::decomposeOperation(OpBuilder &b) {
  return failure();
}
