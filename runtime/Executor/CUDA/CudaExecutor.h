// Runs code for NVIDIA's cards: state and scratch memory are on one, and a step
// is launches on one stream.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_CUDAEXECUTOR_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_CUDAEXECUTOR_H

#include "runtime/Executor/CUDA/Launcher.h"
#include "runtime/Executor/CUDA/Program.h"
#include "runtime/Executor/CUDA/StepGraphs.h"
#include "runtime/Executor/Executor.h"
#include "runtime/State/DevicePools.h"

namespace cheems {

class CudaExecutor : public Executor {
public:
  /// Throws Error: failed where the card's memory is short; DriverError.
  CudaExecutor(const Model &model, const ExecutorOptions &options);

  int threads() const override { return 1; }
  bool isOfThisProcess() const override {
    return program->context()->isOfThisProcess();
  }
  StatePools &pools() override { return state; }
  int64_t workspaceBytes() const override;
  void run(cheems_step &step, bool decodes) override;

private:
  /// Tokens, segments and rows of a step, written by the host and copied to the
  /// card in one piece.
  class Inputs {
  public:
    Inputs(const std::shared_ptr<const cuda::Context> &context,
           const cuda::StepSizes &most);
    void send(const cheems_step &step, const cuda::Stream &stream);
    /// Where they are on the card, in `addresses`.
    void tell(cuda::StepAddresses &addresses) const;
    int64_t bytes() const { return device.bytes(); }

  private:
    int64_t segments, rows; ///< offsets; tokens are first
    cuda::PinnedMemory host;
    cuda::DeviceMemory device;
  };

  cuda::StepSizes largest(int64_t rows) const;
  cuda::StepAddresses addresses(const Inputs &inputs) const;
  void reserveLogits(int64_t rows);

  std::shared_ptr<const cuda::Program> program;
  int64_t slots, capacity, rowBytes; ///< of a row of logits
  cuda::Stream stream;
  DevicePools state;
  std::unique_ptr<cuda::DeviceMemory> logits;
  Inputs inputs, decodeInputs;
  cuda::Launcher general, decode;
  cuda::StepGraphs graphs; ///< of decoding
};

} // namespace cheems

#endif
