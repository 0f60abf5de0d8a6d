// Calling macros.
#include "runtime/ChatTemplate/Macro.h"

#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>

namespace cheems::jinja {

bool Macro::hasParameter(const char *name) const {
  return std::any_of(statement.parameters.begin(), statement.parameters.end(),
                     [&](const Parameter &each) { return each.name == name; });
}

std::optional<Value> Macro::attribute(std::string_view name) const {
  if (name == "name") {
    return statement.literal.empty() ? Value()
                                     : Value::literal(statement.literal);
  }
  if (name == "arguments") {
    Values names;
    names.reserve(statement.parameters.size());
    for (const Parameter &each : statement.parameters) {
      names.push_back(Value::literal(each.name));
    }
    return Value::tuple(std::move(names));
  }
  if (name == "caller") {
    return Value(statement.usesCaller);
  }
  if (name == "explicit_caller") {
    return Value(hasParameter("caller"));
  }
  if (name == "catch_kwargs") {
    return Value(catches("kwargs", statement.usesKwargs));
  }
  if (name == "catch_varargs") {
    return Value(catches("varargs", statement.usesVarargs));
  }
  return std::nullopt;
}

std::optional<std::string> Macro::repr() const {
  return "<Macro " +
         (statement.literal.empty() ? "anonymous"
                                    : inQuotes(statement.literal)) +
         ">";
}

void Macro::bind(const CallArguments &arguments, Scope &inner) const {
  std::string callee = statement.literal.empty()
                           ? "the body of a call block"
                           : "macro '" + statement.literal + "'";
  const auto &parameters = statement.parameters;
  const auto &positional = arguments.positional;
  auto keywords = arguments.keywords;
  auto takeKeyword = [&](const std::string &name) {
    auto found =
        std::find_if(keywords.begin(), keywords.end(), [&](const auto &each) {
          return each.first.bytes() == name;
        });
    if (found == keywords.end()) {
      return false;
    }
    inner.set(name, std::move(found->second));
    keywords.erase(found);
    return true;
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i < positional.size()) {
      inner.set(parameters[i].name, positional[i]);
    } else {
      takeKeyword(parameters[i].name);
    }
  }
  bool needsCaller =
      catches("caller", statement.usesCaller) &&
      (!takeKeyword("caller") ||
       inner.names.find(std::string_view("caller"))->second.isNone());
  if (needsCaller) {
    inner.set("caller", Value::undefined("no caller defined"));
  }
  if (catches("kwargs", statement.usesKwargs)) {
    auto dict = makeShared<Dict>();
    for (auto &[name, value] : keywords) {
      dict->set(Value(name), std::move(value));
    }
    inner.set("kwargs", Value(std::shared_ptr<const Dict>(std::move(dict))));
  } else if (!keywords.empty()) {
    fail(callee + " cannot take argument '" +
         std::string(keywords.front().first.bytes()) + "'");
  }
  size_t taken = std::min(positional.size(), parameters.size());
  if (catches("varargs", statement.usesVarargs)) {
    inner.set("varargs", Value::tuple({positional.begin() + int64_t(taken),
                                       positional.end()}));
  } else if (taken < positional.size()) {
    fail(callee + " takes " + std::to_string(parameters.size()) +
         " arguments, not " + std::to_string(positional.size()));
  }
}

TrackedText Macro::run(const CallArguments &arguments) {
  auto inner = makeShared<Scope>(scope);
  bind(arguments, *inner);
  for (const Parameter &each : statement.parameters) {
    if (inner->names.count(std::string_view(each.name)) == 0) {
      inner->set(each.name, each.fallback
                                ? evaluator.evaluate(*each.fallback, inner)
                                : Value::undefined("parameter '" + each.name +
                                                   "' was not provided"));
    }
  }
  TrackedText out;
  evaluator.execute(statement.body, inner, out);
  return out;
}

Value Macro::call(Context &context, CallArguments &arguments) {
  Context::Level level(context);
  context.step(
      int64_t(arguments.positional.size() + arguments.keywords.size()));
  return Value(run(arguments));
}

} // namespace cheems::jinja
