// What may follow `is`.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/Operators.h"

namespace cheems::jinja {

namespace {

using Table = std::unordered_map<std::string_view, Test>;

const Value &onlyArgument(CallArguments &arguments) {
  arguments.expect(1, 1);
  return arguments.positional[0];
}

bool isRemainder(Context &context, const Value &value, const Value &divisor,
                 int64_t wanted) {
  Value remainder =
      applyBinary(context, BinaryOperator::modulo, value, divisor);
  return equals(context, remainder, Value(wanted));
}

template <Comparison kind>
bool compares(Context &context, const Value &value, CallArguments &arguments) {
  return applyComparison(context, kind, value, onlyArgument(arguments));
}

bool isSame(Context &context, const Value &value, CallArguments &arguments) {
  const Value &other = onlyArgument(arguments);
  bool singletons =
      (value.isNone() || value.isBool()) || (other.isNone() || other.isBool());
  if (singletons) {
    bool sameKind =
        value.isNone() == other.isNone() && value.isBool() == other.isBool();
    return sameKind && value.truthy() == other.truthy();
  }
  if (value.object() || other.object()) {
    return value.object() == other.object();
  }
  unsupported("test 'sameas' on " + value.typeName());
}

using Kind = bool (*)(const Value &);

bool isDefined(const Value &value) { return !value.isUndefined(); }
bool isUndefined(const Value &value) { return value.isUndefined(); }
bool isNone(const Value &value) { return value.isNone(); }
bool isBoolean(const Value &value) { return value.isBool(); }
bool isTrue(const Value &value) { return value.isBool() && value.truthy(); }
bool isFalse(const Value &value) { return value.isBool() && !value.truthy(); }
bool isInteger(const Value &value) {
  return (value.isIntegral() && !value.isBool()) || value.isBig();
}
bool isFloat(const Value &value) { return value.isFloat(); }
bool isNumber(const Value &value) { return value.isNumber(); }
bool isString(const Value &value) { return value.isString(); }
bool isMarkup(const Value &value) { return value.isMarkup(); }
bool isMapping(const Value &value) { return value.isMapping(); }

// Undefined has the methods that make a sequence and a function.
bool isCallable(const Value &value) {
  return (value.object() && value.object()->isCallable()) ||
         value.isUndefined();
}
bool isIterable(const Value &value) {
  return value.isString() || value.isMapping() || value.sequence() ||
         value.isUndefined();
}
bool isSequence(const Value &value) {
  return value.isString() || value.isMapping() || value.isIndexable() ||
         value.isUndefined();
}

template <Kind kind>
bool hasKind(Context &, const Value &value, CallArguments &arguments) {
  arguments.expect(0, 0);
  return kind(value);
}

void addKinds(Table &table) {
  table["defined"] = hasKind<isDefined>;
  table["undefined"] = hasKind<isUndefined>;
  table["none"] = hasKind<isNone>;
  table["boolean"] = hasKind<isBoolean>;
  table["true"] = hasKind<isTrue>;
  table["false"] = hasKind<isFalse>;
  table["integer"] = hasKind<isInteger>;
  table["float"] = hasKind<isFloat>;
  table["number"] = hasKind<isNumber>;
  table["string"] = hasKind<isString>;
  table["escaped"] = hasKind<isMarkup>;
  table["mapping"] = hasKind<isMapping>;
  table["callable"] = hasKind<isCallable>;
  table["iterable"] = hasKind<isIterable>;
  table["sequence"] = hasKind<isSequence>;
}

void addComparisons(Table &table) {
  table["eq"] = table["equalto"] = compares<Comparison::equal>;
  table["ne"] = compares<Comparison::unequal>;
  table["lt"] = table["lessthan"] = compares<Comparison::less>;
  table["le"] = compares<Comparison::lessEqual>;
  table["gt"] = table["greaterthan"] = compares<Comparison::greater>;
  table["ge"] = compares<Comparison::greaterEqual>;
  table["in"] = compares<Comparison::in>;
  table["sameas"] = isSame;
  table["odd"] = [](Context &context, const Value &value, CallArguments &) {
    return isRemainder(context, value, Value(int64_t(2)), 1);
  };
  table["even"] = [](Context &context, const Value &value, CallArguments &) {
    return isRemainder(context, value, Value(int64_t(2)), 0);
  };
  table["divisibleby"] = [](Context &context, const Value &value,
                            CallArguments &arguments) {
    return isRemainder(context, value, onlyArgument(arguments), 0);
  };
}

template <bool (*isKnown)(std::string_view)>
bool names(Context &, const Value &value, CallArguments &arguments) {
  arguments.expect(0, 0);
  return value.isString() && isKnown(value.string());
}

} // namespace

Test findTest(std::string_view name) {
  static const Table table = [] {
    Table tests;
    addKinds(tests);
    addComparisons(tests);
    tests["filter"] = names<isJinjaFilter>;
    tests["test"] = names<isJinjaTest>;
    return tests;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

} // namespace cheems::jinja
