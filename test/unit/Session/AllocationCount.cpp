#include "AllocationCount.h"
#include <atomic>
#include <cerrno>
#include <cstddef>

// glibc's own names for what the functions below stand in front of; operator
// new comes here as well.
// NOLINTBEGIN(clang-diagnostic-reserved-identifier,readability-identifier-naming):
// the names are glibc's
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
}
// NOLINTEND(clang-diagnostic-reserved-identifier,readability-identifier-naming)

static std::atomic<int64_t> count{0};

int64_t cheems::test::allocations() { return count; }

extern "C" {
void *malloc(size_t bytes) {
  ++count;
  return __libc_malloc(bytes);
}
void *calloc(size_t items, size_t bytes) {
  ++count;
  return __libc_calloc(items, bytes);
}
void *realloc(void *memory, size_t bytes) {
  ++count;
  return __libc_realloc(memory, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  ++count;
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}
