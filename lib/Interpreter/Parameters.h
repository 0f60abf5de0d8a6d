// Named weights, as they are stored and as integers.
#ifndef CHEEMS_LIB_INTERPRETER_PARAMETERS_H
#define CHEEMS_LIB_INTERPRETER_PARAMETERS_H

#include "Frame.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include <optional>

namespace cheems::interpreter {

/// Joins the weights of all names into one tensor; if one is missing, returns
/// none and reports an error.
std::optional<Tensor> storedWeight(ParameterOp op, Frame &f);

/// A parameter that is the quantized values of a matrix, or its scales.
void quantizedParameter(ParameterOp op, Frame &f);

} // namespace cheems::interpreter

#endif
