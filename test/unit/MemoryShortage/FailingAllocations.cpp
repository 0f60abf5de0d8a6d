#include "FailingAllocations.h"
#include <cstdlib>
#include <new>

namespace {
thread_local bool limited = false, refused = false;
thread_local int64_t left = 0;

void *allocate(size_t bytes) noexcept {
  if (limited && left-- <= 0) {
    refused = true;
    return nullptr;
  }
  return std::malloc(bytes == 0 ? 1 : bytes);
}
} // namespace

namespace cheems::test {

FailingAllocations::FailingAllocations(int64_t blocks) {
  left = blocks;
  refused = false;
  limited = true;
}
FailingAllocations::~FailingAllocations() { limited = false; }

bool FailingAllocations::threw() const { return refused; }

} // namespace cheems::test

// Every form that a sanitizer replaces too, so that none frees another's block.
void *operator new(size_t bytes) {
  void *memory = allocate(bytes);
  return memory ? memory : throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes);
}
void *operator new[](size_t bytes) { return operator new(bytes); }
void *operator new[](size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  std::free(memory);
}
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept {
  std::free(memory);
}
