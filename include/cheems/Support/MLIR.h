// MLIR's words inside namespace cheems, for what is written on MLIR.
#ifndef CHEEMS_SUPPORT_MLIR_H
#define CHEEMS_SUPPORT_MLIR_H

#include "mlir/Support/LLVM.h"

/// All that is ours is in namespace cheems: dialects, passes, compiler,
/// runtime. A name that both have (cheems::Stage) is ours there, since a
/// directive reaches only what the namespace itself lacks.
namespace cheems {
using namespace mlir;
} // namespace cheems

#endif
