#include "runtime/Executor/CUDA/TensorMaps.h"

using namespace cheems;
using namespace cheems::cuda;

namespace {

/// The swizzle with as many bytes as a row of a box.
CUtensorMapSwizzle swizzleOf(int64_t rowBytes) {
  return rowBytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : rowBytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                          : CU_TENSOR_MAP_SWIZZLE_32B;
}

} // namespace

void EncodedMap::encode(const Driver &driver, CUdeviceptr given,
                        const std::vector<int64_t> &values) {
  auto newRows = static_cast<uint64_t>(values[map.rows]),
       newColumns = static_cast<uint64_t>(values[map.columns]);
  if (given == address && newRows == rows && newColumns == columns) {
    return;
  }
  // The innermost dimension comes first; it has no stride.
  const uint64_t extents[] = {newColumns, newRows};
  const uint64_t strides[] = {2 * newColumns};
  const uint32_t box[] = {static_cast<uint32_t>(map.boxColumns),
                          static_cast<uint32_t>(map.boxRows)};
  const uint32_t each[] = {1, 1};
  // Elsewhere the driver takes addresses as numbers.
  auto *pointer = reinterpret_cast<void *>( // NOLINT(*-no-int-to-ptr)
      given);
  bool isHalf = map.element == LaunchPlan::TensorMap::Element::f16;
  driver.cuTensorMapEncodeTiled(
      &encoded,
      isHalf ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
             : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
      /*rank=*/2, pointer, extents, strides, box, each,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(map.boxRowBytes()),
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  address = given;
  rows = newRows;
  columns = newColumns;
}
