// Rows as signed bytes with a scale each.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_IR_ENTRYUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMS_IR_ENTRYUTILS_H

#include "OpUtils.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// Row t of [T, P] as integers: their scale, and what makes quantized values of
/// numbers.
struct RowScale {
  Value scale, factor;
  RowScale(OpBuilder &b, Location loc, Value rows, Value t);
};

/// The code of a number, given its row's factor.
Value codeOf(OpBuilder &b, Location loc, Value number, Value factor);

} // namespace cheems

#endif
