#include "runtime/Executor/CUDA/TopLogitsFinder.h"

using namespace cheems;
using namespace cheems::cuda;

namespace {

constexpr int64_t numberBytes = 4; ///< of a value, a token and a sum
constexpr char purpose[] = "the best logits of a step";

StepSizes sizesOf(int64_t rows) {
  StepSizes sizes;
  sizes.rows = rows;
  return sizes;
}

/// An offset; values are first, sums at twice as much.
int64_t tokensOf(const LaunchPlan::TopLogits &plan, int64_t rows) {
  return aligned(rows * plan.count * numberBytes);
}

int64_t resultBytes(const LaunchPlan::TopLogits &plan, int64_t rows) {
  return DeviceMemory::sizeOf(2 * tokensOf(plan, rows) + rows * numberBytes);
}

} // namespace

int64_t TopLogitsFinder::bytesOf(const LaunchPlan::TopLogits &plan,
                                 int64_t rows) {
  return Launcher::bytesOf(plan.entry, sizesOf(rows)) + resultBytes(plan, rows);
}

TopLogitsFinder::TopLogitsFinder(const Program &program,
                                 const LaunchPlan::TopLogits &plan,
                                 int64_t rows, CUdeviceptr logits)
    : plan(plan), tokens(tokensOf(plan, rows)), sums(2 * tokens),
      host(program.context(), resultBytes(plan, rows), purpose),
      device(program.context(), host.bytes(), purpose),
      launcher(program.context(), program.plan(), plan.entry,
               program.functions(), sizesOf(rows), addresses(logits),
               program.switches().overlap) {}

StepAddresses TopLogitsFinder::addresses(CUdeviceptr logits) const {
  StepAddresses result;
  result.logits = logits;
  result.topValues = device.address();
  result.topTokens = device.address() + static_cast<uint64_t>(tokens);
  result.logSums = device.address() + static_cast<uint64_t>(sums);
  return result;
}

void TopLogitsFinder::run(int64_t rows, const Stream &stream) {
  launcher.launch(sizesOf(rows), stream);
  auto fetch = [&](int64_t offset, int64_t numbers) {
    stream.copyToHost(host.data() + offset,
                      device.address() + static_cast<uint64_t>(offset),
                      numbers * numberBytes);
  };
  fetch(0, rows * plan.count);
  fetch(tokens, rows * plan.count);
  fetch(sums, rows);
  stream.synchronize();
}

TopLogits TopLogitsFinder::row(int64_t row, int64_t vocabulary) const {
  auto values = reinterpret_cast<const float *>(host.data());
  auto ids = reinterpret_cast<const int32_t *>(host.data() + tokens);
  auto logSums = reinterpret_cast<const float *>(host.data() + sums);
  return {values + row * plan.count, ids + row * plan.count,
          static_cast<size_t>(plan.count), logSums[row],
          static_cast<size_t>(vocabulary)};
}
