// Kinds, truth and containers.
#include "runtime/ChatTemplate/Value.h"

#include "runtime/ChatTemplate/Context.h"

#include <algorithm>
#include <cmath>

namespace cheems::jinja {

namespace {

int nestingOf(const std::vector<Value> &items) {
  int deepest = 0;
  for (const Value &each : items) {
    deepest = std::max(deepest, each.nesting());
  }
  if (deepest >= maximumNesting) {
    fail("lists and dicts nest more than " + std::to_string(maximumNesting) +
         " deep");
  }
  return deepest + 1;
}

Value sequenceOf(Sequence::Kind kind, std::vector<Value> items) {
  int nesting = nestingOf(items);
  return Value(
      std::make_shared<Sequence>(Sequence{kind, std::move(items), nesting}));
}

// 1, 1.0 and true are one key in Python.
std::string keySpelling(const Value &key) {
  if (key.isString()) {
    return "s" + key.string();
  }
  if (key.isNone()) {
    return "none";
  }
  if (key.isIntegral()) {
    return "i" + std::to_string(key.integer());
  }
  if (key.isBig()) {
    return "i" + key.bigInteger().text();
  }
  if (key.isFloat()) {
    double number = key.number();
    if (std::isfinite(number) && number == std::floor(number)) {
      return "i" + BigInteger::truncated(number).text();
    }
    return "f" +
           std::string(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  if (key.isMapping() ||
      (key.sequence() && key.sequence()->kind == Sequence::list)) {
    fail("unhashable type: '" + key.typeName() + "'");
  }
  unsupported("a dict key of type " + key.typeName());
}

} // namespace

Value Value::undefined(std::string reason) {
  Value value;
  value.storage =
      Undefined{std::make_shared<const std::string>(std::move(reason))};
  return value;
}

Value Value::text(std::string text, bool isMarkup) {
  Value value;
  value.storage =
      std::make_shared<const Characters>(Characters{std::move(text), isMarkup});
  return value;
}

Value Value::integer(const BigInteger &value) {
  if (auto small = value.small()) {
    return Value(*small);
  }
  Value big;
  big.storage = std::make_shared<const BigInteger>(value);
  return big;
}

Value Value::list(std::vector<Value> items) {
  return sequenceOf(Sequence::list, std::move(items));
}
Value Value::tuple(std::vector<Value> items) {
  return sequenceOf(Sequence::tuple, std::move(items));
}
Value Value::group(Value grouper, Value list) {
  Value made = tuple({std::move(grouper), std::move(list)});
  made.sequence()->isGroup = true;
  return made;
}
Value Value::range(std::vector<Value> items) {
  return sequenceOf(Sequence::range, std::move(items));
}
Value Value::view(std::vector<Value> items) {
  return sequenceOf(Sequence::view, std::move(items));
}
Value Value::generator(std::vector<Value> items) {
  return sequenceOf(Sequence::generator, std::move(items));
}

int64_t Value::integer() const {
  return isBool() ? int64_t(std::get<bool>(storage))
                  : std::get<int64_t>(storage);
}

BigInteger Value::bigInteger() const {
  return isBig() ? *std::get<std::shared_ptr<const BigInteger>>(storage)
                 : BigInteger(integer());
}

double Value::number() const {
  if (isBig()) {
    double nearest = bigInteger().toDouble();
    if (std::isinf(nearest)) {
      fail("int too large to convert to float");
    }
    return nearest;
  }
  return isFloat() ? std::get<double>(storage) : double(integer());
}

Sequence *Value::sequence() const {
  auto *held = std::get_if<std::shared_ptr<Sequence>>(&storage);
  return held ? held->get() : nullptr;
}

Object *Value::object() const {
  auto *held = std::get_if<std::shared_ptr<Object>>(&storage);
  return held ? held->get() : nullptr;
}

bool Value::isIndexable() const {
  const Sequence *held = sequence();
  return held &&
         (held->kind == Sequence::list || held->kind == Sequence::tuple ||
          held->kind == Sequence::range);
}

std::string Value::typeName() const {
  if (const Sequence *held = sequence()) {
    static const char *const names[] = {"list", "tuple", "range", "dict view",
                                        "generator"};
    return names[held->kind];
  }
  if (const Object *held = object()) {
    return held->typeName();
  }
  if (isMarkup()) {
    return "Markup";
  }
  static const char *const names[] = {"Undefined", "NoneType", "bool", "int",
                                      "float",     "str",      "",     "dict",
                                      "",          "int"};
  return names[storage.index()];
}

bool Value::truthy() const {
  if (isUndefined() || isNone()) {
    return false;
  }
  if (isNumber()) {
    return isBig() || number() != 0;
  }
  if (isString()) {
    return !string().empty();
  }
  if (isMapping()) {
    return !dict().items.empty();
  }
  if (const Sequence *held = sequence()) {
    return held->kind == Sequence::generator || !held->items.empty();
  }
  return true;
}

int Value::nesting() const {
  if (const Sequence *held = sequence()) {
    return held->nesting;
  }
  if (const Object *held = object()) {
    return held->nesting;
  }
  return isMapping() ? dict().nesting : 0;
}

const Value *Dict::find(const Value &key) const {
  bool cannotBeThere =
      key.isUndefined() || key.object() ||
      (key.sequence() && key.sequence()->kind != Sequence::list);
  if (cannotBeThere) {
    return nullptr;
  }
  auto found = positions.find(keySpelling(key));
  return found == positions.end() ? nullptr : &items[found->second].second;
}

const Value *Dict::find(const std::string &key) const {
  auto found = positions.find("s" + key);
  return found == positions.end() ? nullptr : &items[found->second].second;
}

void Dict::set(const Value &key, Value value) {
  nesting = std::max(nesting, nestingOf({value}));
  auto [place, isNew] = positions.emplace(keySpelling(key), items.size());
  if (isNew) {
    items.emplace_back(key, std::move(value));
  } else {
    items[place->second].second = std::move(value);
  }
}

Value Object::call(Context &, CallArguments &) {
  fail("'" + typeName() + "' object is not callable");
}

std::optional<Value> Namespace::attribute(const std::string &name) const {
  auto found = members.find(name);
  return found == members.end() ? std::nullopt
                                : std::optional<Value>(found->second);
}

} // namespace cheems::jinja
