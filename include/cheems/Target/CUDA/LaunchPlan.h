// What the host does for a step on a card, as data: which kernels it launches,
// on what grids, with what arguments (docs/abi.md, "The image for cuda").
#ifndef CHEEMS_TARGET_CUDA_LAUNCHPLAN_H
#define CHEEMS_TARGET_CUDA_LAUNCHPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace cheems::cuda {

/// The plan of a module at the stage "launches": its kernels and its entries.
/// An error names an op that no plan has.
llvm::Expected<llvm::json::Object> describeLaunches(mlir::ModuleOp module);

} // namespace cheems::cuda

#endif
