// MLIR's words inside namespace cheems, for what is written on MLIR.
#ifndef CHEEMS_SUPPORT_MLIR_H
#define CHEEMS_SUPPORT_MLIR_H

#include "mlir/Support/LLVM.h"

/// All our C++ is in namespace cheems: dialects, passes, compiler, runtime.
/// A name of ours hides the same name of MLIR there.
namespace cheems {
using namespace mlir;
} // namespace cheems

#endif
