#include "runtime/Executor/CUDA/StepInputs.h"
#include <cstring>

using namespace cheems;
using namespace cheems::cuda;

namespace {

constexpr auto tokenBytes = static_cast<int64_t>(sizeof(int32_t));
constexpr auto segmentBytes = static_cast<int64_t>(sizeof(cheems_segment));

/// Offsets; tokens are first.
int64_t segmentsOf(const StepSizes &most) {
  return aligned(most.tokens * tokenBytes);
}
int64_t rowsOf(const StepSizes &most) {
  return segmentsOf(most) + aligned(most.segments * segmentBytes);
}

int64_t embeddingRowsOf(const StepSizes &most) {
  return rowsOf(most) + aligned(most.rows * tokenBytes);
}

} // namespace

int64_t StepInputs::bytesOf(const StepSizes &most) {
  return DeviceMemory::sizeOf(embeddingRowsOf(most) +
                              aligned(most.embeddingRows * tokenBytes));
}

StepInputs::StepInputs(const std::shared_ptr<const Context> &context,
                       const StepSizes &most)
    : segments(segmentsOf(most)), rows(rowsOf(most)),
      embeddingRows(embeddingRowsOf(most)),
      host(context, bytesOf(most), "the inputs of a step"),
      device(context, host.bytes(), "the inputs of a step") {}

void StepInputs::send(const StepView &step, const Stream &stream) {
  /// Returns where they end.
  auto put = [&](int64_t offset, auto values) {
    auto bytes = static_cast<int64_t>(sizeof(values[0])) * values.size();
    if (bytes != 0) {
      std::memcpy(host.data() + offset, values.data(),
                  static_cast<size_t>(bytes));
    }
    return offset + bytes;
  };
  put(0, step.tokens);
  put(segments, step.segments);
  int64_t end = put(rows, step.rows);
  if (!step.embeddingRows.empty()) {
    end = put(embeddingRows, step.embeddingRows);
  }
  stream.copyToDevice(device.address(), host.data(), end);
}

void StepInputs::tell(StepAddresses &addresses) const {
  addresses.tokens = device.address();
  addresses.segments = device.address() + static_cast<uint64_t>(segments);
  addresses.rows = device.address() + static_cast<uint64_t>(rows);
  addresses.embeddingRows =
      device.address() + static_cast<uint64_t>(embeddingRows);
}
