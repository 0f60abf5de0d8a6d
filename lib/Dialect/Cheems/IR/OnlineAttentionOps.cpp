// Verification of online_attention.
#include "OpUtils.h"

using namespace mlir;
using namespace mlir::cheems;

MutableOperandRange OnlineAttentionOp::getDpsInitsMutable() {
  return MutableOperandRange(*this, getNumOperands() - 3, 3);
}
LogicalResult OnlineAttentionOp::verify() { return success(); }
