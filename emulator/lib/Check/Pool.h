//===- Pool.h - Objects that grids use one after the other ------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_POOL_H
#define CHEEMS_EMULATOR_CHECK_POOL_H

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace cheems::emulator {

/// Objects of which a grid needs many. The next grid gets those of the last one
/// as they are: an allocator would give their memory back to the system, and
/// the system would clear it again.
template <typename T> class Pool {
public:
  /// So many are kept at most.
  static constexpr size_t most = (size_t(64) << 20) / sizeof(T);

  static std::unique_ptr<T> take() {
    std::lock_guard lock(mutex);
    if (spare.empty()) {
      return std::make_unique_for_overwrite<T>();
    }
    std::unique_ptr<T> object = std::move(spare.back());
    spare.pop_back();
    return object;
  }
  static void give(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex);
    if (object && spare.size() < most) {
      spare.push_back(std::move(object));
    }
  }

private:
  static inline std::mutex mutex;
  static inline std::vector<std::unique_ptr<T>> spare;
};

/// Gives an object back to its pool.
template <typename T> struct ToPool {
  void operator()(T *object) const {
    Pool<T>::give(std::unique_ptr<T>(object));
  }
};
template <typename T> using Pooled = std::unique_ptr<T, ToPool<T>>;
template <typename T> Pooled<T> takePooled() {
  return Pooled<T>(Pool<T>::take().release());
}

} // namespace cheems::emulator

#endif
