//===- Queue.h - Work in the order of streams, run late ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_QUEUE_H
#define CHEEMS_EMULATOR_DRIVER_QUEUE_H

#include "Work.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

namespace cheems::emulator::driver {

struct Operation;

/// What has to come before an operation.
struct Dependency {
  std::shared_ptr<Operation> on;
  /// Only its griddepcontrol.wait has to come after; it may start before.
  bool programmatic = false;
};

/// One piece of work that was submitted.
struct Operation {
  enum class State {
    waiting, ///< for operations before it
    ready,   ///< may run
    running,
    paused, ///< waits for its primaries in griddepcontrol.wait
    ended,  ///< has run, but its primaries have not
    done,
  };

  uint64_t number;
  std::unique_ptr<Work> work; ///< null when it is done
  State state = State::waiting;
  bool releasesDependents = false;
  /// Kernels that are programmatic dependents may start.
  bool hasReleased = false;
  /// Operations before this one that are not done.
  int strict = 0, programmatic = 0;
  std::vector<std::weak_ptr<Operation>> primaries;
  struct Dependent {
    std::shared_ptr<Operation> operation;
    bool programmatic;
  };
  std::vector<Dependent> dependents;
  /// On the clock of events, in nanoseconds.
  uint64_t begin = 0, end = 0;

  bool isDone() const { return state == State::done; }
};

/// All work of a context. Nothing runs before somebody waits for it. Then what
/// is ready runs one by one, in an order that the seed determines, until that
/// for which somebody waits is done. So an order that no stream and no event
/// demands is one that a program cannot rely on.
///
/// The process's lock is held by callers of all functions.
class Queue {
public:
  Queue(Context &context, std::mutex &lock, uint64_t seed);

  std::shared_ptr<Operation> add(std::unique_ptr<Work> work,
                                 const std::vector<Dependency> &before);
  /// Runs until it is done. Throws Failure if the context breaks.
  void finish(const std::shared_ptr<Operation> &operation);
  void finishAll();
  /// Runs at least one operation if there is one, and maybe some more: what a
  /// query finds is progress.
  void poll();
  bool isIdle() const { return unfinished == 0; }
  /// Ends everything that has not run: its context is broken or gone.
  void abandon(CUresult status);

private:
  bool step();
  void waitForOthers();
  void consider(const std::shared_ptr<Operation> &operation);
  void complete(const std::shared_ptr<Operation> &operation);
  void run(const std::shared_ptr<Operation> &operation);
  void release(const std::shared_ptr<Operation> &operation);

  Context &context;
  std::mutex &lock;
  std::condition_variable_any changed;
  std::mt19937_64 random;
  std::vector<std::shared_ptr<Operation>> ready;
  /// All that is not done, by number.
  std::map<uint64_t, std::shared_ptr<Operation>> pending;
  uint64_t numbers = 0;
  uint64_t unfinished = 0;
  int running = 0;
};

} // namespace cheems::emulator::driver

#endif
