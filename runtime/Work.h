// What the thread at hand works on for somebody: whether that is still wanted,
// and what time and memory it may take.
#ifndef CHEEMS_RUNTIME_WORK_H
#define CHEEMS_RUNTIME_WORK_H

#include "runtime/Budget.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace cheems {

/// The work is not wanted any more, or has used up what it may take. It is no
/// Error: one of those is about what was given, and is often caught to say so.
struct WorkStopped : std::runtime_error {
  enum class Reason { cancelled, time, ownMemory, allMemory };
  explicit WorkStopped(Reason reason)
      : std::runtime_error("the work was stopped"), reason(reason) {}
  Reason reason;
};

/// One thread does the work; any thread may cancel it.
class Work {
public:
  using Clock = std::chrono::steady_clock;

  /// It may run for `most`, and has its memory of `share`, which may be null.
  Work(Clock::duration most, std::shared_ptr<BudgetShare> share)
      : most(most), share(std::move(share)) {}

  void cancel() { isCancelled = true; }
  bool cancelled() const { return isCancelled; }

  /// While one lives, the work is what its thread works on; its time begins.
  class Scope {
  public:
    explicit Scope(Work &work) : before(current()) {
      work.end = Clock::now() + work.most;
      current() = &work;
    }
    ~Scope() { current() = before; }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Work *const before;
  };

  /// What long loops call now and then. Throws WorkStopped; does nothing in a
  /// thread that works for nobody.
  static void check() {
    if (Work *work = current()) {
      work->checkThis();
    }
  }
  /// The same for the index-th turn of a loop of short turns: not in each.
  static void checkAt(size_t index) {
    constexpr size_t often = 256;
    if (index % often == 0) {
      check();
    }
  }
  /// Before `bytes` of memory are taken that stay until the work is over.
  /// Throws WorkStopped.
  static void take(uint64_t bytes) {
    if (Work *work = current()) {
      work->takeThis(bytes);
    }
  }

  /// Memory that goes earlier. Its calls throw as `take`.
  class Memory {
  public:
    explicit Memory(uint64_t first = 0) : work(current()) { grow(first); }
    ~Memory() {
      if (work && work->share) {
        work->share->shrink(bytes);
      }
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    void grow(uint64_t more) {
      if (work) {
        work->takeThis(more);
        bytes += more;
      }
    }

  private:
    Work *const work;
    uint64_t bytes = 0;
  };

private:
  static Work *&current() {
    thread_local Work *work = nullptr;
    return work;
  }
  void checkThis() const {
    if (isCancelled) {
      throw WorkStopped(WorkStopped::Reason::cancelled);
    }
    if (Clock::now() > end) {
      throw WorkStopped(WorkStopped::Reason::time);
    }
  }
  void takeThis(uint64_t bytes) {
    checkThis();
    auto full = share ? share->growToBegin(bytes) : BudgetShare::Full::none;
    if (full != BudgetShare::Full::none) {
      throw WorkStopped(full == BudgetShare::Full::own
                            ? WorkStopped::Reason::ownMemory
                            : WorkStopped::Reason::allMemory);
    }
  }

  const Clock::duration most;
  Clock::time_point end;
  const std::shared_ptr<BudgetShare> share;
  std::atomic<bool> isCancelled{false};
};

} // namespace cheems

#endif
