// The back end for NVIDIA's cards.
#ifndef CHEEMS_COMPILER_CUDABACKEND_H
#define CHEEMS_COMPILER_CUDABACKEND_H

#include "cheems/Compiler/Backend.h"

namespace cheems {

std::unique_ptr<Backend> createCUDABackend();

} // namespace cheems

#endif
