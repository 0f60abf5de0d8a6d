// The cheems_cpu dialect: ops, attributes, and its registration.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUDIALECT_H
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUDIALECT_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.h.inc"
#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.h.inc"

#endif
