// Rewrite patterns that depend on no target, for passes of others.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PATTERNS_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PATTERNS_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// Ops of ours on tensors become what their `decomposeOperation` builds. With
/// `kernels`, those that have a kernel stay.
void populateDecomposePatterns(RewritePatternSet &patterns, bool kernels);

} // namespace cheems

#endif
