//===- Clocks.h - Which accesses come before which --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_CLOCKS_H
#define CHEEMS_EMULATOR_CHECK_CLOCKS_H

#include "Decode/Instruction.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cheems::emulator {

/// A thread's clock rises each time it tells others what it has done.
using Clock = uint32_t;

/// Has a clock value for each thread of a cluster. Clocks after the end of a
/// vector are zero, and a vector ends with a warp.
using ClockVector = std::vector<Clock>;
/// Clocks of the threads of other clusters, by the clusters' numbers. Null:
/// nothing is known of one.
using Elsewhere = std::vector<std::shared_ptr<const ClockVector>>;
/// Nobody changes it when it is shared. Null is nothing.
using KnownElsewhere = std::shared_ptr<const Elsewhere>;
KnownElsewhere join(const KnownElsewhere &a, const KnownElsewhere &b);

/// The memories whose bytes the async proxy and the generic one both reach. A
/// fence between the proxies may be for one of them alone.
enum class ProxiedMemory : uint8_t { shared, global };
constexpr int proxiedMemories = 2;

/// What is ordered before something: of each thread of the cluster all that it
/// did up to a value of its clock.
struct Knowledge {
  ClockVector ordered;
  /// Is like `ordered`, for the writes that a fence between the generic and the
  /// async proxy has followed. The index is a ProxiedMemory.
  std::array<ClockVector, proxiedMemories> fenced;
  /// The same of other clusters, for global memory.
  KnownElsewhere elsewhere, elsewhereFenced;

  /// Which events (Events.h) that is, found when somebody asks. Knowledge that
  /// is joined covers at least the events of its parts. The index is a
  /// ProxiedMemory.
  struct Horizon {
    uint64_t serial = 0; ///< of this knowledge; 0: nobody has asked
    uint32_t generation = 0;
    uint32_t ordered = 1, fenced = 1; ///< all events with lower numbers
  };
  mutable std::array<Horizon, proxiedMemories> horizons;

  void join(const Knowledge &other);
  bool contains(const Knowledge &other) const;
  /// It has changed.
  void changed() {
    for (Horizon &horizon : horizons) {
      horizon.serial = 0;
    }
  }
};
/// Many threads know the same after a barrier, so they share it. Nobody changes
/// it then.
using Known = std::shared_ptr<const Knowledge>;

/// Null is nothing.
Known join(const Known &a, const Known &b);

/// Vector clocks of the threads of a cluster, by their number: rank of the
/// block, then warp, then lane. Lanes of a warp mostly do the same, so the
/// state of those that do is kept and changed once.
class Clocks {
public:
  explicit Clocks(size_t warps);

  Clock now(size_t thread) const { return own[thread]; }
  const Known &knownBy(size_t thread) const {
    const WarpState &warp = warps[thread / warpLanes];
    const auto lane = thread % warpLanes;
    return warp.alike >> lane & 1 ? warp.known : (*warp.others)[lane];
  }
  /// Whether what `first` did at `clock` comes before what `second` does now.
  bool isBefore(size_t first, Clock clock, size_t second) const {
    const Knowledge *known = knownBy(second).get();
    return first == second || (known && at(known->ordered, first) >= clock);
  }
  /// Whether a fence between proxies has followed what the thread did then.
  bool hasFenced(size_t thread, Clock clock, ProxiedMemory memory) const {
    return ownFenced[size_t(memory)][thread] >= clock;
  }

  /// Calls f(some of the lanes, what they know, their clock) for lanes that
  /// have all of this in common.
  template <typename F> void forAlike(size_t warp, LaneMask lanes, F f) const {
    const WarpState &state = warps[warp];
    while (lanes) {
      const size_t first =
          warp * warpLanes + static_cast<size_t>(__builtin_ctz(lanes));
      const LaneMask same = state.alike & lanes;
      const LaneMask these =
          same >> first % warpLanes & 1 ? same : likeThread(first) & lanes;
      f(these, knownBy(first), own[first]);
      lanes &= ~these;
    }
  }

  /// `to` learns what the lanes know and did until now. `last` is what it has
  /// already.
  void release(size_t warp, LaneMask lanes, Knowledge &to, Known &last) const;
  /// The lanes' clocks tick: what they do from now on is not released.
  void tick(size_t warp, LaneMask lanes);
  /// The lanes learn what `from` has.
  void acquire(size_t warp, LaneMask lanes, const Known &from);
  /// fence.proxy.async: what comes before it is fenced. Null: in both memories.
  void fenceProxies(size_t warp, LaneMask lanes,
                    std::optional<ProxiedMemory> memory);

private:
  struct WarpState {
    LaneMask alike = allLanes; ///< lanes that know `known`, of one clock
    Known known;
    /// What each of the other lanes knows.
    std::unique_ptr<std::array<Known, warpLanes>> others;
    bool hasFenced[proxiedMemories] = {}; ///< some lane has
  };
  static Clock at(const ClockVector &clocks, size_t thread) {
    return thread < clocks.size() ? clocks[thread] : 0;
  }
  LaneMask likeThread(size_t thread) const;
  /// Changes clocks by `clocks()`, and what each of the lanes knows by
  /// `known(Known &)`.
  template <typename C, typename K>
  void change(size_t warp, LaneMask lanes, C clocks, K known);

  ClockVector own;
  std::array<ClockVector, proxiedMemories> ownFenced;
  std::vector<WarpState> warps;
  /// Warps mostly know the same: the last results are used again.
  struct {
    Known before, from, after;
  } lastAcquire;
  struct {
    Known before, after;
    std::optional<ProxiedMemory> memory;
  } lastFence;
};

} // namespace cheems::emulator

#endif
