// Global functions.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <ctime>

namespace cheems::jinja {

namespace {

/// Jinja's sandbox has the same bound.
constexpr int64_t maximumRange = 100000;

Value callRange(Context &context, CallArguments &arguments) {
  arguments.expect(1, 3);
  int64_t bounds[3] = {0, 0, 1};
  Origin origin = Origin::model;
  size_t count = arguments.positional.size();
  for (size_t i = 0; i < count; ++i) {
    origin = origin | arguments.positional[i].origin();
    bounds[count == 1 ? 1 : i] =
        requireInteger(arguments.positional[i], "an argument of range");
  }
  auto [from, to, step] = bounds;
  if (step == 0) {
    fail("range's step must not be zero");
  }
  Values items;
  for (int64_t i = from; step > 0 ? i < to : i > to;) {
    if (int64_t(items.size()) == maximumRange) {
      fail("range is longer than " + std::to_string(maximumRange));
    }
    context.step(1);
    items.push_back(Value(i).from(origin));
    if (__builtin_add_overflow(i, step, &i)) {
      break;
    }
  }
  return Value::range(std::move(items));
}

/// dict(…) takes a mapping or pairs, then keywords.
std::shared_ptr<Dict> makeDict(Context &context,
                               const CallArguments &arguments) {
  auto dict = makeShared<Dict>();
  if (arguments.positional.size() > 1) {
    fail(arguments.callee + " takes at most one argument without a name");
  }
  if (!arguments.positional.empty()) {
    const Value &source = arguments.positional[0];
    requireDefined(source);
    for (const Value &each : iterate(context, source)) {
      if (source.isMapping()) {
        dict->set(each, *source.dict().find(each));
        continue;
      }
      Values pair = iterate(context, each);
      if (pair.size() != 2) {
        fail(arguments.callee + " needs pairs of a key and a value");
      }
      dict->set(pair[0], pair[1]);
    }
  }
  for (const auto &[name, value] : arguments.keywords) {
    dict->set(Value(name), value);
  }
  return dict;
}

Value callDict(Context &context, CallArguments &arguments) {
  return Value(std::shared_ptr<const Dict>(makeDict(context, arguments)));
}

Value callNamespace(Context &context, CallArguments &arguments) {
  auto space = context.makeNamespace();
  auto members = makeDict(context, arguments);
  for (const auto &[key, value] : members->items) {
    std::string_view name = requireString(key, "a namespace's attribute");
    if (!name.empty() && name[0] == '_') {
      fail("a namespace's attribute must not start with '_': '" +
           std::string(name) + "'");
    }
    space->members.insert_or_assign(MeteredString(name), value);
  }
  return Value(std::shared_ptr<Object>(std::move(space)));
}

Value callRaiseException(Context &context, CallArguments &arguments) {
  auto bound = arguments.bind({"message"}, 1);
  std::string message(toText(context, *bound[0]).bytes());
  for (char &c : message) { // a message is one line
    c = c == '\n' || c == '\r' ? ' ' : c;
  }
  fail("the template refuses these messages: " + message);
}

Value callStrftimeNow(Context &context, CallArguments &arguments) {
  auto bound = arguments.bind({"format"}, 1);
  std::string format(requireString(*bound[0], "strftime_now's format"));
  std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  for (size_t i = format.find('%'); i < format.size();
       i = format.find('%', i + 2)) {
    char letter = i + 1 < format.size() ? format[i + 1] : '\0';
    // C and Python differ on the others
    if (letter == '\0' ||
        std::string_view("aAbBcdHIjmMpSUwWxXyY%").find(letter) ==
            std::string_view::npos) {
      unsupported("strftime_now's '%" +
                  std::string(letter == '\0' ? 0 : 1, letter) + "'");
    }
  }
  char text[512];
  // the extra space tells an empty result from a full buffer
  size_t length =
      std::strftime(text, sizeof(text), (format + " ").c_str(), &local);
  if (length == 0) {
    fail("strftime_now's format is too long");
  }
  return context.text(
      TrackedText(std::string_view(text, length - 1), bound[0]->origin()));
}

} // namespace

std::optional<Value> findFunction(std::string_view name) {
  static const std::pair<const char *, Value (*)(Context &, CallArguments &)>
      functions[] = {
          {"range", callRange},
          {"dict", callDict},
          {"namespace", callNamespace},
          {"raise_exception", callRaiseException},
          {"strftime_now", callStrftimeNow},
      };
  for (const auto &[known, function] : functions) {
    if (name == known) {
      return makeFunction(known, function);
    }
  }
  for (const char *known : {"cycler", "joiner", "lipsum", "self", "super"}) {
    if (name == known) {
      unsupported("'" + std::string(name) + "'");
    }
  }
  return std::nullopt;
}

} // namespace cheems::jinja
