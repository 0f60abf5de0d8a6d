//===- Observer.h - What checkers and counters are told ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_OBSERVER_H
#define CHEEMS_EMULATOR_MACHINE_OBSERVER_H

#include "AddressSpaces/Access.h"

#include <cstdint>
#include <memory>
#include <span>

namespace cheems::emulator {

class Block;
struct Device;
struct Launch;
struct Program;

/// Something that threads meet at. What happened in a thread before it arrives
/// is ordered before what happens in one that leaves.
struct Meeting {
  enum class Kind : uint8_t {
    warp,     ///< bar.warp.sync; `key` is the mask
    named,    ///< bar and barrier; `key` is the number, 0 to 15
    cluster,  ///< barrier.cluster
    mbarrier, ///< `key` is the offset in `owner`'s shared memory
  };
  Kind kind;
  uint64_t key = 0;
  Block *owner = nullptr; ///< whose barrier it is; null: the cluster's
  uint64_t phase = 0;     ///< how many of its phases ended before this one
  Semantics semantics = Semantics::acquireRelease; ///< .relaxed orders nothing
  Scope scope = Scope::block;
};

/// fence, membar and fence.proxy. Proxy fences with the semantics acquire or
/// release work in one direction.
struct Fence {
  Semantics semantics = Semantics::acquireRelease;
  Scope scope = Scope::block;
  enum class Kind : uint8_t {
    thread,         ///< fence, membar: between threads
    proxyAsync,     ///< fence.proxy.async, of `space` (generic: all spaces)
    proxyTensorMap, ///< fence.proxy.tensormap::generic
    proxyAlias,
    mbarrierInit,
  } kind = Kind::thread;
  /// The space of a thread's fence: shared if it is restricted to objects in
  /// shared memory (.sync_restrict).
  Space space = Space::generic;
  /// A proxyTensorMap that acquires has the generic address of a map per lane.
  const uint64_t *addresses = nullptr;
};

/// Something that a unit does on its own after threads have asked for it.
///
/// Operations are numbered by Block::asyncOperations of the block that asks, in
/// the order of asking; all lanes of one cp.async share one number. An
/// operation comes after what its thread did before (PTX ISA, "Asynchronous
/// Operations"), so the observer is told of its accesses when it is asked for,
/// whenever the bytes move. It is ordered before something else in two ways
/// only: a thread waits for its own operations (endAsync), or an mbarrier is
/// told that it has ended and a thread leaves that phase (arriveAsync).
enum class AsyncKind : uint8_t {
  copy, ///< cp.async
  bulk, ///< cp.async.bulk with its tensor forms
  /// wgmma of a warpgroup. The warp that issues it last asks for it. The first
  /// wait of any of the four warps ends it for all of them: kernels reuse the
  /// memory of its operands when one warp has waited.
  product,
};

/// Bytes that one operation reads or writes: a box of rows. Row (i0, ..., i3)
/// starts at address + sum of i[d] * strides[d]. One row is all of a plain
/// range.
struct AsyncRange {
  AsyncKind kind;
  uint64_t operation; ///< Block::asyncOperations of the block that asked
  int lane;           ///< of the warp that asked
  Effect effect;      ///< load or store
  Proxy proxy = Proxy::async;
  Space space; ///< global or shared; of a tensor map also parameter or constant
  Block *owner = nullptr; ///< of shared memory
  uint64_t address;       ///< as in Access
  uint64_t bytes;         ///< of a row
  uint32_t counts[4] = {1, 1, 1, 1};
  int64_t strides[4] = {0, 0, 0, 0}; ///< bytes
};

/// What one checker or counter knows of a block while it runs. All calls of an
/// object come from one host thread, and in the same order whatever the number
/// of host threads is. Each may throw Finding.
class BlockObserver {
public:
  virtual ~BlockObserver();

  virtual void access(Warp &warp, const Access &access);
  virtual void fence(Warp &warp, const Instruction &instruction, LaneMask lanes,
                     const Fence &fence);
  virtual void arrive(Warp &warp, const Instruction &instruction,
                      LaneMask lanes, const Meeting &meeting);
  virtual void leave(Warp &warp, const Instruction &instruction, LaneMask lanes,
                     const Meeting &meeting);
  /// An operation is asked for: told once a range that it accesses.
  virtual void startAsync(Warp &warp, const Instruction &instruction,
                          const AsyncRange &range);
  /// Threads have waited for their operations of `kind` with numbers up to
  /// `last`. With `readsOnly` for what these read (cp.async.bulk.wait_group
  /// .read). Operations of `kind` bulk that signal an mbarrier are none of
  /// these.
  virtual void endAsync(Warp &warp, const Instruction &instruction,
                        LaneMask lanes, AsyncKind kind, uint64_t last,
                        bool readsOnly);
  /// An mbarrier is told that operations of `warp`'s `lanes` have ended, with
  /// numbers from `first` to `last`. `instruction` has asked for the signal.
  virtual void arriveAsync(Warp &warp, const Instruction &instruction,
                           LaneMask lanes, AsyncKind kind, uint64_t first,
                           uint64_t last, const Meeting &meeting);
  /// Lanes end.
  virtual void exit(Warp &warp, const Instruction &instruction, LaneMask lanes);
};

/// What one checker or counter knows of a grid.
class GridObserver {
public:
  virtual ~GridObserver();

  /// On the host thread that runs the block, and maybe at the same time for
  /// several blocks. May return null.
  virtual std::unique_ptr<BlockObserver> startBlock(Block &block) = 0;
  /// In ascending order of blocks where these run one by one, else in the order
  /// in which they end. Never at the same time for two.
  virtual void endBlock(BlockObserver &observer);
  /// `executions[i]` is how often warps executed the program's instruction i.
  virtual void endGrid(std::span<const uint64_t> executions);
};

/// Makes the observers of a grid; null: none wanted for this one.
using ObserverFactory = std::unique_ptr<GridObserver> (*)(Device &device,
                                                          const Launch &launch);

/// A checker and a counter, one of each. They are set before the first grid
/// starts.
enum class ObserverKind : uint8_t { checker, counter };
constexpr int observerKinds = 2;
/// A block has so many observers: those, and one that the machine itself may
/// have.
constexpr int blockObservers = observerKinds + 1;
void setObserver(ObserverKind kind, ObserverFactory factory);
/// The one that was set, or null.
ObserverFactory observerFactory(int kind);

} // namespace cheems::emulator

#endif
