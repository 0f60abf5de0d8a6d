//===- Box.h - Where the elements of a tensor's box lie ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_BOX_H
#define CHEEMS_EMULATOR_ASYNCCOPY_BOX_H

#include "TensorMap.h"

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
  uint32_t number; ///< of the row: row r lies r rows after the box's start
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
  // Per dimension: index, its place in the tensor, and where that begins.
  auto eachIndex = [&](int d, uint64_t address, bool isInside, auto inner) {
    if (d >= map.rank()) {
      inner(address, isInside);
      return;
    }
    const int64_t step = map.elementStrides[d];
    const int64_t dim = static_cast<int64_t>(map.globalDims[d]);
    const uint64_t stride = map.globalStrides[d - 1];
    int64_t at = start[d];
    for (uint32_t i = map.boxExtent(d); i > 0; --i, at += step) {
      inner(address + static_cast<uint64_t>(at) * stride,
            isInside && at >= 0 && at < dim);
    }
  };
  const uint64_t begin =
      map.globalAddress + static_cast<uint64_t>(first) * bytes;
  eachIndex(4, begin, hasElements, [&](uint64_t address, bool inside) {
    eachIndex(3, address, inside, [&](uint64_t address, bool inside) {
      eachIndex(2, address, inside, [&](uint64_t address, bool inside) {
        eachIndex(1, address, inside, [&](uint64_t address, bool inside) {
          row.global = inside ? address : 0;
          row.bytes = inside ? rowBytes : 0;
          act(static_cast<const BoxRow &>(row));
          ++row.number;
        });
      });
    });
  });
}

/// Elements out of bounds: zeros, or the canonical NaN of each type (all bits
/// but the sign); the ISA does not tell the bits of OOB-NaN. `bytes` is a
/// multiple of an element.
void fillOutOfBounds(const TensorMap &map, std::byte *bytes, uint32_t count);

/// Moves a whole row between shared memory and `row`, 16 bytes at a time.
/// `shared` is the memory of the block, and `address` the offset of the row in
/// it before the swizzle. `bytes` is a multiple of 16.
void scatterRow(std::byte *shared, uint32_t address, int mode,
                const std::byte *row, uint32_t bytes);
void gatherRow(const std::byte *shared, uint32_t address, int mode,
               std::byte *row, uint32_t bytes);

} // namespace cheems::emulator

#endif
