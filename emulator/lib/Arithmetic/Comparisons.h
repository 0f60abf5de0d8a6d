//===- Comparisons.h - set and setp in a lane -------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_COMPARISONS_H
#define CHEEMS_EMULATOR_ARITHMETIC_COMPARISONS_H

#include "Formats.h"

#include <cstddef>
#include <cstdint>

namespace cheems::emulator::lanes {

/// PTX ISA, "Comparisons". Those with a u are true if an operand is NaN. `lo`,
/// `ls`, `hi` and `hs` are other names of lt, le, gt and ge.
enum class Comparison : uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
};
constexpr std::size_t integerComparisons = 6, allComparisons = 14;

/// Compares integers, f32s or f64s.
template <Comparison comparison, typename T>
CHEEMS_LANE bool compare(T a, T b) {
  switch (comparison) {
  case Comparison::eq:
    return a == b;
  case Comparison::ne: // "If either operand is NaN, the result is False."
    return a < b || a > b;
  case Comparison::lt:
    return a < b;
  case Comparison::le:
    return a <= b;
  case Comparison::gt:
    return a > b;
  case Comparison::ge:
    return a >= b;
  case Comparison::equ:
    return !(a < b || a > b);
  case Comparison::neu:
    return !(a == b);
  case Comparison::ltu:
    return !(a >= b);
  case Comparison::leu:
    return !(a > b);
  case Comparison::gtu:
    return !(a <= b);
  case Comparison::geu:
    return !(a < b);
  case Comparison::num:
    return a == a && b == b;
  case Comparison::nan:
    return !(a == a && b == b);
  }
}

template <Comparison comparison>
CHEEMS_LANE bool compareFlushed(float a, float b) {
  return compare<comparison>(flush(a), flush(b));
}

/// Compares two numbers of a format, which are in the 16 bits from `shift` on.
/// Each number of the format is an f32, too.
template <const Format &format, Comparison comparison, bool flushes,
          typename Word, int shift>
CHEEMS_LANE bool compareHalves(Word a, Word b) {
  auto number = [](Word word) {
    auto code = static_cast<uint16_t>(word >> shift);
    if (flushes && !(code & format.infinity())) {
      code &= 0x8000;
    }
    return widen<format>(code);
  };
  return compare<comparison>(number(a), number(b));
}

} // namespace cheems::emulator::lanes

#endif
