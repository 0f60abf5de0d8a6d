// What Python's operators and conversions do to values.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_OPERATORS_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_OPERATORS_H

#include "runtime/ChatTemplate/Ast.h"

namespace cheems::jinja {

Value applyBinary(Context &context, BinaryOperator kind, const Value &left,
                  const Value &right);
bool applyComparison(Context &context, Comparison kind, const Value &left,
                     const Value &right);
Value negated(Context &context, const Value &operand);

bool equals(Context &context, const Value &left, const Value &right);
/// Negative, zero or positive; fails where Python has no order. `spelling` is
/// the operator's, for the message.
int order(Context &context, const Value &left, const Value &right,
          const char *spelling);
bool contains(Context &context, const Value &container, const Value &item);

/// str(value).
TrackedText toText(Context &context, const Value &value);
/// Appends repr(value).
void appendRepr(Context &context, TrackedText &out, const Value &value);
/// json.dumps(value) with transformers' `ensure_ascii=False`.
struct JsonStyle {
  std::optional<TrackedText> indent; ///< one level's
  TrackedText itemSeparator = TrackedText(", ");
  TrackedText keySeparator = TrackedText(": ");
  bool sortKeys = false;
  bool asciiOnly = false;
};
TrackedText toJson(Context &context, const Value &value,
                   const JsonStyle &style);

/// Items of anything that can be walked: characters of a string, keys of a
/// dict, nothing of undefined. Uses generators up. Fails for others.
Values iterate(Context &context, const Value &value);

/// value.name and value[key]; undefined where there is none.
Value getAttribute(Context &context, const Value &value, std::string_view name);
Value getItem(Context &context, const Value &value, const Value &key);
/// value[from:to:step], each none where left out.
Value getSlice(Context &context, const Value &value, const Value &from,
               const Value &to, const Value &step);

/// Fails with its reason if it is undefined.
void requireDefined(const Value &value);
/// A string or integer argument; `what` starts the message.
const TrackedText &requireText(const Value &value, const std::string &what);
inline std::string_view requireString(const Value &value,
                                      const std::string &what) {
  return requireText(value, what).bytes();
}
int64_t requireInteger(const Value &value, const std::string &what);

} // namespace cheems::jinja

#endif
