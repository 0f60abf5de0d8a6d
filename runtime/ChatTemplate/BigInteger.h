// Integers of any size, as Python has them: what a template's int is when 64
// bits do not hold it.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_BIGINTEGER_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_BIGINTEGER_H

#include "runtime/ChatTemplate/Meter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems::jinja {

class BigInteger {
public:
  /// Python prints and reads no more digits than that; results with more are
  /// refused, so every operation here is bounded.
  static constexpr size_t maximumDigits = 4300;

  BigInteger(int64_t value);
  /// `digits` below `base`, 0-9 and a-z in either case; nothing if there is
  /// none, another character, or more than `maximumDigits`.
  static std::optional<BigInteger> parse(std::string_view digits, int base);
  /// Of a finite number, its fraction cut off.
  static BigInteger truncated(double number);

  bool isNegative() const { return negative; }
  bool isZero() const { return limbs.empty(); }
  /// Limbs it has: what the work on it grows with.
  size_t size() const { return limbs.size(); }
  /// Nothing if 64 bits do not hold it.
  std::optional<int64_t> small() const;
  /// The nearest double; infinite if there is none.
  double toDouble() const;
  /// In base 16 at most.
  std::string text(int base = 10) const;

  BigInteger negated() const;
  BigInteger magnitude() const;
  BigInteger operator+(const BigInteger &other) const;
  BigInteger operator-(const BigInteger &other) const;
  BigInteger operator*(const BigInteger &other) const;
  /// Python's // and %: the quotient rounds down. `divisor` is not zero.
  std::pair<BigInteger, BigInteger> divided(const BigInteger &divisor) const;
  BigInteger power(uint64_t exponent) const;
  /// The double nearest to this / divisor; infinite if there is none.
  double ratio(const BigInteger &divisor) const;
  /// Negative, zero or positive.
  int compare(const BigInteger &other) const;

private:
  using Limbs = MeteredVector<uint32_t>; ///< in base 10^9, the lowest first

  BigInteger(Limbs limbs, bool negative);
  static int compareLimbs(const Limbs &a, const Limbs &b);
  static Limbs sum(const Limbs &a, const Limbs &b);
  /// a - b where a is not the smaller one.
  static Limbs difference(const Limbs &a, const Limbs &b);
  /// Divides in place; the remainder.
  static uint32_t divideBy(Limbs &limbs, uint32_t divisor);
  static std::pair<Limbs, Limbs> quotient(const Limbs &a, const Limbs &b);

  Limbs limbs;
  bool negative = false;
};

} // namespace cheems::jinja

#endif
