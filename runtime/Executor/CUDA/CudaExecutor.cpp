#include "runtime/Executor/CUDA/CudaExecutor.h"
#include <algorithm>
#include <cstring>

using namespace cheems;
using namespace cheems::cuda;

namespace {

/// Kernels read 16 bytes at a time.
int64_t aligned(int64_t bytes) { return (bytes + 255) & ~int64_t{255}; }

constexpr auto tokenBytes = static_cast<int64_t>(sizeof(int32_t));
constexpr auto segmentBytes = static_cast<int64_t>(sizeof(cheems_segment));

} // namespace

CudaExecutor::Inputs::Inputs(const std::shared_ptr<const Context> &context,
                             const StepSizes &most)
    : segments(aligned(most.tokens * tokenBytes)),
      rows(segments + aligned(most.segments * segmentBytes)),
      host(context, rows + aligned(most.rows * tokenBytes),
           "the inputs of a step"),
      device(context, host.bytes(), "the inputs of a step") {}

void CudaExecutor::Inputs::send(const cheems_step &step, const Stream &stream) {
  auto put = [&](int64_t offset, const void *from, int64_t bytes) {
    if (bytes != 0) {
      std::memcpy(host.data() + offset, from, static_cast<size_t>(bytes));
    }
  };
  put(0, step.tokens, step.token_count * tokenBytes);
  put(segments, step.segments, step.segment_count * segmentBytes);
  put(rows, step.rows, step.row_count * tokenBytes);
  stream.copyToDevice(device.address(), host.data(),
                      rows + step.row_count * tokenBytes);
}

void CudaExecutor::Inputs::tell(StepAddresses &addresses) const {
  addresses.tokens = device.address();
  addresses.segments = device.address() + static_cast<uint64_t>(segments);
  addresses.rows = device.address() + static_cast<uint64_t>(rows);
}

CudaExecutor::CudaExecutor(const Model &model, const ExecutorOptions &options)
    : program(Program::of(model)), slots(options.slots),
      capacity(options.capacity), rowBytes(model.metadata().vocabulary *
                                           static_cast<int64_t>(sizeof(float))),
      stream(program->context()),
      state(program->context(), model.metadata(), slots, capacity),
      logits(std::make_unique<DeviceMemory>(
          program->context(), std::min(slots, options.rows) * rowBytes,
          "the logits of a step")),
      inputs(program->context(), largest(options.rows)),
      decodeInputs(program->context(),
                   largest(std::min(slots, model.variant().decodeRows))),
      general(program->context(), program->plan(), program->plan().general,
              program->functions(), largest(options.rows), addresses(inputs)),
      decode(program->context(), program->plan(), program->plan().decode,
             program->functions(),
             largest(std::min(slots, model.variant().decodeRows)),
             addresses(decodeInputs)),
      graphs(program->context()) {}

StepSizes CudaExecutor::largest(int64_t rows) const {
  return {rows, std::min(rows, slots), rows, slots, capacity};
}

StepAddresses CudaExecutor::addresses(const Inputs &from) const {
  StepAddresses result;
  from.tell(result);
  result.logits = logits->address();
  result.pools = state.addresses();
  result.weights = [this](int64_t offset) { return program->weights(offset); };
  return result;
}

int64_t CudaExecutor::workspaceBytes() const {
  return general.bytes() + decode.bytes() + logits->bytes() + inputs.bytes() +
         decodeInputs.bytes();
}

void CudaExecutor::reserveLogits(int64_t rows) {
  int64_t bytes = rows * rowBytes;
  if (bytes <= logits->bytes()) {
    return;
  }
  auto larger =
      std::make_unique<DeviceMemory>(program->context(), bytes,
                                     "the logits of " + std::to_string(rows) +
                                         " rows; lower the prefill chunk");
  graphs.clear(); // which have the old address
  general.setLogits(larger->address());
  decode.setLogits(larger->address());
  logits = std::move(larger);
}

void CudaExecutor::run(cheems_step &step, bool decodes) {
  Context::Current current(*program->context());
  reserveLogits(step.row_count);
  StepSizes sizes{step.token_count, step.segment_count, step.row_count, slots,
                  capacity};
  (decodes ? decodeInputs : inputs).send(step, stream);
  if (decodes) {
    graphs.run(sizes, stream, [&] { decode.launch(sizes, stream); });
  } else {
    general.launch(sizes, stream);
  }
  if (step.row_count != 0) {
    stream.copyToHost(step.logits, logits->address(),
                      step.row_count * rowBytes);
  }
  stream.synchronize();
}
