// Rewrite patterns from vector loops to what LLVM takes, for passes of others.
#ifndef CHEEMS_CONVERSION_CPUTOLLVM_PATTERNS_H
#define CHEEMS_CONVERSION_CPUTOLLVM_PATTERNS_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// Math functions become straight-line arithmetic.
void populateExpandMathPatterns(RewritePatternSet &patterns);

} // namespace cheems

#endif
