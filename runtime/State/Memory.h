// A block of zeroed memory straight from the kernel: pages cost nothing until
// they are touched. AddressSanitizer sees redzones on both sides.
#ifndef CHEEMS_RUNTIME_STATE_MEMORY_H
#define CHEEMS_RUNTIME_STATE_MEMORY_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cheems {

class Memory {
public:
  /// Page-aligned; at least one byte. Throws Error "cannot allocate N bytes for
  /// `purpose`".
  Memory(int64_t bytes, const std::string &purpose);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  char *data() const { return base; }
  int64_t bytes() const { return size; }
  /// What that is for a block of so many.
  static int64_t sizeOf(int64_t bytes) { return std::max<int64_t>(bytes, 1); }

  /// For AddressSanitizer the block ends after its first `bytes` from now on,
  /// at most its size; no effect in other builds.
  void confine(int64_t bytes);

  /// Gives the pages that lie wholly in [offset, offset + bytes) back to the
  /// kernel; they are zero again.
  void release(int64_t offset, int64_t bytes);

private:
  /// Returns the end of the mapping, redzone included.
  char *end() const;

  char *base;
  int64_t size, visible;
};

} // namespace cheems

#endif
