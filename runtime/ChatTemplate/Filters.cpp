// Filters on texts, numbers and single values.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/ChatTemplate/TextMethods.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cheems::jinja {

namespace {

/// One level of indentation.
TrackedText spaces(Context &context, int64_t width) {
  return TrackedText(filled(context, " ", width));
}

Value filterTrim(Context &context, const Value &value,
                 CallArguments &arguments) {
  auto bound = arguments.bind({"chars"});
  TrackedText text = toText(context, value);
  std::optional<std::string_view> set;
  if (bound[0] && !bound[0]->isNone()) {
    set = requireString(*bound[0], arguments.callee);
    context.search(text.size(), set->size());
  }
  return Value::text(stripped(context, text, Side::both, set),
                     value.isMarkup());
}

template <TrackedText (*convert)(const TrackedText &), bool keepsMark = true>
Value filterCase(Context &context, const Value &value,
                 CallArguments &arguments) {
  arguments.expect(0, 0);
  TrackedText text = toText(context, value);
  context.walk(text.size());
  return context.text(convert(text), keepsMark && value.isMarkup());
}

Value filterSafe(Context &context, const Value &value,
                 CallArguments &arguments) {
  arguments.expect(0, 0);
  return Value::text(toText(context, value), true);
}

template <bool isForced>
Value filterEscape(Context &context, const Value &value,
                   CallArguments &arguments) {
  arguments.expect(0, 0);
  TrackedText text = toText(context, value);
  return Value::text(isForced || !value.isMarkup() ? escaped(context, text)
                                                   : std::move(text),
                     true);
}

Value filterFormat(Context &context, const Value &value,
                   CallArguments &arguments) {
  Value format = value.isString() ? value : Value(toText(context, value));
  if (arguments.keywords.empty()) {
    context.step(int64_t(arguments.positional.size()));
    return formatPercent(context, format, Value::tuple(arguments.positional));
  }
  if (!arguments.positional.empty()) {
    fail(arguments.callee + " takes arguments with names or without, not both");
  }
  auto dict = makeShared<Dict>();
  for (const auto &[name, each] : arguments.keywords) {
    dict->set(Value(name), each);
  }
  return formatPercent(context, format,
                       Value(std::shared_ptr<const Dict>(std::move(dict))));
}

// Jinja's title: letters after a space, hyphen or opening bracket; unlike
// str.title.
TrackedText titleByWords(const TrackedText &whole) {
  std::string_view text = whole.bytes();
  TrackedText out;
  for (size_t start = 0; start < text.size();) {
    size_t end = start;
    auto isBreak = [&](size_t at) {
      size_t next = at;
      return isSpace(nextCharacter(text, next)) ||
             std::string_view("-({[<").find(text[at]) != std::string_view::npos;
    };
    bool breaks = isBreak(start);
    while (end < text.size() && isBreak(end) == breaks) {
      nextCharacter(text, end);
    }
    std::string_view piece = text.substr(start, end - start);
    size_t first = 0;
    nextCharacter(piece, first);
    out.append(upper(whole.part(piece.substr(0, first))));
    out.append(lower(whole.part(piece.substr(first))));
    start = end;
  }
  return out;
}

Value filterReplace(Context &context, const Value &value,
                    CallArguments &arguments) {
  auto bound = arguments.bind({"old", "new", "count"}, 2);
  int64_t count = bound[2] && !bound[2]->isNone()
                      ? requireInteger(*bound[2], arguments.callee)
                      : -1;
  return Value(replaced(context, toText(context, value),
                        toText(context, *bound[0]).bytes(),
                        toText(context, *bound[1]), count));
}

Value filterIndent(Context &context, const Value &value,
                   CallArguments &arguments) {
  auto bound = arguments.bind({"width", "first", "blank"});
  TrackedText indent("    ");
  if (bound[0]) {
    if (bound[0]->isMarkup()) {
      unsupported("filter 'indent' by a text marked safe");
    }
    int64_t width =
        bound[0]->isString() ? 0 : requireInteger(*bound[0], arguments.callee);
    indent = bound[0]->isString() ? bound[0]->text() : spaces(context, width);
  }
  bool first = bound[1] && bound[1]->truthy();
  bool blank = bound[2] && bound[2]->truthy();
  TrackedText text = requireText(value, arguments.callee);
  text.append("\n");
  context.walk(text.size());
  TrackedText out;
  bool isFirst = true;
  for (std::string_view line : splitLines(text.bytes())) {
    out.append(isFirst ? "" : "\n");
    if (isFirst ? first : blank || !line.empty()) {
      context.scan(indent.size());
      out.append(indent);
    }
    out.append(text, line);
    isFirst = false;
  }
  return Value::text(std::move(out), value.isMarkup());
}

Value filterInt(Context &context, const Value &value,
                CallArguments &arguments) {
  auto bound = arguments.bind({"default", "base"});
  requireDefined(value);
  Value fallback = bound[0] ? *bound[0] : Value(int64_t(0));
  std::optional<double> number;
  if (value.isIntegral() || value.isBig()) {
    return Value::integer(value.bigInteger()).from(value.origin());
  }
  if (value.isString()) {
    size_t digits = std::min(value.string().size(), maximumDigits);
    context.walk(value.string().size());
    context.step(int64_t(digits * digits >> 9)); // they are added one by one
    int64_t base = bound[1] ? requireInteger(*bound[1], arguments.callee) : 10;
    if (auto integer = parseInteger(value.string(), base)) {
      return Value::integer(*integer).from(value.origin());
    }
    number = parseFloat(value.string());
  } else if (value.isFloat()) {
    number = value.number();
    if (std::isinf(*number)) {
      fail("cannot convert float infinity to integer");
    }
  }
  return number && std::isfinite(*number)
             ? Value::integer(BigInteger(std::trunc(*number)))
                   .from(value.origin())
             : fallback;
}

Value filterFloat(Context &context, const Value &value,
                  CallArguments &arguments) {
  auto bound = arguments.bind({"default"});
  requireDefined(value);
  if (value.isNumber()) {
    return Value(value.number()).from(value.origin());
  }
  std::optional<double> number;
  if (value.isString()) {
    context.walk(value.string().size());
    number = parseFloat(value.string());
  }
  return number     ? Value(*number).from(value.origin())
         : bound[0] ? *bound[0]
                    : Value(0.0);
}

Value filterRound(Context &, const Value &value, CallArguments &arguments) {
  auto bound = arguments.bind({"precision", "method"});
  requireDefined(value);
  int64_t precision =
      bound[0] ? requireInteger(*bound[0], arguments.callee) : 0;
  bool isCommon =
      !bound[1] || (bound[1]->isString() && bound[1]->string() == "common");
  if (!isCommon || precision < 0 || precision > 300) {
    unsupported("filter 'round' with these arguments");
  }
  if (!value.isNumber()) {
    fail(arguments.callee + " needs a number, not " + value.typeName());
  }
  if (!value.isFloat()) {
    return Value::integer(value.bigInteger()).from(value.origin());
  }
  char text[700]; // exact decimal expansion, rounded half to even, as Python's
                  // round
  std::snprintf(text, sizeof(text), "%.*f", int(precision), value.number());
  return Value(std::strtod(text, nullptr)).from(value.origin());
}

Value filterAbs(Context &, const Value &value, CallArguments &arguments) {
  arguments.expect(0, 0);
  requireDefined(value);
  if (!value.isNumber()) {
    fail(arguments.callee + " needs a number, not " + value.typeName());
  }
  if (value.isFloat()) {
    return Value(std::fabs(value.number())).from(value.origin());
  }
  return Value::integer(abs(value.bigInteger())).from(value.origin());
}

Value filterDefault(Context &, const Value &value, CallArguments &arguments) {
  auto bound = arguments.bind({"default_value", "boolean"});
  bool replaces = value.isUndefined() ||
                  (bound[1] && bound[1]->truthy() && !value.truthy());
  return !replaces ? value : bound[0] ? *bound[0] : Value::literal("");
}

Value filterString(Context &context, const Value &value,
                   CallArguments &arguments) {
  arguments.expect(0, 0);
  return value.isString() ? value : Value(toText(context, value));
}

Value filterToJson(Context &context, const Value &value,
                   CallArguments &arguments) {
  auto bound =
      arguments.bind({"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.asciiOnly = bound[0] && bound[0]->truthy();
  style.sortKeys = bound[3] && bound[3]->truthy();
  if (bound[1] && !bound[1]->isNone()) {
    int64_t width =
        bound[1]->isString() ? 0 : requireInteger(*bound[1], "tojson's indent");
    style.indent =
        bound[1]->isString() ? bound[1]->text() : spaces(context, width);
    style.itemSeparator = TrackedText(",");
  }
  if (bound[2] && !bound[2]->isNone()) {
    Values separators = iterate(context, *bound[2]);
    if (separators.size() != 2) {
      fail("tojson's separators must be two strings");
    }
    style.itemSeparator = requireText(separators[0], "tojson's separator");
    style.keySeparator = requireText(separators[1], "tojson's separator");
  }
  return Value(toJson(context, value, style));
}

} // namespace

void addTextFilters(FilterTable &table) {
  table["trim"] = filterTrim;
  table["safe"] = filterSafe;
  table["escape"] = table["e"] = filterEscape<false>;
  table["forceescape"] = filterEscape<true>;
  table["format"] = filterFormat;
  table["upper"] = filterCase<upper>;
  table["lower"] = filterCase<lower>;
  table["capitalize"] = filterCase<capitalize>;
  table["title"] = filterCase<titleByWords, false>;
  table["replace"] = filterReplace;
  table["indent"] = filterIndent;
  table["int"] = filterInt;
  table["float"] = filterFloat;
  table["round"] = filterRound;
  table["abs"] = filterAbs;
  table["default"] = table["d"] = filterDefault;
  table["string"] = filterString;
  table["tojson"] = filterToJson;
}

} // namespace cheems::jinja
