// A matmul as cheems_cpu.linear, once its weight is in panels.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_PACKMATMUL_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_PACKMATMUL_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Replaces y = x * W^T + y by a `cheems_cpu.linear` of `weight`, W in panels,
/// with `scales` where those are integers of `bits`, else null. What y starts
/// from becomes its epilogue.
void packMatmul(linalg::MatmulOp op, Value weight, IntegerAttr bits,
                ValueRange scales, IRRewriter &rewriter);

} // namespace cheems

#endif
