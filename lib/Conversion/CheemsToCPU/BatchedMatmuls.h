// Matmuls with one matrix of several per head and half, as queries have with
// keys.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_BATCHEDMATMULS_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOCPU_BATCHEDMATMULS_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// True if `use` is the right operand [A, B, K, N] of y[t, a, b, n] = sum_k
/// x[t, a, b, k] * w[a, b, k, n], summed from zero.
bool isBatchedWeight(OpOperand &use);

/// The matmul as one cheems_cpu.linear per matrix, with `weight` [A, B,
/// ceil(N/16), K/pair, 16, pair]. Matrices and blocks of rows are iterations of
/// an scf.forall; in a decode step one follows the other.
void packBatchedMatmul(linalg::GenericOp op, Value weight,
                       RewriterBase &rewriter);

} // namespace cheems

#endif
