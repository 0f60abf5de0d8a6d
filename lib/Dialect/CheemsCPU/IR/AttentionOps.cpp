// Verification of dynamic_mask_attention.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

LogicalResult DynamicMaskAttentionOp::verify() {
  return verifyAttention(*this, "C");
}
