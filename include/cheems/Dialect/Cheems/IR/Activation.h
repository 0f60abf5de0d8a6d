// Activation functions as arithmetic.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_ACTIVATION_H
#define CHEEMS_DIALECT_CHEEMS_IR_ACTIVATION_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems {

/// activation(x) for an f32, or a vector or tile of f32. silu: x / (1 + e^-x);
/// gelu: x (1 + erf(x / sqrt 2)) / 2; gelu_tanh: x (1 + tanh u) / 2, where u is
/// sqrt(2 / pi) (x + 0.044715 x^3); relu: max(x, 0); relu2: max(x, 0)^2.
Value activate(OpBuilder &b, Location loc, Activation activation, Value x);

} // namespace cheems

#endif
