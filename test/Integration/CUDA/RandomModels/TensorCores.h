// Which kernels have multiplied without tensor cores, as the software GPU
// counts it.
#ifndef CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_TENSORCORES_H
#define CHEEMS_TEST_INTEGRATION_CUDA_RANDOMMODELS_TENSORCORES_H

#include <filesystem>
#include <set>
#include <string>

namespace cheems::test {

/// Kernels that multiply matrices in a prompt, by whether an instruction of
/// tensor cores was executed in each launch.
struct MultiplyingKernels {
  std::set<std::string> with, without;
};

/// Reads a file that CHEEMS_EMULATOR_COUNTS names: kernels of matmuls,
/// attention and SSD, but for those that only prepare or merge. Throws
/// std::runtime_error.
MultiplyingKernels multiplyingKernels(const std::filesystem::path &counts);

} // namespace cheems::test

#endif
