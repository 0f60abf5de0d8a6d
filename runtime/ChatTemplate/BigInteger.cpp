// Schoolbook arithmetic in base 10^9, the base that prints fastest.
#include "runtime/ChatTemplate/BigInteger.h"

#include "runtime/ChatTemplate/Context.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace cheems::jinja {

namespace {

constexpr uint64_t radix = 1000000000;
constexpr size_t digitsALimb = 9;
constexpr size_t maximumLimbs = BigInteger::maximumDigits / digitsALimb + 1;

void trim(MeteredVector<uint32_t> &limbs) {
  while (!limbs.empty() && limbs.back() == 0) {
    limbs.pop_back();
  }
}

int digitOf(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'z' ? c - 'a' + 10
         : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                : 99;
}

void multiplyAdd(MeteredVector<uint32_t> &limbs, uint32_t factor,
                 uint32_t more) {
  uint64_t carry = more;
  for (uint32_t &each : limbs) {
    carry += uint64_t(each) * factor;
    each = uint32_t(carry % radix);
    carry /= radix;
  }
  if (carry != 0) {
    limbs.push_back(uint32_t(carry));
  }
}

} // namespace

BigInteger::BigInteger(int64_t value) : negative(value < 0) {
  uint64_t rest = negative ? 0 - uint64_t(value) : uint64_t(value);
  for (; rest != 0; rest /= radix) {
    limbs.push_back(uint32_t(rest % radix));
  }
}

BigInteger::BigInteger(Limbs all, bool isNegative) : limbs(std::move(all)) {
  trim(limbs);
  if (limbs.size() > maximumLimbs) {
    unsupported("an integer of more than " + std::to_string(maximumDigits) +
                " digits");
  }
  negative = isNegative && !limbs.empty();
}

std::optional<BigInteger> BigInteger::parse(std::string_view digits, int base) {
  Limbs limbs;
  if (digits.empty() || digits.size() > maximumDigits) {
    return std::nullopt;
  }
  for (char c : digits) {
    int digit = digitOf(c);
    if (digit >= base) {
      return std::nullopt;
    }
    multiplyAdd(limbs, uint32_t(base), uint32_t(digit));
  }
  return BigInteger(std::move(limbs), false);
}

BigInteger BigInteger::truncated(double number) {
  char text[400];
  int length =
      std::snprintf(text, sizeof(text), "%.0f", std::floor(std::fabs(number)));
  BigInteger value = parse(std::string_view(text, size_t(length)), 10).value();
  return number < 0 ? value.negated() : value;
}

std::optional<int64_t> BigInteger::small() const {
  uint64_t value = 0;
  for (size_t i = limbs.size(); i-- > 0;) {
    if (__builtin_mul_overflow(value, radix, &value) ||
        __builtin_add_overflow(value, uint64_t(limbs[i]), &value)) {
      return std::nullopt;
    }
  }
  uint64_t most = uint64_t(INT64_MAX) + (negative ? 1 : 0);
  return value > most
             ? std::nullopt
             : std::optional<int64_t>(int64_t(negative ? 0 - value : value));
}

double BigInteger::toDouble() const {
  return std::strtod(text().c_str(), nullptr);
}

std::string BigInteger::text(int base) const {
  if (limbs.empty()) {
    return "0";
  }
  std::string out; // from the last digit on
  if (base == 10) {
    for (uint32_t each : limbs) {
      for (size_t i = 0; i < digitsALimb; ++i, each /= 10) {
        out += char('0' + each % 10);
      }
    }
  } else {
    for (Limbs rest = limbs; !rest.empty();) {
      out += "0123456789abcdef"[divideBy(rest, uint32_t(base))];
    }
  }
  out.erase(out.find_last_not_of('0') + 1);
  out += negative ? "-" : "";
  std::reverse(out.begin(), out.end());
  return out;
}

BigInteger BigInteger::negated() const { return {limbs, !negative}; }
BigInteger BigInteger::magnitude() const { return {limbs, false}; }

int BigInteger::compareLimbs(const Limbs &a, const Limbs &b) {
  if (a.size() != b.size()) {
    return a.size() < b.size() ? -1 : 1;
  }
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) {
      return a[i] < b[i] ? -1 : 1;
    }
  }
  return 0;
}

BigInteger::Limbs BigInteger::sum(const Limbs &a, const Limbs &b) {
  Limbs out;
  uint64_t carry = 0;
  for (size_t i = 0; i < a.size() || i < b.size() || carry != 0; ++i) {
    carry += (i < a.size() ? a[i] : 0) + uint64_t(i < b.size() ? b[i] : 0);
    out.push_back(uint32_t(carry % radix));
    carry /= radix;
  }
  return out;
}

BigInteger::Limbs BigInteger::difference(const Limbs &a, const Limbs &b) {
  Limbs out = a;
  int64_t borrow = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t left = int64_t(a[i]) - (i < b.size() ? b[i] : 0) - borrow;
    borrow = left < 0;
    out[i] = uint32_t(left + (borrow != 0 ? int64_t(radix) : 0));
  }
  trim(out);
  return out;
}

BigInteger BigInteger::operator+(const BigInteger &other) const {
  if (negative == other.negative) {
    return {sum(limbs, other.limbs), negative};
  }
  return compareLimbs(limbs, other.limbs) >= 0
             ? BigInteger(difference(limbs, other.limbs), negative)
             : BigInteger(difference(other.limbs, limbs), other.negative);
}

BigInteger BigInteger::operator-(const BigInteger &other) const {
  return *this + other.negated();
}

BigInteger BigInteger::operator*(const BigInteger &other) const {
  Limbs out(limbs.size() + other.limbs.size());
  for (size_t i = 0; i < limbs.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < other.limbs.size() || carry != 0; ++j) {
      carry +=
          out[i + j] +
          (j < other.limbs.size() ? uint64_t(limbs[i]) * other.limbs[j] : 0);
      out[i + j] = uint32_t(carry % radix);
      carry /= radix;
    }
  }
  return {std::move(out), negative != other.negative};
}

uint32_t BigInteger::divideBy(Limbs &limbs, uint32_t divisor) {
  uint64_t rest = 0;
  for (size_t i = limbs.size(); i-- > 0;) {
    rest = rest * radix + limbs[i];
    limbs[i] = uint32_t(rest / divisor);
    rest %= divisor;
  }
  trim(limbs);
  return uint32_t(rest);
}

// A limb of the quotient at a time. The guess from the leading limbs as doubles
// is off by a few at most, and is then put right.
std::pair<BigInteger::Limbs, BigInteger::Limbs>
BigInteger::quotient(const Limbs &a, const Limbs &b) {
  Limbs result(a.size()), rest;
  auto leading = [](const Limbs &limbs, size_t size) {
    double value = 0;
    for (size_t i = size; i-- > (size > 3 ? size - 3 : 0);) {
      value = value * double(radix) + (i < limbs.size() ? limbs[i] : 0);
    }
    return value;
  };
  for (size_t i = a.size(); i-- > 0;) {
    rest.insert(rest.begin(), a[i]);
    trim(rest);
    size_t size = std::max(rest.size(), b.size());
    if (compareLimbs(rest, b) < 0) {
      continue;
    }
    // both at the same scale: the leading three limbs of the longer one
    double guess = leading(rest, size) / leading(b, size);
    auto limb = uint32_t(std::clamp(guess, 1.0, double(radix - 1)));
    Limbs product = b;
    multiplyAdd(product, limb, 0);
    trim(product);
    for (; compareLimbs(product, rest) > 0; --limb) {
      product = difference(product, b);
    }
    rest = difference(rest, product);
    for (; compareLimbs(rest, b) >= 0; ++limb) {
      rest = difference(rest, b);
    }
    result[i] = limb;
  }
  trim(result);
  return {std::move(result), std::move(rest)};
}

std::pair<BigInteger, BigInteger>
BigInteger::divided(const BigInteger &divisor) const {
  auto [whole, rest] = quotient(limbs, divisor.limbs);
  BigInteger result(std::move(whole), negative != divisor.negative);
  BigInteger remainder(std::move(rest), negative);
  if (!remainder.isZero() && negative != divisor.negative) {
    return {result - BigInteger(1), remainder + divisor};
  }
  return {std::move(result), std::move(remainder)};
}

BigInteger BigInteger::power(uint64_t exponent) const {
  BigInteger result(1), square = *this;
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) {
      result = result * square;
    }
    if (exponent > 1) {
      square = square * square;
    }
  }
  return result;
}

// 2^60 or so quotients at a power of two that makes them: their last bit stands
// for all that is behind, so one rounding remains.
double BigInteger::ratio(const BigInteger &divisor) const {
  auto bits = [](const BigInteger &value) {
    double top = 0;
    for (size_t i = value.size();
         i-- > (value.size() > 3 ? value.size() - 3 : 0);) {
      top = top * double(radix) + value.limbs[i];
    }
    double below = value.size() > 3 ? double(value.size() - 3) : 0;
    return int(std::log2(top) + below * std::log2(double(radix)));
  };
  if (isZero()) {
    return divisor.negative ? -0.0 : 0.0;
  }
  int shift = 60 - (bits(*this) - bits(divisor));
  if (shift > 1200) { // below the least double
    return negative != divisor.negative ? -0.0 : 0.0;
  }
  BigInteger scale = BigInteger(2).power(uint64_t(std::abs(shift)));
  auto [whole, rest] = shift > 0
                           ? (magnitude() * scale).divided(divisor.magnitude())
                           : magnitude().divided(divisor.magnitude() * scale);
  auto sticky = uint64_t(whole.small().value()) | uint64_t(!rest.isZero());
  double value = std::ldexp(double(sticky), -shift);
  return negative != divisor.negative ? -value : value;
}

int BigInteger::compare(const BigInteger &other) const {
  if (negative != other.negative) {
    return negative ? -1 : 1;
  }
  int result = compareLimbs(limbs, other.limbs);
  return negative ? -result : result;
}

} // namespace cheems::jinja
