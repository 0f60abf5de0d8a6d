// Kernels as a pass.
#ifndef CHEEMS_CONVERSION_CPUTOVECTOR_PASSES_H
#define CHEEMS_CONVERSION_CPUTOVECTOR_PASSES_H

#include "cheems/Dialect/CheemsCPU/IR/Options.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Conversion/CPUToVector/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Conversion/CPUToVector/Passes.h.inc"

/// Attaches KernelOpInterface to the ops that have a kernel on CPUs.
void registerKernelModels(DialectRegistry &registry);

} // namespace cheems

#endif
