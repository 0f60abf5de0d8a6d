// Operators on all values: concatenation, repetition, comparison, containment.
#include "runtime/ChatTemplate/Operators.h"

#include "runtime/ChatTemplate/Arithmetic.h"
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/PythonText.h"

namespace cheems::jinja {

void requireDefined(const Value &value) {
  if (value.isUndefined()) {
    fail(std::string(value.reason()));
  }
}

const TrackedText &requireText(const Value &value, const std::string &what) {
  requireDefined(value);
  if (!value.isString()) {
    fail(what + " must be a string, not " + value.typeName());
  }
  return value.text();
}

int64_t requireInteger(const Value &value, const std::string &what) {
  requireDefined(value);
  if (value.isBig()) {
    fail(what + " is beyond 64 bits");
  }
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

Value joined(Context &context, const Value &left, const Value &right) {
  const Sequence *a = left.sequence();
  const Sequence *b = right.sequence();
  context.step(int64_t(a->items.size() + b->items.size()));
  Values items = a->items;
  items.insert(items.end(), b->items.begin(), b->items.end());
  return a->kind == Sequence::list ? Value::list(std::move(items))
                                   : Value::tuple(std::move(items));
}

Value repeated(Context &context, const Value &operand, int64_t count) {
  size_t times = count < 0 ? 0 : size_t(count);
  if (operand.isString()) {
    const TrackedText &unit = operand.text();
    TrackedText text;
    if (!unit.empty()) {
      text.reserve(times < (size_t(1) << 32) ? unit.size() * times
                                             : SIZE_MAX / 2);
      context.scan(unit.size() * times);
      for (size_t i = 0; i < times; ++i) {
        text.append(unit);
      }
    }
    return Value::text(std::move(text), operand.isMarkup());
  }
  const Sequence *unit = operand.sequence();
  Values items;
  for (size_t i = 0; i < times && !unit->items.empty(); ++i) {
    context.step(int64_t(unit->items.size()));
    items.insert(items.end(), unit->items.begin(), unit->items.end());
  }
  return unit->kind == Sequence::list ? Value::list(std::move(items))
                                      : Value::tuple(std::move(items));
}

bool isListOrTuple(const Value &value) {
  return value.sequence() && (value.sequence()->kind == Sequence::list ||
                              value.sequence()->kind == Sequence::tuple);
}

} // namespace

Value applyBinary(Context &context, BinaryOperator kind, const Value &left,
                  const Value &right) {
  if (kind == BinaryOperator::modulo && left.isString()) {
    return formatPercent(context, left, right);
  }
  requireDefined(left);
  requireDefined(right);
  if (left.isNumber() && right.isNumber()) {
    return applyArithmetic(context, kind, left, right)
        .from(left.origin() | right.origin());
  }
  if (kind == BinaryOperator::add && left.isString() && right.isString()) {
    bool escapes = left.isMarkup() != right.isMarkup();
    TrackedText text =
        escapes ? escapedText(context, left) : toText(context, left);
    text.append(escapes ? escapedText(context, right) : right.text());
    return context.text(std::move(text), escapes || left.isMarkup());
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
  if (kind == BinaryOperator::add && left.isString()) {
    fail("can only concatenate str (not \"" + right.typeName() +
         "\") to str; use '~' to convert");
  }
  fail(std::string("'") + spelling(kind) + "' does not work on " +
       left.typeName() + " and " + right.typeName());
}

Value negated(Context &context, const Value &operand) {
  requireDefined(operand);
  if (operand.isFloat()) {
    return Value(-operand.number()).from(operand.origin());
  }
  if (!operand.isNumber()) {
    fail("'-' does not work on " + operand.typeName());
  }
  return applyArithmetic(context, BinaryOperator::subtract, Value(int64_t(0)),
                         operand)
      .from(operand.origin());
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
    context.scan(container.string().size() + item.string().size());
    return find(container.string(), item.string()) != std::string::npos;
  }
  if (container.isMapping()) {
    context.scan(item.isString() ? item.string().size() : 0);
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
