//===- Spaces.h - State spaces and generic addresses ------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ADDRESSSPACES_SPACES_H
#define CHEEMS_EMULATOR_ADDRESSSPACES_SPACES_H

#include <cstdint>

namespace cheems::emulator {

enum class Space : uint8_t {
  generic, ///< found from the address when it is used
  global,
  constant, ///< lies in global memory, but is only read
  shared,   ///< of the block, or of another of its cluster
  local,
  parameter, ///< of the kernel
};

/// Generic addresses. Global memory has those of GlobalMemory::base; the other
/// spaces have a window each, in which an address of the space is an offset.
constexpr uint64_t sharedWindow = 0x0100'0000'0000;
constexpr uint64_t localWindow = 0x0200'0000'0000;
constexpr uint64_t parameterWindow = 0x0300'0000'0000;
constexpr uint64_t windowBytes = uint64_t(1) << 32;

constexpr bool isInWindow(uint64_t address, uint64_t window) {
  return address - window < windowBytes;
}

/// An address of shared memory: an offset within a block's, and above it the
/// rank of the block in its cluster plus one. Zero there is the block that
/// uses the address, so that each shared::cta address is a shared::cluster one.
constexpr int sharedRankShift = 24;
constexpr uint32_t sharedOffset(uint64_t address) {
  return address & ((1u << sharedRankShift) - 1);
}
/// -1: the block that uses the address.
constexpr int sharedRank(uint64_t address) {
  return int(static_cast<uint32_t>(address) >> sharedRankShift) - 1;
}
constexpr uint32_t sharedAddressOf(uint32_t offset, int rank) {
  return offset | uint32_t(rank + 1) << sharedRankShift;
}

} // namespace cheems::emulator

#endif
