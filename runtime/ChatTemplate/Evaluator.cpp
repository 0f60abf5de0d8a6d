// Statements.
#include "runtime/ChatTemplate/Evaluator.h"

#include "runtime/ChatTemplate/Loop.h"
#include "runtime/ChatTemplate/Macro.h"
#include "runtime/ChatTemplate/Operators.h"

namespace cheems::jinja {

namespace {

const std::string &requirePrintable(const Value &value) {
  return requireString(value, "what a call or filter block prints");
}

} // namespace

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
  case Statement::filterBlock:
    return executeFilterBlock(statement, scope, out);
  case Statement::callBlock:
    print(requirePrintable(callBlock(statement, scope)), out);
    break;
  case Statement::generation:
    print(makeMacro(statement, scope)->run({}), out);
    break;
  case Statement::macro:
    scope->names[statement.literal] =
        Value(std::shared_ptr<Object>(makeMacro(statement, scope)));
    break;
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

// What the body prints, through the filters if there are any, which see what it
// assigns.
Evaluator::Flow Evaluator::capture(const Statement &statement,
                                   const ScopePtr &scope, Value &value) {
  auto inner = std::make_shared<Scope>(scope);
  std::string text;
  Flow flow = execute(statement.body, inner, text);
  value = Value(std::move(text));
  if (flow == Flow::next && statement.expression) {
    inner->names[printedBlock] = value;
    value = evaluate(*statement.expression, inner);
  }
  return flow;
}

Evaluator::Flow Evaluator::executeSetBlock(const Statement &statement,
                                           const ScopePtr &scope) {
  Value value;
  Flow flow = capture(statement, scope, value);
  if (flow == Flow::next) {
    assign(statement.target, value, scope);
  }
  return flow;
}

Evaluator::Flow Evaluator::executeFilterBlock(const Statement &statement,
                                              const ScopePtr &scope,
                                              std::string &out) {
  Value value;
  Flow flow = capture(statement, scope, value);
  if (flow == Flow::next) {
    print(requirePrintable(value), out);
  }
  return flow;
}

// The body is a macro that the one called knows as `caller`.
Value Evaluator::callBlock(const Statement &statement, const ScopePtr &scope) {
  Value caller(std::shared_ptr<Object>(makeMacro(statement, scope)));
  return evaluateCall(*statement.expression, scope, &caller);
}

std::shared_ptr<Macro> Evaluator::makeMacro(const Statement &statement,
                                            const ScopePtr &scope) {
  context.keepUntilEnd(scope);
  return std::make_shared<Macro>(*this, statement, scope);
}

void Evaluator::assign(const Target &target, const Value &value,
                       const ScopePtr &scope) {
  if (!target.attribute.empty()) {
    auto *space =
        dynamic_cast<Namespace *>(lookUp(target.names[0], scope).object());
    if (!space) {
      fail("cannot assign to an attribute of '" + target.names[0] +
           "': it is not a namespace");
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
