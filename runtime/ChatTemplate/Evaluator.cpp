// Statements.
#include "runtime/ChatTemplate/Evaluator.h"

#include "runtime/ChatTemplate/Loop.h"
#include "runtime/ChatTemplate/Macro.h"
#include "runtime/ChatTemplate/Operators.h"

namespace cheems::jinja {

namespace {

const TrackedText &requirePrintable(const Value &value) {
  return requireText(value, "what a call or filter block prints");
}

} // namespace

TrackedText Evaluator::render(const Body &body, const ScopePtr &globals) {
  TrackedText out;
  execute(body, globals, out);
  return out;
}

void Evaluator::print(const TrackedText &text, TrackedText &out) {
  context.scan(text.size());
  out.append(text);
}

Evaluator::Flow Evaluator::execute(const Body &body, const ScopePtr &scope,
                                   TrackedText &out) {
  for (const Statement &each : body) {
    Flow flow = execute(each, scope, out);
    if (flow != Flow::next) {
      return flow;
    }
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const Statement &statement,
                                   const ScopePtr &scope, TrackedText &out) {
  Context::Level level(context);
  context.line = statement.line;
  switch (statement.kind) {
  case Statement::text:
    out.append(statement.literal);
    break;
  case Statement::print: {
    Value value = evaluate(*statement.expression, scope);
    if (value.isString()) {
      print(value.text(), out);
    } else {
      out.append(toText(context, value));
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
    scope->set(statement.literal,
               Value(std::shared_ptr<Object>(makeMacro(statement, scope))));
    break;
  case Statement::breakLoop:
    return Flow::breakLoop;
  case Statement::continueLoop:
    return Flow::continueLoop;
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::executeIf(const Statement &statement,
                                     const ScopePtr &scope, TrackedText &out) {
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
                                       TrackedText &out) {
  Values items = iterate(context, evaluate(*statement.expression, scope));
  if (statement.filter) {
    Values kept;
    for (Value &each : items) {
      auto inner = makeShared<Scope>(scope);
      assign(statement.target, each, inner);
      if (evaluate(*statement.filter, inner).truthy()) {
        kept.push_back(std::move(each));
      }
    }
    items = std::move(kept);
  }
  if (items.empty()) {
    return execute(statement.otherwise, makeShared<Scope>(scope), out);
  }
  auto loop = makeShared<Loop>(std::move(items));
  for (; loop->index < loop->items.size(); ++loop->index) {
    auto inner = makeShared<Scope>(scope);
    inner->set("loop", Value(std::shared_ptr<Object>(loop)));
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
  auto inner = makeShared<Scope>(scope);
  TrackedText text;
  Flow flow = execute(statement.body, inner, text);
  value = Value(std::move(text));
  if (flow == Flow::next && statement.expression) {
    inner->set(printedBlock, value);
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
                                              TrackedText &out) {
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
  return makeShared<Macro>(*this, statement, scope);
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
    space->members.insert_or_assign(MeteredString(target.attribute), value);
    return;
  }
  if (!target.unpacks) {
    scope->set(target.names[0], value);
    return;
  }
  requireDefined(value);
  Values items = iterate(context, value);
  if (items.size() != target.names.size()) {
    fail("cannot unpack " + std::to_string(items.size()) + " values into " +
         std::to_string(target.names.size()) + " names");
  }
  for (size_t i = 0; i < items.size(); ++i) {
    scope->set(target.names[i], std::move(items[i]));
  }
}

} // namespace cheems::jinja
