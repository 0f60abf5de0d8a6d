// Calling macros.
#include "runtime/ChatTemplate/Macro.h"

#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>

namespace cheems::jinja {

bool Macro::hasParameter(const char *name) const {
  return std::any_of(statement.parameters.begin(), statement.parameters.end(),
                     [&](const Parameter &each) { return each.name == name; });
}

std::optional<Value> Macro::attribute(const std::string &name) const {
  if (name == "name") {
    return statement.literal.empty() ? Value() : Value(statement.literal);
  }
  if (name == "arguments") {
    std::vector<Value> names;
    names.reserve(statement.parameters.size());
    for (const Parameter &each : statement.parameters) {
      names.emplace_back(each.name);
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
        std::find_if(keywords.begin(), keywords.end(),
                     [&](const auto &each) { return each.first == name; });
    if (found == keywords.end()) {
      return false;
    }
    inner.names[name] = std::move(found->second);
    keywords.erase(found);
    return true;
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i < positional.size()) {
      inner.names[parameters[i].name] = positional[i];
    } else {
      takeKeyword(parameters[i].name);
    }
  }
  bool needsCaller = catches("caller", statement.usesCaller) &&
                     (!takeKeyword("caller") || inner.names["caller"].isNone());
  if (needsCaller) {
    inner.names["caller"] = Value::undefined("no caller defined");
  }
  if (catches("kwargs", statement.usesKwargs)) {
    auto dict = std::make_shared<Dict>();
    for (auto &[name, value] : keywords) {
      dict->set(Value(name), std::move(value));
    }
    inner.names["kwargs"] = Value(std::shared_ptr<const Dict>(std::move(dict)));
  } else if (!keywords.empty()) {
    fail(callee + " cannot take argument '" + keywords.front().first + "'");
  }
  size_t taken = std::min(positional.size(), parameters.size());
  if (catches("varargs", statement.usesVarargs)) {
    inner.names["varargs"] =
        Value::tuple({positional.begin() + int64_t(taken), positional.end()});
  } else if (taken < positional.size()) {
    fail(callee + " takes " + std::to_string(parameters.size()) +
         " arguments, not " + std::to_string(positional.size()));
  }
}

std::string Macro::run(const CallArguments &arguments) {
  auto inner = std::make_shared<Scope>(scope);
  bind(arguments, *inner);
  for (const Parameter &each : statement.parameters) {
    if (inner->names.count(each.name) == 0) {
      inner->names[each.name] =
          each.fallback ? evaluator.evaluate(*each.fallback, inner)
                        : Value::undefined("parameter '" + each.name +
                                           "' was not provided");
    }
  }
  std::string out;
  evaluator.execute(statement.body, inner, out);
  return out;
}

Value Macro::call(Context &context, CallArguments &arguments) {
  Context::Level level(context);
  context.chargeItems(arguments.positional.size() + arguments.keywords.size());
  return Value(run(arguments));
}

} // namespace cheems::jinja
