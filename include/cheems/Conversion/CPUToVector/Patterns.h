// Rewrite patterns from ops with a kernel to vector loops, for passes of
// others.
#ifndef CHEEMS_CONVERSION_CPUTOVECTOR_PATTERNS_H
#define CHEEMS_CONVERSION_CPUTOVECTOR_PATTERNS_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// Ops on buffers that have a kernel become loops over vectors of `target`,
/// which is not scalar. The patterns are for walkAndApplyPatterns: a kernel has
/// no op that they match. An op that has a kernel, but not for its operands,
/// gets an error and stays. If `only` names ops, others stay, too.
void populateLowerMicrokernelsPatterns(RewritePatternSet &patterns,
                                       cpu::TargetAttr target,
                                       ArrayRef<std::string> only = {});

} // namespace cheems

#endif
