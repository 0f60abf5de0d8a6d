// Named weights, as they are stored and as integers.
#ifndef CHEEMS_LIB_INTERPRETER_PARAMETERS_H
#define CHEEMS_LIB_INTERPRETER_PARAMETERS_H

#include "Frame.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include <optional>

namespace cheems::interpreter {

/// The weights of all names as one; none, with an error, where one is missing.
std::optional<Tensor> storedWeight(ParameterOp op, Frame &f);

/// A parameter that is the quantized values of a matrix, or its scales.
void quantizedParameter(ParameterOp op, Frame &f);

} // namespace cheems::interpreter

#endif
