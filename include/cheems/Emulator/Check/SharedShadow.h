//===- SharedShadow.h - Who touched each byte last --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_SHAREDSHADOW_H
#define CHEEMS_EMULATOR_CHECK_SHAREDSHADOW_H

#include "cheems/Emulator/Check/Clocks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

/// An access by one thread.
struct Touch {
  uint32_t thread;
  Clock clock;
  uint32_t instruction; ///< its number in the program
  bool isStrong;
};

/// What is known of one byte, or of the four of a word that are always touched
/// together.
struct ShadowCell {
  enum class Writer : uint8_t {
    none,
    generic,
    copy,  ///< cp.async that nobody has waited for: no other thread may look
    async, ///< a unit that signals an mbarrier; bytes in flight are watched by
           ///< the unit
  } writer = Writer::none;
  bool isStrong = false;
  uint32_t thread = 0;
  Clock clock = 0;
  uint32_t instruction = 0;
  uint64_t event = 0; ///< the instruction's execution that wrote
  uint32_t reads = 0; ///< the newest of a list, counted from 1
};

/// The shared memory of a block, byte for byte.
class SharedShadow {
public:
  explicit SharedShadow(size_t bytes) : words((bytes + 3) / 4) {}

  /// Calls f(cell, first byte, bytes) for the cells of a range. A word that is
  /// touched in part becomes four cells for good. Bytes behind the memory are
  /// left out: of products these are told before their bounds are checked.
  template <typename F> void forCells(uint64_t offset, uint64_t bytes, F f) {
    const uint64_t all = words.size() * 4;
    const uint64_t end =
        offset < all ? offset + std::min(bytes, all - offset) : offset;
    while (offset < end) {
      const uint64_t word = offset / 4;
      ShadowWord &of = words[word];
      if (!of.split && offset % 4 == 0 && end - offset >= 4) {
        f(of.cell, offset, 4u);
        offset += 4;
        continue;
      }
      std::array<ShadowCell, 4> &parts = split(word);
      for (; offset < end && offset / 4 == word; ++offset) {
        f(parts[offset % 4], offset, 1u);
      }
    }
  }

  /// A read since the last write that does not come before `clocks` of the
  /// thread. Two strong accesses are no race.
  std::optional<Touch> unorderedRead(const ShadowCell &cell,
                                     const Clocks &clocks, const Touch &touch);
  /// Remembers a read, and forgets those that come before it.
  void addRead(ShadowCell &cell, const Clocks &clocks, const Touch &touch);
  void forgetReads(ShadowCell &cell);

private:
  struct ShadowWord {
    ShadowCell cell;
    bool split = false;
  };
  /// Lanes of a warp that read with one instruction at one value of their
  /// clocks.
  struct Read {
    Touch touch; ///< of lane 0
    LaneMask lanes;
    uint32_t next;
  };

  std::array<ShadowCell, 4> &split(uint64_t word);
  std::optional<uint32_t> unorderedLane(const Read &read, const Clocks &clocks,
                                        uint32_t thread) const;

  std::vector<ShadowWord> words;
  std::unordered_map<uint64_t, std::array<ShadowCell, 4>> parts;
  std::vector<Read> reads;
  uint32_t freeRead = 0; ///< a list of its own
};

} // namespace cheems::emulator

#endif
