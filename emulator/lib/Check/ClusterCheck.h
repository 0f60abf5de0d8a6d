//===- ClusterCheck.h - Order in one cluster --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_CLUSTERCHECK_H
#define CHEEMS_EMULATOR_CHECK_CLUSTERCHECK_H

#include "AsyncReads.h"
#include "Clocks.h"
#include "Events.h"
#include "GlobalOrder.h"
#include "Machine/Observer.h"
#include "Shadow.h"
#include "Support/Error.h"
#include "Suspects.h"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace cheems::emulator {

/// What the blocks of one cluster share. One host thread runs them.
class ClusterCheck {
public:
  ClusterCheck(Block &first, const Geometry &geometry, GlobalOrder &global,
               std::atomic<uint64_t> &sameValues);

  void access(Warp &warp, const Access &access);
  void fence(Warp &warp, LaneMask lanes, const Fence &fence);
  void arrive(Warp &warp, LaneMask lanes, const Meeting &meeting);
  void leave(Warp &warp, LaneMask lanes, const Meeting &meeting);
  void startAsync(Warp &warp, const Instruction &instruction,
                  const AsyncRange &range);
  void endCopies(Warp &warp, LaneMask lanes, uint64_t last);
  /// Threads have waited for what their operations read.
  void endReads(Warp &warp, LaneMask lanes, AsyncKind kind, uint64_t last);
  /// Stores of units to global memory have ended.
  void endStores(Warp &warp, LaneMask lanes, uint64_t last);
  /// An operation has signalled an mbarrier.
  void signal(Warp &warp, LaneMask lanes, AsyncKind kind, uint64_t operation);
  /// The values of unordered writes are known now.
  void settle() {
    if (suspects.any()) {
      suspects.settle();
    }
    global.settle();
  }

private:
  const Geometry &geometry;

public:
  const uint32_t number; ///< of the cluster

private:
  /// A barrier, or a place of shared memory by which threads tell each other.
  using Key = std::tuple<uint8_t, const void *, uint64_t>;
  struct Phase {
    explicit Phase(uint64_t number) : number(number) {}

    uint64_t number;
    std::shared_ptr<Knowledge> told = std::make_shared<Knowledge>();
    bool isFrozen = false; ///< somebody has `told`
    Known last;            ///< the newest that went in
  };
  /// Lanes of a warp that know the same, while they touch memory.
  struct Toucher {
    Warp &warp;
    const Instruction &instruction;
    Block *owner; ///< of shared memory; null: global memory
    Shadow &shadow;
    Events &events;
    const Knowledge &known;
    uint32_t warpNumber; ///< of the cluster
    EventNumber before;  ///< lower numbers come before the lanes
    EventNumber first;   ///< of this execution
    EventNumber event = noEvent;
    Scope scope = Scope::none; ///< of a strong access

    bool isStrong() const { return scope != Scope::none; }
    ProxiedMemory proxied() const {
      return owner ? ProxiedMemory::shared : ProxiedMemory::global;
    }
    bool isOfItsOwn(EventNumber number) const {
      return number >= first && !(number & inFlight);
    }
  };
  struct Conflict {
    EventNumber event;
    int lane;      ///< of the event's warp
    unsigned byte; ///< of the cell
  };
  /// cp.async of some lanes of a warp.
  struct PendingCopy {
    uint64_t operation;
    EventNumber event;
    LaneMask lanes; ///< that have not waited
    Block *owner;
    uint32_t bytes;
    std::array<uint32_t, warpLanes> offsets;
  };
  /// A store of a unit to global memory.
  struct PendingStore {
    EventNumber event;
    AsyncRange range;
  };

  uint32_t warpOf(const Warp &warp) const;
  /// `thread` of the cluster.
  Place placeOf(uint32_t thread, uint32_t instruction) const;
  Place placeOf(const Toucher &by, const Conflict &conflict);
  /// What a report calls a place of the shadow.
  uint64_t addressOf(const Toucher &by, uint64_t offset) const {
    return by.owner ? offset : global.bytes.addressOf(offset);
  }
  Shadow &shadowOf(const Block &owner);
  [[noreturn]] void race(const char *what, const Toucher &by, int lane,
                         uint64_t offset, const Conflict &with);

  Phase &phaseOf(const Key &key, uint64_t number);
  void tell(uint32_t warp, LaneMask lanes, Phase &phase);
  /// Strong accesses and the fences around them: what lanes learn by a read,
  /// and what they tell by a write.
  void learn(Warp &warp, LaneMask lanes, const Access &access,
             uint64_t address);
  void teach(Warp &warp, LaneMask lanes, const Access &access,
             uint64_t address);
  /// Calls f(index, circle) for the circles of a scope that a block is in.
  template <typename F>
  void forCircles(const Block &block, Scope scope, F f) const;

  /// One access; `inShadow` has offsets in the shadow for addresses.
  void perform(Warp &warp, const Access &access, const Access &inShadow);
  /// Drops events that no cell refers to.
  void dropEvents();
  /// Calls f(toucher, lanes, their clock) for lanes of one state. Without an
  /// owner of shared memory they touch global memory.
  template <typename F>
  void forTouchers(Warp &warp, const Instruction &instruction, Block *owner,
                   LaneMask lanes, F f) {
    Shadow &shadow = owner ? shadowOf(*owner) : global.bytes.shadow;
    Events &of = owner ? events : global.events;
    const EventNumber first = of.next();
    clocks.forAlike(warpOf(warp), lanes,
                    [&](LaneMask alike, const Known &known, Clock clock) {
                      const Knowledge &knows = known ? *known : nothing;
                      Toucher by{
                          warp,         instruction,
                          owner,        shadow,
                          of,           knows,
                          warpOf(warp), of.horizon(knows, number).ordered,
                          first};
                      f(by, alike, clock);
                    });
  }
  /// The access's addresses are offsets in the shadow.
  void touch(const Toucher &by, const Access &access, LaneMask lanes);
  template <unsigned largest>
  void touchParts(const Toucher &by, const Access &access, LaneMask lanes);
  /// `lanes`: the pattern's, or several that read all of the cell.
  [[gnu::always_inline]] void read(const Toucher &by, ShadowCell &cell,
                                   uint64_t offset, unsigned bytes,
                                   LanePattern pattern, LaneMask lanes);
  void readAgain(const Toucher &by, ShadowCell &cell, const ShadowRead &read,
                 unsigned bytes, LanePattern pattern);
  void checkRead(const Toucher &by, const ShadowCell &cell, uint64_t offset,
                 unsigned bytes, LanePattern pattern, LaneMask lanes);
  void checkReads(const Toucher &by, const ShadowCell &cell, uint64_t offset,
                  unsigned bytes, LanePattern pattern);
  void write(const Toucher &by, ShadowCell &cell, uint64_t offset,
             unsigned bytes, LanePattern pattern);
  /// Lanes of a conflict's event that do not come before a lane.
  LaneMask unordered(const Toucher &by, Event &event, int lane,
                     bool isFenced = false);
  /// Whether both are strong, and their scopes have the other one's thread.
  bool areStrong(const Toucher &by, const Event &event) const;
  /// Whether a strong read that comes before the lane has seen the cell's write
  /// (PTX ISA, "Causality order": observation).
  bool isObserved(const Toucher &by, const ShadowCell &cell, unsigned byte,
                  int lane);
  /// Whether some of the reads of a cell may not come before the lanes.
  static bool hasLateReads(const Toucher &by, const ShadowCell &cell) {
    return cell.reads[0].event() >= by.before ||
           cell.reads[1].event() >= by.before || cell.moreReads;
  }
  std::optional<Conflict> readConflict(const Toucher &by,
                                       const ShadowCell &cell, unsigned bytes,
                                       LanePattern pattern);
  std::optional<Conflict> writeConflict(const Toucher &by,
                                        const ShadowCell &cell, unsigned byte,
                                        LanePattern pattern);
  void suspect(const Toucher &by, const ShadowCell &cell, uint64_t offset,
               unsigned bytes, LanePattern pattern);
  /// Checks that the thread that asks for an asynchronous access has seen what
  /// it must have seen.
  void checkAsync(const Toucher &by, const ShadowCell &cell, uint64_t offset,
                  unsigned bytes, LanePattern pattern, bool isFenced,
                  bool isMatmul);
  /// It writes what this thread or others may read.
  void writeAsync(const Toucher &by, ShadowCell &cell, uint64_t offset,
                  unsigned bytes, LanePattern pattern);
  void startCopies(Warp &warp, const Access &access);
  void startGlobal(Warp &warp, const Instruction &instruction,
                   const AsyncRange &range);
  /// Bytes are written that asynchronous operations have read.
  void checkAsyncReads(const Toucher &by, uint64_t offset, uint64_t bytes,
                       LanePattern pattern);
  /// Who asks for operations and waits for them: for wgmma it is a warpgroup.
  uint32_t askerOf(const Warp &warp, int lane, AsyncKind kind) const;

  const Program &program;
  const uint32_t warpsPerBlock;
  GlobalOrder &global;
  Clocks clocks;
  Events events; ///< in shared memory
  const Knowledge nothing;
  std::vector<std::unique_ptr<Shadow>> shadows; ///< by rank
  std::map<Key, std::vector<Phase>> phases;
  /// These have an index for the circle, from the block to the grid, and one
  /// for the thread. The first is what a fence has made ready to be told, the
  /// second what waits for a fence.
  static constexpr size_t circles = 3;
  std::array<std::vector<Known>, circles> releasable, acquirable;
  std::vector<std::vector<PendingCopy>> copies; ///< by warp
  std::vector<PendingStore> stores;             ///< of all warps
  Suspects suspects;
  AsyncReads asyncReads;
  /// Numbers of the last instructions that were warned of: most cells of an
  /// operand have the same.
  std::pair<uint32_t, uint32_t> lastWarned;
};

} // namespace cheems::emulator

#endif
