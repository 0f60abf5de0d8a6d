// From a gpu.module of the LLVM and NVVM dialects to PTX text, in this process
// and without CUDA.
#ifndef CHEEMS_TARGET_CUDA_PTX_H
#define CHEEMS_TARGET_CUDA_PTX_H

#include "cheems/Target/CUDA/Architecture.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace cheems::cuda {

/// What no pass may leave in `kernels`, as one line with the op and the kernel:
/// an op of another dialect, one that the GPU lacks, shared memory of size 0
/// that is not external.
llvm::Error checkKernels(mlir::gpu::GPUModuleOp kernels,
                         const Architecture &architecture);

/// Translates `kernels` and optimises them. Errors are those of checkKernels,
/// of the translation, and functions that a kernel calls and that are not
/// there.
llvm::Expected<std::unique_ptr<llvm::Module>>
generateLLVM(mlir::gpu::GPUModuleOp kernels, const Architecture &architecture,
             llvm::LLVMContext &context);

/// The PTX of all kernels; the same bytes each time. An error too is a kernel
/// that has arrays in local memory: those are in DRAM.
llvm::Expected<std::string> generatePTX(mlir::gpu::GPUModuleOp kernels,
                                        const Architecture &architecture);

} // namespace cheems::cuda

#endif
