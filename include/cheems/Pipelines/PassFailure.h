// Which pass failed, on what, and where.
#ifndef CHEEMS_PIPELINES_PASSFAILURE_H
#define CHEEMS_PIPELINES_PASSFAILURE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace cheems {

/// Has errors in passes of `passes` say which pass it was, on which op, in
/// their one line; a pass that fails without a word gets one.
void namePassFailures(mlir::PassManager &passes);

/// Runs what `build` adds on `module`. The error is one line: what the first
/// diagnostic says, the pass, and the layer or the place in a file. It is an
/// UnsupportedError if no pass is wrong (emitUnsupported).
llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> build);

} // namespace cheems

#endif
