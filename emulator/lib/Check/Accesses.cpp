//===- Accesses.cpp - What threads read and write ------------------------===//
#include "ClusterCheck.h"
#include "Lanes/Loop.h"
#include "Machine/Block.h"
#include "Machine/LaneOrder.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace cheems::emulator;

void ClusterCheck::checkRead(const Toucher &by, const ShadowCell &cell,
                             uint64_t offset, unsigned bytes,
                             LanePattern pattern, LaneMask lanes) {
  if (const LaneMask others = lanes & (lanes - 1)) {
    forLanes(others, [&](int lane) {
      checkRead(by, cell, offset, bytes,
                {static_cast<uint8_t>(lane), pattern.shift},
                LaneMask(1) << lane);
    });
  }
  const unsigned step = pattern.step(cell.writer.shift);
  for (unsigned byte = 0; byte < bytes; byte += step) {
    if (auto with = writeConflict(by, cell, byte, pattern)) {
      race(cell.write & inFlight
               ? "reads what an asynchronous operation writes, without a wait "
                 "and order between them"
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
    // A weak read that comes before this one may race with a strong write, and
    // a strong one has seen the write.
    if (by.isStrong() != earlier.isStrong()) {
      return false;
    }
    Event &event = by.events[earlier.event()];
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
  const ShadowRead read(by.event, lanes, pattern.shift, by.isStrong());
  for (ShadowRead &slot : cell.reads) {
    if (slot.isLike(read)) {
      slot.lanes |= read.lanes;
      return;
    }
  }
  if (!by.isStrong()) {
    for (ShadowRead &slot : cell.reads) {
      if (slot.event() < by.before && !slot.isStrong()) {
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
  if (by.owner && asyncReads.any(size_t(by.owner->rank))) [[unlikely]] {
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
  const Event &event = by.events[cell.write];
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
    const uint64_t address = addressOf(by, offset + begin);
    (by.owner ? suspects : global.suspects)
        .add(by.owner ? by.owner->shared(static_cast<uint32_t>(address))
                      : global.memory.data(address),
             byte - begin, address, {event.warp, other, event.instruction},
             {number * geometry.warpsPerCluster + by.warpNumber, lane,
              program.index(by.instruction)});
  }
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
/// `largest` bytes, or a quarter, and so on. Neighbours whose bytes lie side by
/// side share a part.
template <unsigned bytes, unsigned largest, typename F>
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
    unsigned size = largest;
    while (size > bytes && (size > warpLanes * bytes / 2 + bytes ||
                            !areSideBySide(lane, size))) {
      size /= 4;
    }
    if (size > bytes) {
      f(offset, size, together);
      lane += static_cast<int>(size / bytes);
      continue;
    }
    // `bytes` may lie between two sizes.
    for (unsigned at = 0; at < bytes; at += size) {
      f(offset + at, size, alone);
    }
    ++lane;
  }
}

template <unsigned largest, typename F>
[[gnu::always_inline]] inline void forParts(const Access &access,
                                            LaneMask lanes, F f) {
  switch (access.kind.bytes) {
  case 1:
    return forParts<1, largest>(access, lanes, f);
  case 2:
    return forParts<2, largest>(access, lanes, f);
  case 4:
    return forParts<4, largest>(access, lanes, f);
  case 8:
    return forParts<8, largest>(access, lanes, f);
  default:
    return forParts<16, largest>(access, lanes, f);
  }
}

/// After how many lanes their addresses come again, if all act.
int periodOf(const Access &access, LaneMask lanes) {
  const uint64_t *addresses = access.addresses;
  int period = warpLanes;
  for (int half = warpLanes / 2;
       lanes == allLanes && half > 0 && addresses[0] == addresses[half];
       half /= 2) {
    if (!std::equal(addresses, addresses + half, addresses + half)) {
      break;
    }
    period = half;
  }
  return period;
}

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

template <unsigned largest>
void ClusterCheck::touchParts(const Toucher &by, const Access &access,
                              LaneMask lanes) {
  const bool reads = access.kind.reads(), writes = access.kind.writes();
  if (writes) {
    // The first of the lanes that write to a place forgets who has read it.
    if (mayMeet(access, lanes)) {
      forParts<largest>(
          access, lanes,
          [&](uint64_t offset, unsigned size, LanePattern pattern) {
            by.shadow.template forPart<largest>(
                offset, size, pattern, false,
                [&](ShadowCell &cell, uint64_t at, unsigned bytes,
                    LanePattern of) { checkReads(by, cell, at, bytes, of); });
          });
    }
    forParts<largest>(access, lanes,
                      [&](uint64_t offset, unsigned size, LanePattern pattern) {
                        by.shadow.template forPart<largest>(
                            offset, size, pattern, true,
                            [&](ShadowCell &cell, uint64_t at, unsigned bytes,
                                LanePattern of) {
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
    by.shadow.template forRange<largest>(
        address, access.kind.bytes, first, false,
        [&](ShadowCell &cell, uint64_t at, unsigned bytes, LanePattern of)
            __attribute__((always_inline)) {
              read(by, cell, at, bytes, of, lanes);
            });
    return;
  }
  // Lanes that read the same again are kept with those that do so first.
  const int period = periodOf(access, lanes);
  const LaneMask firsts =
                     period == warpLanes ? lanes : (LaneMask(1) << period) - 1,
                 repeated = period == warpLanes ? 1 : allLanes / firsts;
  forParts<largest>(access, firsts,
                    [&](uint64_t offset, unsigned size,
                        LanePattern pattern) __attribute__((always_inline)) {
                      by.shadow.template forPart<largest>(
                          offset, size, pattern, false,
                          [&](ShadowCell &cell, uint64_t at, unsigned bytes,
                              LanePattern of) __attribute__((always_inline)) {
                            read(by, cell, at, bytes, of, repeated << of.lane);
                          });
                    });
}

void ClusterCheck::touch(const Toucher &by, const Access &access,
                         LaneMask lanes) {
  if (by.owner) {
    touchParts<Shadow::granule>(by, access, lanes);
  } else {
    touchParts<Shadow::globalGranule>(by, access, lanes);
  }
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
  const bool isShared = access.space == Space::shared;
  if (!isShared && access.space != Space::global) {
    return;
  }
  const AccessKind &kind = access.kind;
  if (isShared) {
    if (events.isFull(0)) [[unlikely]] {
      size_t cells = 0;
      for (const auto &shadow : shadows) {
        cells += shadow ? shadow->cells() : 0;
      }
      if (events.isFull(cells)) {
        dropEvents();
      }
    }
    if (kind.asynchronous) { // cp.async
      startCopies(warp, access);
      return;
    }
    perform(warp, access, access);
    return;
  }
  if (global.events.isFull(global.bytes.shadow.cells())) {
    global.dropEvents();
  }
  alignas(64) uint64_t offsets[warpLanes];
  global.bytes.offsetsOf(access, offsets);
  perform(warp, access,
          {kind, access.instruction, access.space, access.lanes, offsets,
           access.contiguous, nullptr});
  if (global.keepsValues() && kind.writes()) {
    global.written(access, offsets);
  }
}

void ClusterCheck::perform(Warp &warp, const Access &access,
                           const Access &inShadow) {
  const AccessKind &kind = access.kind;
  const bool isStrong = kind.isAtomic() || kind.semantics != Semantics::weak;
  auto touchAll = [&](LaneMask lanes) {
    forTouchers(warp, access.instruction, inShadow.owner, lanes,
                [&](Toucher &by, LaneMask alike, Clock clock) {
                  by.scope = !isStrong                   ? Scope::none
                             : kind.scope == Scope::none ? Scope::gpu
                                                         : kind.scope;
                  const Event event = {
                      .warp = number * geometry.warpsPerCluster + by.warpNumber,
                      .clock = clock,
                      .instruction = program.index(access.instruction),
                      .scope = by.scope};
                  by.event = kind.writes() ? by.events.add(event)
                                           : by.events.addRead(event);
                  touch(by, inShadow, alike);
                });
  };
  if (!isStrong) {
    touchAll(access.lanes);
    return;
  }
  auto take = [&](LaneMask lanes) {
    const uint64_t address = access.addresses[std::countr_zero(lanes)];
    if (kind.reads()) {
      learn(warp, lanes, access, address);
    }
    touchAll(lanes);
    if (kind.writes()) {
      teach(warp, lanes, access, address);
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
