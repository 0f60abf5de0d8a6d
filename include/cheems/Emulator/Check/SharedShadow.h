//===- SharedShadow.h - Who touched each byte last --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_SHAREDSHADOW_H
#define CHEEMS_EMULATOR_CHECK_SHAREDSHADOW_H

#include "cheems/Emulator/Check/Events.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cheems::emulator {

/// Whose bytes are whose in a cell: byte b is that of lane `lane + (b >>
/// shift)`. So one cell holds what neighbours do to neighbouring bytes.
struct LanePattern {
  uint8_t lane = 0;
  uint8_t shift = oneLane;

  static constexpr uint8_t oneLane = 7;
  int of(unsigned byte) const { return lane + (byte >> shift); }
  /// Bytes from which on another lane comes in this pattern or the other one.
  unsigned step(unsigned otherShift) const {
    return 1u << std::min<unsigned>(shift, otherShift);
  }
  LanePattern behind(unsigned bytes) const {
    return {static_cast<uint8_t>(of(bytes)), shift};
  }
};

/// Lanes that have read a cell since it was written. Byte b was read by lanes
/// `lanes << (b >> shift)`.
class ShadowRead {
public:
  ShadowRead() = default;
  ShadowRead(EventNumber event, LaneMask lanes, unsigned shift)
      : lanes(lanes), key(event << shiftBits | shift) {}

  LaneMask lanes = 0;

  EventNumber event() const { return key >> shiftBits; }
  LaneMask of(unsigned byte) const { return lanes << (byte >> shift()); }
  ShadowRead behind(unsigned bytes) const {
    return {event(), of(bytes), shift()};
  }
  /// Whether the other one differs by its lanes alone.
  bool isLike(const ShadowRead &other) const { return key == other.key; }
  bool isNone() const { return event() == noEvent; }
  void renumber(EventNumber event) { *this = {event, lanes, shift()}; }
  unsigned shift() const { return key & ((1u << shiftBits) - 1); }

private:
  static constexpr unsigned shiftBits = 3;
  uint32_t key = 0;
};

/// What is known of 16 bytes, of the 4 of a word, or of one.
struct ShadowCell {
  /// The last write by threads. None: nobody's, or that of a unit which signals
  /// an mbarrier and watches its bytes itself.
  EventNumber write = noEvent;
  LanePattern writer;
  std::array<ShadowRead, 2> reads;
  uint32_t moreReads = 0; ///< the newest of a list, counted from 1
  uint32_t parts = 0; ///< four cells that stand for this one, counted from 1
};

/// The shared memory of a block. Its cells are of 16 bytes. One that is touched
/// in part becomes four until all of it is written again.
class SharedShadow {
public:
  static constexpr unsigned granule = 16;
  explicit SharedShadow(size_t bytes)
      : bytes(bytes), granules((bytes + granule - 1) / granule) {}

  /// Calls f(cell, its first byte, its bytes, pattern) for the cells of a part
  /// of memory: 16 bytes, 4 or 1, aligned. If `f` puts all cells of a granule
  /// into one state (`merges`), they become one. Bytes behind the memory are
  /// left out: of products these are told before their bounds are checked.
  template <typename F>
  [[gnu::always_inline]] void forPart(uint64_t offset, unsigned size,
                                      LanePattern pattern, bool merges, F f) {
    if (offset >= bytes) {
      return;
    }
    ShadowCell &cell = granules[offset / granule];
    if (size == granule && !cell.parts) {
      f(cell, offset, granule, pattern);
    } else {
      forParts(cell, granule, offset, size, pattern, merges, f);
    }
  }
  /// The same for any range, which is one lane's.
  template <typename F>
  [[gnu::always_inline]] void forRange(uint64_t offset, uint64_t count,
                                       int lane, bool merges, F f) {
    const LanePattern pattern = {static_cast<uint8_t>(lane)};
    const uint64_t end =
        offset < bytes ? offset + std::min(count, bytes - offset) : offset;
    while (offset < end) {
      const unsigned size = offset % granule == 0 && end - offset >= granule
                                ? granule
                            : offset % 4 == 0 && end - offset >= 4 ? 4
                                                                   : 1;
      forPart(offset, size, pattern, merges, f);
      offset += size;
    }
  }

  /// Whether it is a read of a list, which gets its lanes.
  bool isListed(const ShadowCell &cell, const ShadowRead &read) {
    for (uint32_t i = cell.moreReads; i; i = list[i - 1].next) {
      if (list[i - 1].read.isLike(read)) {
        list[i - 1].read.lanes |= read.lanes;
        return true;
      }
    }
    return false;
  }
  /// Remembers a read, and forgets those that `isBefore` holds for.
  template <typename F>
  void addRead(ShadowCell &cell, const ShadowRead &read, F isBefore) {
    for (uint32_t *link = &cell.moreReads; *link;) {
      const uint32_t number = *link;
      Listed &listed = list[number - 1];
      if (isBefore(listed.read)) {
        *link = listed.next;
        listed = {{}, freeListed};
        freeListed = number;
      } else {
        link = &listed.next;
      }
    }
    for (ShadowRead &slot : cell.reads) {
      if (slot.isNone() || isBefore(slot)) {
        slot = read;
        return;
      }
    }
    push(cell, read);
  }
  /// Calls f(read) for the reads that are remembered until it answers true.
  template <typename F> bool anyRead(const ShadowCell &cell, F f) const {
    for (const ShadowRead &slot : cell.reads) {
      if (!slot.isNone() && f(slot)) {
        return true;
      }
    }
    for (uint32_t i = cell.moreReads; i; i = list[i - 1].next) {
      if (f(list[i - 1].read)) {
        return true;
      }
    }
    return false;
  }
  void forgetReads(ShadowCell &cell) {
    cell.reads = {};
    if (cell.moreReads) {
      forgetList(cell);
    }
  }

  /// Calls f(number) for all numbers of events.
  template <typename F> void forEvents(F f) {
    for (ShadowCell &cell : granules) {
      forEventsOf(cell, f);
    }
    for (auto &chunk : quads) {
      for (ShadowCell &cell : *chunk) {
        forEventsOf(cell, f);
      }
    }
    for (Listed &listed : list) {
      forEventOf(listed.read, f);
    }
  }

private:
  struct Listed {
    ShadowRead read;
    uint32_t next;
  };

  template <typename F> static void forEventOf(ShadowRead &read, F &f) {
    EventNumber event = read.event();
    f(event);
    read.renumber(event);
  }
  template <typename F> static void forEventsOf(ShadowCell &cell, F &f) {
    f(cell.write);
    for (ShadowRead &read : cell.reads) {
      forEventOf(read, f);
    }
  }

  template <typename F>
  void forParts(ShadowCell &cell, unsigned cellBytes, uint64_t offset,
                unsigned size, LanePattern pattern, bool merges, F f) {
    if (size == cellBytes) {
      if (!cell.parts) {
        f(cell, offset, size, pattern);
        return;
      }
      const unsigned part = size / 4;
      const uint32_t parts = cell.parts;
      for (unsigned i = 0; i < 4; ++i) {
        forParts(partOf(parts, i), part, offset + i * part, part,
                 pattern.behind(i * part), merges, f);
      }
      if (merges) {
        merge(cell);
        cell.writer = pattern;
      }
      return;
    }
    if (!cell.parts) {
      split(cell, cellBytes);
    }
    const unsigned part = cellBytes / 4;
    forParts(partOf(cell.parts, offset / part % 4), part, offset, size, pattern,
             merges, f);
  }

  ShadowCell &partOf(uint32_t parts, uint64_t index) {
    const uint64_t at = uint64_t(parts - 1) * 4 + index;
    return (*quads[at / chunkCells])[at % chunkCells];
  }

  void push(ShadowCell &cell, const ShadowRead &read);
  void forgetList(ShadowCell &cell);
  uint32_t takeQuad();
  void split(ShadowCell &cell, unsigned cellBytes);
  /// The first part stands for all.
  void merge(ShadowCell &cell);

  const uint64_t bytes;
  std::vector<ShadowCell> granules;
  /// Parts of cells, four each. They keep their addresses.
  static constexpr size_t chunkCells = 256;
  std::vector<std::unique_ptr<std::array<ShadowCell, chunkCells>>> quads;
  std::vector<uint32_t> freeQuads; ///< counted from 1
  std::vector<Listed> list;
  uint32_t freeListed = 0; ///< a list of its own
};

} // namespace cheems::emulator

#endif
