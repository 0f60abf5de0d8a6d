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

void StepInputs::send(const cheems_step &step, const Stream &stream) {
  auto put = [&](int64_t offset, const void *from, int64_t bytes) {
    if (bytes != 0) {
      std::memcpy(host.data() + offset, from, static_cast<size_t>(bytes));
    }
  };
  put(0, step.tokens, step.token_count * tokenBytes);
  put(segments, step.segments, step.segment_count * segmentBytes);
  put(rows, step.rows, step.row_count * tokenBytes);
  put(embeddingRows, step.embedding_rows,
      step.embedding_row_count * tokenBytes);
  int64_t end = step.embedding_row_count != 0
                    ? embeddingRows + step.embedding_row_count * tokenBytes
                    : rows + step.row_count * tokenBytes;
  stream.copyToDevice(device.address(), host.data(), end);
}

void StepInputs::tell(StepAddresses &addresses) const {
  addresses.tokens = device.address();
  addresses.segments = device.address() + static_cast<uint64_t>(segments);
  addresses.rows = device.address() + static_cast<uint64_t>(rows);
  addresses.embeddingRows =
      device.address() + static_cast<uint64_t>(embeddingRows);
}
