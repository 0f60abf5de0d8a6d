// str(), repr() and json.dumps().
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/ChatTemplate/Sorting.h"

#include <algorithm>
#include <cmath>

namespace cheems::jinja {

namespace {

/// The digits of an int.
std::string integerDigits(Context &context, const Value &value) {
  BigInteger number = value.bigInteger();
  context.step(int64_t(limbsOf(number) * limbsOf(number) / 16));
  return number.str();
}

} // namespace

TrackedText toText(Context &context, const Value &value) {
  if (value.isUndefined()) {
    return {};
  }
  if (value.isString()) {
    context.scan(value.string().size());
    return value.text();
  }
  TrackedText out;
  appendRepr(context, out, value);
  return out;
}

void appendRepr(Context &context, TrackedText &out, const Value &value) {
  context.step();
  if (value.isUndefined()) {
    out.append("Undefined");
  } else if (value.isNone()) {
    out.append("None", value.origin());
  } else if (value.isBool()) {
    out.append(value.truthy() ? "True" : "False", value.origin());
  } else if (value.isIntegral() || value.isBig()) {
    out.append(integerDigits(context, value), value.origin());
  } else if (value.isFloat()) {
    out.append(spelled(value.number()), value.origin());
  } else if (value.isString()) {
    context.walk(value.string().size());
    out.append(value.isMarkup() ? "Markup(" : "");
    appendQuoted(out, value.text());
    out.append(value.isMarkup() ? ")" : "");
  } else if (value.isMapping()) {
    out.append("{");
    const char *separator = "";
    for (const auto &[key, item] : value.dict().items) {
      out.append(separator);
      appendRepr(context, out, key);
      out.append(": ");
      appendRepr(context, out, item);
      separator = ", ";
    }
    out.append("}");
  } else if (value.sequence() && (value.sequence()->kind == Sequence::list ||
                                  value.sequence()->kind == Sequence::tuple)) {
    const Sequence &sequence = *value.sequence();
    bool isList = sequence.kind == Sequence::list;
    out.append(isList ? "[" : "(");
    const char *separator = "";
    for (const Value &each : sequence.items) {
      out.append(separator);
      appendRepr(context, out, each);
      separator = ", ";
    }
    out.append(isList ? "]" : sequence.items.size() == 1 ? ",)" : ")");
  } else if (auto text =
                 value.object() ? value.object()->repr() : std::nullopt) {
    out.append(*text);
  } else {
    unsupported("printing a " + value.typeName());
  }
}

namespace {

class JsonWriter {
public:
  JsonWriter(Context &context, const JsonStyle &style)
      : context(context), style(style) {}

  void write(const Value &value) {
    context.step();
    if (value.isMapping()) {
      writeDict(value.dict());
    } else if (value.sequence() &&
               (value.sequence()->kind == Sequence::list ||
                value.sequence()->kind == Sequence::tuple)) {
      writeList(value.sequence()->items);
    } else if (value.isString()) {
      writeString(value.text());
    } else {
      out.append(scalar(value), value.origin());
    }
  }

  TrackedText out;

private:
  std::string scalar(const Value &value) {
    if (value.isNone()) {
      return "null";
    }
    if (value.isBool()) {
      return value.truthy() ? "true" : "false";
    }
    if (value.isIntegral() || value.isBig()) {
      return integerDigits(context, value);
    }
    if (value.isFloat()) {
      double number = value.number();
      return std::isnan(number)   ? "NaN"
             : std::isinf(number) ? (number < 0 ? "-Infinity" : "Infinity")
                                  : spelled(number);
    }
    fail(value.isUndefined()
             ? std::string(value.reason()) + ", it cannot become JSON"
             : "a " + value.typeName() + " cannot become JSON");
  }

  void newLine(int level) {
    if (style.indent) {
      context.scan(style.indent->size() * size_t(level));
      out.append("\n");
      for (int i = 0; i < level; ++i) {
        out.append(*style.indent);
      }
    }
  }

  void separate(size_t index) {
    if (index > 0) {
      context.scan(style.itemSeparator.size());
      out.append(style.itemSeparator);
    }
    newLine(depth);
  }

  void writeList(const Values &items) {
    if (items.empty()) {
      out.append("[]");
      return;
    }
    out.append("[");
    ++depth;
    for (size_t i = 0; i < items.size(); ++i) {
      separate(i);
      write(items[i]);
    }
    newLine(--depth);
    out.append("]");
  }

  void writeDict(const Dict &dict) {
    if (dict.items.empty()) {
      out.append("{}");
      return;
    }
    MeteredVector<const std::pair<Value, Value> *> items;
    items.reserve(dict.items.size());
    for (const auto &each : dict.items) {
      items.push_back(&each);
    }
    if (style.sortKeys) {
      sortStably(items, [&](const auto *a, const auto *b) {
        return order(context, a->first, b->first, "<") < 0;
      });
    }
    out.append("{");
    ++depth;
    for (size_t i = 0; i < items.size(); ++i) {
      separate(i);
      const Value &key = items[i]->first;
      writeString(key.isString() ? key.text()
                                 : TrackedText(scalar(key), key.origin()));
      context.scan(style.keySeparator.size());
      out.append(style.keySeparator);
      write(items[i]->second);
    }
    newLine(--depth);
    out.append("}");
  }

  void writeEscape(uint32_t unit, Origin origin) {
    std::string text = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[(unit >> shift) & 15];
    }
    out.append(text, origin);
  }

  void writeString(const TrackedText &text) {
    context.walk(text.size());
    out.append("\"");
    text.visitRuns([&](std::string_view run, Origin origin) {
      writeCharacters(run, origin);
    });
    out.append("\"");
  }

  void writeCharacters(std::string_view text, Origin origin) {
    for (size_t offset = 0; offset < text.size();) {
      size_t start = offset;
      char32_t c = nextCharacter(text, offset);
      static constexpr std::string_view named = "\"\\\n\r\t\b\f";
      size_t name = c < 0x80 ? named.find(char(c)) : std::string_view::npos;
      if (name != std::string_view::npos) {
        const char escape[] = {'\\', "\"\\nrtbf"[name]};
        out.append({escape, 2}, origin);
      } else if (c < 0x20 || (style.asciiOnly && c >= 0x7F && c < 0x10000)) {
        writeEscape(uint32_t(c), origin);
      } else if (style.asciiOnly && c >= 0x10000) {
        writeEscape(0xD800 + ((uint32_t(c) - 0x10000) >> 10), origin);
        writeEscape(0xDC00 + ((uint32_t(c) - 0x10000) & 0x3FF), origin);
      } else {
        out.append(text.substr(start, offset - start), origin);
      }
    }
  }

  Context &context;
  const JsonStyle &style;
  int depth = 0;
};

} // namespace

TrackedText toJson(Context &context, const Value &value,
                   const JsonStyle &style) {
  JsonWriter writer(context, style);
  writer.write(value);
  return std::move(writer.out);
}

} // namespace cheems::jinja
