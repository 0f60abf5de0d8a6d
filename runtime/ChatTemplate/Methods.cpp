// Methods of strings, dicts and lists.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/TextMethods.h"

#include <algorithm>
#include <set>

namespace cheems::jinja {

namespace {

using Method = Value (*)(Context &, const Value &, CallArguments &);
using MethodTable = std::unordered_map<std::string_view, Method>;

Value dictGet(Context &, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 2);
  const Value *found = self.dict().find(arguments.positional[0]);
  return found                             ? *found
         : arguments.positional.size() > 1 ? arguments.positional[1]
                                           : Value();
}

Value dictView(Context &context, const Value &self, CallArguments &arguments,
               bool keys, bool values) {
  arguments.expect(0, 0);
  Values items;
  for (const auto &[key, value] : self.dict().items) {
    context.step(keys && values ? 3 : 1);
    items.push_back(keys && values ? Value::tuple({key, value})
                    : keys         ? key
                                   : value);
  }
  return Value::view(std::move(items));
}

Value dictItems(Context &context, const Value &self, CallArguments &arguments) {
  return dictView(context, self, arguments, true, true);
}

Value dictKeys(Context &context, const Value &self, CallArguments &arguments) {
  return dictView(context, self, arguments, true, false);
}

Value dictValues(Context &context, const Value &self,
                 CallArguments &arguments) {
  return dictView(context, self, arguments, false, true);
}

Value listIndex(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  const auto &items = self.sequence()->items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (equals(context, items[i], arguments.positional[0])) {
      return Value(int64_t(i));
    }
  }
  fail(arguments.callee + " found no such item");
}

Value listCount(Context &context, const Value &self, CallArguments &arguments) {
  arguments.expect(1, 1);
  int64_t count = 0;
  for (const Value &each : self.sequence()->items) {
    count += equals(context, each, arguments.positional[0]);
  }
  return Value(count);
}

const MethodTable &methodsOf(const Value &value) {
  static const MethodTable strings = textMethods();
  static const MethodTable dicts = {{"get", dictGet},
                                    {"items", dictItems},
                                    {"keys", dictKeys},
                                    {"values", dictValues}};
  static const MethodTable sequences = {{"index", listIndex},
                                        {"count", listCount}};
  static const MethodTable none;
  return value.isString()      ? strings
         : value.isMapping()   ? dicts
         : value.isIndexable() ? sequences
                               : none;
}

/// What Python's types have beyond the tables above: using one must not look
/// like a missing attribute.
bool isPythonAttribute(const Value &value, std::string_view name) {
  static const std::set<std::string_view> strings = {
      "casefold",   "center",    "encode",      "expandtabs", "isalnum",
      "isalpha",    "isascii",   "isdecimal",   "isdigit",    "isidentifier",
      "islower",    "isnumeric", "isprintable", "istitle",    "isupper",
      "ljust",      "maketrans", "partition",   "rindex",     "rjust",
      "rpartition", "swapcase",  "translate",   "zfill"};
  static const std::set<std::string_view> markups = {"escape", "striptags",
                                                     "unescape"};
  static const std::set<std::string_view> dicts = {
      "clear", "copy", "fromkeys", "pop", "popitem", "setdefault", "update"};
  static const std::set<std::string_view> lists = {"append", "clear",   "copy",
                                                   "extend", "insert",  "pop",
                                                   "remove", "reverse", "sort"};
  static const std::set<std::string_view> numbers = {
      "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator",
      "from_bytes",       "fromhex",   "hex",        "imag",      "is_integer",
      "numerator",        "real",      "to_bytes"};
  static const std::set<std::string_view> ranges = {"start", "stop", "step"};
  static const std::set<std::string_view> generators = {
      "close", "gi_code", "gi_frame", "gi_running", "send", "throw"};
  static const std::set<std::string_view> views = {"isdisjoint", "mapping"};
  const Sequence *sequence = value.sequence();
  if (sequence) {
    const std::set<std::string_view> *const known[] = {&lists, nullptr, &ranges,
                                                       &views, &generators};
    const auto *names = known[sequence->kind];
    return names && names->count(name) != 0;
  }
  return (value.isString() && strings.count(name) != 0) ||
         (value.isMarkup() && markups.count(name) != 0) ||
         (value.isMapping() && dicts.count(name) != 0) ||
         (value.isNumber() && numbers.count(name) != 0);
}

} // namespace

std::optional<Value> findMethod(const Value &object, std::string_view name) {
  const Sequence *sequence = object.sequence();
  if (sequence && sequence->isGroup && (name == "grouper" || name == "list")) {
    return sequence->items[name == "list"];
  }
  const MethodTable &table = methodsOf(object);
  auto found = table.find(name);
  if (found == table.end()) {
    if (isPythonAttribute(object, name)) {
      unsupported("'" + std::string(name) + "' of " + object.typeName());
    }
    return std::nullopt;
  }
  Method method = found->second;
  auto bound = [method, object](Context &context, CallArguments &arguments) {
    return method(context, object, arguments);
  };
  return makeFunction("'" + object.typeName() + "." + std::string(name) + "'",
                      bound, object.nesting());
}

} // namespace cheems::jinja
