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

/// Elementwise ops after a matmul, on its rows, become its epilogue. The
/// patterns are for the greedy driver: an op waits until its inputs are fused.
void populateFuseEpiloguesPatterns(RewritePatternSet &patterns);
/// Where a matmul is read by columns, rotary ops of its first ones and the
/// elementwise ops of some after them become a cheems_cpu.column_epilogue of
/// it.
void populateFuseColumnEpiloguesPatterns(RewritePatternSet &patterns);

/// Ops of ours on tensors become what their `decomposeOperation` builds. With
/// `kernels`, those that have a kernel stay.
void populateDecomposePatterns(RewritePatternSet &patterns, bool kernels);

} // namespace cheems

#endif
