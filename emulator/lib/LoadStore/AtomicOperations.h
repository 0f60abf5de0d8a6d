//===- AtomicOperations.h - What atom and red compute ------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LOADSTORE_ATOMICOPERATIONS_H
#define CHEEMS_EMULATOR_LOADSTORE_ATOMICOPERATIONS_H

#include "Lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

/// PTX ISA, "Parallel Synchronization and Communication Instructions: atom". An
/// operation is a type with the Element that it works on and
/// `apply(old, b, c, flushes)`, the new value in memory.
namespace cheems::emulator::atomic {

template <typename T> struct And {
  using Element = T;
  static T apply(T old, T b, T, bool) { return old & b; }
};
template <typename T> struct Or {
  using Element = T;
  static T apply(T old, T b, T, bool) { return old | b; }
};
template <typename T> struct Xor {
  using Element = T;
  static T apply(T old, T b, T, bool) { return old ^ b; }
};
template <typename T> struct Exchange {
  using Element = T;
  static T apply(T, T b, T, bool) { return b; }
};
/// `b` is what memory must have, `c` what it gets.
template <typename T> struct CompareAndSwap {
  using Element = T;
  static T apply(T old, T b, T c, bool) { return old == b ? c : old; }
};
/// Wraps around.
template <typename T> struct Add {
  using Element = T;
  static T apply(T old, T b, T, bool) {
    using Unsigned = std::make_unsigned_t<T>;
    return T(Unsigned(old) + Unsigned(b));
  }
};
template <typename T> struct Min {
  using Element = T;
  static T apply(T old, T b, T, bool) { return std::min(old, b); }
};
template <typename T> struct Max {
  using Element = T;
  static T apply(T old, T b, T, bool) { return std::max(old, b); }
};
struct Increment {
  using Element = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool) {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  using Element = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool) {
    return old == 0 || old > b ? b : old - 1;
  }
};

/// "Current implementation of atom.add.f32 on global memory flushes subnormal
/// inputs and results to sign-preserving zero; whereas atom.add.f32 on shared
/// memory supports subnormal inputs and results."
struct AddSingle {
  using Element = uint32_t;
  static float flush(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                  : value;
  }
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool flushes) {
    float x = std::bit_cast<float>(old), y = std::bit_cast<float>(b);
    float sum = flushes ? flush(flush(x) + flush(y)) : x + y;
    return std::isnan(sum) ? 0x7fffffff : std::bit_cast<uint32_t>(sum);
  }
};
struct AddDouble {
  using Element = uint64_t;
  static uint64_t apply(uint64_t old, uint64_t b, uint64_t, bool) {
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) +
                                   std::bit_cast<double>(b));
  }
};

/// f16 and bf16 as f32, which holds all of their values, and back, rounded to
/// nearest even. A sum of two of them that is rounded to f32 first is the same:
/// f32 has more than twice their bits and two more.
struct Half {
  static float widen(uint16_t bits) {
    uint32_t sign = uint32_t(bits & 0x8000) << 16;
    uint32_t magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00) {
      return std::bit_cast<float>(sign | 0x7f800000 |
                                  (magnitude & 0x3ff) << 13);
    }
    float value = std::ldexp(float(magnitude & 0x3ff) +
                                 (magnitude >= 0x400 ? 1024.0f : 0.0f),
                             std::max(int(magnitude >> 10), 1) - 25);
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  static uint16_t narrow(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint16_t sign = bits >> 16 & 0x8000;
    if (std::isnan(value)) {
      return 0x7fff;
    }
    float magnitude = std::fabs(value);
    if (magnitude >= 65520.0f) {
      return sign | 0x7c00;
    }
    // The last bit of the result weighs 2^(exponent - 10).
    int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
    auto units = uint32_t(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    return sign | ((uint32_t(exponent + 14) << 10) + units);
  }
};
struct BrainFloat {
  static float widen(uint16_t bits) {
    return std::bit_cast<float>(uint32_t(bits) << 16);
  }
  static uint16_t narrow(float value) {
    if (std::isnan(value)) {
      return 0x7fff;
    }
    uint32_t bits = std::bit_cast<uint32_t>(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
};

inline float addSmall(float x, float y) { return x + y; }
/// NaN only if both are, and -0 is less than +0 (PTX ISA, "Floating Point
/// Instructions: min" and "max").
inline float minSmall(float x, float y) {
  return std::isnan(x)                                           ? y
         : std::isnan(y) || x < y || (x == y && std::signbit(x)) ? x
                                                                 : y;
}
inline float maxSmall(float x, float y) {
  return std::isnan(x)                                            ? y
         : std::isnan(y) || x > y || (x == y && !std::signbit(x)) ? x
                                                                  : y;
}

/// .noftz: subnormals stay.
template <typename Format, float (*compute)(float, float)> struct Small {
  using Element = uint16_t;
  static uint16_t apply(uint16_t old, uint16_t b, uint16_t, bool) {
    return Format::narrow(compute(Format::widen(old), Format::widen(b)));
  }
};
/// Both halves of .f16x2 and .bf16x2.
template <typename Format, float (*compute)(float, float)> struct SmallPair {
  using Element = uint32_t;
  static uint32_t apply(uint32_t old, uint32_t b, uint32_t, bool) {
    using One = Small<Format, compute>;
    return One::apply(uint16_t(old), uint16_t(b), 0, false) |
           uint32_t(One::apply(old >> 16, b >> 16, 0, false)) << 16;
  }
};

} // namespace cheems::emulator::atomic

#endif
