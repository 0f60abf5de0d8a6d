// The back end for CPUs.
#ifndef CHEEMS_COMPILER_CPUBACKEND_H
#define CHEEMS_COMPILER_CPUBACKEND_H

#include "cheems/Compiler/Backend.h"

namespace cheems {

std::unique_ptr<Backend> createCPUBackend();

} // namespace cheems

#endif
