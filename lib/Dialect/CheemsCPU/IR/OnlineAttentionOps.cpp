// Verification of online_attention.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

MutableOperandRange OnlineAttentionOp::getDpsInitsMutable() {
  return MutableOperandRange(*this, getNumOperands() - 3, 3);
}

int64_t OnlineAttentionOp::getMaskHeads() {
  return shapeOf(getMask() ? getMask() : getKeys())[0];
}

LogicalResult OnlineAttentionOp::verify() {
  ArrayRef<int64_t> rows = shapeOf(getQuery()).take_front(2);
  if (failed(verifySameShape(*this, "C1", shapeOf(getMaximum()), rows,
                             "shapes of maximum and [T, H]")) ||
      failed(verifySameShape(*this, "C1", shapeOf(getSum()), rows,
                             "shapes of sum and [T, H]")) ||
      failed(verifyStatic(*this, 0, {getMaximum(), getSum()}))) {
    return failure();
  }
  return verifyAttention(*this, "J");
}
