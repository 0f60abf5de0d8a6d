//===- Addresses.cpp - Address operands of asynchronous copies ------------===//
#include "Addresses.h"

#include "Machine/Block.h"

namespace cheems::emulator {
namespace {

void checkAlignment(Warp &warp, const Instruction &instruction, int lane,
                    uint64_t address, uint32_t alignment) {
  if (address % alignment != 0) {
    warp.fail(instruction, "misaligned-address",
              "the address is not a multiple of " + std::to_string(alignment),
              lane, address);
  }
}

} // namespace

SharedPlace sharedPlace(Warp &warp, const Instruction &instruction, int lane,
                        Space space, uint64_t address, Reach reach,
                        uint64_t bytes, uint32_t alignment) {
  if (space == Space::generic) {
    if (!isInWindow(address, sharedWindow)) {
      warp.fail(instruction, "wrong-space",
                "the generic address is not in shared memory", lane, address);
    }
    address -= sharedWindow;
  }
  Block *own = &warp.block;
  Block *owner = own->sharedOwner(address);
  if (owner == nullptr) {
    warp.fail(instruction, "out-of-bounds",
              "the cluster has no block of rank " +
                  std::to_string(sharedRank(address)),
              lane, address);
  }
  if (owner != own && reach == Reach::block) {
    warp.fail(instruction, "wrong-space",
              "the address is in the shared memory of another block of the "
              "cluster; only the own block's is allowed here",
              lane, address);
  }
  if (owner != own && owner->isDone()) {
    warp.fail(instruction, "exited-peer",
              "the block of rank " + std::to_string(owner->rank) +
                  " has exited, so its shared memory is gone",
              lane, address);
  }
  uint32_t offset = sharedOffset(address);
  if (offset + bytes > owner->sharedBytes()) {
    warp.fail(instruction, "out-of-bounds",
              std::to_string(bytes) + " bytes from offset " +
                  std::to_string(offset) + " of " +
                  std::to_string(owner->sharedBytes()) +
                  " bytes of shared memory",
              lane, address);
  }
  checkAlignment(warp, instruction, lane, offset, alignment);
  return {owner, offset};
}

uint64_t globalPlace(Warp &warp, const Instruction &instruction, int lane,
                     uint64_t address, uint32_t alignment) {
  if (isInWindow(address, sharedWindow) || isInWindow(address, localWindow) ||
      isInWindow(address, parameterWindow)) {
    warp.fail(instruction, "wrong-space", "the address is not in global memory",
              lane, address);
  }
  checkAlignment(warp, instruction, lane, address, alignment);
  return address;
}

} // namespace cheems::emulator
