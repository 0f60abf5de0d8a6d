// Fields of a step among the arguments of a function.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_STEPFIELDS_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_STEPFIELDS_H

#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace cheems {

/// None for what is no field.
inline std::optional<StepField> stepFieldOf(FunctionOpInterface function,
                                            unsigned argument) {
  auto field = function.getArgAttrOfType<StepFieldAttr>(argument, kField);
  return field ? std::optional(field.getValue()) : std::nullopt;
}

/// The argument of a function with a body that is `field`; null without one.
inline BlockArgument argumentOf(FunctionOpInterface function, StepField field) {
  for (BlockArgument argument : function.getArguments()) {
    if (stepFieldOf(function, argument.getArgNumber()) == field) {
      return argument;
    }
  }
  return {};
}

} // namespace cheems

#endif
