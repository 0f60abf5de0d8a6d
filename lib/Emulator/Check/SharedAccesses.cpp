//===- SharedAccesses.cpp - Races in shared memory -----------------------===//
#include "ClusterCheck.h"
#include "cheems/Emulator/Lanes/Loop.h"
#include "cheems/Emulator/Machine/Block.h"

#include <cstring>
#include <limits>

using namespace cheems::emulator;

void ClusterCheck::race(const char *what, Warp &warp,
                        const Instruction &instruction, int lane,
                        uint64_t offset, const Touch &other) const {
  throw Finding("race", what, warp.place(instruction, lane), offset,
                placeOf(other));
}

namespace {
Touch writerOf(const ShadowCell &cell) {
  return {cell.thread, cell.clock, cell.instruction, cell.isStrong};
}

bool isThread(const ShadowCell &cell) {
  return cell.writer == ShadowCell::Writer::generic ||
         cell.writer == ShadowCell::Writer::copy;
}
} // namespace

void ClusterCheck::read(Warp &warp, const Access &access, int lane,
                        ShadowCell &cell, uint64_t offset, const Touch &touch) {
  if (isThread(cell) && cell.event != event &&
      !(cell.isStrong && touch.isStrong) &&
      !clocks.isBefore(cell.thread, cell.clock, touch.thread)) {
    race(cell.writer == ShadowCell::Writer::copy
             ? "reads what an asynchronous copy of another thread writes, "
               "without order between them"
             : "reads what another thread writes, without order between them",
         warp, access.instruction, lane, offset, writerOf(cell));
  }
  shadowOf(*access.owner).addRead(cell, clocks, touch);
}

void ClusterCheck::write(Warp &warp, const Access &access, int lane,
                         ShadowCell &cell, uint64_t offset, unsigned bytes,
                         const Touch &touch) {
  SharedShadow &shadow = shadowOf(*access.owner);
  if (auto other = shadow.unorderedRead(cell, clocks, touch)) {
    race("writes what another thread reads, without order between them", warp,
         access.instruction, lane, offset, *other);
  }
  // Lanes of one store may meet at one place: one of them wins.
  if (isThread(cell) && cell.event != event &&
      !(cell.isStrong && touch.isStrong) &&
      !clocks.isBefore(cell.thread, cell.clock, touch.thread)) {
    // It is a race unless the value stays, which the next event shows.
    Suspect suspect = {access.owner,   offset,
                       bytes,          {},
                       writerOf(cell), warp.place(access.instruction, lane)};
    std::memcpy(suspect.before.data(),
                access.owner->shared(static_cast<uint32_t>(offset)), bytes);
    suspects.push_back(suspect);
  }
  shadow.forgetReads(cell);
  cell.writer = ShadowCell::Writer::generic;
  cell.isStrong = touch.isStrong;
  cell.thread = touch.thread;
  cell.clock = touch.clock;
  cell.instruction = touch.instruction;
  cell.event = event;
}

void ClusterCheck::settle() {
  for (const Suspect &suspect : suspects) {
    if (std::memcmp(
            suspect.before.data(),
            suspect.owner->shared(static_cast<uint32_t>(suspect.offset)),
            suspect.bytes) != 0) {
      throw Finding(
          "race",
          "writes another value where another thread writes, without order "
          "between them",
          suspect.second, suspect.offset, placeOf(suspect.first));
    }
    ++sameValues;
  }
  suspects.clear();
}

void ClusterCheck::access(Warp &warp, const Access &access) {
  ++event;
  const AccessKind &kind = access.kind;
  if (kind.asynchronous && access.space == Space::shared) { // cp.async
    forLanes(access.lanes, [&](int lane) {
      startAsync(warp, access.instruction,
                 {.kind = AsyncKind::copy,
                  .operation = warp.block.asyncOperations,
                  .lane = lane,
                  .effect = kind.effect,
                  .proxy = Proxy::generic,
                  .space = Space::shared,
                  .owner = access.owner,
                  .address = access.addresses[lane],
                  .bytes = kind.bytes});
    });
    return;
  }
  const bool isStrong = kind.isAtomic() || (kind.semantics != Semantics::weak);
  const uint32_t instruction = program.index(access.instruction);
  forLanes(access.lanes, [&](int lane) {
    const uint32_t thread = threadOf(warp, lane);
    const uint64_t address = access.addresses[lane];
    if (isStrong &&
        (access.space == Space::shared || access.space == Space::global)) {
      synchronise(thread, access, address);
    }
    if (access.space != Space::shared) {
      return;
    }
    const Touch touch = {thread, clocks.now(thread), instruction, isStrong};
    shadowOf(*access.owner)
        .forCells(address, kind.bytes,
                  [&](ShadowCell &cell, uint64_t offset, unsigned bytes) {
                    if (kind.reads()) {
                      read(warp, access, lane, cell, offset, touch);
                    }
                    if (kind.writes()) {
                      write(warp, access, lane, cell, offset, bytes, touch);
                    }
                  });
  });
}

// -- Asynchronous operations

void ClusterCheck::checkAsync(Warp &warp, const Instruction &instruction,
                              const AsyncRange &range, const ShadowCell &cell,
                              uint64_t offset, const Touch &touch) {
  if (!isThread(cell)) {
    return;
  }
  if (!clocks.isBefore(cell.thread, cell.clock, touch.thread)) {
    race("an asynchronous operation touches what another thread writes, "
         "without order between them",
         warp, instruction, range.lane, offset, writerOf(cell));
  }
  if (range.proxy == Proxy::async &&
      !clocks.isFenced(cell.thread, cell.clock, touch.thread)) {
    throw Finding("missing-proxy-fence",
                  "the async proxy touches what the generic proxy has written, "
                  "without fence.proxy.async between them",
                  warp.place(instruction, range.lane), offset,
                  placeOf(writerOf(cell)));
  }
}

void ClusterCheck::startAsync(Warp &warp, const Instruction &instruction,
                              const AsyncRange &range) {
  ++event;
  if (range.space != Space::shared) {
    return;
  }
  const uint32_t thread = threadOf(warp, range.lane);
  const Touch touch = {thread, clocks.now(thread), program.index(instruction),
                       false};
  SharedShadow &shadow = shadowOf(*range.owner);
  uint64_t index[4] = {};
  for (;;) {
    uint64_t begin = range.address;
    for (int d = 0; d < 4; ++d) {
      begin += index[d] * static_cast<uint64_t>(range.strides[d]);
    }
    shadow.forCells(
        begin, range.bytes, [&](ShadowCell &cell, uint64_t offset, unsigned) {
          checkAsync(warp, instruction, range, cell, offset, touch);
          if (range.effect == Effect::load) {
            return;
          }
          if (auto other = shadow.unorderedRead(cell, clocks, touch)) {
            race("an asynchronous operation writes what another thread reads, "
                 "without order between them",
                 warp, instruction, range.lane, offset, *other);
          }
          shadow.forgetReads(cell);
          const bool isCopy = range.kind == AsyncKind::copy;
          cell.writer =
              isCopy ? ShadowCell::Writer::copy : ShadowCell::Writer::async;
          cell.isStrong = false;
          cell.thread = thread;
          // No other thread can know of it before this one has waited.
          cell.clock = std::numeric_limits<Clock>::max();
          cell.instruction = touch.instruction;
          cell.event = event;
        });
    if (range.kind == AsyncKind::copy && range.effect == Effect::store) {
      copies[thread].push_back(
          {range.operation, range.owner, begin, range.bytes});
    }
    int d = 0;
    while (d < 4 && ++index[d] == range.counts[d]) {
      index[d++] = 0;
    }
    if (d == 4) {
      return;
    }
  }
}

void ClusterCheck::endCopies(Warp &warp, LaneMask lanes, uint64_t last) {
  forLanes(lanes, [&](int lane) {
    const uint32_t thread = threadOf(warp, lane);
    std::erase_if(copies[thread], [&](const PendingCopy &copy) {
      if (copy.operation > last) {
        return false;
      }
      shadowOf(*copy.owner)
          .forCells(copy.offset, copy.bytes,
                    [&](ShadowCell &cell, uint64_t, unsigned) {
                      if (cell.writer == ShadowCell::Writer::copy &&
                          cell.thread == thread) {
                        // From here on it is as if the thread had written it.
                        cell.writer = ShadowCell::Writer::generic;
                        cell.clock = clocks.now(thread);
                      }
                    });
      return true;
    });
  });
}
