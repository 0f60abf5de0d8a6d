// What the host tells a GPU of a step.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_STEPINPUTS_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_STEPINPUTS_H

#include "runtime/CUDA/Memory.h"
#include "runtime/Executor/CUDA/Launcher.h"
#include "runtime/StepView.h"

namespace cheems::cuda {

/// Tokens, segments and both lists of rows of a step, copied to the GPU in one
/// piece.
class StepInputs {
public:
  StepInputs(const std::shared_ptr<const Context> &context,
             const StepSizes &most);
  /// The step before has ended.
  void send(const StepView &step, const Stream &stream);
  /// Writes where they are on the GPU into `addresses`.
  void tell(StepAddresses &addresses) const;
  int64_t bytes() const { return device.bytes(); }
  /// What they would be.
  static int64_t bytesOf(const StepSizes &most);

private:
  int64_t segments, rows, embeddingRows; ///< offsets; tokens are first
  PinnedMemory host;
  DeviceMemory device;
};

} // namespace cheems::cuda

#endif
