// The table of parameters among a module's attributes: rows that are
// dictionaries.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_IR_MODULETABLES_H
#define CHEEMS_LIB_DIALECT_CHEEMS_IR_MODULETABLES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace cheems {

/// Whether the rows of `cheems.parameters` are parameters. An error names the
/// first field that is not as it must be. Each must end within
/// `cheems.parameter_bytes`: parameters that are added start there.
mlir::LogicalResult verifyParameters(mlir::Operation *op,
                                     mlir::Attribute value);

/// Whether this is an i64, and no less than `least`.
bool isNumber(mlir::Attribute value, int64_t least);

/// Whether this is a text that is not empty.
bool isText(mlir::Attribute value);

} // namespace cheems

#endif
