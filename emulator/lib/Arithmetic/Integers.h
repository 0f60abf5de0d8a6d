//===- Integers.h - Integers, bits and bytes of a lane ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_INTEGERS_H
#define CHEEMS_EMULATOR_ARITHMETIC_INTEGERS_H

#include "Bits.h"

#include <cstdint>
#include <type_traits>

/// Integer arithmetic, bit fields and shifts (PTX ISA, "Integer Arithmetic
/// Instructions", "Logic and Shift Instructions" and "Data Movement and
/// Conversion Instructions: prmt"). All of it is defined for all values of the
/// operands, because lanes that are not active are computed, too.
namespace cheems::emulator::lanes {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

template <typename T> constexpr int width = 8 * sizeof(T);
template <typename T>
constexpr T least =
    std::is_signed_v<T> ? T(Unsigned<T>(1) << (width<T> - 1)) : T(0);
template <typename T> constexpr T greatest = T(~least<T>);

/// Twice as many bits.
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;

template <typename T> CHEEMS_LANE T add(T a, T b) {
  return T(Unsigned<T>(a) + Unsigned<T>(b));
}
template <typename T> CHEEMS_LANE T subtract(T a, T b) {
  return T(Unsigned<T>(a) - Unsigned<T>(b));
}

CHEEMS_LANE int32_t clamp32(int64_t value) {
  return value < least<int32_t>      ? least<int32_t>
         : value > greatest<int32_t> ? greatest<int32_t>
                                     : static_cast<int32_t>(value);
}
CHEEMS_LANE int32_t addSaturated(int32_t a, int32_t b) {
  return clamp32(int64_t(a) + b);
}
CHEEMS_LANE int32_t subtractSaturated(int32_t a, int32_t b) {
  return clamp32(int64_t(a) - b);
}

template <typename T> CHEEMS_LANE T negate(T a) { return subtract<T>(0, a); }
template <typename T> CHEEMS_LANE T absolute(T a) {
  return a < 0 ? negate(a) : a;
}

template <typename T> CHEEMS_LANE Wide<T> multiplyWide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}
template <typename T> CHEEMS_LANE T multiplyLow(T a, T b) {
  // 16-bit factors would become an int, whose product may overflow.
  using U = std::conditional_t<sizeof(T) == 2, uint32_t, Unsigned<T>>;
  return T(U(a) * U(b));
}
template <typename T> CHEEMS_LANE T multiplyHigh(T a, T b) {
  return T(multiplyWide(a, b) >> width<T>);
}
template <typename T> CHEEMS_LANE T multiplyAddLow(T a, T b, T c) {
  return add(multiplyLow(a, b), c);
}
template <typename T> CHEEMS_LANE T multiplyAddHigh(T a, T b, T c) {
  return add(multiplyHigh(a, b), c);
}
template <typename T> CHEEMS_LANE Wide<T> multiplyAddWide(T a, T b, Wide<T> c) {
  return add<Wide<T>>(multiplyWide(a, b), c);
}
CHEEMS_LANE int32_t multiplyAddHighSaturated(int32_t a, int32_t b, int32_t c) {
  return addSaturated(multiplyHigh(a, b), c);
}

/// The operand of mul24: 24 bits "held in 32-bit source registers".
CHEEMS_LANE uint32_t low24(uint32_t a) { return a & 0xffffff; }
CHEEMS_LANE int32_t low24(int32_t a) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8;
}
template <typename T> CHEEMS_LANE T multiply24Low(T a, T b) {
  return T(multiplyWide(low24(a), low24(b)));
}
template <typename T> CHEEMS_LANE T multiply24High(T a, T b) {
  return T(multiplyWide(low24(a), low24(b)) >> 16);
}
template <typename T> CHEEMS_LANE T multiplyAdd24Low(T a, T b, T c) {
  return add(multiply24Low(a, b), c);
}
template <typename T> CHEEMS_LANE T multiplyAdd24High(T a, T b, T c) {
  return add(multiply24High(a, b), c);
}
CHEEMS_LANE int32_t multiplyAdd24HighSaturated(int32_t a, int32_t b,
                                               int32_t c) {
  return addSaturated(multiply24High(a, b), c);
}

template <typename T> CHEEMS_LANE T sumOfDifference(T a, T b, T c) {
  return add(c, a < b ? subtract(b, a) : subtract(a, b));
}

/// PTX ISA, "Integer Arithmetic Instructions: div": "Division by zero yields an
/// unspecified, machine-specific value". We return all ones, and the dividend
/// as the remainder. The least number divided by -1 is itself.
template <typename T> CHEEMS_LANE T divide(T a, T b) {
  using U = Unsigned<T>;
  if constexpr (sizeof(T) <= 4) {
    // The quotient of two 32-bit numbers is farther from the next integer than
    // rounding can bring it.
    bool negative = std::is_signed_v<T> && (a < 0) != (b < 0);
    U dividend = std::is_signed_v<T> && a < 0 ? U(0) - U(a) : U(a);
    U divisor = std::is_signed_v<T> && b < 0 ? U(0) - U(b) : U(b);
    U safe = divisor ? divisor : 1;
    U quotient = U(uint32_t(double(dividend) / double(safe)));
    quotient = negative ? U(0) - quotient : quotient;
    return T(divisor ? quotient : U(~U(0)));
  } else {
    if (b == 0) {
      return T(~T(0));
    }
    if (std::is_signed_v<T> && b == T(-1)) {
      return negate(a);
    }
    return a / b;
  }
}
template <typename T> CHEEMS_LANE T remainder(T a, T b) {
  if constexpr (sizeof(T) <= 4) {
    T rest = subtract(a, multiplyLow(divide(a, b), b));
    return b == 0 ? a : rest;
  } else {
    return b == 0 ? a : std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  }
}

template <typename T> CHEEMS_LANE T minimum(T a, T b) { return a < b ? a : b; }
template <typename T> CHEEMS_LANE T maximum(T a, T b) { return a > b ? a : b; }
/// .relu: "clamps the result to 0 if negative".
template <typename T> CHEEMS_LANE T minimumRelu(T a, T b) {
  return maximum<T>(minimum(a, b), 0);
}
template <typename T> CHEEMS_LANE T maximumRelu(T a, T b) {
  return maximum<T>(maximum(a, b), 0);
}

/// The 16-bit halves of 32-bit values, each by itself.
template <auto compute> struct InHalves;
template <typename T, typename... S, T (*compute)(S...)>
struct InHalves<compute> {
  template <typename> using Word = uint32_t;
  CHEEMS_LANE static uint32_t run(Word<S>... words) {
    uint32_t low =
        static_cast<uint16_t>(compute(static_cast<S>(words & 0xffff)...));
    uint32_t high =
        static_cast<uint16_t>(compute(static_cast<S>(words >> 16)...));
    return low | high << 16;
  }
};

CHEEMS_LANE uint32_t countOnes(uint32_t a) { return __builtin_popcount(a); }
CHEEMS_LANE uint32_t countOnes(uint64_t a) { return __builtin_popcountll(a); }
CHEEMS_LANE uint32_t countLeadingZeros(uint32_t a) {
  return a ? __builtin_clz(a) : 32;
}
CHEEMS_LANE uint32_t countLeadingZeros(uint64_t a) {
  return a ? __builtin_clzll(a) : 64;
}

template <typename T, bool shiftAmount> CHEEMS_LANE uint32_t findBit(T a) {
  auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  uint32_t zeros = countLeadingZeros(bits);
  return bits == 0 ? 0xffffffff : shiftAmount ? zeros : width<T> - 1 - zeros;
}

CHEEMS_LANE uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  base &= 31; // beyond that the ISA leaves it undefined
  if (offset == 0) {
    return mask >> base & 1 ? base : 0xffffffff;
  }
  int step = offset > 0 ? 1 : -1;
  int64_t count = (offset > 0 ? int64_t(offset) : -int64_t(offset)) - 1;
  for (int position = int(base); position >= 0 && position < 32;
       position += step) {
    if (mask >> position & 1 && count-- == 0) {
      return position;
    }
  }
  return 0xffffffff;
}

CHEEMS_LANE uint32_t reverseBits(uint32_t a) {
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(a);
}
CHEEMS_LANE uint64_t reverseBits(uint64_t a) {
  return uint64_t(reverseBits(uint32_t(a))) << 32 |
         reverseBits(uint32_t(a >> 32));
}

/// "Shift amounts greater than the register width N are clamped to N."
template <typename T> CHEEMS_LANE T shiftLeft(T a, uint32_t amount) {
  return amount < width<T> ? T(a << (amount & (width<T> - 1))) : T(0);
}
template <typename T> CHEEMS_LANE T shiftRight(T a, uint32_t amount) {
  uint32_t last = width<T> - 1;
  if constexpr (std::is_signed_v<T>) {
    return T(a >> (amount < last ? amount : last));
  } else {
    return amount < width<T> ? T(a >> (amount & last)) : T(0);
  }
}

template <bool left, bool wrap>
CHEEMS_LANE uint32_t funnelShift(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t n = wrap ? c & 31 : c < 32 ? c : 32;
  uint64_t both = uint64_t(b) << 32 | a;
  return left ? uint32_t(both << n >> 32) : uint32_t(both >> n);
}

/// bits of ones at the bottom; all of them if there are not so many.
template <typename T> CHEEMS_LANE T lowMask(uint32_t bits) {
  return bits < width<T> ? T((T(1) << (bits & (width<T> - 1))) - 1) : T(~T(0));
}

template <typename T> CHEEMS_LANE T extractField(T a, uint32_t b, uint32_t c) {
  using U = Unsigned<T>;
  uint32_t position = b & 0xff;
  uint32_t length = c & 0xff;
  // Beyond the top a shift brings the sign, as the ISA wants.
  U field = U(shiftRight(a, position));
  U mask = lowMask<U>(length);
  if constexpr (std::is_signed_v<T>) {
    uint32_t last = position + length - 1;
    last = last < width<T> - 1 ? last : width<T> - 1;
    bool sign = length && U(a) >> (last & (width<T> - 1)) & 1;
    return T((field & mask) | (sign ? U(~mask) : U(0)));
  } else {
    return field & mask;
  }
}

template <typename T>
CHEEMS_LANE T insertField(T a, T b, uint32_t c, uint32_t d) {
  uint32_t position = c & 0xff;
  T mask = shiftLeft(lowMask<T>(d & 0xff), position);
  return T((shiftLeft(a, position) & mask) | (b & ~mask));
}

template <bool isSigned, bool wrap>
CHEEMS_LANE uint32_t extend(uint32_t a, uint32_t b) {
  uint32_t bits = b & 31;
  if (!wrap && b >= 32) {
    return a;
  }
  uint32_t mask = lowMask<uint32_t>(bits);
  bool sign = isSigned && bits && a >> ((bits - 1) & 31) & 1;
  return (a & mask) | (sign ? ~mask : 0);
}

template <bool wrap> CHEEMS_LANE uint32_t fieldMask(uint32_t a, uint32_t b) {
  uint32_t position = wrap ? a & 31 : a;
  uint32_t length = wrap ? b & 31 : b;
  return shiftLeft(lowMask<uint32_t>(length), position);
}

template <bool aIsSigned, bool bIsSigned>
CHEEMS_LANE uint32_t dotBytes(uint32_t a, uint32_t b, uint32_t c) {
  for (int byte = 0; byte < 4; ++byte) {
    uint32_t x = a >> 8 * byte & 0xff, y = b >> 8 * byte & 0xff;
    x = aIsSigned ? uint32_t(int32_t(int8_t(x))) : x;
    y = bIsSigned ? uint32_t(int32_t(int8_t(y))) : y;
    c += x * y;
  }
  return c;
}
template <bool aIsSigned, bool bIsSigned, bool high>
CHEEMS_LANE uint32_t dotHalves(uint32_t a, uint32_t b, uint32_t c) {
  for (int half = 0; half < 2; ++half) {
    uint32_t x = a >> 16 * half & 0xffff;
    uint32_t y = b >> (8 * half + (high ? 16 : 0)) & 0xff;
    x = aIsSigned ? uint32_t(int32_t(int16_t(x))) : x;
    y = bIsSigned ? uint32_t(int32_t(int8_t(y))) : y;
    c += x * y;
  }
  return c;
}

/// prmt in its generic form: four selectors of 4 bits.
CHEEMS_LANE uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    uint32_t selector = selectors >> 4 * byte & 0xf;
    uint32_t value = bytes >> 8 * (selector & 7) & 0xff;
    uint32_t replicated = value & 0x80 ? 0xff : 0;
    result |= (selector & 8 ? replicated : value) << 8 * byte;
  }
  return result;
}

/// The selectors that a mode of prmt stands for (its table in the ISA), by the
/// two lowest bits of operand c.
enum class PermuteMode : uint8_t { f4e, b4e, rc8, ecl, ecr, rc16 };
constexpr uint16_t permuteSelectors[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
};

/// A bit of `table` for each combination of bits of a, b and c.
template <uint8_t table>
CHEEMS_LANE uint32_t lookUp(uint32_t a, uint32_t b, uint32_t c) {
  // Two halves by a, four quarters by b; c decides within a quarter.
  uint32_t quarters[] = {0, ~c, c, ~0u};
  uint32_t both = (b & quarters[table >> 6]) | (~b & quarters[table >> 4 & 3]);
  uint32_t none = (b & quarters[table >> 2 & 3]) | (~b & quarters[table & 3]);
  return (a & both) | (~a & none);
}

} // namespace cheems::emulator::lanes

#endif
