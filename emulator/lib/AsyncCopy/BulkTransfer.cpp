//===- BulkTransfer.cpp - Moves between global and shared memory
//--------------===//
#include "BulkTransfer.h"

#include "States.h"

#include <algorithm>
#include <cstring>

namespace cheems::emulator {
namespace {

GlobalMemory &memoryOf(const Asker &asker) {
  return asker.warp.block.grid.device.memory;
}

/// The tensor unit rounds elements of tf32, but neither ISA nor driver API say
/// how. Those that are tf32 already are copied.
void checkTf32(const Asker &asker, const std::byte *row, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 4) {
    uint32_t element;
    std::memcpy(&element, row + at, 4);
    if (element & 0x1fff) {
      throw NotModelled(asker.instruction.line,
                        "rounding of a tensor's elements to tf32");
    }
  }
}

} // namespace

BulkTransfer::BulkTransfer(uint64_t global, SharedPlace shared, uint32_t bytes)
    : isBox(false), map(), start(), global(global), shared(shared),
      bytes_(bytes), rowBytes(bytes), mode(0) {}

BulkTransfer::BulkTransfer(const TensorMap &map,
                           const std::array<int32_t, 5> &start,
                           SharedPlace shared)
    : isBox(true), map(map), start(start), global(map.globalAddress),
      shared(shared), bytes_(static_cast<uint32_t>(map.boxBytes())),
      rowBytes(boxRowBytes(map)), mode(map.swizzle) {}

template <typename F> void BulkTransfer::forShared(F act) const {
  // A swizzle moves units within lines, so that whole lines stay the same.
  if (mode == 0 || bytes_ % swizzleLine == 0) {
    act(shared.offset, bytes_);
    return;
  }
  for (uint32_t at = 0; at < bytes_; at += swizzleUnit) {
    act(swizzled(shared.offset + at, mode), swizzleUnit);
  }
}

void BulkTransfer::loadRow(const Asker &asker, const BoxRow &row) const {
  if (rowBytes == 0) {
    return;
  }
  Block &owner = *shared.owner;
  GlobalMemory &memory = memoryOf(asker);
  const std::byte *source = row.bytes ? memory.data(row.global) : nullptr;
  if (isBox && map.type() == TensorType::tf32) {
    checkTf32(asker, source, row.bytes);
  }
  uint32_t to = sharedRow(row);
  if (row.bytes == rowBytes) {
    scatterRow(owner.shared(), to, mode, source, rowBytes);
  } else {
    std::byte whole[longestBoxRow];
    fillOutOfBounds(map, whole, rowBytes);
    if (row.bytes != 0) {
      std::memcpy(whole + row.skipped, source, row.bytes);
    }
    scatterRow(owner.shared(), to, mode, whole, rowBytes);
  }
  if (row.bytes == 0 || isInitialised) {
    return;
  }
  const ByteState *states = memory.state(row.global);
  for (uint32_t i = 0; i < row.bytes; ++i) {
    if (states[i] == ByteState::uninitialised) {
      *owner.sharedState(swizzled(to + row.skipped + i, mode)) =
          SharedState::uninitialised;
    }
  }
}

void BulkTransfer::load(const Asker &asker) const {
  forShared([&](uint32_t offset, uint32_t count) {
    std::fill_n(shared.owner->sharedState(offset), count,
                SharedState::initialised);
  });
  forRows([&](const BoxRow &row) { loadRow(asker, row); });
}

void BulkTransfer::read(std::vector<std::byte> &staged) const {
  staged.resize(bytes_);
  forRows([&](const BoxRow &row) {
    gatherRow(shared.owner->shared(), sharedRow(row), mode,
              staged.data() + size_t(row.number) * rowBytes, rowBytes);
  });
}

void BulkTransfer::store(const Asker &asker) const {
  GlobalMemory &memory = memoryOf(asker);
  const std::byte *from = shared.owner->shared();
  forRows([&](const BoxRow &row) {
    if (row.bytes == 0) {
      return;
    }
    std::byte *to = memory.data(row.global);
    if (row.bytes == rowBytes) {
      gatherRow(from, sharedRow(row), mode, to, rowBytes);
    } else {
      std::byte whole[longestBoxRow];
      gatherRow(from, sharedRow(row), mode, whole, rowBytes);
      std::memcpy(to, whole + row.skipped, row.bytes);
    }
    std::fill_n(memory.state(row.global), row.bytes, ByteState::initialised);
  });
}

void BulkTransfer::write(const Asker &asker,
                         const std::vector<std::byte> &staged) const {
  GlobalMemory &memory = memoryOf(asker);
  forRows([&](const BoxRow &row) {
    if (row.bytes == 0) {
      return;
    }
    std::memcpy(memory.data(row.global),
                staged.data() + size_t(row.number) * rowBytes + row.skipped,
                row.bytes);
    std::fill_n(memory.state(row.global), row.bytes, ByteState::initialised);
  });
}

void BulkTransfer::markInFlight() const {
  forShared([&](uint32_t offset, uint32_t count) {
    std::fill_n(shared.owner->sharedState(offset), count,
                SharedState::inFlight);
  });
}

void BulkTransfer::markBeingRead() const {
  change(SharedState::initialised, SharedState::beingRead);
}

void BulkTransfer::unmarkBeingRead() const {
  change(SharedState::beingRead, SharedState::initialised);
}

void BulkTransfer::change(SharedState from, SharedState to) const {
  forShared([&](uint32_t offset, uint32_t count) {
    SharedState *states = shared.owner->sharedState(offset);
    for (uint32_t i = 0; i < count; ++i) {
      states[i] = states[i] == from ? to : states[i];
    }
  });
}

// -- Checks

void BulkTransfer::checkGlobal(const Asker &asker) {
  GlobalMemory &memory = memoryOf(asker);
  isInitialised = true;
  forRows([&](const BoxRow &row) {
    if (row.bytes == 0) {
      return;
    }
    uint64_t from = row.global - GlobalMemory::base;
    bool isInside =
        from < memory.totalBytes() && row.bytes <= memory.totalBytes() - from;
    if (isInside &&
        allAre(memory.state(row.global), row.bytes, ByteState::initialised)) {
      return;
    }
    isInitialised = false;
    // unallocated and freed have bits 0 and 1 equal, the other two have not.
    if (isInside && allStates(memory.state(row.global), row.bytes,
                              ByteState::initialised, [](uint64_t word) {
                                return ((word ^ word >> 1) & eightOf(1)) ==
                                       eightOf(1);
                              })) {
      return;
    }
    std::string what = "the copy accesses global memory that is not allocated";
    uint64_t address = row.global;
    for (uint32_t i = 0; isInside && i < row.bytes; ++i) {
      ByteState state = *memory.state(row.global + i);
      if (state == ByteState::freed || state == ByteState::unallocated) {
        address = row.global + i;
        if (state == ByteState::freed) {
          asker.warp.fail(asker.instruction, "use-after-free",
                          "the copy accesses global memory that was freed",
                          asker.lane, address);
        }
        break;
      }
    }
    asker.warp.fail(asker.instruction, "out-of-bounds", what, asker.lane,
                    address);
  });
}

void BulkTransfer::checkDestination(const Asker &asker) const {
  forShared([&](uint32_t offset, uint32_t count) {
    if (offset + count > shared.owner->sharedBytes()) {
      asker.warp.fail(asker.instruction, "out-of-bounds",
                      "the copy writes after the end of shared memory",
                      asker.lane, offset);
    }
    const SharedState *states = shared.owner->sharedState(offset);
    // uninitialised or initialised
    if (allStates(states, count, SharedState::initialised,
                  [](uint64_t word) { return (word & ~eightOf(1)) == 0; })) {
      return;
    }
    for (uint32_t i = 0; i < count; ++i) {
      switch (states[i]) {
      case SharedState::barrier:
        asker.warp.fail(asker.instruction, "barrier-overlap",
                        "the copy writes over a valid mbarrier", asker.lane,
                        offset + i);
      case SharedState::inFlight:
        asker.warp.fail(asker.instruction, "missing-wait",
                        "the copy writes what another asynchronous copy that "
                        "nobody has waited for writes, too",
                        asker.lane, offset + i);
      case SharedState::beingRead:
        asker.warp.fail(asker.instruction, "missing-wait",
                        "the copy writes what an asynchronous store that "
                        "nobody has waited for still reads",
                        asker.lane, offset + i);
      default:
        break;
      }
    }
  });
}

void BulkTransfer::checkSource(const Asker &asker) const {
  // initialised or beingRead, which have bits 0 and 2
  auto isGood = [](uint64_t word) {
    return (word & ~eightOf(5)) == 0 &&
           ((word | word >> 2) & eightOf(1)) == eightOf(1);
  };
  bool all = true;
  forShared([&](uint32_t offset, uint32_t count) {
    if (offset + count > shared.owner->sharedBytes()) {
      asker.warp.fail(asker.instruction, "out-of-bounds",
                      "the copy reads after the end of shared memory",
                      asker.lane, offset);
    }
    all &= allStates(shared.owner->sharedState(offset), count,
                     SharedState::initialised, isGood);
  });
  if (all) {
    return;
  }
  // Elements out of a tensor's bounds are not read.
  forRows([&](const BoxRow &row) {
    for (uint32_t i = 0; i < row.bytes; ++i) {
      uint32_t offset = swizzled(sharedRow(row) + row.skipped + i, mode);
      switch (*shared.owner->sharedState(offset)) {
      case SharedState::initialised:
      case SharedState::beingRead:
        break;
      case SharedState::uninitialised:
        asker.warp.fail(asker.instruction, "uninitialised-read",
                        "the copy reads shared memory that nobody has written",
                        asker.lane, offset);
      case SharedState::inFlight:
        asker.warp.fail(asker.instruction, "missing-wait",
                        "the copy reads what an asynchronous copy that nobody "
                        "has waited for writes",
                        asker.lane, offset);
      case SharedState::barrier:
        asker.warp.fail(asker.instruction, "barrier-overlap",
                        "the copy reads an mbarrier", asker.lane, offset);
      }
    }
  });
}

// -- Observers

void BulkTransfer::tellGlobal(const Asker &asker, bool isLoad) const {
  AsyncRange range = {.kind = AsyncKind::bulk,
                      .operation = asker.operation,
                      .lane = asker.lane,
                      .effect = isLoad ? Effect::load : Effect::store,
                      .space = Space::global,
                      .address = global,
                      .bytes = bytes_};
  if (isBox) {
    // The part in bounds is a box, too.
    int64_t first = std::max<int64_t>(start[0], 0);
    int64_t end = std::min<int64_t>(int64_t(start[0]) + map.boxDims[0],
                                    int64_t(map.globalDims[0]));
    if (first >= end) {
      return;
    }
    int64_t bytes = elementBytes(map.type());
    range.address += static_cast<uint64_t>(first * bytes);
    range.bytes = static_cast<uint64_t>((end - first) * bytes);
    for (int d = 1; d < map.rank(); ++d) {
      int64_t step = map.elementStrides[d], at = start[d];
      int64_t from = at >= 0 ? 0 : (-at + step - 1) / step;
      int64_t left = int64_t(map.globalDims[d]) - at;
      int64_t to = std::min<int64_t>(map.boxExtent(d),
                                     left > 0 ? (left + step - 1) / step : 0);
      if (from >= to) {
        return;
      }
      int64_t stride = static_cast<int64_t>(map.globalStrides[d - 1]);
      range.address += static_cast<uint64_t>((at + from * step) * stride);
      range.counts[d - 1] = static_cast<uint32_t>(to - from);
      range.strides[d - 1] = step * stride;
    }
  }
  asker.warp.block.observe([&](BlockObserver &observer) {
    observer.startAsync(asker.warp, asker.instruction, range);
  });
}

void BulkTransfer::tellShared(const Asker &asker, Effect effect) const {
  forShared([&](uint32_t offset, uint32_t count) {
    AsyncRange range = {.kind = AsyncKind::bulk,
                        .operation = asker.operation,
                        .lane = asker.lane,
                        .effect = effect,
                        .space = Space::shared,
                        .owner = shared.owner,
                        .address = offset,
                        .bytes = count};
    asker.warp.block.observe([&](BlockObserver &observer) {
      observer.startAsync(asker.warp, asker.instruction, range);
    });
  });
}

void BulkTransfer::tell(const Asker &asker, bool isLoad) const {
  tellGlobal(asker, isLoad);
  tellShared(asker, isLoad ? Effect::store : Effect::load);
}

} // namespace cheems::emulator
