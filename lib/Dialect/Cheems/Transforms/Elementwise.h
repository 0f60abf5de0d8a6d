// Ops that may become the epilogue of a product.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_TRANSFORMS_ELEMENTWISE_H
#define CHEEMS_LIB_DIALECT_CHEEMS_TRANSFORMS_ELEMENTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::cheems {

/// True if `op` computes each element of an f32 tensor [T, N] from the elements
/// at its place of others [T, N] and at its column of others [N].
bool isElementwiseOnRows(linalg::GenericOp op);

/// The last of the elementwise ops that `value` goes through while it has no
/// other use; none where it goes through none.
linalg::GenericOp lastElementwiseUse(Value value);

} // namespace mlir::cheems

#endif
