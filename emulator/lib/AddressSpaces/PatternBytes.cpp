//===- PatternBytes.cpp ---------------------------------------------------===//
#include "PatternBytes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace cheems::emulator;

namespace {

constexpr uint64_t pageBytes = 4096;
/// Less is written: a change of the map costs as much as so many bytes.
constexpr uint64_t worthMapping = uint64_t(1) << 18;
/// A process has some ten thousand maps, one for each piece of a pattern.
constexpr uint64_t pieces = 4096, smallestPattern = uint64_t(1) << 20;

uint64_t roundUp(uint64_t value) {
  return (value + pageBytes - 1) / pageBytes * pageBytes;
}

constexpr int protection = PROT_READ | PROT_WRITE;
constexpr int flags = MAP_PRIVATE | MAP_NORESERVE;

} // namespace

PatternBytes::PatternBytes(uint64_t bytes, std::span<const uint8_t> values)
    : bytes_(roundUp(bytes)), values(values) {
  void *made = mmap(nullptr, bytes_, protection, flags | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) {
    throw std::bad_alloc();
  }
  data_ = static_cast<uint8_t *>(made);
}

PatternBytes::~PatternBytes() {
  munmap(data_, bytes_);
  if (file >= 0) {
    close(file);
  }
}

bool PatternBytes::map(uint8_t *pages, uint64_t bytes, uint8_t value) {
  if (!value) {
    return mmap(pages, bytes, protection, flags | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) != MAP_FAILED;
  }
  const auto found = std::find(values.begin(), values.end(), value);
  if (found == values.end()) {
    return false;
  }
  if (!patternBytes) {
    patternBytes = roundUp(std::max(bytes_ / pieces, smallestPattern));
    file = memfd_create("pattern", MFD_CLOEXEC);
    if (file >= 0) {
      const uint64_t size = patternBytes * values.size();
      void *made = ftruncate(file, static_cast<off_t>(size))
                       ? MAP_FAILED
                       : mmap(nullptr, size, protection, MAP_SHARED, file, 0);
      if (made == MAP_FAILED) {
        close(file);
        file = -1;
      } else {
        for (size_t i = 0; i < values.size(); ++i) {
          std::memset(static_cast<uint8_t *>(made) + i * patternBytes,
                      values[i], patternBytes);
        }
        munmap(made, size);
      }
    }
  }
  const auto begin =
      static_cast<uint64_t>(found - values.begin()) * patternBytes;
  while (bytes && file >= 0) {
    const uint64_t piece = std::min(bytes, patternBytes);
    if (mmap(pages, piece, protection, flags | MAP_FIXED, file,
             static_cast<off_t>(begin)) == MAP_FAILED) {
      break;
    }
    pages += piece;
    bytes -= piece;
  }
  if (bytes) { // no file, or no more maps
    std::memset(pages, value, bytes);
  }
  return true;
}

void PatternBytes::fill(uint64_t begin, uint64_t bytes, uint8_t value) {
  const uint64_t end = begin + bytes;
  const uint64_t first = roundUp(begin), last = end / pageBytes * pageBytes;
  if (bytes < worthMapping || last <= first ||
      !map(data_ + first, last - first, value)) {
    std::memset(data_ + begin, value, bytes);
    return;
  }
  std::memset(data_ + begin, value, first - begin);
  std::memset(data_ + last, value, end - last);
}
