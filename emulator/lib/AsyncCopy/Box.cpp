//===- Box.cpp - Rows of a tensor's box in shared memory ------------------===//
#include "Box.h"

#include <cstring>

namespace cheems::emulator {
namespace {

template <typename T>
void fillElements(std::byte *bytes, uint32_t count, T value) {
  for (uint32_t at = 0; at < count; at += sizeof(T)) {
    std::memcpy(bytes + at, &value, sizeof(T));
  }
}

} // namespace

void fillOutOfBounds(const TensorMap &map, std::byte *bytes, uint32_t count) {
  if (map.fill == 0) {
    std::memset(bytes, 0, count);
    return;
  }
  switch (elementBytes(map.type())) {
  case 2:
    fillElements<uint16_t>(bytes, count, 0x7fff);
    return;
  case 4:
    fillElements<uint32_t>(bytes, count, 0x7fffffff);
    return;
  default:
    fillElements<uint64_t>(bytes, count, 0x7fffffff'ffffffff);
    return;
  }
}

void scatterRow(std::byte *shared, uint32_t address, int mode,
                const std::byte *row, uint32_t bytes) {
  if (mode == 0) {
    std::memcpy(shared + address, row, bytes);
    return;
  }
  for (uint32_t at = 0; at < bytes; at += swizzleUnit) {
    std::memcpy(shared + swizzled(address + at, mode), row + at, swizzleUnit);
  }
}

void gatherRow(const std::byte *shared, uint32_t address, int mode,
               std::byte *row, uint32_t bytes) {
  if (mode == 0) {
    std::memcpy(row, shared + address, bytes);
    return;
  }
  for (uint32_t at = 0; at < bytes; at += swizzleUnit) {
    std::memcpy(row + at, shared + swizzled(address + at, mode), swizzleUnit);
  }
}

} // namespace cheems::emulator
