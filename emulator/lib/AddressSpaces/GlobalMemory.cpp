//===- GlobalMemory.cpp ---------------------------------------------------===//
#include "GlobalMemory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace cheems::emulator {
namespace {

/// So many bytes after each allocation stay unused.
constexpr uint64_t gap = 256;

uint64_t roundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Address space that costs nothing until it is touched.
void *reserve(uint64_t bytes) {
  void *made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return made;
}

/// Pages that lie wholly in a range.
void giveBack(std::byte *begin, uint64_t bytes) {
  constexpr uint64_t page = 4096;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uint64_t skipped = roundUp(address, page) - address;
  if (bytes > skipped) {
    madvise(begin + skipped, (bytes - skipped) / page * page, MADV_DONTNEED);
  }
}

constexpr uint8_t linePatterns[] = {1};
constexpr uint8_t statePatterns[] = {uint8_t(ByteState::uninitialised),
                                     uint8_t(ByteState::initialised),
                                     uint8_t(ByteState::freed)};

} // namespace

GlobalMemory::GlobalMemory(uint64_t bytes)
    : states_(bytes, statePatterns),
      lines_(bytes / lineBytes + 1, linePatterns), bytes_(bytes) {
  data_ = static_cast<std::byte *>(reserve(bytes));
  free_[0] = bytes;
}

GlobalMemory::~GlobalMemory() { munmap(data_, bytes_); }

void GlobalMemory::setLines(uint64_t offset, uint64_t bytes,
                            bool areInitialised) {
  const uint64_t end = offset + bytes;
  const uint64_t first = areInitialised ? (offset + lineBytes - 1) / lineBytes
                                        : offset / lineBytes;
  const uint64_t last =
      areInitialised ? end / lineBytes : (end + lineBytes - 1) / lineBytes;
  if (first < last) {
    lines_.fill(first, last - first, areInitialised);
  }
}

void GlobalMemory::copyStates(uint64_t to, uint64_t from, uint64_t bytes) {
  std::memmove(state(to), state(from), bytes);
  setLines(to - base, bytes, false);
}

std::optional<uint64_t> GlobalMemory::allocate(uint64_t bytes,
                                               uint64_t alignment) {
  if (bytes == 0 || bytes > bytes_) {
    return std::nullopt;
  }
  alignment = std::max<uint64_t>(alignment, 256);
  // The hole that was never used comes first, so that a pointer to freed memory
  // meets nothing new for as long as possible.
  auto fits = [&](uint64_t hole, uint64_t size) {
    uint64_t begin = roundUp(base + hole, alignment) - base;
    return begin - hole <= size && bytes + gap <= size - (begin - hole);
  };
  auto best = free_.end();
  for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
    if (fits(hole->first, hole->second) &&
        (best == free_.end() || hole->second > best->second)) {
      best = hole;
    }
  }
  if (best == free_.end()) {
    return std::nullopt;
  }
  auto [hole, size] = *best;
  uint64_t begin = roundUp(base + hole, alignment) - base;
  uint64_t end = roundUp(begin + bytes + gap, 256);
  end = std::min(end, hole + size);
  free_.erase(best);
  if (begin > hole) {
    free_[hole] = begin - hole;
  }
  if (end < hole + size) {
    free_[end] = hole + size - end;
  }
  live_[base + begin] = bytes;
  used_ += end - begin;
  setStates(base + begin, bytes, ByteState::uninitialised);
  setStates(base + begin + bytes, end - begin - bytes, ByteState::unallocated);
  return base + begin;
}

bool GlobalMemory::free(uint64_t address) {
  auto found = live_.find(address);
  if (found == live_.end()) {
    return false;
  }
  uint64_t begin = address - base, bytes = found->second;
  uint64_t end = std::min(roundUp(begin + bytes + gap, 256), bytes_);
  setStates(address, bytes, ByteState::freed);
  giveBack(data_ + begin, bytes);
  live_.erase(found);
  used_ -= end - begin;
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == end) {
    end += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == begin) {
      before->second = end - before->first;
      return true;
    }
  }
  free_[begin] = end - begin;
  return true;
}

std::optional<GlobalMemory::Allocation>
GlobalMemory::find(uint64_t address) const {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) {
    return std::nullopt;
  }
  auto [begin, bytes] = *std::prev(after);
  if (address - begin >= bytes) {
    return std::nullopt;
  }
  return Allocation{begin, bytes};
}

std::vector<GlobalMemory::Allocation> GlobalMemory::live() const {
  std::vector<Allocation> all;
  all.reserve(live_.size());
  for (auto [address, bytes] : live_) {
    all.push_back({address, bytes});
  }
  return all;
}

uint64_t GlobalMemory::freeBytes() const { return bytes_ - used_; }

bool GlobalMemory::contains(uint64_t address, uint64_t bytes) const {
  auto found = find(address);
  return found && bytes <= found->bytes - (address - found->address);
}

} // namespace cheems::emulator
