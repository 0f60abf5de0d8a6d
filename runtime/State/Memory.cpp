#include "runtime/State/Memory.h"
#include "runtime/Error.h"
#include "runtime/Redzones.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace cheems;

namespace {

/// This is the size of each redzone: whole pages, so that the block stays
/// page-aligned.
constexpr size_t kRedzone = kAddressSanitizer ? 65536 : 0;

/// Returns the size of the mapping: the block up to a multiple of 64 between
/// two redzones.
size_t mappedBytes(int64_t size) {
  return kAddressSanitizer
             ? (static_cast<size_t>(size) + 63) / 64 * 64 + 2 * kRedzone
             : static_cast<size_t>(size);
}

} // namespace

Memory::Memory(int64_t bytes, const std::string &purpose)
    : size(sizeOf(bytes)) {
  // Without MAP_NORESERVE: the kernel refuses at once what this machine could
  // never hold.
  void *mapped = mmap(nullptr, mappedBytes(size), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw MemoryShort("cannot allocate " + std::to_string(size) +
                      " bytes for " + purpose + ": " + std::strerror(errno));
  }
  base = static_cast<char *>(mapped) + kRedzone;
  forbid(mapped, base);
  forbid(base + size, end());
  visible = size;
}

Memory::~Memory() {
  char *mapped = base - kRedzone;
  allow(mapped, end());
  munmap(mapped, mappedBytes(size));
}

void Memory::confine(int64_t bytes) {
  auto end = [&](int64_t from) { return base + (from + 7) / 8 * 8; };
  if (bytes > visible) {
    allow(base + visible / 8 * 8, end(bytes));
  }
  forbid(base + bytes, end(std::max(bytes, visible)));
  visible = bytes;
}

void Memory::release(int64_t offset, int64_t bytes) {
  int64_t page = sysconf(_SC_PAGESIZE); // the base is a multiple of it
  int64_t begin = (offset + page - 1) / page * page,
          end = (offset + bytes) / page * page;
  if (begin < end) {
    madvise(base + begin, static_cast<size_t>(end - begin), MADV_DONTNEED);
  }
}

char *Memory::end() const { return base - kRedzone + mappedBytes(size); }
