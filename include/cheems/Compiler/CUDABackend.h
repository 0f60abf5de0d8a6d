// The back end for NVIDIA's GPUs.
#ifndef CHEEMS_COMPILER_CUDABACKEND_H
#define CHEEMS_COMPILER_CUDABACKEND_H

#include "cheems/Compiler/Backend.h"

namespace cheems {

/// \param cubins folder that keeps the machine code that ptxas makes by its
/// content, for the user alone; empty: none.
std::unique_ptr<Backend> createCUDABackend(std::string cubins = "");

} // namespace cheems

#endif
