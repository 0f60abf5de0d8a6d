// Verification of top_logits.
#include "SegmentUtils.h"

using namespace mlir;
using namespace cheems;

LogicalResult TopLogitsOp::verify() {
  ArrayRef<int64_t> logits = shapeOf(getLogits()),
                    values = shapeOf(getValues());
  if (failed(verifySameShape(*this, "C1", values, shapeOf(getTokens()),
                             "shapes of values and tokens")) ||
      failed(verifySameShape(*this, "C1", shapeOf(getLogSumExp()), {logits[0]},
                             "shapes of log_sum_exp and [R]")) ||
      failed(verifySameShape(*this, "C1", values, {logits[0], values[1]},
                             "shapes of values and [R, K]"))) {
    return failure();
  }
  if (ShapedType::isDynamic(logits[1]) || ShapedType::isDynamic(values[1]) ||
      ShapedType::isDynamic(shapeOf(getTokens())[1])) {
    return emitOpError("C2: V and K are static");
  }
  if (getCount() < 1 || getCount() > getVocabulary()) {
    return emitOpError("C2: the best ")
           << getCount() << " of " << getVocabulary()
           << " logits are wanted: 1 <= K <= V";
  }
  return success();
}
