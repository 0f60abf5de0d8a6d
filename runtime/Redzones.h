// Bytes that instrumented code must not touch, in builds with AddressSanitizer;
// nothing at all in others.
#ifndef CHEEMS_RUNTIME_REDZONES_H
#define CHEEMS_RUNTIME_REDZONES_H

#include <cstddef>

#ifdef CHEEMS_ADDRESS_SANITIZER
#include <cstdint>
#include <sanitizer/asan_interface.h>
#endif

namespace cheems {

#ifdef CHEEMS_ADDRESS_SANITIZER
constexpr bool kAddressSanitizer = true;

/// Any access from `begin` up to `end`, a multiple of 8, is reported (or no
/// longer) from now on; bytes before `begin` that share its 8 are allowed.
/// Written to the shadow itself: user poisoning is off where LLVM is linked.
/// Volatile, because a memset would be checked.
__attribute__((no_sanitize("address"))) inline void
mark(const void *begin, const void *end, unsigned char value) {
  size_t scale, offset;
  __asan_get_shadow_mapping(&scale, &offset);
  auto from = reinterpret_cast<uintptr_t>(begin),
       to = reinterpret_cast<uintptr_t>(end);
  auto *shadow =
      reinterpret_cast<volatile unsigned char *>((from >> scale) + offset);
  auto *last =
      reinterpret_cast<volatile unsigned char *>((to >> scale) + offset);
  uintptr_t before = from & ((uintptr_t{1} << scale) - 1);
  if (before != 0 && shadow != last) {
    *shadow++ = static_cast<unsigned char>(value == 0 ? 0 : before);
  }
  while (shadow != last) {
    *shadow++ = value;
  }
}
inline void forbid(const void *begin, const void *end) {
  constexpr unsigned char userMark = 0xf7;
  mark(begin, end, userMark);
}
inline void allow(const void *begin, const void *end) { mark(begin, end, 0); }
#else
constexpr bool kAddressSanitizer = false;
inline void forbid(const void *, const void *) {}
inline void allow(const void *, const void *) {}
#endif

} // namespace cheems

#endif
