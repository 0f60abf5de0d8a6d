// A call of a function that launches kernels, planned as a step is and run by
// the runtime's own launcher.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_PLANNEDCALL_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_PLANNEDCALL_H

#include "Array.h"
#include "GPU.h"
#include "mlir/IR/BuiltinOps.h"
#include <variant>

namespace cheems::test {

/// What a function takes: an array, which a launch may write, or a number.
using Argument = std::variant<Array *, int64_t, float>;

/// Runs a function of `module`, whose launches are on memrefs, with the kernels
/// of `ptx`, which were made of those of the module. Arguments have their new
/// values then; the function's results are returned. Throws GPUError for what
/// the GPU finds, and for an op that no plan has.
///
/// The call becomes a function that takes the arrays alone, as the pools of a
/// step, each of the shape that it has here. Numbers are constants of it. An
/// array that the function makes and returns is a pool, too.
std::vector<Array> runPlanned(mlir::ModuleOp module, llvm::StringRef function,
                              const std::string &ptx,
                              llvm::ArrayRef<Argument> arguments);

} // namespace cheems::test

#endif
