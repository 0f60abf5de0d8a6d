//===- Barriers.h - Named barriers and barriers of clusters -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_BARRIERS_H
#define CHEEMS_EMULATOR_MACHINE_BARRIERS_H

#include "AddressSpaces/Access.h"
#include "Decode/Instruction.h"
#include "Warp.h"

#include <cstdint>

namespace cheems::emulator {

class Block;
struct Cluster;

/// PTX ISA, "Parallel Synchronization and Communication Instructions:
/// barrier{.cta}".
enum class BarrierUse : uint8_t { arrive, sync, reduce };

/// One of a block's barriers. Warps arrive as a whole: each counts as 32
/// threads.
struct NamedBarrier {
  uint64_t phase = 0;     ///< how many have completed
  uint32_t arrived = 0;   ///< threads
  uint32_t expected = 0;  ///< threads; 0: nobody has arrived in this phase
  bool all = false;       ///< without a count: all warps that have not exited
  bool reduces = false;   ///< bar.red, which must be alone in a phase
  uint32_t warps = 0;     ///< a bit for each that has arrived
  uint32_t sleepers = 0;  ///< a bit for each that waits
  uint32_t trueCount = 0; ///< bar.red: threads with a true predicate
  uint32_t threads = 0;   ///< bar.red: threads
};

/// The state of barrier.cluster for all warps of a cluster.
struct ClusterBarrier {
  uint64_t phase = 0; ///< how many have completed
  uint32_t arrived = 0;
};

/// All live lanes of the warp arrive at barrier `number`, and wait if `use`
/// says so. `threads` of 0: all of the block. `predicate` is that of bar.red,
/// whose result is in Warp::reducedTrue when the warp goes on.
Step meetAtBarrier(Warp &warp, const Instruction &instruction, uint32_t number,
                   uint32_t threads, BarrierUse use, LaneMask predicate = 0);

/// barrier.cluster.arrive and barrier.cluster.wait of all live lanes.
void arriveAtCluster(Warp &warp, const Instruction &instruction,
                     Semantics semantics);
Step waitForCluster(Warp &warp, const Instruction &instruction);

/// A warp has exited: barriers that waited for it alone complete.
void leaveBarriers(Warp &warp);

/// What warps have arrived at, for a deadlock's report.
std::string describeBarriers(Block &block);

} // namespace cheems::emulator

#endif
