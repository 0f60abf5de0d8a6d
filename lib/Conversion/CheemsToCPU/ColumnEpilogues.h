// What becomes of columns of a merged product.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_COLUMNEPILOGUES_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_COLUMNEPILOGUES_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// Where `linear` is read by columns: rotary ops of its first ones, and the
/// elementwise ops of some behind them, become a cheems_cpu.column_epilogue of
/// it.
void fuseColumnEpilogues(LinearOp linear, IRRewriter &rewriter);

} // namespace cheems

#endif
