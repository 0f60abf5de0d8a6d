// What Python's integers do and Boost's do not.
#include "runtime/ChatTemplate/BigInteger.h"

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace cheems::jinja {

namespace {

int digitOf(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'z' ? c - 'a' + 10
         : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                : 99;
}

} // namespace

size_t bitsOf(const BigInteger &value) {
  return value == 0 ? 0 : msb(abs(value)) + 1;
}

std::optional<BigInteger> parseDigits(std::string_view digits, int base) {
  if (digits.empty() || digits.size() > maximumDigits) {
    return std::nullopt;
  }
  BigInteger value;
  for (char c : digits) {
    int digit = digitOf(c);
    if (digit >= base) {
      return std::nullopt;
    }
    value *= base;
    value += digit;
  }
  return value;
}

std::optional<int64_t> smallInteger(const BigInteger &value) {
  using Limits = std::numeric_limits<int64_t>;
  return value >= Limits::min() && value <= Limits::max()
             ? std::optional(static_cast<int64_t>(value))
             : std::nullopt;
}

double nearestDouble(const BigInteger &value) {
  if (bitsOf(value) > std::numeric_limits<double>::max_exponent) {
    return value < 0 ? -HUGE_VAL : HUGE_VAL;
  }
  return std::strtod(value.str().c_str(), nullptr);
}

std::string digitsOf(const BigInteger &magnitude, int base) {
  std::string digits;
  export_bits(magnitude, std::back_inserter(digits),
              base == 2   ? 1
              : base == 8 ? 3
                          : 4);
  for (char &each : digits) {
    each = "0123456789abcdef"[int(each)];
  }
  return digits;
}

std::pair<BigInteger, BigInteger> dividedBy(const BigInteger &value,
                                            const BigInteger &divisor) {
  BigInteger quotient, remainder;
  divide_qr(value, divisor, quotient, remainder);
  if (remainder != 0 && (remainder < 0) != (divisor < 0)) {
    --quotient;
    remainder += divisor;
  }
  return {std::move(quotient), std::move(remainder)};
}

// 2^60 or so quotients at a power of two that makes them: their last bit stands
// for all later ones, so one rounding remains.
double ratioOf(const BigInteger &value, const BigInteger &divisor) {
  bool isNegative = (value < 0) != (divisor < 0);
  int shift = 60 - (int(bitsOf(value)) - int(bitsOf(divisor)));
  if (value == 0 || shift > 1200) { // below the least double
    return isNegative ? -0.0 : 0.0;
  }
  BigInteger dividend = abs(value), by = abs(divisor), quotient, remainder;
  (shift > 0 ? dividend : by) <<= std::abs(shift);
  divide_qr(dividend, by, quotient, remainder);
  uint64_t sticky = static_cast<uint64_t>(quotient) | uint64_t(remainder != 0);
  double ratio = std::ldexp(double(sticky), -shift);
  return isNegative ? -ratio : ratio;
}

} // namespace cheems::jinja
