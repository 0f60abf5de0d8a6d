// The GPUs that code is made for, by the options of the back end.
#ifndef CHEEMS_LIB_COMPILER_CUDA_GPU_H
#define CHEEMS_LIB_COMPILER_CUDA_GPU_H

#include "cheems/Compiler/Backend.h"
#include "cheems/Pipelines/CUDAPipelines.h"
#include "cheems/Target/CUDA/Architecture.h"

namespace cheems {

struct GPU {
  cuda::Architecture architecture;
  GPUOptions options; ///< what passes are told of it
};

/// These are the options of the target cuda.
std::vector<BackendOption> cudaOptions();

/// At least one; stages are those of the first.
llvm::Expected<std::vector<GPU>> gpusOf(const Backend &backend,
                                        const CompileOptions &options);

} // namespace cheems

#endif
