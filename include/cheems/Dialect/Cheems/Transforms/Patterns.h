// Rewrite patterns that depend on no target, for passes of others.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PATTERNS_H
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::cheems {

/// Ops of ours on tensors become what their `decomposeOperation` builds. With
/// `kernels`, those that have a kernel stay.
void populateDecomposePatterns(RewritePatternSet &patterns, bool kernels);

} // namespace mlir::cheems

#endif
