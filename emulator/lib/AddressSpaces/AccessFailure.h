//===- AccessFailure.h - What is wrong with an access -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ADDRESSSPACES_ACCESSFAILURE_H
#define CHEEMS_EMULATOR_ADDRESSSPACES_ACCESSFAILURE_H

#include "Access.h"
#include "Machine/Block.h"

namespace cheems::emulator {

/// Lanes of a warp that access one space.
struct AccessRequest {
  Warp &warp;
  const Instruction &instruction;
  const AccessKind &kind;
  const uint64_t *addresses;
  LaneMask lanes;
  Space space;
  Block *owner; ///< of shared memory
};

/// Bytes that may be loaded, but not stored to.
constexpr bool isLoadable(ByteState) { return false; }
constexpr bool isLoadable(SharedState state) {
  return state == SharedState::beingRead;
}

/// The access of `lane` is wrong. Throws the Finding that says how.
[[noreturn]] void failLane(const AccessRequest &request, int lane);
/// The address of `lane` is of a block that the cluster does not have.
[[noreturn]] void failRank(const AccessRequest &request, int lane);
/// The block that owns the memory has exited.
[[noreturn]] void failExited(const AccessRequest &request, int lane);
[[noreturn]] void failRange(Warp &warp, const Instruction &instruction,
                            Space space, Block &block, uint64_t address,
                            uint64_t bytes, bool writes,
                            bool mayBeUninitialised);

} // namespace cheems::emulator

#endif
