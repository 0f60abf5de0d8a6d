// The cheems_plan dialect: entries of launches, their numbers and addresses.
#ifndef CHEEMS_DIALECT_CHEEMSPLAN_IR_CHEEMSPLANDIALECT_H
#define CHEEMS_DIALECT_CHEEMSPLAN_IR_CHEEMSPLANDIALECT_H

#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h.inc"
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanTypes.h.inc"

#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanOps.h.inc"

#endif
