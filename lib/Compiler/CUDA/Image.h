// The image for NVIDIA's GPUs (docs/abi.md).
#ifndef CHEEMS_LIB_COMPILER_CUDA_IMAGE_H
#define CHEEMS_LIB_COMPILER_CUDA_IMAGE_H

#include "GPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace cheems {

/// The kernels of a module at the stage "nvvm". An error where it has none.
llvm::Expected<mlir::gpu::GPUModuleOp> kernelsOf(mlir::ModuleOp module);

/// Plans and code for `gpus`. With a ptxas, machine code stands beside the
/// PTX, and `cubins` keeps it.
llvm::Expected<Image> makeCUDAImage(const ModelSource &source,
                                    llvm::ArrayRef<GPU> gpus,
                                    const std::string &cubins,
                                    ProgressHandler progress);

} // namespace cheems

#endif
