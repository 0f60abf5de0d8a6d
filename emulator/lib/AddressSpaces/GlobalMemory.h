//===- GlobalMemory.h - The memory of the GPU -------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ADDRESSSPACES_GLOBALMEMORY_H
#define CHEEMS_EMULATOR_ADDRESSSPACES_GLOBALMEMORY_H

#include "PatternBytes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cheems::emulator {

/// What is known of a byte of global memory.
enum class ByteState : uint8_t {
  unallocated = 0, ///< also the gap between two allocations
  uninitialised,
  initialised,
  freed,
};

/// The memory of the GPU: one reservation of the host's address space, of
/// which pages are used as they are touched, and given back when they are
/// freed.
///
/// Addresses of the device are the same in every run, because they count from a
/// fixed base. So a report of one run can be compared with another's, and a
/// kernel that depends on an address does so always. Allocations are 256-byte
/// aligned and lie at least 256 bytes apart, so an access past the end meets
/// `unallocated`. Freed ranges are used again as late as possible.
///
/// Not synchronised: the driver holds its lock, and kernels only read and write
/// bytes and states.
class GlobalMemory {
public:
  static constexpr uint64_t base = 0x7000'0000'0000;

  explicit GlobalMemory(uint64_t bytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// A new range. Nothing if the GPU is full. `alignment` is a power of two.
  std::optional<uint64_t> allocate(uint64_t bytes, uint64_t alignment = 256);
  /// Frees what starts at `address`. False: nothing that is allocated starts
  /// there.
  bool free(uint64_t address);

  struct Allocation {
    uint64_t address, bytes;
  };
  /// The allocation that has `address` in it.
  std::optional<Allocation> find(uint64_t address) const;
  std::vector<Allocation> live() const;

  uint64_t totalBytes() const { return bytes_; }
  uint64_t freeBytes() const;

  /// Whether all of the range belongs to one live allocation.
  bool contains(uint64_t address, uint64_t bytes) const;

  /// The bytes, and their states, from an address in [base, base +
  /// totalBytes()) on. setStates and copyStates alone may give a byte another
  /// state than `initialised`.
  std::byte *data(uint64_t address) { return data_ + (address - base); }
  const std::byte *data(uint64_t address) const {
    return data_ + (address - base);
  }
  ByteState *state(uint64_t address) {
    return reinterpret_cast<ByteState *>(states_.data()) + (address - base);
  }
  const ByteState *state(uint64_t address) const {
    return reinterpret_cast<const ByteState *>(states_.data()) +
           (address - base);
  }
  /// Gives all bytes of a range one state. Long ranges cost nothing until their
  /// states are changed one by one.
  void setStates(uint64_t address, uint64_t bytes, ByteState state) {
    states_.fill(address - base, bytes, static_cast<uint8_t>(state));
    setLines(address - base, bytes, state == ByteState::initialised);
  }
  void copyStates(uint64_t to, uint64_t from, uint64_t bytes);

  /// States are as many as bytes, so few of them fit into caches. For each line
  /// of memory one byte says whether all of it is known to be initialised.
  static constexpr uint64_t lineBytes = 64;
  /// The index of a line is offset / lineBytes. Several threads of the host,
  /// which run kernels, read and write the lines at the same time.
  uint8_t *lines() { return lines_.data(); }

private:
  /// Marks the lines that a range covers as a whole, if its bytes are
  /// initialised. If not, nothing is known any more of these lines, nor of
  /// those that it covers in part.
  void setLines(uint64_t offset, uint64_t bytes, bool areInitialised);

  std::byte *data_ = nullptr;
  PatternBytes states_, lines_;
  uint64_t bytes_ = 0;
  uint64_t used_ = 0;
  std::map<uint64_t, uint64_t> live_; ///< address -> bytes
  std::map<uint64_t, uint64_t> free_; ///< offset of a hole -> bytes
};

} // namespace cheems::emulator

#endif
