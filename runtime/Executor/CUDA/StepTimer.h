// When each launch of a step began on the GPU, for a profile.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_STEPTIMER_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_STEPTIMER_H

#include "runtime/CUDA/Stream.h"
#include "runtime/Executor/CUDA/Launcher.h"
#include "runtime/Profile/Profile.h"

namespace cheems::cuda {

/// Events before each launch and after the last. A step that is timed is
/// launched one by one: a graph has no events between its kernels.
class StepTimer {
public:
  /// Throws DriverError, as all below.
  StepTimer(std::shared_ptr<const Context> context, const LaunchPlan &plan,
            Profile &profile);
  ~StepTimer();
  StepTimer(const StepTimer &) = delete;
  StepTimer &operator=(const StepTimer &) = delete;

  /// After all launches so far, and before the next.
  void mark(size_t launch, const Stream &stream) const;
  /// Tells the profile of the last step of `launcher`, which has ended: a
  /// region per launch that has blocks, as iterations, and in `parts` when each
  /// part began. `begin` is the host's cycle count at the first mark.
  void report(const Launcher &launcher, uint64_t begin, uint64_t *parts) const;

private:
  void destroy() noexcept;

  std::shared_ptr<const Context> context;
  const LaunchPlan &plan;
  Profile &profile;
  std::vector<CUevent> events;
};

} // namespace cheems::cuda

#endif
