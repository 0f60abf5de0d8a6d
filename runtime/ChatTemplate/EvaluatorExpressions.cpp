// Expressions.
#include "runtime/ChatTemplate/Evaluator.h"
#include "runtime/ChatTemplate/Operators.h"

#include <algorithm>

namespace cheems::jinja {

Value Evaluator::evaluateOperand(const Expression &expression, size_t index,
                                 const ScopePtr &scope) {
  const ExpressionPtr &operand = expression.operands[index];
  return operand ? evaluate(*operand, scope) : Value();
}

Value Evaluator::evaluate(const Expression &expression, const ScopePtr &scope) {
  Context::Level level(context);
  context.line = expression.line;
  auto operand = [&](size_t index) {
    return evaluateOperand(expression, index, scope);
  };
  switch (expression.kind) {
  case Expression::constant:
    return expression.value;
  case Expression::name:
    return lookUp(expression.text, scope);
  case Expression::tuple:
    return Value::tuple(evaluateAll(expression.operands, scope));
  case Expression::list:
    return Value::list(evaluateAll(expression.operands, scope));
  case Expression::dict:
    return evaluateDict(expression, scope);
  case Expression::attribute:
    return getAttribute(context, operand(0), expression.text);
  case Expression::item: {
    Value container = operand(0);
    return getItem(context, container, operand(1));
  }
  case Expression::slice: {
    Value container = operand(0);
    Value from = operand(1);
    Value to = operand(2);
    return getSlice(context, container, from, to, operand(3));
  }
  case Expression::call:
    return evaluateCall(expression, scope);
  case Expression::filter:
    return applyFilter(expression, scope);
  case Expression::test: {
    Value value = operand(0);
    CallArguments arguments = evaluateArguments(expression.arguments, scope);
    if (!expression.testFunction) {
      refuseTest(expression.text);
    }
    arguments.callee = "test '" + expression.text + "'";
    return Value(expression.testFunction(context, value, arguments));
  }
  case Expression::negate:
    return negated(context, operand(0));
  case Expression::plus:
    return applyBinary(context, BinaryOperator::add, Value(int64_t(0)),
                       operand(0));
  case Expression::logicalNot:
    return Value(!operand(0).truthy());
  case Expression::logicalAnd: {
    Value left = operand(0);
    return left.truthy() ? operand(1) : left;
  }
  case Expression::logicalOr: {
    Value left = operand(0);
    return left.truthy() ? left : operand(1);
  }
  case Expression::binary: {
    Value left = operand(0);
    return applyBinary(context, expression.binaryOperator, left, operand(1));
  }
  case Expression::compare:
    return evaluateCompare(expression, scope);
  case Expression::concat:
    return evaluateConcat(expression, scope);
  case Expression::conditional:
    return evaluateConditional(expression, scope);
  }
  return Value();
}

Value Evaluator::lookUp(std::string_view name, const ScopePtr &scope) {
  for (const Scope *each = scope.get(); each; each = each->parent.get()) {
    auto found = each->names.find(name);
    if (found != each->names.end()) {
      return found->second;
    }
  }
  auto function = findFunction(name);
  return function
             ? *function
             : Value::undefined("'" + std::string(name) + "' is undefined");
}

Values Evaluator::evaluateAll(const std::vector<ExpressionPtr> &expressions,
                              const ScopePtr &scope) {
  Values values;
  values.reserve(expressions.size());
  for (const ExpressionPtr &each : expressions) {
    values.push_back(evaluate(*each, scope));
  }
  return values;
}

void Evaluator::addKeywords(CallArguments &arguments, const Value &mapping) {
  requireDefined(mapping);
  if (!mapping.isMapping()) {
    fail("what follows '**' in a call must be a mapping, not " +
         mapping.typeName());
  }
  for (const auto &[key, value] : mapping.dict().items) {
    const TrackedText &name = requireText(key, "an argument's name");
    context.step(int64_t(1 + arguments.keywords.size() / 8));
    bool isRepeated = std::any_of(
        arguments.keywords.begin(), arguments.keywords.end(),
        [&](const auto &each) { return each.first.bytes() == name.bytes(); });
    if (isRepeated) {
      fail("a call got multiple values for argument '" +
           std::string(name.bytes()) + "'");
    }
    arguments.keywords.emplace_back(name, value);
  }
}

CallArguments Evaluator::evaluateArguments(const Arguments &arguments,
                                           const ScopePtr &scope) {
  CallArguments evaluated;
  evaluated.positional = evaluateAll(arguments.positional, scope);
  for (const auto &[name, expression] : arguments.keywords) {
    evaluated.keywords.emplace_back(TrackedText(name),
                                    evaluate(*expression, scope));
  }
  if (arguments.positionalRest) {
    for (Value &each :
         iterate(context, evaluate(*arguments.positionalRest, scope))) {
      evaluated.positional.push_back(std::move(each));
    }
  }
  if (arguments.keywordRest) {
    addKeywords(evaluated, evaluate(*arguments.keywordRest, scope));
  }
  return evaluated;
}

Value Evaluator::evaluateDict(const Expression &expression,
                              const ScopePtr &scope) {
  auto dict = makeShared<Dict>();
  for (size_t i = 0; i < expression.operands.size(); i += 2) {
    Value key = evaluateOperand(expression, i, scope);
    context.scan(key.isString() ? key.string().size() : 0);
    dict->set(key, evaluateOperand(expression, i + 1, scope));
  }
  return Value(std::shared_ptr<const Dict>(std::move(dict)));
}

Value Evaluator::evaluateCompare(const Expression &expression,
                                 const ScopePtr &scope) {
  Value left = evaluateOperand(expression, 0, scope);
  for (size_t i = 0; i < expression.comparisons.size(); ++i) {
    Value right = evaluateOperand(expression, i + 1, scope);
    if (!applyComparison(context, expression.comparisons[i], left, right)) {
      return Value(false);
    }
    left = std::move(right);
  }
  return Value(true);
}

Value Evaluator::evaluateConcat(const Expression &expression,
                                const ScopePtr &scope) {
  TrackedText text;
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    text.append(toText(context, evaluateOperand(expression, i, scope)));
  }
  return Value(std::move(text));
}

Value Evaluator::evaluateConditional(const Expression &expression,
                                     const ScopePtr &scope) {
  if (evaluateOperand(expression, 0, scope).truthy()) {
    return evaluateOperand(expression, 1, scope);
  }
  return expression.operands[2]
             ? evaluateOperand(expression, 2, scope)
             : Value::undefined("the inline if was false and has no else");
}

Value Evaluator::evaluateCall(const Expression &expression,
                              const ScopePtr &scope, const Value *caller) {
  Value callee = evaluateOperand(expression, 0, scope);
  requireDefined(callee);
  CallArguments arguments = evaluateArguments(expression.arguments, scope);
  if (caller) {
    arguments.keywords.emplace_back(TrackedText("caller"), *caller);
  }
  context.line = expression.line;
  if (!callee.object() || !callee.object()->isCallable()) {
    fail("'" + callee.typeName() + "' object is not callable");
  }
  return callee.object()->call(context, arguments);
}

Value Evaluator::applyFilter(const Expression &expression,
                             const ScopePtr &scope) {
  Value operand = evaluateOperand(expression, 0, scope);
  CallArguments arguments = evaluateArguments(expression.arguments, scope);
  context.line = expression.line;
  if (!expression.filterFunction) {
    refuseFilter(expression.text);
  }
  arguments.callee = "filter '" + expression.text + "'";
  return expression.filterFunction(context, operand, arguments);
}

} // namespace cheems::jinja
