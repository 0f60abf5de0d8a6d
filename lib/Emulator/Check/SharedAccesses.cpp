//===- SharedAccesses.cpp - Races in shared memory -----------------------===//
#include "ClusterCheck.h"
#include "cheems/Emulator/Lanes/Loop.h"
#include "cheems/Emulator/Machine/Block.h"
#include "cheems/Emulator/Machine/LaneOrder.h"

#include <bit>
#include <cstring>

using namespace cheems::emulator;

// -- What is out of order

Place ClusterCheck::placeOf(const Conflict &conflict) {
  const Event &event = events[conflict.event];
  return placeOf(event.warp * warpLanes + static_cast<uint32_t>(conflict.lane),
                 event.instruction);
}

void ClusterCheck::race(const char *what, const Toucher &by, int lane,
                        uint64_t offset, const Conflict &with) {
  throw Finding("race", what, by.warp.place(by.instruction, lane),
                offset + with.byte, placeOf(with));
}

LaneMask ClusterCheck::unordered(const Toucher &by, Event &event, int lane,
                                 bool isFenced) {
  LaneMask ordered = events.before(event, by.known, isFenced);
  if (event.warp != by.warpNumber) {
    return ~ordered;
  }
  // What a thread does comes in the order of its program.
  const size_t thread = size_t(event.warp) * warpLanes + size_t(lane);
  const LaneMask own = LaneMask(1) << lane;
  if (!isFenced || clocks.isFenced(thread, event.clock, thread)) {
    ordered |= own;
  } else {
    ordered &= ~own;
  }
  return ~ordered;
}

std::optional<ClusterCheck::Conflict>
ClusterCheck::readConflict(const Toucher &by, const ShadowCell &cell,
                           unsigned bytes, LanePattern pattern) {
  std::optional<Conflict> found;
  by.shadow.anyRead(cell, [&](const ShadowRead &read) {
    if (read.event() < by.before) {
      return false;
    }
    Event &event = events[read.event()];
    if (event.isStrong && by.isStrong) {
      return false;
    }
    const unsigned step = pattern.step(read.shift());
    for (unsigned byte = 0; byte < bytes; byte += step) {
      if (const LaneMask lanes =
              read.of(byte) & unordered(by, event, pattern.of(byte))) {
        found = {read.event(), std::countr_zero(lanes), byte};
        return true;
      }
    }
    return false;
  });
  return found;
}

std::optional<ClusterCheck::Conflict>
ClusterCheck::writeConflict(const Toucher &by, const ShadowCell &cell,
                            unsigned byte, LanePattern pattern) {
  Event &event = events[cell.write];
  if (event.isStrong && by.isStrong) {
    return std::nullopt;
  }
  const int writer = cell.writer.of(byte);
  if (unordered(by, event, pattern.of(byte)) >> writer & 1) {
    return Conflict{cell.write, writer, byte};
  }
  return std::nullopt;
}

// -- Accesses of threads

void ClusterCheck::checkRead(const Toucher &by, const ShadowCell &cell,
                             uint64_t offset, unsigned bytes,
                             LanePattern pattern, LaneMask lanes) {
  if (const LaneMask others = lanes & (lanes - 1)) {
    forLanes(others, [&](int lane) {
      checkRead(by, cell, offset, bytes, {static_cast<uint8_t>(lane)},
                LaneMask(1) << lane);
    });
  }
  const unsigned step = pattern.step(cell.writer.shift);
  for (unsigned byte = 0; byte < bytes; byte += step) {
    if (auto with = writeConflict(by, cell, byte, pattern)) {
      race(cell.write & inFlight
               ? "reads what an asynchronous copy of another thread writes, "
                 "without order between them"
               : "reads what another thread writes, without order between "
                 "them",
           by, pattern.of(byte), offset, *with);
    }
  }
}

void ClusterCheck::readAgain(const Toucher &by, ShadowCell &cell,
                             const ShadowRead &read, unsigned bytes,
                             LanePattern pattern) {
  if (by.shadow.isListed(cell, read)) {
    return;
  }
  by.shadow.addRead(cell, read, [&](const ShadowRead &earlier) {
    Event &event = events[earlier.event()];
    // A weak read that comes before this one may race with a strong write.
    if (by.isStrong && !event.isStrong) {
      return false;
    }
    const unsigned step = pattern.step(earlier.shift());
    for (unsigned byte = 0; byte < bytes; byte += step) {
      if (earlier.of(byte) & unordered(by, event, pattern.of(byte))) {
        return false;
      }
    }
    return true;
  });
}

void ClusterCheck::read(const Toucher &by, ShadowCell &cell, uint64_t offset,
                        unsigned bytes, LanePattern pattern, LaneMask lanes) {
  if (cell.write >= by.before && !by.isOfItsOwn(cell.write)) [[unlikely]] {
    checkRead(by, cell, offset, bytes, pattern, lanes);
  }
  const ShadowRead read(by.event, lanes, pattern.shift);
  for (ShadowRead &slot : cell.reads) {
    if (slot.isLike(read)) {
      slot.lanes |= read.lanes;
      return;
    }
  }
  if (!by.isStrong) {
    for (ShadowRead &slot : cell.reads) {
      if (slot.event() < by.before) {
        slot = read;
        return;
      }
    }
  }
  readAgain(by, cell, read, bytes, pattern);
}

void ClusterCheck::checkReads(const Toucher &by, const ShadowCell &cell,
                              uint64_t offset, unsigned bytes,
                              LanePattern pattern) {
  if (hasLateReads(by, cell)) {
    if (auto with = readConflict(by, cell, bytes, pattern)) {
      race("writes what another thread reads, without order between them", by,
           pattern.of(with->byte), offset, *with);
    }
  }
}

void ClusterCheck::write(const Toucher &by, ShadowCell &cell, uint64_t offset,
                         unsigned bytes, LanePattern pattern) {
  checkReads(by, cell, offset, bytes, pattern);
  if (asyncReads.any(size_t(by.owner->rank))) [[unlikely]] {
    checkAsyncReads(by, offset, bytes, pattern);
  }
  // Lanes of one store may meet at one place: one of them wins.
  if (cell.write >= by.before && !by.isOfItsOwn(cell.write)) {
    suspect(by, cell, offset, bytes, pattern);
  }
  by.shadow.forgetReads(cell);
  cell.write = by.event;
  cell.writer = pattern;
}

// It is a race unless the value stays, which the next event shows.
void ClusterCheck::suspect(const Toucher &by, const ShadowCell &cell,
                           uint64_t offset, unsigned bytes,
                           LanePattern pattern) {
  const uint32_t first = events[cell.write].warp * warpLanes;
  const uint32_t second = by.warpNumber * warpLanes;
  for (unsigned byte = 0; byte < bytes;) {
    const auto with = writeConflict(by, cell, byte, pattern);
    const int lane = pattern.of(byte), other = cell.writer.of(byte);
    const unsigned begin = byte;
    while (byte < bytes && pattern.of(byte) == lane &&
           cell.writer.of(byte) == other) {
      ++byte;
    }
    if (!with) {
      continue;
    }
    Suspect suspect = {by.owner,
                       offset + begin,
                       byte - begin,
                       {},
                       first + static_cast<uint32_t>(other),
                       events[cell.write].instruction,
                       second + static_cast<uint32_t>(lane),
                       program.index(by.instruction)};
    std::memcpy(suspect.before.data(),
                by.owner->shared(static_cast<uint32_t>(suspect.offset)),
                suspect.bytes);
    suspects.push_back(suspect);
  }
}

void ClusterCheck::compareSuspects() {
  for (const Suspect &suspect : suspects) {
    if (std::memcmp(
            suspect.before.data(),
            suspect.owner->shared(static_cast<uint32_t>(suspect.offset)),
            suspect.bytes) != 0) {
      throw Finding(
          "race",
          "writes another value where another thread writes, without order "
          "between them",
          placeOf(suspect.secondThread, suspect.secondInstruction),
          suspect.offset,
          placeOf(suspect.firstThread, suspect.firstInstruction));
    }
    ++sameValues;
  }
  suspects.clear();
}

namespace {

/// Those of the lanes whose addresses are this one.
LaneMask lanesAt(const Access &access, LaneMask lanes, uint64_t address) {
  if (access.addresses[31 - std::countl_zero(lanes)] != address &&
      access.contiguous) {
    return lanes & (~lanes + 1); // the first one
  }
  LaneMask same = 0;
  for (int lane = 0; lane < warpLanes; ++lane) {
    same |= LaneMask(access.addresses[lane] == address) << lane;
  }
  return same & lanes;
}

/// Calls f(offset, size, pattern) for parts of memory that the lanes touch, of
/// 16 bytes, 4 or 1. Neighbours whose bytes lie side by side share a part.
template <unsigned bytes, typename F>
[[gnu::always_inline]] inline void forParts(const Access &access,
                                            LaneMask lanes, F f) {
  constexpr auto shift = static_cast<uint8_t>(std::countr_zero(bytes));
  const uint64_t *addresses = access.addresses;
  auto areSideBySide = [&](int lane, unsigned size) {
    const int count = static_cast<int>(size / bytes);
    if (lane + count > warpLanes || addresses[lane] % size) {
      return false;
    }
    const LaneMask wanted = (LaneMask(1) << count) - 1;
    bool all = (lanes >> lane & wanted) == wanted;
    for (int i = 1; i < count; ++i) {
      all &= addresses[lane + i] == addresses[lane] + i * uint64_t(bytes);
    }
    return all;
  };
  for (int lane = 0; lane < warpLanes;) {
    if (!(lanes >> lane & 1)) {
      ++lane;
      continue;
    }
    const uint64_t offset = addresses[lane];
    const LanePattern alone = {static_cast<uint8_t>(lane)};
    const LanePattern together = {static_cast<uint8_t>(lane), shift};
    if constexpr (bytes >= SharedShadow::granule) {
      for (unsigned at = 0; at < bytes; at += SharedShadow::granule) {
        f(offset + at, SharedShadow::granule, alone);
      }
      ++lane;
    } else if (areSideBySide(lane, SharedShadow::granule)) {
      f(offset, SharedShadow::granule, together);
      lane += static_cast<int>(SharedShadow::granule / bytes);
    } else if constexpr (bytes >= 4) {
      for (unsigned at = 0; at < bytes; at += 4) {
        f(offset + at, 4, alone);
      }
      ++lane;
    } else if (areSideBySide(lane, 4)) {
      f(offset, 4, together);
      lane += static_cast<int>(4 / bytes);
    } else {
      for (unsigned at = 0; at < bytes; ++at) {
        f(offset + at, 1, alone);
      }
      ++lane;
    }
  }
}

template <typename F>
[[gnu::always_inline]] inline void forParts(const Access &access,
                                            LaneMask lanes, F f) {
  switch (access.kind.bytes) {
  case 1:
    return forParts<1>(access, lanes, f);
  case 2:
    return forParts<2>(access, lanes, f);
  case 4:
    return forParts<4>(access, lanes, f);
  case 8:
    return forParts<8>(access, lanes, f);
  default:
    return forParts<16>(access, lanes, f);
  }
}

} // namespace

namespace {

/// Whether two lanes may touch the same bytes. Their addresses are multiples of
/// their size.
bool mayMeet(const Access &access, LaneMask lanes) {
  if (access.contiguous) {
    return false;
  }
  std::array<uint64_t, 16> seen = {};
  bool meets = false;
  forLanes(lanes, [&](int lane) {
    const uint64_t place = access.addresses[lane] / access.kind.bytes % 1024;
    const uint64_t bit = uint64_t(1) << place % 64;
    meets |= (seen[place / 64] & bit) != 0;
    seen[place / 64] |= bit;
  });
  return meets;
}

} // namespace

void ClusterCheck::touch(const Toucher &by, const Access &access,
                         LaneMask lanes) {
  const bool reads = access.kind.reads(), writes = access.kind.writes();
  if (writes) {
    // The first of the lanes that write to a place forgets who has read it.
    if (mayMeet(access, lanes)) {
      forParts(access, lanes,
               [&](uint64_t offset, unsigned size, LanePattern pattern) {
                 by.shadow.forPart(offset, size, pattern, false,
                                   [&](ShadowCell &cell, uint64_t at,
                                       unsigned bytes, LanePattern of) {
                                     checkReads(by, cell, at, bytes, of);
                                   });
               });
    }
    forParts(access, lanes,
             [&](uint64_t offset, unsigned size, LanePattern pattern) {
               by.shadow.forPart(offset, size, pattern, true,
                                 [&](ShadowCell &cell, uint64_t at,
                                     unsigned bytes, LanePattern of) {
                                   if (reads) {
                                     read(by, cell, at, bytes, of,
                                          LaneMask(1) << of.lane);
                                   }
                                   write(by, cell, at, bytes, of);
                                 });
             });
    return;
  }
  const int first = std::countr_zero(lanes);
  const uint64_t address = access.addresses[first];
  if (lanesAt(access, lanes, address) == lanes) {
    by.shadow.forRange(address, access.kind.bytes, first, false,
                       [&](ShadowCell &cell, uint64_t at, unsigned bytes,
                           LanePattern of) __attribute__((always_inline)) {
                         read(by, cell, at, bytes, of, lanes);
                       });
    return;
  }
  forParts(access, lanes,
           [&](uint64_t offset, unsigned size, LanePattern pattern)
               __attribute__((always_inline)) {
                 by.shadow.forPart(
                     offset, size, pattern, false,
                     [&](ShadowCell &cell, uint64_t at, unsigned bytes,
                         LanePattern of) __attribute__((always_inline)) {
                       read(by, cell, at, bytes, of, LaneMask(1) << of.lane);
                     });
               });
}

void ClusterCheck::dropEvents() {
  events.drop([&](auto renumber) {
    for (auto &shadow : shadows) {
      if (shadow) {
        shadow->forEvents(renumber);
      }
    }
  });
}

void ClusterCheck::access(Warp &warp, const Access &access) {
  const AccessKind &kind = access.kind;
  const bool isStrong = kind.isAtomic() || (kind.semantics != Semantics::weak);
  const bool isShared = access.space == Space::shared;
  if (!isShared && (!isStrong || access.space != Space::global)) {
    return;
  }
  if (events.isFull()) {
    dropEvents();
  }
  if (kind.asynchronous) { // cp.async
    if (isShared) {
      startCopies(warp, access);
    }
    return;
  }
  auto touchAll = [&](LaneMask lanes) {
    forTouchers(
        warp, access.instruction, access.owner, lanes,
        [&](Toucher &by, LaneMask alike, Clock clock) {
          const Event event = {by.warpNumber, clock,
                               program.index(access.instruction), isStrong};
          by.event = kind.writes() ? events.add(event) : events.addRead(event);
          by.isStrong = isStrong;
          touch(by, access, alike);
        });
  };
  if (!isStrong) {
    touchAll(access.lanes);
    return;
  }
  auto take = [&](LaneMask lanes) {
    synchronise(warp, lanes, access, access.addresses[std::countr_zero(lanes)]);
    if (isShared) {
      touchAll(lanes);
    }
  };
  if (kind.writes()) {
    // Lanes may learn from each other.
    const LaneOrder order =
        kind.isAtomic() ? atomicOrder(warp, access.instruction) : LaneOrder();
    order.forLanes(access.lanes, [&](int lane) { take(LaneMask(1) << lane); });
    return;
  }
  for (LaneMask rest = access.lanes; rest;) {
    const LaneMask lanes =
        lanesAt(access, rest, access.addresses[std::countr_zero(rest)]);
    take(lanes);
    rest &= ~lanes;
  }
}
