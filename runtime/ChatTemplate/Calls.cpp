// Binding of arguments to parameters; limits of a rendering.
#include "runtime/ChatTemplate/Calls.h"

#include "runtime/Error.h"
#include "runtime/Work.h"

namespace cheems::jinja {

void fail(const std::string &message) { throw Error(message); }

void unsupported(const std::string &construct) {
  throw Error(Status::unsupported, construct + " is not supported");
}

void refuseDigits() {
  unsupported("an integer of more than " + std::to_string(maximumDigits) +
              " digits");
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
  constexpr int64_t often = 256;
  if (steps / often != (steps + count) / often) {
    Work::check();
  }
  steps += count;
  if (steps > limits.steps) {
    fail("the template runs for too long (more than " +
         std::to_string(limits.steps) + " steps)");
  }
}

Value Context::character(std::string_view text, Origin origin) {
  auto first = static_cast<unsigned char>(text[0]);
  if (first >= 0x80) {
    return Value(TrackedText(text, origin));
  }
  Value &made =
      asciiCharacters[first + (origin == Origin::stranger ? 0x80 : 0)];
  if (made.isNone()) {
    made = Value(TrackedText(text, origin));
  }
  return made;
}

std::shared_ptr<Namespace> Context::makeNamespace() {
  namespaces.push_back(makeShared<Namespace>());
  return namespaces.back();
}

void Context::keepUntilEnd(std::shared_ptr<Scope> scope) {
  if (scopes.empty() || scopes.back() != scope) {
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
    while (place < parameters.size() &&
           name.bytes() != parameters.begin()[place]) {
      ++place;
    }
    if (place == parameters.size()) {
      fail(callee + " has no argument '" + std::string(name.bytes()) + "'");
    }
    if (bound[place]) {
      fail(callee + " got argument '" + std::string(name.bytes()) + "' twice");
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
    fail(callee + " takes no argument '" +
         std::string(keywords.front().first.bytes()) + "'");
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
  auto made = makeShared<NamedFunction>(std::move(name), std::move(function));
  made->nesting = nesting + 1;
  return Value(std::shared_ptr<Object>(std::move(made)));
}

} // namespace cheems::jinja
