//===- Barriers.h - The mbarrier objects of a block -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ASYNCCOPY_BARRIERS_H
#define CHEEMS_EMULATOR_ASYNCCOPY_BARRIERS_H

#include "Addresses.h"
#include "Machine/Block.h"
#include "PhaseCounts.h"

#include <deque>
#include <string>

namespace cheems::emulator {

/// An mbarrier object. It keeps its place when it is invalidated, so that a
/// signal that comes too late meets one that is not valid.
struct Barrier {
  Block *owner;
  uint32_t offset;
  uint32_t number; ///< among those of the block, in the order of mbarrier.init
  bool isValid = true;
  PhaseCounts counts;
  /// How many of its ended phases a wait has seen.
  uint64_t seen = 0;

  Meeting meeting(uint64_t phase, Semantics semantics, Scope scope) const {
    return {.kind = Meeting::Kind::mbarrier,
            .key = offset,
            .owner = owner,
            .phase = phase,
            .semantics = semantics,
            .scope = scope};
  }
};

constexpr uint32_t barrierBytes = 8;

/// The barriers of a block. The eight bytes of one have SharedState::barrier
/// and hold its number, which nothing can overwrite without a Finding.
class Barriers : public BlockExtension {
public:
  explicit Barriers(Block &block) : block(block) {}

  /// mbarrier.init and mbarrier.inval at an offset that is aligned and in
  /// bounds.
  void make(Warp &warp, const Instruction &instruction, int lane,
            uint32_t offset, uint32_t count);
  void invalidate(Warp &warp, const Instruction &instruction, int lane,
                  uint32_t offset);
  /// The valid barrier there. Throws Finding if there is none.
  Barrier &at(Warp &warp, const Instruction &instruction, int lane,
              uint32_t offset);

  std::string describe(Block &) override;

private:
  Block &block;
  std::deque<Barrier> barriers;
};

/// The barrier that an operand means.
Barrier &barrierAt(Warp &warp, const Instruction &instruction, int lane,
                   Space space, uint64_t address, Reach reach);

/// The same for an operation that will signal the barrier; observers are told
/// of its access.
Barrier &signalledBarrier(Warp &warp, const Instruction &instruction, int lane,
                          Space space, uint64_t address, Reach reach);

/// What an operation did, made known: a result that is no success throws
/// Finding, and a phase that has ended wakes others.
void settle(Warp &warp, const Instruction &instruction, int lane,
            const Barrier &barrier, PhaseResult result);

/// "complete-tx operation" and the asynchronous arrival of
/// cp.async.mbarrier.arrive, on a barrier that may have gone meanwhile.
void completeBytes(Warp &warp, const Instruction &instruction, int lane,
                   Barrier &barrier, uint32_t bytes);
void arriveLater(Warp &warp, const Instruction &instruction, int lane,
                 Barrier &barrier);

/// Tells observers of an access to the eight bytes of barriers: `addresses` are
/// offsets in `owner`.
void tellBarrierAccess(Warp &warp, const Instruction &instruction,
                       LaneMask lanes, const uint64_t *addresses, Block *owner,
                       Effect effect);

} // namespace cheems::emulator

#endif
