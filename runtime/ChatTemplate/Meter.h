// The memory of a rendering: counted, and bounded, wherever its texts and lists
// grow.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_METER_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_METER_H

#include "runtime/Work.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cheems::jinja {

/// Counts what this thread holds through `Metered` for as long as it lives.
/// What it counted must not outlive it.
class Meter {
public:
  explicit Meter(int64_t most) : most(most), outer(current) { current = this; }
  ~Meter() { current = outer; }
  Meter(const Meter &) = delete;

  /// Throws Error above the bound. Both do nothing where nobody counts, as
  /// while a template is parsed.
  static void take(size_t bytes);
  static void give(size_t bytes) noexcept;

private:
  static thread_local Meter *current;
  const int64_t most;
  int64_t held = 0;
  int64_t charged = 0;    ///< the most that was held, in whole chunks
  Work::Memory ofRequest; ///< the same, in the budget of whoever asks
  Meter *const outer;
};

/// The allocator of all that grows with a template's input.
template <typename T> struct Metered {
  using value_type = T;

  Metered() = default;
  template <typename Other> Metered(const Metered<Other> &) {}

  T *allocate(size_t count) {
    Meter::take(bytes(count));
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *place, size_t count) noexcept {
    std::allocator<T>().deallocate(place, count);
    Meter::give(bytes(count));
  }
  friend bool operator==(const Metered &, const Metered &) { return true; }
  friend bool operator!=(const Metered &, const Metered &) { return false; }

private:
  /// With what the heap keeps for itself.
  static size_t bytes(size_t count) { return count * sizeof(T) + 16; }
};

using MeteredString =
    std::basic_string<char, std::char_traits<char>, Metered<char>>;
template <typename T> using MeteredVector = std::vector<T, Metered<T>>;

/// std::make_shared, counted.
template <typename T, typename... Arguments>
std::shared_ptr<T> makeShared(Arguments &&...arguments) {
  return std::allocate_shared<T>(Metered<T>(),
                                 std::forward<Arguments>(arguments)...);
}

} // namespace cheems::jinja

#endif
