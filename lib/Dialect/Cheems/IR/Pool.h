// How a pool's shape is written.
#ifndef CHEEMS_LIB_DIALECT_CHEEMS_IR_POOL_H
#define CHEEMS_LIB_DIALECT_CHEEMS_IR_POOL_H

#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"

namespace cheems {

/// [slots, 2, capacity]
ParseResult parsePoolShape(AsmParser &parser, SmallVector<int64_t> &shape);
void printPoolShape(AsmPrinter &printer, ArrayRef<int64_t> shape);

} // namespace cheems

#endif
