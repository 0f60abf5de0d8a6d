//===- Access.cpp - The one entry to memory ------------------------------===//
#include "Access.h"

#include "AccessFailure.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace cheems::emulator;

/// Clang would unroll these loops before it makes vectors, and then makes none.
#if defined(__clang__)
#define ACCESS_LOOP _Pragma("clang loop vectorize_width(2) interleave_count(8)")
#else
#define ACCESS_LOOP _Pragma("GCC ivdep")
#endif

namespace {

/// Every byte the same value.
constexpr uint64_t pattern(uint8_t byte) { return byte * 0x0101010101010101u; }

/// Whether `count` states are all `state`.
template <typename State>
bool areAll(const State *states, uint64_t count, State state) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(states);
  const uint64_t wanted = pattern(static_cast<uint8_t>(state));
  uint64_t differing = 0;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    differing |= word ^ wanted;
  }
  for (; count; --count, ++bytes) {
    differing |= *bytes ^ static_cast<uint8_t>(state);
  }
  return !differing;
}

/// Whether the states of `count` bytes allow the access. The bytes that it
/// writes become initialised. Usually all are initialised already, and then no
/// state is written.
template <typename State>
[[gnu::always_inline]] inline bool take(State *states, uint64_t count,
                                        bool reads, bool writes) {
  if (areAll(states, count, State::initialised)) {
    return true;
  }
  for (uint64_t i = 0; i < count; ++i) {
    const State state = states[i];
    if (state != State::initialised &&
        !(state == State::uninitialised && !reads) &&
        !(isLoadable(state) && !writes)) {
      return false;
    }
  }
  if (writes) {
    std::fill_n(states, count, State::initialised);
  }
  return true;
}

/// The same for one lane, which mostly accesses a power of two of bytes.
template <typename State>
[[gnu::always_inline]] inline bool takeLane(State *states, uint64_t bytes,
                                            bool reads, bool writes) {
  const uint64_t wanted = pattern(static_cast<uint8_t>(State::initialised));
  auto is = [&]<typename Word>(Word) {
    Word word;
    std::memcpy(&word, states, sizeof(word));
    return word == static_cast<Word>(wanted);
  };
  if ((bytes == 2 && is(uint16_t())) || (bytes == 4 && is(uint32_t())) ||
      (bytes == 8 && is(uint64_t()))) {
    return true;
  }
  return take(states, bytes, reads, writes);
}

bool isContiguous(const uint64_t *addresses, uint64_t bytes) {
  uint64_t differing = 0;
  ACCESS_LOOP
  for (uint64_t lane = 0; lane < warpLanes; ++lane) {
    differing |= addresses[lane] ^ (addresses[0] + lane * bytes);
  }
  return !differing;
}

/// What the machine needs of a space: where its bytes and their states are.
struct GlobalSpace {
  using State = ByteState;
  GlobalMemory &memory;
  uint64_t begin() const { return GlobalMemory::base; }
  uint64_t size() const { return memory.totalBytes(); }
  std::byte *data(uint64_t offset) const {
    return memory.data(GlobalMemory::base) + offset;
  }
  State *state(uint64_t offset) const {
    return memory.state(GlobalMemory::base) + offset;
  }

  /// Whether all lines of a range are known to be initialised.
  bool isKnown(uint64_t offset, uint64_t bytes) const {
    const uint8_t *lines = memory.lines();
    uint8_t known = 1;
    for (uint64_t line = offset / lineBytes;
         line <= (offset + bytes - 1) / lineBytes; ++line) {
      known &= __atomic_load_n(lines + line, __ATOMIC_RELAXED);
    }
    return known;
  }
  /// The same for the ranges of all lanes, which do not cross lines.
  bool areKnown(const uint64_t *offsets) const {
    const uint8_t *lines = memory.lines();
    uint8_t known = 1;
    for (int lane = 0; lane < warpLanes; ++lane) {
      known &=
          __atomic_load_n(lines + offsets[lane] / lineBytes, __ATOMIC_RELAXED);
    }
    return known;
  }
  /// All states of a range are initialised. So the lines in it are known from
  /// now on; of others there may be bytes that another thread of the host
  /// changes.
  void know(uint64_t offset, uint64_t bytes) const {
    uint8_t *lines = memory.lines();
    for (uint64_t line = (offset + lineBytes - 1) / lineBytes;
         line < (offset + bytes) / lineBytes; ++line) {
      __atomic_store_n(lines + line, uint8_t(1), __ATOMIC_RELAXED);
    }
  }

private:
  static constexpr uint64_t lineBytes = GlobalMemory::lineBytes;
};

struct SharedSpace {
  using State = SharedState;
  Block &owner;
  uint64_t begin() const { return 0; }
  uint64_t size() const { return owner.sharedBytes(); }
  std::byte *data(uint64_t offset) const { return owner.shared() + offset; }
  State *state(uint64_t offset) const { return owner.sharedState() + offset; }
  // It is small.
  bool isKnown(uint64_t, uint64_t) const { return false; }
  bool areKnown(const uint64_t *) const { return false; }
  void know(uint64_t, uint64_t) const {}
};

/// Whether the states of all lanes are initialised, `words` words a lane.
template <typename Word, int words, typename State>
bool areLanesInitialised(const State *states, const uint64_t *offsets) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(states);
  const auto wanted =
      static_cast<Word>(pattern(static_cast<uint8_t>(State::initialised)));
  Word differing = 0;
  for (int lane = 0; lane < warpLanes; ++lane) {
    for (int i = 0; i < words; ++i) {
      Word word;
      std::memcpy(&word, bytes + offsets[lane] + i * sizeof(Word),
                  sizeof(word));
      differing |= word ^ wanted;
    }
  }
  return !differing;
}

template <typename State>
bool areLanesInitialised(const State *states, const uint64_t *offsets,
                         uint64_t bytes) {
  switch (bytes) {
  case 1:
    return areLanesInitialised<uint8_t, 1>(states, offsets);
  case 2:
    return areLanesInitialised<uint16_t, 1>(states, offsets);
  case 4:
    return areLanesInitialised<uint32_t, 1>(states, offsets);
  case 8:
    return areLanesInitialised<uint64_t, 1>(states, offsets);
  case 16:
    return areLanesInitialised<uint64_t, 2>(states, offsets);
  default:
    return false;
  }
}

/// All lanes at once, if nothing is wrong with any of them and all bytes are
/// initialised, as they mostly are.
template <typename Memory>
bool takeAllLanes(const Memory &memory, const AccessRequest &request,
                  LanePointers &pointers) {
  const uint64_t bytes = request.kind.bytes;
  if (request.lanes != allLanes || memory.size() < bytes) {
    return false;
  }
  alignas(64) uint64_t offsets[warpLanes];
  const uint64_t begin = memory.begin(), last = memory.size() - bytes;
  // The highest bit is set by an offset that is out of bounds: sizes are far
  // below it.
  uint64_t wrong = 0, unaligned = 0;
  ACCESS_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    const uint64_t offset = request.addresses[lane] - begin;
    offsets[lane] = offset;
    wrong |= offset | (last - offset);
    unaligned |= offset;
  }
  if (wrong >> 63 || unaligned & (bytes - 1) ||
      (!memory.areKnown(offsets) &&
       !areLanesInitialised(memory.state(0), offsets, bytes))) {
    return false;
  }
  std::byte *data = memory.data(0);
  ACCESS_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    pointers.of[lane] = data + offsets[lane];
  }
  return true;
}

/// Checks the lanes one by one.
template <typename Memory>
void takeLanes(const Memory &memory, const AccessRequest &request,
               LanePointers &pointers) {
  if (takeAllLanes(memory, request, pointers)) {
    return;
  }
  const AccessKind &kind = request.kind;
  const uint64_t bytes = kind.bytes;
  const uint64_t size = memory.size();
  const bool reads = kind.reads(), writes = kind.writes();
  for (LaneMask rest = request.lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t offset = request.addresses[lane] - memory.begin();
    if (offset >= size || bytes > size - offset || (offset & (bytes - 1)) ||
        !(memory.isKnown(offset, bytes) ||
          takeLane(memory.state(offset), bytes, reads, writes))) {
      failLane(request, lane);
    }
    pointers.of[lane] = memory.data(offset);
  }
}

/// Checks lanes that are all in one space, and in one block's memory if that is
/// shared.
template <typename Memory>
[[gnu::always_inline]] inline void
takeAll(const Memory &memory, const AccessRequest &request, bool contiguous,
        LanePointers &pointers) {
  const AccessKind &kind = request.kind;
  const uint64_t bytes = kind.bytes;
  const uint64_t offset = request.addresses[0] - memory.begin();
  const uint64_t size = memory.size();
  const uint64_t all = bytes * warpLanes;
  bool isTaken = contiguous && !(offset & (bytes - 1)) && offset < size &&
                 size - offset >= all;
  if (isTaken && !memory.isKnown(offset, all)) {
    isTaken = take(memory.state(offset), all, kind.reads(), kind.writes());
    if (isTaken) {
      memory.know(offset, all);
    }
  }
  if (!isTaken) {
    takeLanes(memory, request, pointers);
    pointers.contiguous = contiguous;
    return;
  }
  std::byte *data = memory.data(offset);
  ACCESS_LOOP
  for (uint64_t lane = 0; lane < warpLanes; ++lane) {
    pointers.of[lane] = data + lane * bytes;
  }
  pointers.contiguous = true;
}

void takeLocal(const AccessRequest &request, LanePointers &pointers) {
  const uint64_t size = request.warp.block.program().localBytes;
  for (LaneMask rest = request.lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = request.addresses[lane];
    if (address >= size || request.kind.bytes > size - address ||
        address & (request.kind.bytes - 1)) {
      failLane(request, lane);
    }
    pointers.of[lane] = request.warp.local(lane) + address;
  }
  pointers.contiguous = false;
}

void takeParameters(const AccessRequest &request, LanePointers &pointers) {
  const std::vector<std::byte> &parameters = request.warp.block.parameters();
  for (LaneMask rest = request.lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = request.addresses[lane];
    if (address >= parameters.size() ||
        request.kind.bytes > parameters.size() - address ||
        address & (request.kind.bytes - 1) || request.kind.writes()) {
      failLane(request, lane);
    }
    // nobody writes to it
    pointers.of[lane] = const_cast<std::byte *>(parameters.data()) + address;
  }
  pointers.contiguous = false;
}

/// Lanes of one space and one owner.
void takePart(AccessRequest &request, LanePointers &pointers) {
  Block &block = request.warp.block;
  const bool contiguous = request.lanes == allLanes &&
                          isContiguous(request.addresses, request.kind.bytes);
  switch (request.space) {
  case Space::global:
  case Space::constant:
    takeAll(GlobalSpace{block.grid.device.memory}, request, contiguous,
            pointers);
    break;
  case Space::shared:
    takeAll(SharedSpace{*request.owner}, request, contiguous, pointers);
    break;
  case Space::local:
    takeLocal(request, pointers);
    break;
  case Space::parameter:
    takeParameters(request, pointers);
    break;
  case Space::generic:
    break; // split
  }
  if (request.kind.writes() && !request.kind.isAtomic()) {
    request.warp.progressed();
  }
  block.observe([&](BlockObserver &observer) {
    observer.access(request.warp,
                    {request.kind, request.instruction, request.space,
                     request.lanes, request.addresses, contiguous,
                     request.owner});
  });
}

/// Shared memory: lanes may mean different blocks of the cluster.
void takeShared(AccessRequest request, LanePointers &pointers) {
  Block &block = request.warp.block;
  request.space = Space::shared;
  request.owner = &block;
  uint64_t ranks = 0;
  ACCESS_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    ranks |= request.addresses[lane];
  }
  if (!(ranks >> sharedRankShift)) {
    takePart(request, pointers);
    return;
  }
  // Either ranks, or what stands in lanes that do nothing.
  alignas(64) uint64_t offsets[warpLanes];
  for (int lane = 0; lane < warpLanes; ++lane) {
    offsets[lane] = sharedOffset(request.addresses[lane]);
  }
  const uint64_t *addresses = request.addresses;
  request.addresses = offsets;
  bool contiguous = false;
  for (LaneMask rest = request.lanes; rest;) {
    const int first = std::countr_zero(rest);
    Block *owner =
        addresses[first] >> 32 ? nullptr : block.sharedOwner(addresses[first]);
    if (!owner) {
      AccessRequest outside = request;
      outside.addresses = addresses;
      failRank(outside, first);
    }
    LaneMask same = 0;
    for (LaneMask others = rest; others; others &= others - 1) {
      const int lane = std::countr_zero(others);
      same |= LaneMask(!(addresses[lane] >> 32) &&
                       block.sharedOwner(addresses[lane]) == owner)
              << lane;
    }
    rest &= ~same;
    request.lanes = same;
    request.owner = owner;
    if (owner != &block && owner->isDone()) {
      failExited(request, first);
    }
    takePart(request, pointers);
    contiguous = pointers.contiguous && same == allLanes;
  }
  pointers.contiguous = contiguous;
}

struct Window {
  Space space;
  uint64_t begin;
};

Window windowOf(uint64_t address) {
  if (isInWindow(address, sharedWindow)) {
    return {Space::shared, sharedWindow};
  }
  if (isInWindow(address, localWindow)) {
    return {Space::local, localWindow};
  }
  if (isInWindow(address, parameterWindow)) {
    return {Space::parameter, parameterWindow};
  }
  return {Space::global, 0};
}

/// PTX ISA, "Generic Addressing": each lane's address says its space.
void takeGeneric(AccessRequest request, LanePointers &pointers) {
  alignas(64) uint64_t offsets[warpLanes];
  const uint64_t *addresses = request.addresses;
  bool contiguous = false;
  for (LaneMask rest = request.lanes; rest;) {
    const Window window = windowOf(addresses[std::countr_zero(rest)]);
    LaneMask same = 0;
    for (LaneMask others = rest; others; others &= others - 1) {
      const int lane = std::countr_zero(others);
      same |= LaneMask(windowOf(addresses[lane]).space == window.space) << lane;
    }
    rest &= ~same;
    for (int lane = 0; lane < warpLanes; ++lane) {
      offsets[lane] = addresses[lane] - window.begin;
    }
    request.addresses = offsets;
    request.lanes = same;
    request.space = window.space;
    if (window.space == Space::shared) {
      takeShared(request, pointers);
    } else {
      takePart(request, pointers);
    }
    contiguous = pointers.contiguous && same == allLanes;
  }
  pointers.contiguous = contiguous;
}

} // namespace

void cheems::emulator::access(Warp &warp, const Instruction &instruction,
                              const AccessKind &kind, const uint64_t *addresses,
                              LaneMask active, LanePointers &pointers) {
  AccessRequest request{warp,   instruction, kind,   addresses,
                        active, kind.space,  nullptr};
  switch (kind.space) {
  case Space::generic:
    takeGeneric(request, pointers);
    break;
  case Space::shared:
    takeShared(request, pointers);
    break;
  default:
    takePart(request, pointers);
  }
}

std::byte *cheems::emulator::range(Warp &warp, const Instruction &instruction,
                                   Space space, Block &block, uint64_t address,
                                   uint64_t bytes, bool writes,
                                   bool mayBeUninitialised) {
  auto find = [&](const auto &memory) -> std::byte * {
    const uint64_t offset = address - memory.begin();
    if (offset >= memory.size() || bytes > memory.size() - offset ||
        (bytes && !take(memory.state(offset), bytes,
                        !writes && !mayBeUninitialised, writes))) {
      failRange(warp, instruction, space, block, address, bytes, writes,
                mayBeUninitialised);
    }
    if (writes) {
      warp.progressed();
    }
    return memory.data(offset);
  };
  switch (space) {
  case Space::shared:
    return find(SharedSpace{block});
  case Space::parameter: {
    const std::vector<std::byte> &parameters = block.parameters();
    if (writes || address >= parameters.size() ||
        bytes > parameters.size() - address) {
      failRange(warp, instruction, space, block, address, bytes, writes,
                mayBeUninitialised);
    }
    return const_cast<std::byte *>(parameters.data()) + address;
  }
  default:
    return find(GlobalSpace{block.grid.device.memory});
  }
}
