// What the ops of a step share.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_IR_SEGMENTUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMS_IR_SEGMENTUTILS_H

#include "OpUtils.h"
#include "cheems/Dialect/Cheems/IR/Segments.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

inline LogicalResult verifySegments(Operation *op, const char *label,
                                    Value segments) {
  if (shapeOf(segments)[1] == kSegmentFields) {
    return success();
  }
  return op->emitOpError(label)
         << ": segments are [S, " << static_cast<int64_t>(kSegmentFields)
         << "], not of type " << segments.getType();
}

} // namespace cheems

#endif
