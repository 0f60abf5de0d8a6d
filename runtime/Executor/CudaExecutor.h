// Runs code for NVIDIA's GPUs: state and scratch memory are on one, and a step
// is launches on one stream.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDAEXECUTOR_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDAEXECUTOR_H

#include "runtime/Executor/CUDA/Launcher.h"
#include "runtime/Executor/CUDA/Program.h"
#include "runtime/Executor/CUDA/StepGraphs.h"
#include "runtime/Executor/CUDA/StepInputs.h"
#include "runtime/Executor/CUDA/StepTimer.h"
#include "runtime/Executor/CUDA/TopLogitsFinder.h"
#include "runtime/Executor/Executor.h"
#include "runtime/State/DevicePools.h"

namespace cheems {

class CudaExecutor : public Executor {
public:
  /// Throws Error: failed where the GPU's memory is short; DriverError.
  CudaExecutor(const Model &model, const ExecutorOptions &options);
  /// Takes nothing of the GPU.
  static ExecutorBytes estimate(const Model &model,
                                const ExecutorOptions &options);

  std::string code() const override { return program->codeName(); }
  int threads() const override { return 1; }
  bool isOfThisProcess() const override {
    return program->context()->isOfThisProcess();
  }
  StatePools &pools() override { return state; }
  int64_t workspaceBytes() const override;
  int64_t weightBytes() const override { return program->weightBytes(); }
  void run(const StepRequest &request) override;
  bool keepsLogits() const override { return true; }
  void readLogits(int64_t row, float *result) override;
  std::optional<TopLogits> topLogits(int64_t row, size_t count) override;

private:
  cuda::StepSizes largest(int64_t rows) const;
  cuda::StepAddresses addresses(const cuda::StepInputs &inputs) const;
  void reserveLogits(int64_t rows);
  void reserveEmbeddings(int64_t rows);
  void begin(const StepRequest &request);
  void launch(bool decodes, const cuda::StepSizes &sizes);

  std::shared_ptr<const cuda::Program> program;
  int64_t slots;
  PoolSizes sizes;
  int64_t rowBytes, embeddingBytes; ///< of a row of logits, of an embedding
  cuda::Stream stream;
  DevicePools state;
  std::unique_ptr<cuda::DeviceMemory> logits;
  std::unique_ptr<cuda::DeviceMemory> embeddings; ///< null: none were wanted
  cuda::StepInputs inputs, decodeInputs;
  cuda::Launcher general, decode;
  cuda::StepGraphs graphs;                   ///< of decoding
  std::deque<cuda::TopLogitsFinder> finders; ///< ascending by count
  Profile *profile;
  std::unique_ptr<cuda::StepTimer> timer; ///< with a profile
  int64_t lastRows = 0; ///< whose logits the last step has left
  const cuda::TopLogitsFinder *found =
      nullptr; ///< has the last step's, until the next
};

} // namespace cheems

#endif
