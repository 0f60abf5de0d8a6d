// Finds the best logits of a step's rows on the GPU, so that whole rows stay
// there.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_TOPLOGITSFINDER_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_TOPLOGITSFINDER_H

#include "runtime/CUDA/Memory.h"
#include "runtime/Executor/CUDA/Launcher.h"
#include "runtime/Executor/CUDA/Program.h"
#include "runtime/TopLogits.h"

namespace cheems::cuda {

class TopLogitsFinder {
public:
  /// For steps of at most `rows` rows, with logits at `logits`.
  TopLogitsFinder(const Program &program, const LaunchPlan::TopLogits &plan,
                  int64_t rows, CUdeviceptr logits);

  /// Returns how many are found in each row.
  int64_t count() const { return plan.count; }
  int64_t bytes() const { return launcher.bytes() + device.bytes(); }
  /// What they would be.
  static int64_t bytesOf(const LaunchPlan::TopLogits &plan, int64_t rows);
  void setLogits(CUdeviceptr address) { launcher.setLogits(address); }
  /// Runs on the first `rows` rows, and waits for them.
  void run(int64_t rows, const Stream &stream);
  /// Returns those of one row, until the next run.
  TopLogits row(int64_t row, int64_t vocabulary) const;

private:
  StepAddresses addresses(CUdeviceptr logits) const;

  const LaunchPlan::TopLogits &plan;
  int64_t tokens, sums; ///< offsets; values are first
  PinnedMemory host;
  DeviceMemory device;
  Launcher launcher;
};

} // namespace cheems::cuda

#endif
