// Passes from vector loops to what LLVM takes.
#ifndef CHEEMS_CONVERSION_CPUTOLLVM_PASSES_H
#define CHEEMS_CONVERSION_CPUTOLLVM_PASSES_H

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"

} // namespace cheems

#endif
