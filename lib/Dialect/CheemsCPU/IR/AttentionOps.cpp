// Verification of dynamic_mask_attention.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

int64_t DynamicMaskAttentionOp::getMaskHeads() {
  return shapeOf(getMask() ? getMask() : getKeys())[0];
}

LogicalResult DynamicMaskAttentionOp::verify() {
  return verifyAttention(*this, "C");
}
