#include "runtime/Executor/CUDA/TensorMaps.h"

using namespace cheems;
using namespace cheems::cuda;

namespace {

using Map = LaunchPlan::TensorMap;

/// The swizzle with as many bytes as a row of a box, but of f32 none.
CUtensorMapSwizzle swizzleOf(const Map &map) {
  if (map.element == Map::Element::f32) {
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
  int64_t bytes = map.boxRowBytes();
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                       : CU_TENSOR_MAP_SWIZZLE_32B;
}

CUtensorMapDataType typeOf(Map::Element element) {
  switch (element) {
  case Map::Element::f16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case Map::Element::bf16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case Map::Element::f32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  }
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}

/// The driver takes multiples of 16 bytes, of a row alone, too, from which it
/// leads nowhere.
uint64_t strideOf(const Map &map, uint64_t rows, uint64_t columns) {
  constexpr uint64_t together = 16;
  uint64_t bytes = static_cast<uint64_t>(map.elementBytes()) * columns;
  return rows == 1 ? (bytes + together - 1) / together * together : bytes;
}

} // namespace

void EncodedMap::verify(const std::vector<int64_t> &values) const {
  if (values[map.rows] > INT32_MAX || values[map.columns] > INT32_MAX) {
    throw Error("a pool of " + std::to_string(values[map.rows]) + " x " +
                std::to_string(values[map.columns]) +
                " elements is more than a GPU copies from; take fewer "
                "sequences or a shorter context");
  }
}

void EncodedMap::encode(const Driver &driver, CUdeviceptr given,
                        const std::vector<int64_t> &values) {
  auto newRows = static_cast<uint64_t>(values[map.rows]),
       newColumns = static_cast<uint64_t>(values[map.columns]);
  if (given == address && newRows == rows && newColumns == columns) {
    return;
  }
  // The innermost dimension comes first; it has no stride.
  const uint64_t extents[] = {newColumns, newRows};
  const uint64_t strides[] = {strideOf(map, newRows, newColumns)};
  const uint32_t box[] = {static_cast<uint32_t>(map.boxColumns),
                          static_cast<uint32_t>(map.boxRows)};
  const uint32_t each[] = {1, 1};
  // Elsewhere the driver takes addresses as numbers.
  auto *pointer = reinterpret_cast<void *>( // NOLINT(*-no-int-to-ptr)
      given);
  driver.cuTensorMapEncodeTiled(
      &encoded, typeOf(map.element),
      /*rank=*/2, pointer, extents, strides, box, each,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(map),
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  address = given;
  rows = newRows;
  columns = newColumns;
}
