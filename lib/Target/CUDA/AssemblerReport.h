// What ptxas prints of the kernels that it assembles (ptxas -v).
#ifndef CHEEMS_LIB_TARGET_CUDA_ASSEMBLERREPORT_H
#define CHEEMS_LIB_TARGET_CUDA_ASSEMBLERREPORT_H

#include "cheems/Target/CUDA/Assembler.h"

namespace cheems::cuda {

/// The kernels in the order of the report. What makes them slow
/// (Assembler::assemble) goes to `faults`, by kernel.
std::vector<KernelResources> readReport(llvm::StringRef report,
                                        std::vector<std::string> &faults);

/// Kernels with registers in local memory.
std::vector<std::string> kernelsThatSpill(llvm::StringRef report);
/// What threads of all kernels store there and load again.
int64_t spilledBytes(llvm::StringRef report);

/// The first line of a failed run that says why.
std::string reasonOf(llvm::StringRef report);

} // namespace cheems::cuda

#endif
