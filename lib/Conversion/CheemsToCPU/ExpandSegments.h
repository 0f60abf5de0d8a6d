// The patterns of cheems-expand-segments.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_EXPANDSEGMENTS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_EXPANDSEGMENTS_H

#include "SegmentTable.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::cheems {

void populateExpandRowsPatterns(RewritePatternSet &patterns);
void populateExpandSSDPatterns(RewritePatternSet &patterns);
void populateExpandAttentionPatterns(RewritePatternSet &patterns);

} // namespace mlir::cheems

#endif
