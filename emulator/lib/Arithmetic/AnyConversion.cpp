//===- AnyConversion.cpp - cvt between any two types ----------------------===//
#include "Conversions.h"

using namespace cheems::emulator::lanes;

namespace {

uint64_t lowBits(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

int64_t signExtended(uint64_t value, int bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// A byte fills an element of 16 bits.
uint64_t element(const Number &type, uint64_t value) {
  int bits = type.bits == 8 ? 16 : type.bits;
  return lowBits(type.isSigned() && type.bits == 8
                     ? static_cast<uint64_t>(signExtended(value, 8))
                     : lowBits(value, type.bits),
                 bits);
}

uint64_t greatestOf(const Number &type) {
  return lowBits(~uint64_t(0), type.bits) >> type.isSigned();
}

uint64_t integerToInteger(const Conversion &conversion, uint64_t bits) {
  const Number &to = conversion.to, &from = conversion.from;
  __int128 value = from.isSigned() ? __int128(signExtended(bits, from.bits))
                                   : __int128(lowBits(bits, from.bits));
  if (conversion.saturates) {
    __int128 most = greatestOf(to), least = to.isSigned() ? -most - 1 : 0;
    value = value < least ? least : value > most ? most : value;
  }
  return element(to, static_cast<uint64_t>(value));
}

/// "NaN input results in ... Zero if source is not .f64 and destination is not
/// .s64, .u64. Otherwise 1 << (BitWidth(dst) - 1)".
uint64_t floatToInteger(const Conversion &conversion, double value) {
  const Number &to = conversion.to;
  if (isNaN(value)) {
    bool zero = conversion.from.bits != 64 && to.bits != 64;
    return element(to, zero ? 0 : uint64_t(1) << (to.bits - 1));
  }
  double whole = integral(value, conversion.rounding);
  uint64_t most = greatestOf(to);
  double above = __builtin_ldexp(1, to.bits - to.isSigned());
  if (whole >= above) {
    return element(to, most);
  }
  if (to.isSigned()) {
    return element(to, whole < -above ? ~most
                                      : static_cast<uint64_t>(
                                            static_cast<int64_t>(whole)));
  }
  return element(to, whole < 0 ? 0 : static_cast<uint64_t>(whole));
}

/// What .ftz, .sat and .relu make of a result.
uint64_t finish(const Conversion &conversion, uint64_t code) {
  const Format &format = *conversion.to.format;
  uint64_t magnitude = code & (format.sign() - 1);
  uint64_t exponent = format.infinity();
  bool isNaN = magnitude > exponent;
  if (conversion.flushes && &format == &f32 && !(magnitude & exponent)) {
    code &= format.sign();
  }
  if (conversion.saturates) {
    uint64_t one = static_cast<uint64_t>(format.bias()) << format.fractionBits;
    return isNaN || code & format.sign() ? 0 : code < one ? code : one;
  }
  return conversion.clamps && !isNaN && code & format.sign() ? 0 : code;
}

} // namespace

double cheems::emulator::lanes::decode(const Format &format, uint64_t code) {
  if (&format == &f64) {
    return as<double>(code);
  }
  if (&format == &f32) {
    return as<float>(static_cast<uint32_t>(code));
  }
  return &format == &f16 ? widen<f16>(static_cast<uint32_t>(code & 0xffff))
                         : widen<bf16>(static_cast<uint32_t>(code & 0xffff));
}

uint64_t cheems::emulator::lanes::convert(const Conversion &conversion,
                                          uint64_t bits) {
  const Number &to = conversion.to, &from = conversion.from;
  if (!from.isFloat()) {
    if (!to.isFloat()) {
      return integerToInteger(conversion, bits);
    }
    Exact exact = from.isSigned()
                      ? Exact::ofSigned(signExtended(bits, from.bits))
                      : Exact::ofUnsigned(lowBits(bits, from.bits));
    return finish(conversion, round(exact, *to.format, conversion.rounding));
  }
  if (conversion.flushes && from.format == &f32) {
    bits = bits & 0x7f800000 ? bits : bits & 0x80000000;
  }
  double value = decode(*from.format, bits);
  if (!to.isFloat()) {
    return floatToInteger(conversion, value);
  }
  if (from.format == &f64 && to.format == &f64 && isNaN(value) &&
      !conversion.saturates) {
    return bits | 0x0008000000000000;
  }
  if (conversion.toIntegral) {
    value = integral(value, conversion.rounding);
  }
  return finish(conversion, round(Exact::of(value), *to.format,
                                  conversion.rounding, conversion.finite));
}
