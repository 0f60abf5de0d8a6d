//===- Types.h - The types that modifiers name ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_TYPES_H
#define CHEEMS_EMULATOR_DECODE_TYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace cheems::emulator {

/// Types of PTX ISA, "Fundamental Types", "Alternate Floating-Point Data
/// Formats" and "Packed Data Types".
// clang-format off
enum class Type : uint8_t {
  pred,
  b8, b16, b32, b64, b128, b1024,
  u8, u16, u32, u64, u4, b1,
  s8, s16, s32, s64, s4,
  f16, bf16, f32, f64, tf32,
  f16x2, bf16x2, u16x2, s16x2, f32x2,
  e4m3, e5m2, e2m1, e3m2, e2m3, ue8m0,
  e4m3x2, e5m2x2, e4m3x4, e5m2x4, e2m1x2, e3m2x2, e2m3x2, ue8m0x2,
};
// clang-format on

/// Nothing if a modifier is no type.
std::optional<Type> parseType(std::string_view modifier);
std::string_view name(Type type);

/// Bits of a value; 1 of a predicate.
int bits(Type type);

constexpr bool isSigned(Type type) {
  return type >= Type::s8 && type <= Type::s4;
}
constexpr bool isUnsigned(Type type) {
  return type >= Type::u8 && type <= Type::b1;
}
constexpr bool isBits(Type type) {
  return type >= Type::b8 && type <= Type::b1024;
}
/// f16, bf16, f32 and f64
constexpr bool isFloat(Type type) {
  return type >= Type::f16 && type <= Type::f64;
}
constexpr bool isInteger(Type type) {
  return isSigned(type) || isUnsigned(type);
}

} // namespace cheems::emulator

#endif
