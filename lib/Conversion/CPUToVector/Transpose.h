// Squares of vectors transposed, in registers.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_TRANSPOSE_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_TRANSPOSE_H

#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace cheems {

/// Swaps rows and columns of a square: as many vectors as each has lanes, a
/// power of two.
void transposeSquare(OpBuilder &b, Location loc,
                     SmallVectorImpl<Value> &square);

} // namespace cheems

#endif
