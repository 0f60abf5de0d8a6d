//===- Pages.h - Pages of global memory -------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_PAGES_H
#define CHEEMS_EMULATOR_CHECK_PAGES_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

/// So much of global memory is remembered together.
constexpr uint64_t pageBytes = 4096;
using PageBytes = std::array<std::byte, pageBytes>;

/// The pages that somebody has touched. They get indices in the order of their
/// first touch, so that what is known of them lies densely.
class Pages {
public:
  /// A page that is touched for the first time calls `grow()`.
  template <typename F> uint32_t take(uint64_t number, F grow) {
    const Known &known = recent[number % recent.size()];
    return known.number == number ? known.index : find(number, grow);
  }
  /// Nothing if nobody has touched it.
  std::optional<uint32_t> find(uint64_t number) const {
    auto found = indices.find(number);
    return found == indices.end() ? std::nullopt
                                  : std::optional<uint32_t>(found->second);
  }
  /// The address of a page is its number times pageBytes.
  uint64_t number(size_t index) const { return numbers[index]; }
  size_t size() const { return numbers.size(); }

private:
  struct Known {
    uint64_t number = ~uint64_t(0);
    uint32_t index = 0;
  };
  template <typename F> uint32_t find(uint64_t number, F grow) {
    const auto [found, isNew] =
        indices.try_emplace(number, static_cast<uint32_t>(numbers.size()));
    if (isNew) {
      numbers.push_back(number);
      grow();
    }
    recent[number % recent.size()] = {number, found->second};
    return found->second;
  }

  std::array<Known, 256> recent;
  std::unordered_map<uint64_t, uint32_t> indices;
  std::vector<uint64_t> numbers;
};

/// A bit for each byte of a page.
class PageBits {
public:
  void set(uint64_t begin, uint64_t count) {
    forWords(begin, count, [&](uint64_t &word, uint64_t bits) {
      word |= bits;
      return false;
    });
  }
  bool any(uint64_t begin, uint64_t count) const {
    return const_cast<PageBits *>(this)->forWords(
        begin, count,
        [](uint64_t word, uint64_t bits) { return (word & bits) != 0; });
  }
  bool operator[](uint64_t byte) const {
    return words[byte / 64] >> byte % 64 & 1;
  }

private:
  template <typename F> bool forWords(uint64_t begin, uint64_t count, F f) {
    for (const uint64_t end = begin + count; begin < end;) {
      const uint64_t at = begin % 64;
      const uint64_t part = std::min(end - begin, 64 - at);
      if (f(words[begin / 64], ~uint64_t(0) >> (64 - part) << at)) {
        return true;
      }
      begin += part;
    }
    return false;
  }

  std::array<uint64_t, pageBytes / 64> words = {};
};

/// Calls f(address, bytes) for the parts of a range, each in one page.
template <typename F> void forPages(uint64_t address, uint64_t count, F f) {
  for (const uint64_t end = address + count; address < end;) {
    const uint64_t part =
        std::min(end - address, pageBytes - address % pageBytes);
    f(address, part);
    address += part;
  }
}

} // namespace cheems::emulator

#endif
