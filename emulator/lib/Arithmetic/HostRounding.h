//===- HostRounding.h - The host's rounding mode in a scope -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_HOSTROUNDING_H
#define CHEEMS_EMULATOR_ARITHMETIC_HOSTROUNDING_H

#include "Formats.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace cheems::emulator::lanes {

/// The host's sums, products, quotients and roots round by `rounding` until the
/// end of the scope, and subnormal numbers are neither flushed nor taken as
/// zeros. Then everything is as before.
///
/// The compiler does not know of the mode. It may not move a load of an operand
/// before the constructor or a store of a result after the destructor, so what
/// comes from memory and goes to memory is computed within.
class HostRounding {
public:
  explicit HostRounding(Rounding rounding) {
#if defined(__SSE2__)
    before = _mm_getcsr();
    unsigned control = rounding == Rounding::down   ? 0x2000
                       : rounding == Rounding::up   ? 0x4000
                       : rounding == Rounding::zero ? 0x6000
                                                    : 0;
    _mm_setcsr((before & ~0xe07fu) | 0x1f80 | control);
#else
    before = std::fegetround();
    std::fesetround(rounding == Rounding::down   ? FE_DOWNWARD
                    : rounding == Rounding::up   ? FE_UPWARD
                    : rounding == Rounding::zero ? FE_TOWARDZERO
                                                 : FE_TONEAREST);
#endif
    fence();
  }
  ~HostRounding() {
    fence();
#if defined(__SSE2__)
    _mm_setcsr(before);
#else
    std::fesetround(before);
#endif
  }
  HostRounding(const HostRounding &) = delete;
  HostRounding &operator=(const HostRounding &) = delete;

private:
  static void fence() { asm volatile("" ::: "memory"); }
#if defined(__SSE2__)
  unsigned before;
#else
  int before;
#endif
};

} // namespace cheems::emulator::lanes

#endif
