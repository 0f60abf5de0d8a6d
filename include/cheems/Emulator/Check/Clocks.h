//===- Clocks.h - Which accesses come before which --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_CLOCKS_H
#define CHEEMS_EMULATOR_CHECK_CLOCKS_H

#include "cheems/Emulator/Decode/Instruction.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cheems::emulator {

/// A thread's clock ticks each time it tells others what it has done.
using Clock = uint32_t;

/// What is ordered before something: of each thread of the cluster all that it
/// did up to a value of its clock. An empty vector is zeros.
struct Knowledge {
  std::vector<Clock> ordered;
  /// As `ordered`, of writes that a fence between the generic and the async
  /// proxy has followed.
  std::vector<Clock> fenced;

  void join(const Knowledge &other);
};
/// Many threads know the same after a barrier, so they share it.
using Known = std::shared_ptr<const Knowledge>;

/// Null is nothing.
Known join(const Known &a, const Known &b);

/// Vector clocks of the threads of a cluster, by their number: rank of the
/// block, then warp, then lane.
class Clocks {
public:
  explicit Clocks(size_t threads);

  Clock now(size_t thread) const { return own[thread]; }
  /// Whether what `first` did at `clock` comes before what `second` does now.
  bool isBefore(size_t first, Clock clock, size_t second) const {
    return first == second || at(second).ordered(first) >= clock;
  }
  /// Whether a fence between proxies lies between them, too.
  bool isFenced(size_t first, Clock clock, size_t second) const {
    return (first == second ? ownFenced[first] : at(second).fenced(first)) >=
           clock;
  }

  /// `to` learns what the thread knows and did until now. With `isJoined` it
  /// has what the thread knows already.
  void release(size_t thread, Knowledge &to, bool isJoined = false);
  /// The thread's clock ticks: what it does from now on is not released.
  void tick(size_t thread) { ++own[thread]; }
  /// The thread learns what `from` has.
  void acquire(size_t thread, const Known &from);
  /// fence.proxy.async: what comes before it is fenced.
  void fenceProxies(size_t thread);

  const Known &knownBy(size_t thread) const { return known[thread]; }

private:
  struct View {
    const Knowledge *knowledge;
    static Clock of(const std::vector<Clock> &clocks, size_t thread) {
      return thread < clocks.size() ? clocks[thread] : 0;
    }
    Clock ordered(size_t thread) const {
      return knowledge ? of(knowledge->ordered, thread) : 0;
    }
    Clock fenced(size_t thread) const {
      return knowledge ? of(knowledge->fenced, thread) : 0;
    }
  };
  View at(size_t thread) const { return {known[thread].get()}; }

  std::vector<Clock> own, ownFenced;
  std::vector<Known> known;
  /// Threads of a warp mostly know the same: the last results are used again.
  struct {
    Known before, from, after;
  } lastAcquire, lastFence;
};

} // namespace cheems::emulator

#endif
