//===- Block.h - A cooperative thread array ---------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_BLOCK_H
#define CHEEMS_EMULATOR_MACHINE_BLOCK_H

#include "Barriers.h"
#include "Decode/Program.h"
#include "Launch.h"
#include "Observer.h"
#include "Support/Warnings.h"
#include "Warp.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace cheems::emulator {

/// What is known of a byte of shared memory.
enum class SharedState : uint8_t {
  uninitialised,
  initialised,
  inFlight, ///< an asynchronous copy writes it, and nobody has waited for that
  barrier,  ///< of an mbarrier object
  /// Initialised, and the source of an asynchronous store that still reads it:
  /// loads may come, stores are a Finding (PTX ISA, "Async-group mechanism").
  beingRead,
};

/// Special registers that all threads of a block share (Base::block).
struct alignas(64) BlockValues {
  uint32_t ctaid[3][warpLanes], nctaid[3][warpLanes], ntid[3][warpLanes];
  uint32_t clusterid[3][warpLanes], nclusterid[3][warpLanes];
  uint32_t clusterCtaid[3][warpLanes], clusterNctaid[3][warpLanes];
  uint32_t clusterCtarank[warpLanes], clusterNctarank[warpLanes];
  uint32_t nwarpid[warpLanes], smid[warpLanes], nsmid[warpLanes];
  uint32_t dynamicSmemSize[warpLanes], totalSmemSize[warpLanes];
  uint64_t gridid[warpLanes];
  uint32_t zero[warpLanes];
  LaneMask isExplicitCluster;
};

/// State that a family of opcodes keeps with a block, unknown to the machine:
/// mbarriers, copies in flight, groups of wgmma.
class BlockExtension {
public:
  virtual ~BlockExtension();

  /// No warp of the block can go on, or all of them poll: completes the oldest
  /// operation in flight. False if there is none.
  virtual bool advance(Block &block) { return false; }
  /// All threads have exited. Throws Finding if something is left undone.
  virtual void finish(Block &block) {}
  /// What is not done yet, a line each, for a deadlock's report.
  virtual std::string describe(Block &block) { return {}; }
};

/// Memory of a block. A grid uses it for one block after the other.
struct BlockStorage {
  AlignedBytes registers; ///< of all warps
  AlignedBytes shared;
  std::vector<SharedState> sharedStates;
  std::vector<std::byte> local; ///< empty until somebody uses it
  std::vector<WarpValues> warpValues;
  BlockValues blockValues;
  std::vector<int64_t> executions;
};

/// What the blocks of a running grid have in common, as far as one host thread
/// runs them.
struct GridContext {
  Device &device;
  const Launch &launch;
  const Program &program;
  Warnings &warnings;
  uint64_t gridNumber = 0;
  /// Counts what ended or changed, for deadlock detection.
  uint64_t progress = 0;
  /// How many of these were arrivals at barriers and ends of their phases. A
  /// loop that never ends may have these, too.
  uint64_t meetings = 0;
  void met() {
    ++progress;
    ++meetings;
  }
  uint64_t changes() const { return progress - meetings; }
  /// Changes when the kernel before this one has ended (griddepcontrol.wait).
  uint64_t primaryFinished = 0;
  bool waitsForPrimary = false;
  /// Blocks that have let the next kernel start, or have ended.
  uint64_t released = 0;

  std::vector<std::unique_ptr<BlockStorage>> spare = {};

  bool early() const { return device.options.asynchrony == Asynchrony::early; }
};

/// Blocks that are started together and reach each other's shared memory.
struct Cluster {
  std::vector<Block *> blocks; ///< by rank; those that have ended stay
  ClusterBarrier barrier;
};

class Block {
public:
  /// `number` counts blocks of the grid, x fastest.
  Block(GridContext &grid, uint64_t number, Cluster *cluster, int rank);
  ~Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  GridContext &grid;
  const uint64_t number;
  const Extent index;
  Cluster *const cluster; ///< never null: a block without one has its own
  const int rank;         ///< in the cluster

  const Program &program() const { return grid.program; }

  // -- Shared memory: static, then dynamic

  uint32_t sharedBytes() const { return sharedSize; }
  std::byte *shared(uint32_t offset = 0) {
    return storage->shared.data() + offset;
  }
  SharedState *sharedState(uint32_t offset = 0) {
    return storage->sharedStates.data() + offset;
  }
  /// The parameter buffer of the kernel.
  const std::vector<std::byte> &parameters() const {
    return grid.launch.parameters;
  }
  /// The block of the cluster that a shared::cluster address means; null: the
  /// cluster has no such rank.
  Block *sharedOwner(uint64_t address);

  // -- State of families

  /// The block's T, which is made when it is first asked for: a BlockExtension
  /// with a constructor that takes the block.
  template <typename T> T &extension() {
    static const size_t slot = nextExtension();
    if (slot >= extensions.size()) {
      extensions.resize(slot + 1);
    }
    if (!extensions[slot]) {
      extensions[slot] = std::make_unique<T>(*this);
      extensionsByAge.push_back(extensions[slot].get());
    }
    return static_cast<T &>(*extensions[slot]);
  }

  std::array<NamedBarrier, 16> barriers;
  std::deque<Warp> warps;   ///< by index; they keep their addresses
  uint32_t threads = 0;     ///< of the block
  uint32_t liveThreads = 0; ///< that have not exited

  /// It has executed griddepcontrol.launch_dependents.
  bool hasReleased = false;

  /// Asynchronous operations that its threads have asked for so far
  /// (Observer.h).
  uint64_t asyncOperations = 0;

  // -- Observers

  template <typename F> void observe(F tell) {
    for (auto &observer : observers) {
      if (observer) {
        tell(*observer);
      }
    }
  }
  std::unique_ptr<BlockObserver> observers[blockObservers];

  // -- For the scheduler

  enum class Round {
    asleep,  ///< no warp could run
    polled,  ///< those that could have asked for something, and nothing changed
    running, ///< anything else
  };
  /// Every warp that can run does so for a quantum, in an order that the seed
  /// determines.
  Round round();
  bool isDone() const { return liveThreads == 0; }
  /// Completes one asynchronous operation.
  bool advance();
  /// A finding that is no error unless Options::isStrict.
  void warn(const Finding &finding);
  /// Ends extensions.
  void finish();
  /// Who waits for what, a line each.
  std::string describe();

  /// How often segments of instructions began and ended: prefix sums are
  /// executions (Program::instructions.size() + 1 of them).
  std::vector<int64_t> &executions() { return storage->executions; }

private:
  /// Numbers of extensions depend on what the process has run before, so their
  /// order means nothing.
  static size_t nextExtension();
  void fillValues();

  const uint32_t sharedSize;
  std::unique_ptr<BlockStorage> storage;
  std::vector<std::unique_ptr<BlockExtension>> extensions;
  std::vector<BlockExtension *> extensionsByAge;
  std::array<uint8_t, warpLanes> order; ///< of warps
  uint64_t random;

  friend class Warp;
};

inline void Warp::progressed() { ++block.grid.progress; }

} // namespace cheems::emulator

#endif
