//===- Numbers.cpp --------------------------------------------------------===//
#include "Numbers.h"

#include <algorithm>

using namespace cheems::emulator::test;

SmallFormat::SmallFormat(int exponentBits, int fractionBits, uint64_t nan,
                         uint64_t largest, bool hasInfinity)
    : exponentBits(exponentBits), fractionBits(fractionBits), nan(nan),
      hasInfinity(hasInfinity) {
  int bias = (1 << (exponentBits - 1)) - 1;
  for (uint64_t code = 0; code <= largest + 1; ++code) {
    int exponent = int(code >> fractionBits);
    double fraction =
        double(code & ((1 << fractionBits) - 1)) / (1 << fractionBits);
    numbers.push_back(exponent ? std::ldexp(1 + fraction, exponent - bias)
                               : std::ldexp(fraction, 1 - bias));
  }
}

double SmallFormat::value(uint64_t code) const {
  uint64_t magnitude = code & (sign() - 1);
  uint64_t top = numbers.size() - 1;
  double value = magnitude < top                   ? numbers[magnitude]
                 : magnitude == top && hasInfinity ? HUGE_VAL
                                                   : NAN;
  return code & sign() ? -value : value;
}

uint64_t SmallFormat::round(Precise value, Mode mode, bool finite) const {
  if (std::isnan(value.high)) {
    return nan;
  }
  bool negative = std::signbit(value.high);
  double high = std::fabs(value.high), low = negative ? -value.low : value.low;
  uint64_t top = numbers.size() - 1, code;
  if (std::isinf(high)) {
    code = top;
  } else {
    // The greatest number that is not above the value.
    code = std::upper_bound(numbers.begin(), numbers.end(), high) -
           numbers.begin() - 1;
    if (numbers[code] == high && low < 0) {
      --code;
    }
    bool exact = numbers[code] == high && low == 0;
    if (!exact && code < top) {
      double middle = (numbers[code] + numbers[code + 1]) / 2;
      int side = high > middle   ? 1
                 : high < middle ? -1
                 : low > 0       ? 1
                 : low < 0       ? -1
                                 : 0;
      bool up = mode == Mode::nearest ? side > 0 || (side == 0 && (code & 1))
                : mode == Mode::away  ? side >= 0
                : mode == Mode::zero  ? false
                : mode == Mode::down  ? negative
                                      : !negative;
      code += up;
    } else if (!exact || high > numbers[top]) {
      bool inwards = mode == Mode::zero || (mode == Mode::down && !negative) ||
                     (mode == Mode::up && negative);
      code = inwards ? top - 1 : top;
    }
    // A value that has infinity's code as its own lies above the greatest
    // number.
    if (code == top && high >= numbers[top]) {
      bool inwards = mode == Mode::zero || (mode == Mode::down && !negative) ||
                     (mode == Mode::up && negative);
      code = inwards ? top - 1 : top;
    }
  }
  if (code == top && (finite || !hasInfinity)) {
    code = top - 1;
  }
  return code | (negative ? sign() : 0);
}

const SmallFormat &cheems::emulator::test::halfFormat() {
  static const SmallFormat format(5, 10, 0x7fff, 0x7bff);
  return format;
}
const SmallFormat &cheems::emulator::test::bfloatFormat() {
  static const SmallFormat format(8, 7, 0x7fff, 0x7f7f);
  return format;
}
const SmallFormat &cheems::emulator::test::tf32Format() {
  static const SmallFormat format(8, 10, 0x3ffff, 0x3fbff);
  return format;
}
const SmallFormat &cheems::emulator::test::e4m3Format() {
  static const SmallFormat format(4, 3, 0x7f, 0x7e, false);
  return format;
}
const SmallFormat &cheems::emulator::test::e5m2Format() {
  static const SmallFormat format(5, 2, 0x7f, 0x7b);
  return format;
}

float cheems::emulator::test::roundSingle(Precise value, Mode mode) {
  if (std::isnan(value.high)) {
    return single(0x7fffffff);
  }
  if (std::isinf(value.high) || (value.high == 0 && value.low == 0)) {
    return float(value.high);
  }
  auto isAbove = [&](double number) { // than the value
    return number > value.high || (number == value.high && value.low < 0);
  };
  auto isBelow = [&](double number) {
    return number < value.high || (number == value.high && value.low > 0);
  };
  float below = float(std::clamp(value.high, -0x1.fffffep127, 0x1.fffffep127));
  while (isAbove(below)) {
    below = std::nextafterf(below, -HUGE_VALF);
  }
  while (isBelow(std::nextafterf(below, HUGE_VALF)) &&
         !std::isinf(std::nextafterf(below, HUGE_VALF))) {
    below = std::nextafterf(below, HUGE_VALF);
  }
  if (!isBelow(below)) {
    return below; // exact
  }
  float above = std::nextafterf(below, HUGE_VALF);
  bool negative = value.high < 0 || (value.high == 0 && value.low < 0);
  switch (mode) {
  case Mode::down:
    return below;
  case Mode::up:
    return negative && above == 0 ? -0.0f : above;
  case Mode::zero:
    return negative ? (above == 0 ? -0.0f : above) : below;
  default:
    break;
  }
  double low = std::isinf(below) ? -0x1p128 : double(below);
  double high = std::isinf(above) ? 0x1p128 : double(above);
  double middle = (low + high) / 2;
  bool isTie = value.high == middle && value.low == 0;
  bool up =
      isTie ? bitsOf(below) & 1
            : value.high > middle || (value.high == middle && value.low > 0);
  float nearest = up ? above : below;
  return nearest == 0 && negative ? -0.0f : nearest;
}

std::vector<uint64_t> cheems::emulator::test::specialSingles() {
  return {0,          0x80000000, 1,          0x80000001, 0x007fffff,
          0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
          0x3f7fffff, 0x3f800001, 0x40490fdb, 0x7f7fffff, 0xff7fffff,
          0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
          0x00400000, 0x5f000000, 0x20000000, 0x34000000};
}
std::vector<uint64_t> cheems::emulator::test::specialReals() {
  std::vector<uint64_t> list = {1, 0x000fffffffffffff, 0x7fefffffffffffff,
                                0x7ff8000000000123, 0xfff0000000000001};
  for (double value : {0.0, -0.0, 1.0, -1.0, 0x1p-1022, -0x1p-1022, 0x1p-500,
                       0x1.23456789abcdep3, HUGE_VAL, -HUGE_VAL, 1e300, 3.0}) {
    list.push_back(bitsOf(value));
  }
  return list;
}
std::vector<uint64_t> cheems::emulator::test::specialHalves() {
  return {0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
          0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
          0x7e00, 0xfe01, 0x7c01, 0x0200, 0x1400, 0x5555};
}
std::vector<uint64_t> cheems::emulator::test::specialBFloats() {
  return {0,      0x8000, 1,      0x8001, 0x007f, 0x807f, 0x0080, 0x8080,
          0x3f80, 0xbf80, 0x3f7f, 0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
          0x7fc0, 0xffc1, 0x7f81, 0x0040, 0x2000, 0x5555};
}
uint64_t cheems::emulator::test::randomSingle(std::mt19937_64 &engine) {
  uint64_t bits = engine() & 0xffffffff;
  // Half of them have exponents near to 1.
  return engine() % 2 ? bits : (bits & 0x83ffffff) + 0x3e000000;
}
uint64_t cheems::emulator::test::randomReal(std::mt19937_64 &engine) {
  uint64_t bits = engine();
  return engine() % 2 ? bits : (bits & 0x803fffffffffffff) + 0x3fe0000000000000;
}
