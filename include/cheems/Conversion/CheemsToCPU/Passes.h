// Passes from a step of the cheems dialect to what CPU kernels compute.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_H
#define CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_H

#include "cheems/Conversion/CheemsToCPU/AttentionSplits.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsCPU/IR/Options.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace cheems {

#define GEN_PASS_DECL
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "cheems/Conversion/CheemsToCPU/Passes.h.inc"

} // namespace cheems

#endif
