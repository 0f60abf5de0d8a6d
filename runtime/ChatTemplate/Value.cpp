// Kinds, truth and containers.
#include "runtime/ChatTemplate/Value.h"

#include "runtime/ChatTemplate/Context.h"

#include <algorithm>
#include <cmath>

namespace cheems::jinja {

namespace {

int nestingOf(const Values &items) {
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

Value sequenceOf(Sequence::Kind kind, Values items) {
  int nesting = nestingOf(items);
  return Value(makeShared<Sequence>(Sequence{kind, std::move(items), nesting}));
}

MeteredString textSpelling(std::string_view text) {
  return MeteredString(1, 's').append(text);
}

/// Each int has one; those of 64 bits are in decimal.
std::string integerSpelling(const BigInteger &value) {
  auto small = smallInteger(value);
  return small ? std::to_string(*small)
               : (value < 0 ? "-x" : "x") + digitsOf(abs(value), 16);
}

// 1, 1.0 and true are one key in Python.
MeteredString keySpelling(const Value &key) {
  auto made = [](char kind, std::string_view rest) {
    return MeteredString(1, kind).append(rest);
  };
  if (key.isString()) {
    return textSpelling(key.string());
  }
  if (key.isNone()) {
    return made('n', "");
  }
  if (key.isIntegral()) {
    return made('i', std::to_string(key.integer()));
  }
  if (key.isBig()) {
    return made('i', integerSpelling(key.bigInteger()));
  }
  if (key.isFloat()) {
    double number = key.number();
    if (std::isfinite(number) && number == std::floor(number)) {
      return made('i', integerSpelling(BigInteger(number)));
    }
    return made('f', {reinterpret_cast<const char *>(&number), sizeof(number)});
  }
  if (key.isMapping() ||
      (key.sequence() && key.sequence()->kind == Sequence::list)) {
    fail("unhashable type: '" + key.typeName() + "'");
  }
  unsupported("a dict key of type " + key.typeName());
}

/// Dicts of no more items are looked through from the front.
constexpr size_t fewItems = 8;

} // namespace

Value Value::undefined(std::string_view reason) {
  Value value;
  value.storage = Undefined{makeShared<const MeteredString>(reason)};
  return value;
}

Value Value::text(TrackedText text, bool isMarkup) {
  Value value;
  value.storage =
      makeShared<const Characters>(Characters{std::move(text), isMarkup});
  return value;
}

Value Value::integer(const BigInteger &value) {
  if (auto small = smallInteger(value)) {
    return Value(*small);
  }
  if (bitsOf(value) > maximumBits) {
    refuseDigits();
  }
  Value big;
  big.storage = makeShared<const BigInteger>(value);
  return big;
}

Value Value::list(Values items) {
  return sequenceOf(Sequence::list, std::move(items));
}
Value Value::tuple(Values items) {
  return sequenceOf(Sequence::tuple, std::move(items));
}
Value Value::group(Value grouper, Value list) {
  Value made = tuple({std::move(grouper), std::move(list)});
  made.sequence()->isGroup = true;
  return made;
}
Value Value::range(Values items) {
  return sequenceOf(Sequence::range, std::move(items));
}
Value Value::view(Values items) {
  return sequenceOf(Sequence::view, std::move(items));
}
Value Value::generator(Values items) {
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
    double nearest = nearestDouble(bigInteger());
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
  size_t position = cannotBeThere ? items.size() : positionOf(key);
  return position == items.size() ? nullptr : &items[position].second;
}

const Value *Dict::findText(std::string_view key) const {
  size_t position = positionOfText(key);
  return position == items.size() ? nullptr : &items[position].second;
}

size_t Dict::positionOfText(std::string_view key) const {
  if (positions) {
    return positionOfSpelling(textSpelling(key));
  }
  size_t position = 0;
  while (position < items.size() && (!items[position].first.isString() ||
                                     items[position].first.string() != key)) {
    ++position;
  }
  return position;
}

size_t Dict::positionOf(const Value &key) const {
  if (key.isString()) {
    return positionOfText(key.string());
  }
  MeteredString spelling = keySpelling(key);
  if (positions) {
    return positionOfSpelling(spelling);
  }
  size_t position = 0;
  while (position < items.size() &&
         (items[position].first.isString() ||
          keySpelling(items[position].first) != spelling)) {
    ++position;
  }
  return position;
}

size_t Dict::positionOfSpelling(const MeteredString &spelling) const {
  auto found = positions->find(spelling);
  return found == positions->end() ? items.size() : found->second;
}

void Dict::set(const Value &key, Value value) {
  nesting = std::max(nesting, nestingOf({value}));
  size_t position = positionOf(key);
  if (position < items.size()) {
    items[position].second = std::move(value);
    return;
  }
  items.emplace_back(key, std::move(value));
  if (items.size() == fewItems + 1) {
    positions = std::make_unique<Positions>();
    for (size_t i = 0; i < fewItems; ++i) {
      positions->emplace(keySpelling(items[i].first), i);
    }
  }
  if (positions) {
    positions->emplace(keySpelling(key), position);
  }
}

Value Object::call(Context &, CallArguments &) {
  fail("'" + typeName() + "' object is not callable");
}

std::optional<Value> Namespace::attribute(std::string_view name) const {
  auto found = members.find(name);
  return found == members.end() ? std::nullopt
                                : std::optional<Value>(found->second);
}

} // namespace cheems::jinja
