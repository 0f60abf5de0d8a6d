//===- Floats.h - Floating-point operations of a lane -----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_FLOATS_H
#define CHEEMS_EMULATOR_ARITHMETIC_FLOATS_H

#include "Approximations.h"
#include "Formats.h"

#include <cstdint>
#include <type_traits>

/// PTX ISA, "Floating-Point Instructions" and "Half Precision Floating-Point
/// Instructions".
namespace cheems::emulator::lanes {

// Operations. They round as the host does; IEEE 754 defines all of their bits
// except those of NaNs.

struct Add {
  template <typename T> CHEEMS_LANE static T of(T a, T b) { return a + b; }
};
struct Subtract {
  template <typename T> CHEEMS_LANE static T of(T a, T b) { return a - b; }
};
struct Multiply {
  template <typename T> CHEEMS_LANE static T of(T a, T b) { return a * b; }
};
struct Divide {
  template <typename T> CHEEMS_LANE static T of(T a, T b) { return a / b; }
};
/// div.approx: "For 2^126 < |b| < 2^128, if a is infinity, div.approx.f32
/// returns NaN, otherwise it returns a sign-preserving zero"; else at most
/// 2 ulp: we give the nearest.
struct DivideApproximately {
  CHEEMS_LANE static float of(float a, float b) {
    uint32_t great = as<uint32_t>(b) & 0x7fffffff;
    uint32_t sign = (as<uint32_t>(a) ^ as<uint32_t>(b)) & 0x80000000;
    bool isNumber = (as<uint32_t>(a) & 0x7fffffff) < 0x7f800000;
    float special = as<float>(isNumber ? sign : canonicalNaN);
    return great > 0x7e800000 && great < 0x7f800000 ? special : a / b;
  }
};
struct FusedMultiplyAdd {
  CHEEMS_LANE static float of(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  CHEEMS_LANE static double of(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};
struct Reciprocal {
  template <typename T> CHEEMS_LANE static T of(T a) { return 1 / a; }
};
struct SquareRoot {
  CHEEMS_LANE static float of(float a) { return __builtin_sqrtf(a); }
  CHEEMS_LANE static double of(double a) { return __builtin_sqrt(a); }
};
struct ReciprocalRoot {
  CHEEMS_LANE static float of(float a) { return rsqrt(a); }
  CHEEMS_LANE static double of(double a) { return 1 / __builtin_sqrt(a); }
};
struct Exponential {
  CHEEMS_LANE static float of(float a) { return ex2(a); }
};
struct Logarithm {
  CHEEMS_LANE static float of(float a) { return lg2(a); }
};
struct Sine {
  CHEEMS_LANE static float of(float a) { return lanes::sin(a); }
};
struct Cosine {
  CHEEMS_LANE static float of(float a) { return lanes::cos(a); }
};
struct HyperbolicTangent {
  CHEEMS_LANE static float of(float a) { return lanes::tanh(a); }
};

template <typename> using Float = float;
template <typename> using Double = double;

/// An operation of f32 with .ftz and .sat.
template <typename Operation, bool flushes, bool saturates, typename... T>
CHEEMS_LANE float single(T... operands) {
  return result<flushes, saturates>(
      Operation::of(operand<flushes>(operands)...));
}
/// An operation of f64.
template <typename Operation, typename... T>
CHEEMS_LANE double real(T... operands) {
  return passNaN(Operation::of(operands...), operands...);
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper 32 bits, to
/// 20 bits of the fraction.
template <typename Operation> CHEEMS_LANE double gross(double a) {
  uint64_t bits = as<uint64_t>(a) & 0xffffffff00000000;
  constexpr uint64_t exponent = 0x7ff0000000000000;
  constexpr uint64_t sign = 0x8000000000000000;
  bits = bits & exponent ? bits : bits & sign;
  uint64_t code = as<uint64_t>(Operation::of(as<double>(bits)));
  code = (code + 0x80000000) & 0xffffffff00000000;
  code = code & exponent ? code : code & sign;
  return as<double>((code & ~sign) > exponent ? 0x7fffffff00000000 : code);
}

// min and max by codes: a code's magnitude orders numbers of one sign, so that
// -0 is less than +0 and subnormals need no arithmetic.

template <typename Code>
constexpr Code signOf = Code(Code(1) << (8 * sizeof(Code) - 1));

template <typename Code> CHEEMS_LANE auto order(Code code) {
  using Signed = std::make_signed_t<Code>;
  return Signed(code & signOf<Code> ? code ^ Code(~signOf<Code>) : code);
}

/// What min and max have as modifiers.
enum ExtremumModifiers : uint8_t {
  greatestOfTwo = 1,
  flushesOperands = 2,
  passesNaN = 4,
  xorsSigns = 8,
};

template <const Format &format, typename Code, int modifiers>
CHEEMS_LANE Code extremum(Code a, Code b) {
  constexpr Code sign = signOf<Code>;
  constexpr Code infinity = Code(format.infinity());
  if constexpr (modifiers & flushesOperands) {
    a = a & infinity ? a : Code(a & sign);
    b = b & infinity ? b : Code(b & sign);
  }
  Code xored = Code((a ^ b) & sign);
  if constexpr (modifiers & xorsSigns) {
    a &= Code(~sign);
    b &= Code(~sign);
  }
  bool aIsNaN = Code(a & ~sign) > infinity, bIsNaN = Code(b & ~sign) > infinity;
  bool takeA =
      modifiers & greatestOfTwo ? order(a) > order(b) : order(a) < order(b);
  Code chosen = takeA ? a : b;
  // f64 passes its NaNs on.
  constexpr Code quietBit = Code(1) << (format.fractionBits - 1);
  Code nan =
      sizeof(Code) == 8 ? Code((aIsNaN ? a : b) | quietBit) : Code(format.nan);
  bool isNaN = modifiers & passesNaN ? aIsNaN || bIsNaN : aIsNaN && bIsNaN;
  Code number = aIsNaN ? b : bIsNaN ? a : chosen;
  if constexpr (modifiers & xorsSigns) {
    number |= xored;
  }
  return isNaN ? nan : number;
}

// f16 and bf16. A sum of two is exact enough in f32: rounding it once more is
// as rounding once, because f32 has twice the bits and two more.

template <const Format &format> CHEEMS_LANE uint16_t flushHalf(uint16_t code) {
  return code & format.infinity() ? code : uint16_t(code & 0x8000);
}

enum HalfModifiers : uint8_t { flushesHalves = 1, saturatesHalf = 2, relu = 4 };

template <const Format &format, int modifiers>
CHEEMS_LANE uint16_t halfResult(float value) {
  // The format can represent 0 and 1, so clamping before rounding gives the
  // same as clamping after it.
  if constexpr (modifiers & saturatesHalf) {
    value = saturate(value);
  }
  if constexpr (modifiers & relu) {
    value = value > 0 || isNaN(value) ? value : 0;
  }
  uint16_t code = narrow<format>(value);
  return modifiers & flushesHalves ? flushHalf<format>(code) : code;
}

template <const Format &format, int modifiers>
CHEEMS_LANE float halfOperand(uint16_t code) {
  return widen<format>(modifiers & flushesHalves ? flushHalf<format>(code)
                                                 : code);
}

struct HalfAdd {
  template <const Format &format>
  CHEEMS_LANE static float of(float a, float b) {
    return a + b;
  }
};
struct HalfSubtract {
  template <const Format &format>
  CHEEMS_LANE static float of(float a, float b) {
    return a - b;
  }
};
struct HalfMultiply {
  template <const Format &format>
  CHEEMS_LANE static float of(float a, float b) {
    // bf16 has the exponents of f32, so its products may be subnormal there.
    return format.exponentBits == 8 ? roundToOdd(double(a) * double(b)) : a * b;
  }
};
struct HalfFusedMultiplyAdd {
  template <const Format &format>
  CHEEMS_LANE static float of(float a, float b, float c) {
    return format.exponentBits == 8
               ? roundToOdd(addToOdd<double>(double(a) * double(b), c))
               : addToOdd<float>(a * b, c);
  }
};
/// ex2.approx of f16 has a relative error of 2^-9.9 and bf16 one of 2^-7;
/// tanh.approx has an absolute error of 2^-10.987 and 2^-8. We give the
/// nearest, or its neighbour.
template <typename Operation> struct HalfApproximation {
  template <const Format &format> CHEEMS_LANE static float of(float a) {
    return Operation::of(a);
  }
};

template <typename Operation, const Format &format, int modifiers,
          typename... T>
CHEEMS_LANE uint16_t half(T... operands) {
  return halfResult<format, modifiers>(Operation::template of<format>(
      halfOperand<format, modifiers>(operands)...));
}

} // namespace cheems::emulator::lanes

#endif
