// LLVM's back end for NVIDIA's GPUs, as kernels need it.
#ifndef CHEEMS_LIB_TARGET_CUDA_TARGETMACHINE_H
#define CHEEMS_LIB_TARGET_CUDA_TARGETMACHINE_H

#include "cheems/Target/CUDA/Architecture.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace cheems::cuda {

/// Pointers into shared memory have 32 bits.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
targetMachine(const Architecture &architecture);

} // namespace cheems::cuda

#endif
