// What the host does for a step on a GPU, as data: which kernels it launches,
// on what grids, with what arguments (docs/abi.md, "The image for cuda").
#ifndef CHEEMS_TARGET_CUDA_LAUNCHPLAN_H
#define CHEEMS_TARGET_CUDA_LAUNCHPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cheems::cuda {

/// The plan of a module at the stage "plan" as JSON: its kernels and its
/// entries, each of whose numbers is one op; in lines if a person reads it. An
/// error names an op that has no form there.
llvm::Expected<std::string> writePlan(mlir::ModuleOp module, bool inLines);

} // namespace cheems::cuda

#endif
