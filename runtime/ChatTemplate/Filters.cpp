// Filters on texts, numbers and single values.
#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/ChatTemplate/TextMethods.h"

#include <cmath>
#include <cstdio>

namespace cheems::jinja {

namespace {

Value filterTrim(Context &context, const Value &value,
                 CallArguments &arguments) {
  auto bound = arguments.bind({"chars"});
  std::string text = toText(context, value);
  bool hasSet = bound[0] && !bound[0]->isNone();
  if (!hasSet) {
    return Value::text(std::string(strip(text, Side::both)), value.isMarkup());
  }
  const std::string &set = requireString(*bound[0], arguments.callee);
  context.search(text.size(), set.size());
  return Value::text(std::string(strip(text, Side::both, set)),
                     value.isMarkup());
}

template <std::string (*convert)(std::string_view), bool keepsMark = true>
Value filterCase(Context &context, const Value &value,
                 CallArguments &arguments) {
  arguments.expect(0, 0);
  return context.text(convert(toText(context, value)),
                      keepsMark && value.isMarkup());
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
  std::string text = toText(context, value);
  return Value::text(isForced || !value.isMarkup() ? escaped(context, text)
                                                   : std::move(text),
                     true);
}

Value filterFormat(Context &context, const Value &value,
                   CallArguments &arguments) {
  Value format = value.isString() ? value : Value(toText(context, value));
  if (arguments.keywords.empty()) {
    context.chargeItems(arguments.positional.size());
    return formatPercent(context, format, Value::tuple(arguments.positional));
  }
  if (!arguments.positional.empty()) {
    fail(arguments.callee + " takes arguments with names or without, not both");
  }
  auto dict = std::make_shared<Dict>();
  for (const auto &[name, each] : arguments.keywords) {
    dict->set(Value(name), each);
  }
  return formatPercent(context, format,
                       Value(std::shared_ptr<const Dict>(std::move(dict))));
}

// Jinja's title: letters after a space, hyphen or opening bracket; unlike
// str.title.
std::string titleByWords(std::string_view text) {
  std::string out;
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
    out += upper(piece.substr(0, first)) + lower(piece.substr(first));
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
                        toText(context, *bound[0]), toText(context, *bound[1]),
                        count));
}

Value filterIndent(Context &context, const Value &value,
                   CallArguments &arguments) {
  auto bound = arguments.bind({"width", "first", "blank"});
  std::string indent = "    ";
  if (bound[0]) {
    if (bound[0]->isMarkup()) {
      unsupported("filter 'indent' by a text marked safe");
    }
    int64_t width =
        bound[0]->isString() ? 0 : requireInteger(*bound[0], arguments.callee);
    context.charge(width > 0 ? size_t(width) : 0);
    indent = bound[0]->isString()
                 ? bound[0]->string()
                 : std::string(size_t(std::max<int64_t>(width, 0)), ' ');
  }
  bool first = bound[1] && bound[1]->truthy();
  bool blank = bound[2] && bound[2]->truthy();
  std::string text = requireString(value, arguments.callee) + "\n";
  context.charge(text.size());
  std::string out;
  bool isFirst = true;
  for (std::string_view line : splitLines(text)) {
    bool indents = isFirst ? first : blank || !line.empty();
    context.charge(indents ? indent.size() + 1 : 1);
    out += isFirst ? "" : "\n";
    out += indents ? indent : "";
    out += line;
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
    return Value::integer(value.bigInteger());
  }
  if (value.isString()) {
    context.scan(value.string().size());
    int64_t base = bound[1] ? requireInteger(*bound[1], arguments.callee) : 10;
    if (auto integer = parseInteger(value.string(), base)) {
      return Value::integer(*integer);
    }
    number = parseFloat(value.string());
  } else if (value.isFloat()) {
    number = value.number();
    if (std::isinf(*number)) {
      fail("cannot convert float infinity to integer");
    }
  }
  return number && std::isfinite(*number)
             ? Value::integer(BigInteger::truncated(*number))
             : fallback;
}

Value filterFloat(Context &context, const Value &value,
                  CallArguments &arguments) {
  auto bound = arguments.bind({"default"});
  requireDefined(value);
  if (value.isNumber()) {
    return Value(value.number());
  }
  std::optional<double> number;
  if (value.isString()) {
    context.scan(value.string().size());
    number = parseFloat(value.string());
  }
  return number ? Value(*number) : bound[0] ? *bound[0] : Value(0.0);
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
    return Value::integer(value.bigInteger());
  }
  char text[700]; // exact decimal expansion, rounded half to even, as Python's
                  // round
  std::snprintf(text, sizeof(text), "%.*f", int(precision), value.number());
  return Value(std::strtod(text, nullptr));
}

Value filterAbs(Context &, const Value &value, CallArguments &arguments) {
  arguments.expect(0, 0);
  requireDefined(value);
  if (!value.isNumber()) {
    fail(arguments.callee + " needs a number, not " + value.typeName());
  }
  if (value.isFloat()) {
    return Value(std::fabs(value.number()));
  }
  return Value::integer(value.bigInteger().magnitude());
}

Value filterDefault(Context &, const Value &value, CallArguments &arguments) {
  auto bound = arguments.bind({"default_value", "boolean"});
  bool replaces = value.isUndefined() ||
                  (bound[1] && bound[1]->truthy() && !value.truthy());
  return !replaces ? value : bound[0] ? *bound[0] : Value("");
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
    context.charge(width > 0 ? size_t(width) : 0);
    style.indent = bound[1]->isString()
                       ? bound[1]->string()
                       : std::string(size_t(std::max<int64_t>(width, 0)), ' ');
    style.itemSeparator = ",";
  }
  if (bound[2] && !bound[2]->isNone()) {
    std::vector<Value> separators = iterate(context, *bound[2]);
    if (separators.size() != 2) {
      fail("tojson's separators must be two strings");
    }
    style.itemSeparator = requireString(separators[0], "tojson's separator");
    style.keySeparator = requireString(separators[1], "tojson's separator");
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
