// What the bodies of all requests may take together.
#ifndef CHEEMS_RUNTIME_SERVE_HTTP_BODYBUDGET_H
#define CHEEMS_RUNTIME_SERVE_HTTP_BODYBUDGET_H

#include <atomic>
#include <cstdint>
#include <memory>

namespace cheems::serve {

/// Bytes that are left. Any thread may call any function.
class BodyBudget {
public:
  explicit BodyBudget(uint64_t bytes) : left(bytes) {}

  /// False, and nothing is taken, where fewer are left.
  bool take(uint64_t bytes) {
    uint64_t now = left.load();
    while (now >= bytes) {
      if (left.compare_exchange_weak(now, now - bytes)) {
        return true;
      }
    }
    return false;
  }
  void giveBack(uint64_t bytes) { left += bytes; }

private:
  std::atomic<uint64_t> left;
};

/// What one request has of it, until it goes.
class BodyShare {
public:
  explicit BodyShare(std::shared_ptr<BodyBudget> budget)
      : budget(std::move(budget)) {}
  ~BodyShare() { budget->giveBack(bytes); }
  BodyShare(const BodyShare &) = delete;
  BodyShare &operator=(const BodyShare &) = delete;

  /// Its body now has so many bytes, not fewer than before. False where the
  /// budget has no room for them.
  bool growTo(uint64_t size) {
    if (!budget->take(size - bytes)) {
      return false;
    }
    bytes = size;
    return true;
  }

private:
  const std::shared_ptr<BodyBudget> budget;
  uint64_t bytes = 0;
};

} // namespace cheems::serve

#endif
