// The cheems_cpu dialect: ops, attributes, and its registration.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUDIALECT_H
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUDIALECT_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/CheemsCPU/IR/AttributeNames.h"
#include "cheems/Support/MLIR.h"

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUEnums.h.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.h.inc"

namespace cheems::cpu {
/// What an epilogue makes of its arguments.
using EpilogueBuilder = function_ref<Value(OpBuilder &b, ValueRange arguments)>;
} // namespace cheems::cpu

#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.h.inc"

namespace cheems::cpu {

/// Builds the ops of an epilogue again, for other arguments. Returns what it
/// yields.
Value cloneEpilogue(OpBuilder &b, Region &epilogue, ValueRange arguments);
} // namespace cheems::cpu

#endif
