//===- Box.h - Where the elements of a tensor's box lie ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COPY_BOX_H
#define CHEEMS_EMULATOR_COPY_BOX_H

#include "cheems/Emulator/Copy/TensorMap.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace cheems::emulator {

/// A swizzle moves units of 16 bytes within a line of 128 bytes of shared
/// memory. The number of the line is part of the address, so it depends on the
/// address alone (PTX ISA, "Swizzling Modes", with its base offset).
constexpr uint32_t swizzleUnit = 16;
constexpr uint32_t swizzleLine = 128;

/// `mode` is TensorMap::swizzle: 0 to 3.
constexpr uint32_t swizzled(uint32_t address, int mode) {
  return address ^ ((address >> 7 & ((1u << mode) - 1)) << 4);
}

/// The largest inner dimension of a box: 256 elements of 8 bytes.
constexpr uint32_t longestBoxRow = 2048;

/// One row of a box, along dimension 0. Of its bytes `skipped` come first that
/// are out of the tensor's bounds, then `bytes` that are in it, then the rest
/// that are out of bounds again.
struct BoxRow {
  uint32_t number; ///< of the row: row r lies r rows behind the box's start
  uint64_t global; ///< address of the first byte that is in bounds
  uint32_t skipped;
  uint32_t bytes; ///< 0: the whole row is out of bounds
};

/// Bytes of a row in shared memory.
inline uint32_t boxRowBytes(const TensorMap &map) {
  return map.boxDims[0] * static_cast<uint32_t>(elementBytes(map.type()));
}

/// Calls `act` with each BoxRow in the order of shared memory (PTX ISA, "Tiled
/// Mode"). `map` has passed checkTensorMap. `start` are tensorCoords.
template <typename F>
void forBoxRows(const TensorMap &map, const std::array<int32_t, 5> &start,
                F act) {
  const uint32_t bytes = static_cast<uint32_t>(elementBytes(map.type()));
  const int64_t first = std::max<int64_t>(start[0], 0);
  const int64_t end = std::min<int64_t>(int64_t(start[0]) + map.boxDims[0],
                                        int64_t(map.globalDims[0]));
  BoxRow row = {};
  const bool hasElements = first < end;
  if (hasElements) {
    row.skipped = static_cast<uint32_t>(first - start[0]) * bytes;
  }
  const uint32_t rowBytes =
      hasElements ? static_cast<uint32_t>(end - first) * bytes : 0;
  uint32_t extents[5] = {1, 1, 1, 1, 1};
  for (int d = 1; d < map.rank(); ++d) {
    extents[d] = map.boxExtent(d);
  }
  // One bound and one part of the address per dimension and index.
  uint32_t index[5] = {};
  for (uint32_t number = 0;; ++number) {
    bool isInside = hasElements;
    uint64_t address = map.globalAddress + uint64_t(first) * bytes;
    for (int d = 1; d < map.rank(); ++d) {
      int64_t at =
          int64_t(start[d]) + int64_t(index[d]) * map.elementStrides[d];
      isInside &= at >= 0 && at < int64_t(map.globalDims[d]);
      address += uint64_t(at) * map.globalStrides[d - 1];
    }
    row.number = number;
    row.global = isInside ? address : 0;
    row.bytes = isInside ? rowBytes : 0;
    act(static_cast<const BoxRow &>(row));
    int d = 1;
    while (d < 5 && ++index[d] == extents[d]) {
      index[d++] = 0;
    }
    if (d == 5) {
      return;
    }
  }
}

/// Elements out of bounds: zeros, or the canonical NaN of each type (all bits
/// but the sign); the ISA does not tell the bits of OOB-NaN. `bytes` is a
/// multiple of an element.
void fillOutOfBounds(const TensorMap &map, std::byte *bytes, uint32_t count);

/// Moves a whole row between its place in shared memory and `row`, 16 bytes at
/// a time. `shared` is the memory of the block, `address` the row's place in
/// it before the swizzle. `bytes` is a multiple of 16.
void scatterRow(std::byte *shared, uint32_t address, int mode,
                const std::byte *row, uint32_t bytes);
void gatherRow(const std::byte *shared, uint32_t address, int mode,
               std::byte *row, uint32_t bytes);

} // namespace cheems::emulator

#endif
