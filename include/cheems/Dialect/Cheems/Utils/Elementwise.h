// Ops that may become the epilogue of a matmul.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_ELEMENTWISE_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_ELEMENTWISE_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// True if `op` computes each element of an f32 tensor [T, N] from the elements
/// at its index of others [T, N] and at its column of others [N].
bool isElementwiseOnRows(linalg::GenericOp op);

/// The last of the elementwise ops that `value` goes through while it has no
/// other use; none where it goes through none.
linalg::GenericOp lastElementwiseUse(Value value);

} // namespace cheems

#endif
