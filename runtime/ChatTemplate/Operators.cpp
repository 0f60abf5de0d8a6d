// Arithmetic, comparison and containment.
#include "runtime/ChatTemplate/Operators.h"

#include <cmath>

namespace cheems::jinja {

void requireDefined(const Value &value) {
  if (value.isUndefined()) {
    fail(value.reason());
  }
}

const std::string &requireString(const Value &value, const std::string &what) {
  requireDefined(value);
  if (!value.isString()) {
    fail(what + " must be a string, not " + value.typeName());
  }
  return value.string();
}

int64_t requireInteger(const Value &value, const std::string &what) {
  requireDefined(value);
  if (!value.isIntegral()) {
    fail(what + " must be an integer, not " + value.typeName());
  }
  return value.integer();
}

namespace {

const char *spelling(BinaryOperator kind) {
  static const char *const spellings[] = {"+", "-", "*", "/", "//", "%", "**"};
  return spellings[int(kind)];
}

[[noreturn]] void overflow() { unsupported("an integer beyond 64 bits"); }

int64_t integerPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  if (base == 0 || base == 1) {
    return exponent == 0 ? 1 : base;
  }
  if (base == -1) {
    return exponent % 2 == 0 ? 1 : -1;
  }
  for (; exponent > 0; --exponent) { // at most 63 rounds until it overflows
    if (__builtin_mul_overflow(result, base, &result)) {
      overflow();
    }
  }
  return result;
}

Value integerArithmetic(BinaryOperator kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool tooLarge = false;
  bool divides = kind == BinaryOperator::divide ||
                 kind == BinaryOperator::floorDivide ||
                 kind == BinaryOperator::modulo;
  if (divides && b == 0) {
    fail("division by zero");
  }
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
  case BinaryOperator::divide:
    return Value(double(a) / double(b));
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
  case BinaryOperator::power:
    result = integerPower(a, b);
    break;
  }
  if (tooLarge) {
    overflow();
  }
  return Value(result);
}

// As CPython's float_divmod, which keeps quotient and remainder consistent.
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

Value joined(Context &context, const Value &left, const Value &right) {
  const Sequence *a = left.sequence();
  const Sequence *b = right.sequence();
  context.chargeItems(a->items.size() + b->items.size());
  std::vector<Value> items = a->items;
  items.insert(items.end(), b->items.begin(), b->items.end());
  return a->kind == Sequence::list ? Value::list(std::move(items))
                                   : Value::tuple(std::move(items));
}

Value repeated(Context &context, const Value &operand, int64_t count) {
  size_t times = count < 0 ? 0 : size_t(count);
  if (operand.isString()) {
    const std::string &unit = operand.string();
    context.charge(times < (size_t(1) << 32) ? unit.size() * times
                   : unit.empty()            ? 0
                                             : SIZE_MAX / 2);
    std::string text;
    for (size_t i = 0; i < times && !unit.empty(); ++i) {
      text += unit;
    }
    return Value(std::move(text));
  }
  const Sequence *unit = operand.sequence();
  std::vector<Value> items;
  for (size_t i = 0; i < times && !unit->items.empty(); ++i) {
    context.chargeItems(unit->items.size());
    items.insert(items.end(), unit->items.begin(), unit->items.end());
  }
  return unit->kind == Sequence::list ? Value::list(std::move(items))
                                      : Value::tuple(std::move(items));
}

bool isListOrTuple(const Value &value) {
  return value.sequence() && (value.sequence()->kind == Sequence::list ||
                              value.sequence()->kind == Sequence::tuple);
}

int compareNumbers(const Value &left, const Value &right) {
  // 64 bits of mantissa: exact for both kinds
  long double a =
      left.isFloat() ? (long double)left.number() : (long double)left.integer();
  long double b = right.isFloat() ? (long double)right.number()
                                  : (long double)right.integer();
  return a < b ? -1 : a > b ? 1 : 0;
}

bool isNan(const Value &value) {
  return value.isFloat() && std::isnan(value.number());
}

} // namespace

Value applyBinary(Context &context, BinaryOperator kind, const Value &left,
                  const Value &right) {
  requireDefined(left);
  requireDefined(right);
  if (left.isNumber() && right.isNumber()) {
    bool integral = left.isIntegral() && right.isIntegral();
    if (kind == BinaryOperator::power && right.number() < 0) {
      if (left.number() == 0) {
        fail("0 cannot be raised to a negative power");
      }
      integral = false;
    }
    return integral ? integerArithmetic(kind, left.integer(), right.integer())
                    : floatArithmetic(kind, left.number(), right.number());
  }
  if (kind == BinaryOperator::add && left.isString() && right.isString()) {
    context.charge(left.string().size() + right.string().size());
    return Value(left.string() + right.string());
  }
  if (kind == BinaryOperator::add && isListOrTuple(left) &&
      isListOrTuple(right) && left.sequence()->kind == right.sequence()->kind) {
    return joined(context, left, right);
  }
  if (kind == BinaryOperator::multiply) {
    if ((left.isString() || isListOrTuple(left)) && right.isIntegral()) {
      return repeated(context, left, right.integer());
    }
    if ((right.isString() || isListOrTuple(right)) && left.isIntegral()) {
      return repeated(context, right, left.integer());
    }
  }
  if (kind == BinaryOperator::modulo && left.isString()) {
    unsupported("formatting a string with '%'");
  }
  if (kind == BinaryOperator::add && left.isString()) {
    fail("can only concatenate str (not \"" + right.typeName() +
         "\") to str; use '~' to convert");
  }
  fail(std::string("'") + spelling(kind) + "' does not work on " +
       left.typeName() + " and " + right.typeName());
}

Value negated(const Value &operand) {
  requireDefined(operand);
  if (operand.isFloat()) {
    return Value(-operand.number());
  }
  if (!operand.isIntegral()) {
    fail("'-' does not work on " + operand.typeName());
  }
  return integerArithmetic(BinaryOperator::subtract, 0, operand.integer());
}

bool equals(Context &context, const Value &left, const Value &right) {
  context.step();
  if (left.isNumber() && right.isNumber()) {
    return !isNan(left) && !isNan(right) && compareNumbers(left, right) == 0;
  }
  if (left.isString() && right.isString()) {
    context.scan(std::min(left.string().size(), right.string().size()));
    return left.string() == right.string();
  }
  if (left.isMapping() && right.isMapping()) {
    const Dict &a = left.dict();
    const Dict &b = right.dict();
    if (&a == &b || a.items.size() != b.items.size()) {
      return &a == &b;
    }
    for (const auto &[key, value] : a.items) {
      const Value *other = b.find(key);
      if (!other || !equals(context, value, *other)) {
        return false;
      }
    }
    return true;
  }
  const Sequence *a = left.sequence();
  const Sequence *b = right.sequence();
  if (a && b) {
    bool comparable = a->kind == b->kind && left.isIndexable() &&
                      a->items.size() == b->items.size();
    if (a == b || !comparable) {
      return a == b;
    }
    for (size_t i = 0; i < a->items.size(); ++i) {
      if (!equals(context, a->items[i], b->items[i])) {
        return false;
      }
    }
    return true;
  }
  if (left.object() || right.object()) {
    return left.object() == right.object();
  }
  return (left.isNone() && right.isNone()) ||
         (left.isUndefined() && right.isUndefined());
}

int order(Context &context, const Value &left, const Value &right,
          const char *spelling) {
  context.step();
  requireDefined(left);
  requireDefined(right);
  if (left.isNumber() && right.isNumber()) {
    return compareNumbers(left, right);
  }
  if (left.isString() &&
      right.isString()) { // UTF-8 sorts like the characters it stands for
    context.scan(std::min(left.string().size(), right.string().size()));
    return left.string().compare(right.string());
  }
  if (isListOrTuple(left) && isListOrTuple(right) &&
      left.sequence()->kind == right.sequence()->kind) {
    const auto &a = left.sequence()->items;
    const auto &b = right.sequence()->items;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (!equals(context, a[i], b[i])) {
        return order(context, a[i], b[i], spelling);
      }
    }
    return a.size() < b.size() ? -1 : a.size() > b.size();
  }
  fail(std::string("'") + spelling + "' does not work on " + left.typeName() +
       " and " + right.typeName());
}

bool contains(Context &context, const Value &container, const Value &item) {
  if (container.isString()) {
    if (!item.isString()) {
      fail("'in' a string needs a string on its left, not " + item.typeName());
    }
    context.search(container.string().size(), item.string().size());
    return container.string().find(item.string()) != std::string::npos;
  }
  if (container.isMapping()) {
    return container.dict().find(item) != nullptr;
  }
  if (container.sequence() || container.isUndefined()) {
    for (const Value &each : iterate(context, container)) {
      if (equals(context, each, item)) {
        return true;
      }
    }
    return false;
  }
  fail("'in' does not work on " + container.typeName());
}

bool applyComparison(Context &context, Comparison kind, const Value &left,
                     const Value &right) {
  bool hasNan = isNan(left) || isNan(right);
  switch (kind) {
  case Comparison::equal:
    return equals(context, left, right);
  case Comparison::unequal:
    return !equals(context, left, right);
  case Comparison::less:
    return order(context, left, right, "<") < 0 && !hasNan;
  case Comparison::lessEqual:
    return order(context, left, right, "<=") <= 0 && !hasNan;
  case Comparison::greater:
    return order(context, left, right, ">") > 0 && !hasNan;
  case Comparison::greaterEqual:
    return order(context, left, right, ">=") >= 0 && !hasNan;
  case Comparison::in:
    return contains(context, right, left);
  case Comparison::notIn:
    return !contains(context, right, left);
  }
  return false;
}

} // namespace cheems::jinja
