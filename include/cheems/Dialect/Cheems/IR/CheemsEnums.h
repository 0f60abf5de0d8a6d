// The enums of the cheems dialect, apart from its ops: the reader of
// checkpoints and the evaluators, which link no MLIR, name them too.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSENUMS_H
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSENUMS_H

// The generated parsers and printers are templates and inline functions of
// these words; nothing of libMLIR is linked for them.
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h.inc"

#endif
