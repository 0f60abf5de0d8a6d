// What the software GPU counts of kernels.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_COUNTS_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_COUNTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cheems::test {

/// Holds the counts of a kernel's launches in a step.
struct KernelCounts {
  std::string kernel;
  int64_t launches;
  int64_t tensor;    ///< instructions of tensor cores that warps executed
  double cycles;     ///< of tensor cores
  int64_t conflicts; ///< wavefronts of shared memory that banks cost more
  int64_t moved;     ///< bytes between second-level cache and memory
  int64_t asked;     ///< bytes that multiprocessors ask the caches for
};

/// Multiply-adds of one m16n8k16.
constexpr int64_t kMultiplyAdds = 16 * 8 * 16;

/// Runs `body`, which ends each of its steps by GPU::nextStep, and returns the
/// kernels of each step. A GPU writes its counts when its process ends, so
/// this is done in a process of its own, which runs the test up to here once
/// more: the test begins with this call.
std::vector<std::vector<KernelCounts>>
countedSteps(llvm::function_ref<void()> body);

} // namespace cheems::test

#endif
