// Statements, `loop` and macros.
#include "runtime/ChatTemplate/Evaluator.h"

#include "runtime/ChatTemplate/Operators.h"

#include <algorithm>

namespace cheems::jinja {

namespace {

/// What `loop` names inside a loop.
class Loop : public Object {
public:
  explicit Loop(std::vector<Value> all) : items(std::move(all)) {
    for (const Value &each : items) {
      nesting = std::max(nesting, each.nesting() + 1);
    }
  }

  std::string typeName() const override { return "LoopContext"; }

  std::optional<Value> attribute(const std::string &name) const override {
    int64_t count = int64_t(items.size());
    int64_t place = int64_t(index);
    if (name == "index") {
      return Value(place + 1);
    }
    if (name == "index0") {
      return Value(place);
    }
    if (name == "revindex") {
      return Value(count - place);
    }
    if (name == "revindex0") {
      return Value(count - place - 1);
    }
    if (name == "first") {
      return Value(place == 0);
    }
    if (name == "last") {
      return Value(place + 1 == count);
    }
    if (name == "length") {
      return Value(count);
    }
    if (name == "depth" || name == "depth0") {
      return Value(int64_t(name == "depth")); // more only in recursive loops
    }
    if (name == "previtem") {
      return index > 0 ? items[index - 1]
                       : Value::undefined("there is no previous item");
    }
    if (name == "nextitem") {
      return index + 1 < items.size()
                 ? items[index + 1]
                 : Value::undefined("there is no next item");
    }
    if (name == "cycle") {
      return makeFunction(
          "loop.cycle", [place](Context &, CallArguments &arguments) {
            arguments.expect(1, 1000);
            return arguments
                .positional[size_t(place) % arguments.positional.size()];
          });
    }
    if (name == "changed") {
      unsupported("'loop.changed'");
    }
    return std::nullopt;
  }

  std::vector<Value> items;
  size_t index = 0;
};

bool holdsTooMuch(const Object &object) {
  return object.nesting > maximumNesting;
}

} // namespace

/// A macro as a value. Valid while its evaluator and the tree live.
class Macro : public Object {
public:
  Macro(Evaluator &evaluator, const Statement &statement, ScopePtr scope)
      : evaluator(evaluator), statement(statement), scope(std::move(scope)) {}

  std::string typeName() const override { return "Macro"; }
  bool isCallable() const override { return true; }

  Value call(Context &context, CallArguments &arguments) override {
    Context::Level level(context);
    const auto &parameters = statement.parameters;
    std::string callee = "macro '" + statement.literal + "'";
    if (arguments.positional.size() > parameters.size()) {
      fail(callee + " takes " + std::to_string(parameters.size()) +
           " arguments, not " + std::to_string(arguments.positional.size()));
    }
    auto inner = std::make_shared<Scope>(scope);
    for (const auto &[name, value] : arguments.keywords) {
      auto found = std::find_if(parameters.begin(), parameters.end(),
                                [&, &wanted = name](const Parameter &each) {
                                  return each.name == wanted;
                                });
      if (found == parameters.end() ||
          size_t(found - parameters.begin()) < arguments.positional.size()) {
        fail(callee + " cannot take argument '" + name + "'");
      }
      inner->names[name] = value;
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter &parameter = parameters[i];
      if (i < arguments.positional.size()) {
        inner->names[parameter.name] = arguments.positional[i];
      } else if (inner->names.count(parameter.name) == 0) {
        inner->names[parameter.name] =
            parameter.fallback
                ? evaluator.evaluate(*parameter.fallback, inner)
                : Value::undefined("parameter '" + parameter.name +
                                   "' was not provided");
      }
    }
    std::string out;
    evaluator.execute(statement.body, inner, out);
    return Value(std::move(out));
  }

private:
  Evaluator &evaluator;
  const Statement &statement;
  ScopePtr scope;
};

std::string Evaluator::render(const Body &body, const ScopePtr &globals) {
  std::string out;
  execute(body, globals, out);
  return out;
}

void Evaluator::print(std::string_view text, std::string &out) {
  context.charge(text.size());
  out += text;
}

Evaluator::Flow Evaluator::execute(const Body &body, const ScopePtr &scope,
                                   std::string &out) {
  for (const Statement &each : body) {
    Flow flow = execute(each, scope, out);
    if (flow != Flow::next) {
      return flow;
    }
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const Statement &statement,
                                   const ScopePtr &scope, std::string &out) {
  Context::Level level(context);
  context.line = statement.line;
  switch (statement.kind) {
  case Statement::text:
    print(statement.literal, out);
    break;
  case Statement::print: {
    Value value = evaluate(*statement.expression, scope);
    if (value.isString()) {
      print(value.string(), out);
    } else {
      out += toText(context, value);
    }
    break;
  }
  case Statement::condition:
    return executeIf(statement, scope, out);
  case Statement::loop:
    return executeLoop(statement, scope, out);
  case Statement::set:
    assign(statement.target, evaluate(*statement.expression, scope), scope);
    break;
  case Statement::setBlock:
    return executeSetBlock(statement, scope);
  case Statement::macro:
    defineMacro(statement, scope);
    break;
  case Statement::scope:
    return execute(statement.body, std::make_shared<Scope>(scope), out);
  case Statement::breakLoop:
    return Flow::breakLoop;
  case Statement::continueLoop:
    return Flow::continueLoop;
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::executeIf(const Statement &statement,
                                     const ScopePtr &scope, std::string &out) {
  for (const Branch &each : statement.branches) {
    if (evaluate(*each.condition, scope).truthy()) {
      return execute(each.body, scope, out);
    }
  }
  return execute(statement.otherwise, scope, out);
}

// Assignments in the body end with each round, as in Jinja.
Evaluator::Flow Evaluator::executeLoop(const Statement &statement,
                                       const ScopePtr &scope,
                                       std::string &out) {
  std::vector<Value> items =
      iterate(context, evaluate(*statement.expression, scope));
  if (statement.filter) {
    std::vector<Value> kept;
    for (Value &each : items) {
      auto inner = std::make_shared<Scope>(scope);
      assign(statement.target, each, inner);
      if (evaluate(*statement.filter, inner).truthy()) {
        kept.push_back(std::move(each));
      }
    }
    items = std::move(kept);
  }
  if (items.empty()) {
    return execute(statement.otherwise, std::make_shared<Scope>(scope), out);
  }
  auto loop = std::make_shared<Loop>(std::move(items));
  if (holdsTooMuch(*loop)) {
    fail("loops, lists and dicts nest more than " +
         std::to_string(maximumNesting) + " deep");
  }
  for (; loop->index < loop->items.size(); ++loop->index) {
    auto inner = std::make_shared<Scope>(scope);
    inner->names["loop"] = Value(std::shared_ptr<Object>(loop));
    assign(statement.target, loop->items[loop->index], inner);
    if (execute(statement.body, inner, out) == Flow::breakLoop) {
      break;
    }
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::executeSetBlock(const Statement &statement,
                                           const ScopePtr &scope) {
  std::string text;
  Flow flow = execute(statement.body, std::make_shared<Scope>(scope), text);
  if (flow != Flow::next) {
    return flow;
  }
  Value value(std::move(text));
  if (statement.expression) {
    auto inner = std::make_shared<Scope>(scope);
    inner->names[printedBlock] = value;
    value = evaluate(*statement.expression, inner);
  }
  assign(statement.target, value, scope);
  return Flow::next;
}

void Evaluator::defineMacro(const Statement &statement, const ScopePtr &scope) {
  context.keepUntilEnd(scope);
  scope->names[statement.literal] = Value(std::shared_ptr<Object>(
      std::make_shared<Macro>(*this, statement, scope)));
}

void Evaluator::assign(const Target &target, const Value &value,
                       const ScopePtr &scope) {
  if (!target.attribute.empty()) {
    auto *space =
        dynamic_cast<Namespace *>(lookUp(target.names[0], scope).object());
    if (!space) {
      fail("cannot assign to an attribute of '" + target.names[0] +
           "': it is no namespace");
    }
    if (target.attribute[0] == '_') {
      fail("a namespace's attribute must not start with '_': '" +
           target.attribute + "'");
    }
    space->members[target.attribute] = value;
    return;
  }
  if (!target.unpacks) {
    scope->names[target.names[0]] = value;
    return;
  }
  requireDefined(value);
  std::vector<Value> items = iterate(context, value);
  if (items.size() != target.names.size()) {
    fail("cannot unpack " + std::to_string(items.size()) + " values into " +
         std::to_string(target.names.size()) + " names");
  }
  for (size_t i = 0; i < items.size(); ++i) {
    scope->names[target.names[i]] = std::move(items[i]);
  }
}

} // namespace cheems::jinja
