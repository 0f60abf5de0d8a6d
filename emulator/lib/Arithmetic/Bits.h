//===- Bits.h - Numbers as bits, NaNs, and flushing -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_BITS_H
#define CHEEMS_EMULATOR_ARITHMETIC_BITS_H

#include <cstdint>

/// A function of one lane. It becomes part of the loop over lanes that calls
/// it, and so it is compiled for the loop's instruction set.
#define CHEEMS_LANE [[gnu::always_inline]] inline

/// Functions of one lane: what the PTX ISA says of an instruction's values.
/// All of them give the same bits on every host.
namespace cheems::emulator::lanes {

template <typename To, typename From> CHEEMS_LANE To as(From value) {
  return __builtin_bit_cast(To, value);
}

/// PTX ISA, "Floating-Point Instructions": single precision returns an
/// unspecified NaN. Which of two NaNs a host's sum returns depends on how its
/// compiler orders them, so all of ours are this one, which GPUs return.
constexpr uint32_t canonicalNaN = 0x7fffffff;
/// f16 and bf16
constexpr uint16_t canonicalHalfNaN = 0x7fff;
/// Invalid operations of f64. NaNs of the operands are passed on.
constexpr uint64_t canonicalDoubleNaN = 0xfff8000000000000;

CHEEMS_LANE bool isNaN(float value) { return value != value; }
CHEEMS_LANE bool isNaN(double value) { return value != value; }

/// .ftz: "flushes subnormal inputs and results to sign-preserving zero".
CHEEMS_LANE float flush(float value) {
  uint32_t bits = as<uint32_t>(value);
  return as<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
template <bool flushes> CHEEMS_LANE float operand(float value) {
  return flushes ? flush(value) : value;
}

/// The test is one of integers: to a compiler all NaNs are equal, so it may
/// drop a choice between two of them.
CHEEMS_LANE float canonical(float value) {
  uint32_t bits = as<uint32_t>(value);
  return as<float>((bits & 0x7fffffff) > 0x7f800000 ? canonicalNaN : bits);
}

/// .sat: "clamps the result to [0.0, 1.0]. NaN results are flushed to +0.0f".
template <typename T> CHEEMS_LANE T saturate(T value) {
  return value > 0 ? (value < 1 ? value : T(1)) : T(0);
}

/// What the modifiers make of a result.
template <bool flushes, bool saturates> CHEEMS_LANE float result(float value) {
  value = flushes ? flush(value) : value;
  return saturates ? saturate(value) : canonical(value);
}

/// PTX ISA, "Floating-Point Instructions": "NaN payloads are supported for
/// double-precision instructions". The first NaN among the operands is passed
/// on, as a quiet one.
CHEEMS_LANE uint64_t passedNaN(uint64_t bits) { return bits; }
template <typename... T>
CHEEMS_LANE uint64_t passedNaN(uint64_t bits, double a, T... others) {
  uint64_t operand = as<uint64_t>(a);
  bool isNaN = (operand & 0x7fffffffffffffff) > 0x7ff0000000000000;
  return isNaN ? operand | 0x0008000000000000 : passedNaN(bits, others...);
}
template <typename... T>
CHEEMS_LANE double passNaN(double value, T... operands) {
  uint64_t bits = as<uint64_t>(value);
  bool isNaN = (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
  return as<double>(isNaN ? passedNaN(canonicalDoubleNaN, operands...) : bits);
}

} // namespace cheems::emulator::lanes

#endif
