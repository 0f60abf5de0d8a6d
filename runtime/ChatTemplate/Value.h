// The values of chat templates: Python's, immutable but for namespaces.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_VALUE_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_VALUE_H

#include "runtime/ChatTemplate/BigInteger.h"
#include "runtime/ChatTemplate/TrackedText.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cheems::jinja {

class Context;
class Object;
class Value;
struct CallArguments;
struct Dict;
struct Sequence;

using Values = MeteredVector<Value>;

/// What names stand for.
using Names = std::map<MeteredString, Value, std::less<>,
                       Metered<std::pair<const MeteredString, Value>>>;

struct None {};
/// Prints as nothing and is false; most other uses fail with `reason`.
struct Undefined {
  std::shared_ptr<const MeteredString> reason;
};

/// Containers nest at most this deep, so that walking and freeing them needs no
/// more stack than that.
constexpr int maximumNesting = 64;

class Value {
public:
  /// `isMarkup`: `safe` made it; see Markup.h.
  struct Characters {
    TrackedText text;
    bool isMarkup = false;
  };
  using Text = std::shared_ptr<const Characters>;
  using Storage =
      std::variant<Undefined, None, bool, int64_t, double, Text,
                   std::shared_ptr<Sequence>, std::shared_ptr<const Dict>,
                   std::shared_ptr<Object>, std::shared_ptr<const BigInteger>>;

  Value() : storage(None()) {}
  Value(bool value) : storage(value) {}
  Value(int64_t value) : storage(value) {}
  Value(double value) : storage(value) {}
  Value(TrackedText value)
      : storage(
            makeShared<const Characters>(Characters{std::move(value), false})) {
  }
  Value(std::shared_ptr<Object> value) : storage(std::move(value)) {}
  Value(std::shared_ptr<const Dict> value) : storage(std::move(value)) {}
  Value(std::shared_ptr<Sequence> value) : storage(std::move(value)) {}
  template <typename Other> Value(Other *) = delete; // would be a bool

  static Value undefined(std::string_view reason);
  static Value text(TrackedText text, bool isMarkup);
  /// A text of the template or of the interpreter itself. What is made of other
  /// texts must keep their origins.
  static Value literal(std::string_view text) {
    return Value(TrackedText(text));
  }
  /// Refuses more digits than Python has.
  static Value integer(const BigInteger &value);
  static Value list(Values items);
  static Value tuple(Values items);
  /// What `groupby` gives: (grouper, list).
  static Value group(Value grouper, Value list);
  static Value range(Values items);
  /// A dict's keys, values or items: has a length, no positions.
  static Value view(Values items);
  /// What filters such as `map` give: can be walked once, has no length.
  static Value generator(Values items);

  bool isUndefined() const {
    return std::holds_alternative<Undefined>(storage);
  }
  bool isNone() const { return std::holds_alternative<None>(storage); }
  bool isString() const { return std::holds_alternative<Text>(storage); }
  bool isMarkup() const {
    return isString() && std::get<Text>(storage)->isMarkup;
  }
  bool isMapping() const {
    return std::holds_alternative<std::shared_ptr<const Dict>>(storage);
  }
  bool isFloat() const { return std::holds_alternative<double>(storage); }
  bool isBool() const { return std::holds_alternative<bool>(storage); }
  /// int or bool, as in Python, that 64 bits hold.
  bool isIntegral() const {
    return isBool() || std::holds_alternative<int64_t>(storage);
  }
  /// An int that they do not hold.
  bool isBig() const {
    return std::holds_alternative<std::shared_ptr<const BigInteger>>(storage);
  }
  bool isNumber() const { return isIntegral() || isBig() || isFloat(); }

  /// Valid for the kinds that the names say.
  const TrackedText &text() const { return std::get<Text>(storage)->text; }
  std::string_view string() const { return text().bytes(); }
  std::string_view reason() const {
    return *std::get<Undefined>(storage).reason;
  }
  int64_t integer() const;
  /// Takes any int or bool.
  BigInteger bigInteger() const;
  /// Fails for an int that no double is near to.
  double number() const;
  const Dict &dict() const {
    return *std::get<std::shared_ptr<const Dict>>(storage);
  }
  std::shared_ptr<const Dict> sharedDict() const {
    return std::get<std::shared_ptr<const Dict>>(storage);
  }
  /// Null for other kinds.
  Sequence *sequence() const;
  Object *object() const;
  /// A list, tuple or range.
  bool isIndexable() const;

  /// Whose a text or a number is; lists and dicts have only those of their
  /// items.
  Origin origin() const { return isString() ? text().origin() : scalarOrigin; }
  /// The same number with another origin.
  Value from(Origin origin) && {
    scalarOrigin = origin;
    return std::move(*this);
  }

  /// Returns Python's name of the type: "str", "list", "NoneType", …
  std::string typeName() const;
  /// Truth in a condition.
  bool truthy() const;
  /// How deep containers nest inside; 0 for others.
  int nesting() const;

private:
  Storage storage;
  Origin scalarOrigin = Origin::model; ///< of numbers, booleans and none
};

struct Sequence {
  enum Kind { list, tuple, range, view, generator } kind;
  Values items; ///< a generator's are gone once it was walked
  int nesting;
  bool isGroup = false; ///< of `groupby`: a tuple whose items have names, too
};

/// Items are in order of insertion. Keys are strings, numbers, booleans or
/// none.
struct Dict {
  MeteredVector<std::pair<Value, Value>> items;
  int nesting = 1;

  /// Null if there is none. Keys that Python could not hash, or that are not
  /// among the above, fail.
  const Value *find(const Value &key) const;
  const Value *findText(std::string_view key) const;
  /// Replaces the value of an equal key.
  void set(const Value &key, Value value);

private:
  using Positions = std::map<MeteredString, size_t, std::less<>,
                             Metered<std::pair<const MeteredString, size_t>>>;
  /// Returns the index of the key, or the number of items.
  size_t positionOf(const Value &key) const;
  size_t positionOfText(std::string_view key) const;
  size_t positionOfSpelling(const MeteredString &spelling) const;

  /// An index of the items, if they are many, by a spelling that equal keys
  /// share.
  std::unique_ptr<Positions> positions;
};

/// Whatever has attributes or can be called: functions, methods, macros,
/// namespaces, `loop`.
class Object {
public:
  virtual ~Object() = default;
  virtual std::string typeName() const = 0;
  /// Nothing if the attribute does not exist.
  virtual std::optional<Value> attribute(std::string_view name) const {
    return std::nullopt;
  }
  /// Nothing if its repr() is nothing to print, such as an address.
  virtual std::optional<std::string> repr() const { return std::nullopt; }
  virtual bool isCallable() const { return false; }
  virtual Value call(Context &context, CallArguments &arguments);
  /// This is the nesting of the values that only this keeps alive.
  int nesting = 0;
};

/// `namespace(…)`: what templates use to carry values out of loops.
class Namespace : public Object {
public:
  std::string typeName() const override { return "Namespace"; }
  std::optional<Value> attribute(std::string_view name) const override;
  Names members;
};

} // namespace cheems::jinja

#endif
