// What linear and column_epilogue ask of their epilogues.
#ifndef CHEEMS_LIB_DIALECT_CHEEMSCPU_IR_EPILOGUEUTILS_H
#define CHEEMS_LIB_DIALECT_CHEEMSCPU_IR_EPILOGUEUTILS_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"

namespace cheems::cpu {

/// C4 and C5 of both: one block of `count` f32, which holds ops on scalars and
/// ends with a yield. `takes` says for what the arguments are.
LogicalResult verifyEpilogue(Operation *op, Region &epilogue, size_t count,
                             const Twine &takes);

} // namespace cheems::cpu

#endif
