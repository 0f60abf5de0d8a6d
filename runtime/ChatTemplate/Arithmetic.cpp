// Arithmetic on numbers.
#include "runtime/ChatTemplate/Arithmetic.h"

#include <algorithm>
#include <cmath>

namespace cheems::jinja {

namespace {

/// Nothing if 64 bits do not hold the result.
std::optional<int64_t> smallArithmetic(BinaryOperator kind, int64_t a,
                                       int64_t b) {
  int64_t result = 0;
  bool tooLarge = false;
  switch (kind) {
  case BinaryOperator::add:
    tooLarge = __builtin_add_overflow(a, b, &result);
    break;
  case BinaryOperator::subtract:
    tooLarge = __builtin_sub_overflow(a, b, &result);
    break;
  case BinaryOperator::multiply:
    tooLarge = __builtin_mul_overflow(a, b, &result);
    break;
  case BinaryOperator::floorDivide:
    if (b == -1) { // the one quotient that may not fit
      tooLarge = __builtin_sub_overflow(int64_t(0), a, &result);
    } else {
      result = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
    }
    break;
  case BinaryOperator::modulo:
    result = b == -1 ? 0 : a % b;
    result += result != 0 && (result < 0) != (b < 0) ? b : 0;
    break;
  case BinaryOperator::divide:
  case BinaryOperator::power:
    tooLarge = true;
    break;
  }
  return tooLarge ? std::nullopt : std::optional<int64_t>(result);
}

Value quotient(const Value &left, const Value &right) {
  auto isExact = [](const Value &value) { // as a double
    return value.isIntegral() && value.integer() <= 1LL << 53 &&
           value.integer() >= -(1LL << 53);
  };
  double result = isExact(left) && isExact(right)
                      ? left.number() / right.number()
                      : ratioOf(left.bigInteger(), right.bigInteger());
  if (std::isinf(result)) {
    fail("integer division result too large for a float");
  }
  return Value(result);
}

BigInteger powerOf(Context &context, const BigInteger &base,
                   const Value &exponent) {
  if (abs(base) <= 1) { // however large the exponent is
    bool isOdd = bit_test(abs(exponent.bigInteger()), 0);
    return isOdd ? base : BigInteger(base == 0 && exponent.truthy() ? 0 : 1);
  }
  // The least power of numbers with as many bits, before its memory is taken.
  auto least = int64_t(bitsOf(base) - 1);
  if (!exponent.isIntegral() ||
      exponent.integer() > int64_t(maximumBits) / least) {
    refuseDigits();
  }
  context.step(1024); // the largest result takes as long as some nodes do
  return pow(base, unsigned(exponent.integer()));
}

Value integerArithmetic(Context &context, BinaryOperator kind,
                        const Value &left, const Value &right) {
  bool divides = kind == BinaryOperator::divide ||
                 kind == BinaryOperator::floorDivide ||
                 kind == BinaryOperator::modulo;
  if (divides && !right.truthy()) {
    fail("division by zero");
  }
  if (left.isIntegral() && right.isIntegral()) {
    if (auto result = smallArithmetic(kind, left.integer(), right.integer())) {
      return Value(*result);
    }
  }
  BigInteger a = left.bigInteger();
  BigInteger b = right.bigInteger();
  context.step(int64_t(limbsOf(a) * limbsOf(b) / 16));
  switch (kind) {
  case BinaryOperator::add:
    return Value::integer(a + b);
  case BinaryOperator::subtract:
    return Value::integer(a - b);
  case BinaryOperator::multiply:
    return Value::integer(a * b);
  case BinaryOperator::floorDivide:
    return Value::integer(dividedBy(a, b).first);
  case BinaryOperator::modulo:
    return Value::integer(dividedBy(a, b).second);
  case BinaryOperator::divide:
    return quotient(left, right);
  case BinaryOperator::power:
    return Value::integer(powerOf(context, a, right));
  }
  return Value();
}

// Computes as CPython's float_divmod does, which keeps quotient and remainder
// consistent.
Value floatDivision(BinaryOperator kind, double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder == 0) {
    remainder = std::copysign(0.0, b);
  } else if ((b < 0) != (remainder < 0)) {
    remainder += b;
    quotient -= 1;
  }
  if (kind == BinaryOperator::modulo) {
    return Value(remainder);
  }
  double floored =
      quotient == 0 ? std::copysign(0.0, a / b) : std::floor(quotient);
  return Value(quotient - floored > 0.5 ? floored + 1 : floored);
}

Value floatArithmetic(BinaryOperator kind, double a, double b) {
  switch (kind) {
  case BinaryOperator::add:
    return Value(a + b);
  case BinaryOperator::subtract:
    return Value(a - b);
  case BinaryOperator::multiply:
    return Value(a * b);
  case BinaryOperator::power: {
    double result = std::pow(a, b);
    bool undefinedOrHuge =
        !std::isfinite(result) && std::isfinite(a) && std::isfinite(b);
    if (undefinedOrHuge) {
      fail("'**' has no finite real result");
    }
    return Value(result);
  }
  default:
    break;
  }
  if (b == 0) {
    fail("float division by zero");
  }
  return kind == BinaryOperator::divide ? Value(a / b)
                                        : floatDivision(kind, a, b);
}

} // namespace

Value applyArithmetic(Context &context, BinaryOperator kind, const Value &left,
                      const Value &right) {
  bool integral = !left.isFloat() && !right.isFloat();
  if (kind == BinaryOperator::power &&
      compareNumbers(right, Value(int64_t(0))) < 0) {
    if (!left.truthy()) {
      fail("0 cannot be raised to a negative power");
    }
    integral = false;
  }
  return integral ? integerArithmetic(context, kind, left, right)
                  : floatArithmetic(kind, left.number(), right.number());
}

int compareNumbers(const Value &left, const Value &right) {
  if (!left.isFloat() && !right.isFloat()) {
    return left.isIntegral() && right.isIntegral()
               ? (left.integer() > right.integer()) -
                     (left.integer() < right.integer())
               : left.bigInteger().compare(right.bigInteger());
  }
  if (left.isFloat() && right.isFloat()) {
    return (left.number() > right.number()) - (left.number() < right.number());
  }
  if (isNan(left) || isNan(right)) {
    return 0;
  }
  if (left.isFloat()) {
    return -compareNumbers(right, left);
  }
  double other = right.number();
  if (std::isinf(other)) {
    return other > 0 ? -1 : 1;
  }
  int whole = left.bigInteger().compare(BigInteger(std::trunc(other)));
  return whole != 0 ? whole
                    : (std::trunc(other) > other) - (std::trunc(other) < other);
}

bool isNan(const Value &value) {
  return value.isFloat() && std::isnan(value.number());
}

} // namespace cheems::jinja
