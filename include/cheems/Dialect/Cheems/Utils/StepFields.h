// Fields of a step among the arguments of a function.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_STEPFIELDS_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_STEPFIELDS_H

#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h"
#include "mlir/IR/BuiltinOps.h"
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

/// The entry of the module's `cheems.state` that an argument is; null for what
/// is no pool, or has none.
inline PoolAttr poolOf(FunctionOpInterface function, unsigned argument) {
  auto index = function.getArgAttrOfType<mlir::IntegerAttr>(argument, kIndex);
  auto module = function->getParentOfType<mlir::ModuleOp>();
  auto state =
      module ? module->getAttrOfType<mlir::ArrayAttr>(kState) : nullptr;
  if (stepFieldOf(function, argument) != StepField::Pools || !index || !state ||
      index.getValue().uge(state.size())) {
    return {};
  }
  return mlir::dyn_cast<PoolAttr>(state[index.getInt()]);
}

/// Whether the entries of a pool are a ring.
inline bool isRing(PoolAttr pool) {
  return pool && llvm::is_contained(pool.getShape(), PoolAttr::kRing);
}

} // namespace cheems

#endif
