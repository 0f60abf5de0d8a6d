// Memory that many may use together: each takes its share where its bytes grow.
#ifndef CHEEMS_RUNTIME_BUDGET_H
#define CHEEMS_RUNTIME_BUDGET_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace cheems {

/// Bytes that are left. Any thread may call any function.
class Budget {
public:
  explicit Budget(uint64_t bytes) : all(bytes) {}

  /// False, and nothing is taken, where fewer than these and `spare` are left.
  bool take(uint64_t bytes, uint64_t spare = 0) {
    uint64_t now = taken.load(), most = all;
    most -= std::min(most, spare);
    while (bytes <= most && now <= most - bytes) {
      if (taken.compare_exchange_weak(now, now + bytes)) {
        return true;
      }
    }
    return false;
  }
  void giveBack(uint64_t bytes) { taken -= bytes; }

  uint64_t used() const { return taken; }
  uint64_t size() const { return all; }
  /// What is taken stays taken, also where that is more now.
  void resize(uint64_t bytes) { all = bytes; }

private:
  std::atomic<uint64_t> all, taken{0};
};

/// What one user has of it, until it goes. Any thread may call any function.
class BudgetShare {
public:
  /// It may have `most` bytes, of those of all.
  explicit BudgetShare(std::shared_ptr<Budget> budget,
                       uint64_t most = UINT64_MAX)
      : budget(std::move(budget)), own(most) {}
  ~BudgetShare() { budget->giveBack(own.used()); }
  BudgetShare(const BudgetShare &) = delete;
  BudgetShare &operator=(const BudgetShare &) = delete;

  /// Who has no room for more bytes: nobody, this user, or all together.
  enum class Full { none, own, all };

  Full grow(uint64_t more) { return growLeaving(0, more); }
  /// The same for what only begins. It leaves some to what is under way, which
  /// needs little more and would be lost without it.
  Full growToBegin(uint64_t more) {
    constexpr uint64_t part = 16;
    return growLeaving(budget->size() / part, more);
  }
  void shrink(uint64_t less) {
    own.giveBack(less);
    budget->giveBack(less);
  }
  uint64_t bytes() const { return own.used(); }
  uint64_t most() const { return own.size(); }

private:
  Full growLeaving(uint64_t spare, uint64_t more) {
    if (!own.take(more)) {
      return Full::own;
    }
    if (!budget->take(more, spare)) {
      own.giveBack(more);
      return Full::all;
    }
    return Full::none;
  }

  const std::shared_ptr<Budget> budget;
  Budget own;
};

} // namespace cheems

#endif
