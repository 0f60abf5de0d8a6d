// Attributes of the cheems dialect, apart from its ops. Back ends from outside
// use them, too: cheems-compile exports what these classes need
// (tools/cheems-compile/exports.txt).
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSATTRS_H
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSATTRS_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include "cheems/Support/MLIR.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "cheems/Dialect/Cheems/IR/CheemsAttrInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h.inc"

#endif
