// From the LLVM dialect to a shared object in memory.
#ifndef CHEEMS_TARGET_CPU_CODEGENERATOR_H
#define CHEEMS_TARGET_CPU_CODEGENERATOR_H

#include "cheems/Target/CPU/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace cheems {

/// An object file's bytes.
using Object = llvm::SmallVector<char, 0>;

/// Translates `module` (LLVM dialect) and optimises it for `target`.
llvm::Expected<std::unique_ptr<llvm::Module>>
generateLLVM(mlir::ModuleOp module, const TargetInfo &target,
             llvm::LLVMContext &context);

/// The object file of an optimised module. Fails if it needs any symbol but
/// cheems_parallel_for and, instrumented, those of AddressSanitizer.
llvm::Expected<Object> generateObject(llvm::Module &module,
                                      const TargetInfo &target);

/// Links objects, in this order, into the shared object `output`.
llvm::Error linkSharedObject(llvm::ArrayRef<Object> objects,
                             llvm::StringRef output);

} // namespace cheems

#endif
