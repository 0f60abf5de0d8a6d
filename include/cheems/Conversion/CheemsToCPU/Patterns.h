// Rewrite patterns from a step of the cheems dialect to ops of cheems_cpu, for
// passes of others.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_PATTERNS_H
#define CHEEMS_CONVERSION_CHEEMSTOCPU_PATTERNS_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// gather_rows and positions become loops over rows.
void populateExpandRowsPatterns(RewritePatternSet &patterns);
/// segmented_ssd becomes a parallel loop over segments and heads.
void populateExpandSSDPatterns(RewritePatternSet &patterns);
/// segmented_attention becomes parallel loops over segments, heads and blocks.
void populateExpandAttentionPatterns(RewritePatternSet &patterns);
/// All of these.
void populateExpandSegmentsPatterns(RewritePatternSet &patterns);

} // namespace cheems

#endif
