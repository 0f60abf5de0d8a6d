//===- Shadow.h - Who touched each byte last --------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_CHECK_SHADOW_H
#define CHEEMS_EMULATOR_CHECK_SHADOW_H

#include "Events.h"

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

  static constexpr uint8_t oneLane = 15;
  int of(unsigned byte) const { return lane + (byte >> shift); }
  /// Bytes from which on another lane comes in this pattern or the other one.
  unsigned step(unsigned otherShift) const {
    return 1u << std::min<unsigned>(shift, otherShift);
  }
  LanePattern after(unsigned bytes) const {
    return {static_cast<uint8_t>(of(bytes)), shift};
  }
};

/// Lanes that have read a cell since it was written. Byte b was read by lanes
/// `lanes << (b >> shift)`.
class ShadowRead {
public:
  ShadowRead() = default;
  ShadowRead(EventNumber event, LaneMask lanes, unsigned shift, bool isStrong)
      : lanes(lanes), key(event << (shiftBits + 1) |
                          unsigned(isStrong) << shiftBits | shift) {}

  LaneMask lanes = 0;

  EventNumber event() const { return key >> (shiftBits + 1); }
  bool isStrong() const { return key >> shiftBits & 1; }
  LaneMask of(unsigned byte) const { return lanes << (byte >> shift()); }
  ShadowRead after(unsigned bytes) const {
    return isNone() ? ShadowRead()
                    : ShadowRead(event(), of(bytes), shift(), isStrong());
  }
  /// Whether the other one differs by its lanes alone.
  bool isLike(const ShadowRead &other) const { return key == other.key; }
  bool isNone() const { return event() == noEvent; }
  void renumber(EventNumber event) {
    *this = {event, lanes, shift(), isStrong()};
  }
  unsigned shift() const { return key & ((1u << shiftBits) - 1); }

private:
  static constexpr unsigned shiftBits = 4;
  uint32_t key = 0;
};

/// What is known of some bytes: of one, or 4, 16 and so on.
struct ShadowCell {
  /// The last write by threads. None: nobody's, or that of a unit which signals
  /// an mbarrier and watches its bytes itself.
  EventNumber write = noEvent;
  LanePattern writer;
  std::array<ShadowRead, 2> reads;
  uint32_t moreReads = 0; ///< the newest of a list, counted from 1
  uint32_t parts = 0; ///< four cells that stand for this one, counted from 1
};

/// The cells of a part of memory: a block's shared memory, or pages of global
/// memory (GlobalShadow). They are of a granule each. One that is touched in
/// part becomes four, and so on down to bytes, until all of it is written
/// again.
class Shadow {
public:
  /// A granule of shared memory is what a lane moves at most. In global memory
  /// it is larger, because neighbours there mostly have the same history.
  static constexpr unsigned granule = 16, globalGranule = 256;

  /// `granuleBytes` is a power of four.
  Shadow(size_t bytes, unsigned granuleBytes) : granuleBytes(granuleBytes) {
    grow(bytes);
  }

  /// The memory gets longer.
  void grow(size_t to) {
    bytes = to;
    granules.resize((bytes + granuleBytes - 1) / granuleBytes);
  }
  size_t cells() const { return granules.size() + quads.size() * chunkCells; }

  /// Calls f(cell, its first byte, its bytes, pattern) for the cells of a part
  /// of memory: a granule or 4^-n of one, aligned. If `f` puts all cells of the
  /// part into one state (`merges`), they become one. Bytes past the end of the
  /// memory are left out: the reads of a matmul are told before their bounds
  /// are checked.
  template <unsigned granuleBytes, typename F>
  [[gnu::always_inline]] void forPart(uint64_t offset, unsigned size,
                                      LanePattern pattern, bool merges, F f) {
    if (offset >= bytes) {
      return;
    }
    ShadowCell &cell = granules[offset / granuleBytes];
    if (size == granuleBytes && !cell.parts) {
      f(cell, offset, size, pattern);
    } else {
      forParts(cell, granuleBytes, offset, size, pattern, merges, f);
    }
  }
  /// The same for any range, which is one lane's.
  template <unsigned granuleBytes, typename F>
  [[gnu::always_inline]] void forRange(uint64_t offset, uint64_t count,
                                       int lane, bool merges, F f) {
    const LanePattern pattern = {static_cast<uint8_t>(lane)};
    const uint64_t end =
        offset < bytes ? offset + std::min(count, bytes - offset) : offset;
    while (offset < end) {
      unsigned size = granuleBytes;
      while ((offset & (size - 1)) != 0 || end - offset < size) {
        size /= 4;
      }
      forPart<granuleBytes>(offset, size, pattern, merges, f);
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

  /// Calls f(cell, its first byte, its bytes) for the cells of a range of whole
  /// granules.
  template <typename F> void forCells(uint64_t offset, uint64_t count, F f) {
    for (uint64_t at = offset; at < offset + count; at += granuleBytes) {
      forCellsOf(granules[at / granuleBytes], granuleBytes, at, f);
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
                 pattern.after(i * part), merges, f);
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

  template <typename F>
  void forCellsOf(ShadowCell &cell, unsigned cellBytes, uint64_t offset, F &f) {
    if (!cell.parts) {
      f(cell, offset, cellBytes);
      return;
    }
    const unsigned part = cellBytes / 4;
    for (unsigned i = 0; i < 4; ++i) {
      forCellsOf(partOf(cell.parts, i), part, offset + i * part, f);
    }
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

  const unsigned granuleBytes;
  uint64_t bytes = 0;
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
