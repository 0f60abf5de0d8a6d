// Values of somebody else, one after the other.
#ifndef CHEEMS_RUNTIME_SPAN_H
#define CHEEMS_RUNTIME_SPAN_H

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cheems {

/// Says where elements are and how many. It owns nothing, and checks nothing:
/// what a program gives may be null or have a count below zero until it is
/// checked.
template <typename T> class Span {
  template <typename Container>
  using ElementsOf =
      std::remove_pointer_t<decltype(std::declval<Container &>().data())>;

public:
  constexpr Span() = default;
  constexpr Span(T *first, int64_t count) : first(first), count(count) {}
  template <size_t size>
  constexpr Span(T (&array)[size])
      : first(array), count(static_cast<int64_t>(size)) {}
  /// All of a vector.
  template <typename Container,
            typename = std::enable_if_t<
                std::is_convertible_v<ElementsOf<Container> (*)[], T (*)[]>>>
  constexpr Span(Container &&container)
      : first(container.data()), count(static_cast<int64_t>(container.size())) {
  }

  constexpr T *data() const { return first; }
  constexpr int64_t size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T *begin() const { return first; }
  constexpr T *end() const { return first + count; }
  constexpr T &operator[](int64_t index) const { return first[index]; }
  constexpr Span from(int64_t index) const {
    return {first + index, count - index};
  }
  /// So many of them, from one on.
  constexpr Span part(int64_t from, int64_t length) const {
    return {first + from, length};
  }

private:
  T *first = nullptr;
  int64_t count = 0;
};

} // namespace cheems

#endif
