//===- BulkTransfer.h - Bytes between global and shared memory ------*- C++
//-*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_BULKTRANSFER_H
#define CHEEMS_EMULATOR_ASYNCCOPY_BULKTRANSFER_H

#include "Addresses.h"
#include "Box.h"
#include "Machine/Block.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cheems::emulator {

/// Who has asked for an operation.
struct Asker {
  Warp &warp;
  const Instruction &instruction;
  int lane;
  uint64_t operation; ///< Block::asyncOperations
};

/// What one bulk or tensor copy moves: a plain range of bytes, which is one row
/// here, or the box of a tensor.
class BulkTransfer {
public:
  /// cp.async.bulk
  BulkTransfer(uint64_t global, SharedPlace shared, uint32_t bytes);
  /// cp.async.bulk.tensor; the map has passed checkTensorMap.
  BulkTransfer(const TensorMap &map, const std::array<int32_t, 5> &start,
               SharedPlace shared);

  uint32_t bytes() const { return bytes_; }

  // -- Checks when the operation is asked for. All throw Finding.

  /// The bytes in global memory are allocated.
  void checkGlobal(const Asker &asker);
  /// Nothing else uses the bytes in shared memory, which are to be written.
  void checkDestination(const Asker &asker) const;
  /// The bytes in shared memory that are to be read are initialised.
  void checkSource(const Asker &asker) const;
  /// Observers are told of both sides.
  void tell(const Asker &asker, bool isLoad) const;
  void tellShared(const Asker &asker, Effect effect) const;

  // -- States of the bytes in shared memory

  void markInFlight() const;
  void markBeingRead() const;
  void unmarkBeingRead() const;

  // -- Moves

  /// From global to shared memory. What was not initialised there is not here.
  void load(const Asker &asker) const;
  /// From shared memory to `staged`, and from there to global memory. Bytes of
  /// `staged` that are out of a tensor's bounds mean nothing.
  void read(std::vector<std::byte> &staged) const;
  void write(const Asker &asker, const std::vector<std::byte> &staged) const;
  /// Both at once.
  void store(const Asker &asker) const;

private:
  template <typename F> void forRows(F act) const {
    if (isBox) {
      forBoxRows(map, start, act);
    } else {
      act(BoxRow{.number = 0, .global = global, .skipped = 0, .bytes = bytes_});
    }
  }
  /// Calls act(offset, bytes) for what the transfer covers in shared memory.
  template <typename F> void forShared(F act) const;
  uint32_t sharedRow(const BoxRow &row) const {
    return shared.offset + row.number * rowBytes;
  }
  void change(SharedState from, SharedState to) const;
  void tellGlobal(const Asker &asker, bool isLoad) const;
  void loadRow(const Asker &asker, const BoxRow &row) const;

  bool isBox;
  TensorMap map;
  std::array<int32_t, 5> start;
  uint64_t global;
  SharedPlace shared;
  uint32_t bytes_;
  uint32_t rowBytes; ///< in shared memory
  int mode;          ///< TensorMap::swizzle
  /// All bytes in global memory were initialised when that was checked.
  bool isInitialised = false;
};

} // namespace cheems::emulator

#endif
