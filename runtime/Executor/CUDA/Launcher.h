// Launches one entry of a plan with the memory of one session.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_LAUNCHER_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_LAUNCHER_H

#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/CUDA/Memory.h"
#include "runtime/CUDA/Stream.h"
#include "runtime/Executor/CUDA/TensorMaps.h"
#include <deque>
#include <functional>

namespace cheems::cuda {

/// Says where those arguments of kernels are that are not scratch memory.
struct StepAddresses {
  CUdeviceptr tokens = 0, segments = 0, rows = 0, logits = 0;
  CUdeviceptr embeddingRows = 0, embeddings = 0;
  CUdeviceptr topValues = 0, topTokens = 0, logSums = 0;
  std::vector<CUdeviceptr> pools;
  /// Returns the address of a parameter, by its offset in the weight section.
  std::function<CUdeviceptr(int64_t offset)> weights;
};

class Launcher {
public:
  /// `most` are the sizes of the largest step. All scratch memory is had here:
  /// throws Error where it is short. `mayOverlap`: kernels that wait for others
  /// by themselves may start early, where the driver knows how.
  Launcher(const std::shared_ptr<const Context> &context,
           const LaunchPlan &plan, const LaunchPlan::Entry &entry,
           std::vector<CUfunction> functions, const StepSizes &most,
           const StepAddresses &addresses, bool mayOverlap);

  const std::vector<LaunchPlan::Launch> &launches() const {
    return entry.launches;
  }
  /// Returns the blocks of a launch of the last step.
  int64_t blocks(size_t launch) const;
  /// Bytes of scratch memory.
  int64_t bytes() const;
  /// What they would be.
  static int64_t bytesOf(const LaunchPlan::Entry &entry, const StepSizes &most);
  /// Logits, or embeddings, are there from now on.
  void setLogits(CUdeviceptr address) {
    set(LaunchPlan::Argument::Kind::logits, address);
  }
  void setEmbeddings(CUdeviceptr address) {
    set(LaunchPlan::Argument::Kind::embeddings, address);
  }

  /// Called before each launch, with its number, and after the last.
  using Observer = std::function<void(size_t launch)>;
  /// Begins a step; its context is current. Nothing starts early where
  /// somebody observes. Throws Error where the step is too large, DriverError.
  /// Allocates nothing.
  void launch(const StepSizes &sizes, const Stream &stream,
              const Observer &observe = nullptr);

private:
  void set(LaunchPlan::Argument::Kind kind, CUdeviceptr address);
  void setNumbers(const StepSizes &sizes);
  /// Those of launches that run.
  void encodeMaps();
  /// `overlaps`: the GPU may start it before the previous kernel has ended.
  void launchKernel(size_t launch, size_t firstArgument, const Stream &stream,
                    bool overlaps);

  const Driver &driver;
  const LaunchPlan &plan;
  const LaunchPlan::Entry &entry;
  std::vector<CUfunction> functions;
  bool mayOverlap;
  std::deque<DeviceMemory> areas;
  std::vector<int64_t> values; ///< of the entry's numbers
  /// Holds the arguments of all launches, one after the other: an argument's
  /// bytes, and where they are. A number takes the first four. A tensor map is
  /// of the memory whose address they are.
  std::vector<uint64_t> arguments;
  std::deque<EncodedMap> maps; ///< in the order of their arguments
  std::vector<void *> pointers;
};

} // namespace cheems::cuda

#endif
