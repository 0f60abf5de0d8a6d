// str.format: the fields of a text, as string.Formatter reads them.
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>
#include <charconv>

namespace cheems::jinja {

namespace {

bool isNumeral(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

int64_t indexOf(std::string_view numeral) {
  int64_t index = 0;
  auto error =
      std::from_chars(numeral.data(), numeral.data() + numeral.size(), index)
          .ec;
  if (error != std::errc()) {
    fail("too many decimal digits in format string");
  }
  return index;
}

struct Field {
  std::string_view name;
  std::string_view specification;
  char32_t conversion = 0;
};

class Formatter {
public:
  Formatter(Context &context, bool marks, const CallArguments &arguments)
      : context(context), marks(marks), arguments(arguments) {}

  /// `depth`: how deep fields may stand in specifications of fields.
  TrackedText run(const TrackedText &whole, std::string_view text, int depth) {
    if (depth < 0) {
      fail("max string recursion exceeded");
    }
    context.scan(text.size());
    TrackedText out;
    while (!text.empty()) {
      size_t brace = std::min(text.find_first_of("{}"), text.size());
      out.append(whole, text.substr(0, brace));
      text.remove_prefix(brace);
      if (text.empty()) {
        break;
      }
      if (text.size() > 1 && text[1] == text[0]) {
        out.append(whole, text.substr(0, 1));
        text.remove_prefix(2);
        continue;
      }
      if (text[0] == '}' || text.size() == 1) {
        fail(std::string("single '") + text[0] +
             "' encountered in format string");
      }
      text.remove_prefix(1);
      out.append(value(whole, takeField(text), depth));
    }
    return out;
  }

private:
  /// After its '{'; moves `text` past its '}'.
  static Field takeField(std::string_view &text) {
    Field field;
    size_t end = 0;
    for (; end < text.size() &&
           std::string_view("}:!").find(text[end]) == std::string_view::npos;
         ++end) {
      if (text[end] == '{') {
        fail("unexpected '{' in field name");
      }
      if (text[end] == '[') {
        end = std::min(text.find(']', end), text.size() - 1);
      }
    }
    field.name = text.substr(0, end);
    if (end == text.size()) {
      fail("expected '}' before end of string");
    }
    char mark = text[end];
    text.remove_prefix(end + 1);
    if (mark == '!') {
      if (text.empty()) {
        fail("end of string while looking for conversion specifier");
      }
      size_t length = 0;
      field.conversion = nextCharacter(text, length);
      text.remove_prefix(length);
      mark = text.empty() ? ':' : text.front();
      text.remove_prefix(!text.empty());
      if (mark != '}' && mark != ':') {
        fail("expected ':' after conversion specifier");
      }
    }
    if (mark == '}') {
      return field;
    }
    size_t length = 0;
    for (int open = 1; open > 0; ++length) {
      if (length == text.size()) {
        fail("unmatched '{' in format spec");
      }
      open += text[length] == '{';
      open -= text[length] == '}';
    }
    field.specification = text.substr(0, length - 1);
    text.remove_prefix(length);
    return field;
  }

  TrackedText value(const TrackedText &whole, const Field &field, int depth) {
    context.step();
    Value found = lookUp(field.name);
    if (field.conversion == 's') {
      found = Value(toText(context, found));
    } else if (field.conversion == 'r' || field.conversion == 'a') {
      TrackedText text;
      appendRepr(context, text, found);
      found = Value(field.conversion == 'a' ? asciiOnly(context, text) : text);
    } else if (field.conversion != 0) {
      fail("unknown conversion specifier in format string");
    }
    TrackedText specification = run(whole, field.specification, depth - 1);
    if (!marks) {
      return formatted(context, found, specification);
    }
    if (found.isMarkup() && !specification.empty()) {
      fail("unsupported format specification for Markup");
    }
    return found.isMarkup()
               ? found.text()
               : escaped(context, formatted(context, found, specification));
  }

  /// The argument that a name begins with, and its attributes and items.
  Value lookUp(std::string_view name) {
    std::string numbered;
    if (name.empty()) {
      if (numbering == Numbering::manual) {
        fail("cannot switch from manual field specification to automatic "
             "field numbering");
      }
      numbering = Numbering::automatic;
      numbered = std::to_string(nextIndex++);
      name = numbered;
    } else if (isNumeral(name)) {
      if (numbering == Numbering::automatic) {
        fail("cannot switch from automatic field numbering to manual field "
             "specification");
      }
      numbering = Numbering::manual;
    }
    size_t end = std::min(name.find_first_of(".["), name.size());
    Value found = argument(name.substr(0, end));
    name.remove_prefix(end);
    while (!name.empty()) {
      context.step();
      bool isItem = name[0] == '[';
      if (!isItem && name[0] != '.') {
        fail("only '.' or '[' may follow ']' in format field specifier");
      }
      name.remove_prefix(1);
      end = isItem ? name.find(']')
                   : std::min(name.find_first_of(".["), name.size());
      if (end == std::string_view::npos) {
        fail("missing ']' in format string");
      }
      std::string_view key = name.substr(0, end);
      if (key.empty()) {
        fail("empty attribute in format string");
      }
      name.remove_prefix(end + isItem);
      found = !isItem          ? getAttribute(context, found, key)
              : isNumeral(key) ? getItem(context, found, Value(indexOf(key)))
                               : getItem(context, found, Value::literal(key));
    }
    return found;
  }

  const Value &argument(std::string_view name) const {
    if (isNumeral(name)) {
      int64_t index = indexOf(name);
      if (size_t(index) >= arguments.positional.size()) {
        fail("replacement index " + std::string(name) +
             " out of range for positional args tuple");
      }
      return arguments.positional[size_t(index)];
    }
    for (const auto &[known, value] : arguments.keywords) {
      if (known.bytes() == name) {
        return value;
      }
    }
    fail(arguments.callee + " was given no " + inQuotes(name));
  }

  enum class Numbering { unknown, manual, automatic };

  Context &context;
  bool marks; ///< what is filled in is escaped
  const CallArguments &arguments;
  Numbering numbering = Numbering::unknown;
  int64_t nextIndex = 0;
};

} // namespace

Value formatMethod(Context &context, const Value &self,
                   CallArguments &arguments) {
  Formatter formatter(context, self.isMarkup(), arguments);
  return Value::text(formatter.run(self.text(), self.string(), 2),
                     self.isMarkup());
}

Value formatMapMethod(Context &context, const Value &self,
                      CallArguments &arguments) {
  arguments.expect(1, 1);
  const Value &mapping = arguments.positional[0];
  requireDefined(mapping);
  if (!mapping.isMapping()) {
    fail(arguments.callee + " needs a mapping, not " + mapping.typeName());
  }
  CallArguments named;
  named.callee = arguments.callee;
  for (const auto &[key, value] : mapping.dict().items) {
    if (key.isString()) {
      context.step(1);
      named.keywords.emplace_back(key.text(), value);
    }
  }
  return formatMethod(context, self, named);
}

} // namespace cheems::jinja
