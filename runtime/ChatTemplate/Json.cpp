// str(), repr() and json.dumps().
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>
#include <cmath>

namespace cheems::jinja {

namespace {

void appendInteger(Context &context, std::string &out, const Value &value) {
  BigInteger number = value.bigInteger();
  context.step(int64_t(number.size() / 16));
  out += number.text();
}

} // namespace

std::string toText(Context &context, const Value &value) {
  if (value.isUndefined()) {
    return "";
  }
  if (value.isString()) {
    context.charge(value.string().size());
    return value.string();
  }
  std::string out;
  appendRepr(context, out, value);
  return out;
}

void appendRepr(Context &context, std::string &out, const Value &value) {
  context.step();
  size_t before = out.size();
  if (value.isUndefined()) {
    out += "Undefined";
  } else if (value.isNone()) {
    out += "None";
  } else if (value.isBool()) {
    out += value.truthy() ? "True" : "False";
  } else if (value.isIntegral() || value.isBig()) {
    appendInteger(context, out, value);
  } else if (value.isFloat()) {
    out += spelled(value.number());
  } else if (value.isString()) {
    std::string text = inQuotes(value.string());
    out += value.isMarkup() ? "Markup(" + text + ")" : text;
  } else if (value.isMapping()) {
    out += '{';
    const char *separator = "";
    for (const auto &[key, item] : value.dict().items) {
      out += separator;
      appendRepr(context, out, key);
      out += ": ";
      appendRepr(context, out, item);
      separator = ", ";
    }
    out += '}';
    return; // the items were charged for
  } else if (value.sequence() && (value.sequence()->kind == Sequence::list ||
                                  value.sequence()->kind == Sequence::tuple)) {
    const Sequence &sequence = *value.sequence();
    bool isList = sequence.kind == Sequence::list;
    out += isList ? '[' : '(';
    const char *separator = "";
    for (const Value &each : sequence.items) {
      out += separator;
      appendRepr(context, out, each);
      separator = ", ";
    }
    out += isList ? "]" : sequence.items.size() == 1 ? ",)" : ")";
    return;
  } else if (auto text =
                 value.object() ? value.object()->repr() : std::nullopt) {
    out += *text;
  } else {
    unsupported("printing a " + value.typeName());
  }
  context.charge(out.size() - before);
}

namespace {

class JsonWriter {
public:
  JsonWriter(Context &context, const JsonStyle &style)
      : context(context), style(style) {}

  void write(const Value &value) {
    context.step();
    size_t before = out.size();
    if (value.isMapping()) {
      writeDict(value.dict());
      return; // the items were charged for
    }
    if (value.sequence() && (value.sequence()->kind == Sequence::list ||
                             value.sequence()->kind == Sequence::tuple)) {
      writeList(value.sequence()->items);
      return;
    }
    if (value.isString()) {
      writeString(value.string());
    } else {
      out += scalar(value);
    }
    context.charge(out.size() - before);
  }

  std::string out;

private:
  std::string scalar(const Value &value) {
    if (value.isNone()) {
      return "null";
    }
    if (value.isBool()) {
      return value.truthy() ? "true" : "false";
    }
    if (value.isIntegral() || value.isBig()) {
      std::string text;
      appendInteger(context, text, value);
      return text;
    }
    if (value.isFloat()) {
      double number = value.number();
      return std::isnan(number)   ? "NaN"
             : std::isinf(number) ? (number < 0 ? "-Infinity" : "Infinity")
                                  : spelled(number);
    }
    fail(value.isUndefined() ? value.reason() + ", it cannot become JSON"
                             : "a " + value.typeName() + " cannot become JSON");
  }

  void newLine(int level) {
    if (style.indent) {
      context.charge(1 + style.indent->size() * size_t(level));
      out += '\n';
      for (int i = 0; i < level; ++i) {
        out += *style.indent;
      }
    }
  }

  void separate(size_t index) {
    if (index > 0) {
      context.charge(style.itemSeparator.size());
      out += style.itemSeparator;
    }
    newLine(depth);
  }

  void writeList(const std::vector<Value> &items) {
    if (items.empty()) {
      out += "[]";
      return;
    }
    out += '[';
    ++depth;
    for (size_t i = 0; i < items.size(); ++i) {
      separate(i);
      write(items[i]);
    }
    newLine(--depth);
    out += ']';
  }

  void writeDict(const Dict &dict) {
    if (dict.items.empty()) {
      out += "{}";
      return;
    }
    std::vector<const std::pair<Value, Value> *> items;
    items.reserve(dict.items.size());
    for (const auto &each : dict.items) {
      items.push_back(&each);
    }
    if (style.sortKeys) {
      std::stable_sort(items.begin(), items.end(),
                       [&](const auto *a, const auto *b) {
                         return order(context, a->first, b->first, "<") < 0;
                       });
    }
    out += '{';
    ++depth;
    for (size_t i = 0; i < items.size(); ++i) {
      separate(i);
      const Value &key = items[i]->first;
      writeString(key.isString() ? key.string() : scalar(key));
      context.charge((key.isString() ? key.string().size() : 0) +
                     style.keySeparator.size());
      out += style.keySeparator;
      write(items[i]->second);
    }
    newLine(--depth);
    out += '}';
  }

  void writeEscape(uint32_t unit) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
      out += "0123456789abcdef"[(unit >> shift) & 15];
    }
  }

  void writeString(std::string_view text) {
    context.scan(text.size());
    out += '"';
    for (size_t offset = 0; offset < text.size();) {
      char32_t c = nextCharacter(text, offset);
      static constexpr std::string_view named = "\"\\\n\r\t\b\f";
      size_t name = c < 0x80 ? named.find(char(c)) : std::string_view::npos;
      if (name != std::string_view::npos) {
        out += '\\';
        out += "\"\\nrtbf"[name];
      } else if (c < 0x20 || (style.asciiOnly && c >= 0x7F && c < 0x10000)) {
        writeEscape(uint32_t(c));
      } else if (style.asciiOnly && c >= 0x10000) {
        writeEscape(0xD800 + ((uint32_t(c) - 0x10000) >> 10));
        writeEscape(0xDC00 + ((uint32_t(c) - 0x10000) & 0x3FF));
      } else {
        appendCharacter(out, c);
      }
    }
    out += '"';
  }

  Context &context;
  const JsonStyle &style;
  int depth = 0;
};

} // namespace

std::string toJson(Context &context, const Value &value,
                   const JsonStyle &style) {
  JsonWriter writer(context, style);
  writer.write(value);
  return std::move(writer.out);
}

} // namespace cheems::jinja
