// Binding of arguments to parameters; limits of a rendering.
#include "runtime/ChatTemplate/Calls.h"

#include "runtime/Error.h"

namespace cheems::jinja {

void fail(const std::string &message) { throw Error(message); }

void unsupported(const std::string &construct) {
  throw Error(Status::unsupported, construct + " is not supported");
}

Context::~Context() {
  for (auto &each : namespaces) {
    each->members.clear();
  }
  for (auto &each : scopes) {
    each->names.clear();
  }
}

void Context::step(int64_t count) {
  steps += count;
  if (steps > limits.steps) {
    fail("the template runs for too long (more than " +
         std::to_string(limits.steps) + " steps)");
  }
}

void Context::charge(size_t count) {
  if (count > size_t(limits.bytes - bytes)) {
    fail("the template makes too much text (more than " +
         std::to_string(limits.bytes >> 20) + " MiB)");
  }
  bytes += int64_t(count);
}

std::shared_ptr<Namespace> Context::makeNamespace() {
  charge(sizeof(Namespace));
  namespaces.push_back(std::make_shared<Namespace>());
  return namespaces.back();
}

void Context::keepUntilEnd(std::shared_ptr<Scope> scope) {
  if (scopes.empty() || scopes.back() != scope) {
    charge(2 * sizeof(Scope));
    scopes.push_back(std::move(scope));
  }
}

Context::Level::Level(Context &context) : context(context) {
  context.step();
  if (++context.depth > context.limits.depth) {
    --context.depth; // no destructor will
    fail("macros or expressions nest too deep");
  }
}

std::vector<const Value *>
CallArguments::bind(std::initializer_list<const char *> parameters,
                    size_t required) const {
  if (positional.size() > parameters.size()) {
    fail(callee + " takes at most " + std::to_string(parameters.size()) +
         " arguments, not " + std::to_string(positional.size()));
  }
  std::vector<const Value *> bound;
  bound.reserve(parameters.size());
  for (const Value &value : positional) {
    bound.push_back(&value);
  }
  bound.resize(parameters.size());
  for (const auto &[name, value] : keywords) {
    size_t place = 0;
    while (place < parameters.size() && name != parameters.begin()[place]) {
      ++place;
    }
    if (place == parameters.size()) {
      fail(callee + " has no argument '" + name + "'");
    }
    if (bound[place]) {
      fail(callee + " got argument '" + name + "' twice");
    }
    bound[place] = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (!bound[i]) {
      fail(callee + " misses its argument '" + parameters.begin()[i] + "'");
    }
  }
  return bound;
}

void CallArguments::expect(size_t least, size_t most) const {
  if (!keywords.empty()) {
    fail(callee + " takes no argument '" + keywords.front().first + "'");
  }
  if (positional.size() < least || positional.size() > most) {
    std::string wanted = std::to_string(least) +
                         (most > least ? " to " + std::to_string(most) : "");
    fail(callee + " takes " + wanted + " arguments, not " +
         std::to_string(positional.size()));
  }
}

namespace {

class NamedFunction : public Object {
public:
  NamedFunction(std::string name, Function function)
      : name(std::move(name)), function(std::move(function)) {}
  std::string typeName() const override { return "function"; }
  bool isCallable() const override { return true; }
  Value call(Context &context, CallArguments &arguments) override {
    arguments.callee = name;
    return function(context, arguments);
  }

private:
  std::string name;
  Function function;
};

} // namespace

Value makeFunction(std::string name, Function function, int nesting) {
  if (nesting >= maximumNesting) {
    fail("lists and functions nest more than " +
         std::to_string(maximumNesting) + " deep");
  }
  auto made =
      std::make_shared<NamedFunction>(std::move(name), std::move(function));
  made->nesting = nesting + 1;
  return Value(std::shared_ptr<Object>(std::move(made)));
}

} // namespace cheems::jinja
