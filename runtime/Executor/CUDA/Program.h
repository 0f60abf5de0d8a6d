// A model on a GPU: its kernels and its weights, which all sessions share.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_PROGRAM_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_PROGRAM_H

#include "runtime/Artifact/Model.h"
#include "runtime/Executor/CUDA/CudaModule.h"
#include "runtime/Executor/CUDA/WeightUpload.h"

namespace cheems::cuda {

class Program {
public:
  struct Loading {
    /// Bytes of the GPU's memory that will be asked for beside the weights,
    /// and what for; the weights do not begin their way where all together is
    /// not free.
    std::function<int64_t(const LaunchPlan &plan)> need;
    std::string purpose;
    WeightUpload::Progress uploading; ///< told of the weights' way
  };

  /// Returns the program of a model whose image for GPUs was chosen: loaded at
  /// the first call, and there as long as somebody holds it. Any thread may
  /// call. Throws what loading throws: Error, DamagedFile, DriverError, and
  /// what functions of `loading` throw.
  static std::shared_ptr<const Program> of(const Model &model,
                                           const Loading &loading);

  const std::shared_ptr<const Context> &context() const { return gpu; }
  const LaunchPlan &plan() const { return launches; }
  /// Returns the plan's kernels, in order.
  const std::vector<CUfunction> &functions() const { return kernels; }
  CUdeviceptr weights(int64_t offset) const {
    return parameters.addressOf(offset);
  }
  /// Returns the bytes that they take of the GPU's memory.
  int64_t weightBytes() const { return parameters.bytes(); }
  /// "sm_90a.cubin"
  const std::string &codeName() const { return module.name(); }
  /// Returns the fallback of CudaModule.
  const std::string &fallback() const { return module.fallback(); }
  /// Returns the switches that were set when this was loaded.
  const Switches &switches() const { return switched; }

private:
  Program(const Model &model, const Loading &loading);

  Switches switched;
  std::shared_ptr<const Context> gpu;
  CudaModule module;
  LaunchPlan launches;
  std::vector<CUfunction> kernels;
  WeightUpload parameters;
};

} // namespace cheems::cuda

#endif
