// text % values.
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Markup.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>
#include <cmath>

namespace cheems::jinja {

namespace {

class PercentFormatter {
public:
  PercentFormatter(Context &context, const Value &format, const Value &values)
      : context(context), whole(format.text()), rest(whole.bytes()),
        marks(format.isMarkup()), values(values), pending({values}) {
    const Sequence *sequence = values.sequence();
    if (sequence && sequence->kind == Sequence::tuple) {
      pending = sequence->items;
    } else {
      // whatever has items may be left unused
      isMapping =
          values.isMapping() || values.isIndexable() || values.isUndefined();
    }
  }

  Value run() {
    while (!rest.empty()) {
      size_t mark = std::min(rest.find('%'), rest.size());
      out.append(whole, rest.substr(0, mark));
      rest.remove_prefix(mark);
      if (!rest.empty()) {
        rest.remove_prefix(1);
        appendField();
      }
    }
    if (next < pending.size() && !isMapping) {
      fail("not all arguments converted during string formatting");
    }
    return Value::text(std::move(out), marks);
  }

private:
  struct Field {
    bool left = false, plus = false, blank = false, alternate = false,
         zero = false;
    int64_t width = -1, precision = -1;
    char type = '\0';
  };

  char take() {
    if (rest.empty()) {
      fail("incomplete format");
    }
    char c = rest.front();
    rest.remove_prefix(1);
    return c;
  }

  const Value &nextValue() {
    if (next == pending.size()) {
      fail("not enough arguments for format string");
    }
    return pending[next++];
  }

  void takeKey() {
    size_t length = 0;
    for (int open = 1; open > 0; ++length) {
      if (length == rest.size()) {
        fail("incomplete format key");
      }
      open += rest[length] == '(';
      open -= rest[length] == ')';
    }
    std::string_view key = rest.substr(0, length - 1);
    rest.remove_prefix(length);
    if (!values.isMapping()) {
      fail("format requires a mapping");
    }
    const Value *found = values.dict().findText(key);
    if (!found) {
      fail("the mapping to format has no key " + inQuotes(key));
    }
    pending = {*found};
    next = 0;
  }

  int64_t takeNumber() {
    if (rest.empty() || rest.front() != '*') {
      return takeCount(rest);
    }
    rest.remove_prefix(1);
    int64_t count = requireInteger(nextValue(), "'*' in a format");
    if (std::abs(double(count)) > INT32_MAX) {
      fail("a width or precision in a format is too large");
    }
    return count;
  }

  Field takeField() {
    Field field;
    if (!rest.empty() && rest.front() == '(') {
      rest.remove_prefix(1);
      takeKey();
    }
    for (bool isFlag = true; isFlag;) {
      char c = rest.empty() ? '\0' : rest.front();
      field.left |= c == '-';
      field.plus |= c == '+';
      field.blank |= c == ' ';
      field.alternate |= c == '#';
      field.zero |= c == '0';
      isFlag = c != '\0' &&
               std::string_view("-+ #0").find(c) != std::string_view::npos;
      rest.remove_prefix(isFlag);
    }
    bool isStar = !rest.empty() && rest.front() == '*';
    field.width = takeNumber();
    if (isStar && field.width < 0) {
      field.left = true;
      field.width = -field.width;
    }
    if (!rest.empty() && rest.front() == '.') {
      rest.remove_prefix(1);
      field.precision = std::max<int64_t>(takeNumber(), 0);
    }
    if (!rest.empty() &&
        (rest.front() == 'h' || rest.front() == 'l' || rest.front() == 'L')) {
      rest.remove_prefix(1);
    }
    field.type = take();
    return field;
  }

  void appendField() {
    context.step();
    if (!rest.empty() && rest.front() == '%') {
      out.append(whole, rest.substr(0, 1));
      rest.remove_prefix(1);
      return;
    }
    Field field = takeField();
    switch (field.type) {
    case 's':
    case 'r':
    case 'a':
    case 'c':
      appendText(field, nextValue());
      return;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      appendInteger(field, nextValue());
      return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      appendFloat(field, nextValue());
      return;
    default:
      nextValue();
      fail(std::string("unsupported format character '") + field.type + "'");
    }
  }

  void appendText(const Field &field, const Value &value) {
    TrackedText text;
    if (field.type == 's') {
      text = marks ? escapedText(context, value) : toText(context, value);
    } else if (field.type == 'c') {
      bool isCharacter = value.isString() && lengthOf(value.string()) == 1;
      if (marks || (!isCharacter && !value.isIntegral())) {
        fail("%c requires int or char");
      }
      text = isCharacter ? value.text() : characterOf(value);
    } else {
      appendRepr(context, text, value);
      text = marks ? escaped(context, text) : text;
      text = field.type == 'a' ? asciiOnly(context, text) : text;
    }
    if (field.precision >= 0 && field.type != 'c') {
      text = text.part(text.bytes().substr(
          0, offsetOf(text.bytes(), size_t(field.precision))));
    }
    pad(field, text, {}, false);
  }

  void appendInteger(const Field &field, const Value &value) {
    appendNumber(field, ofInteger(field, value), value.origin());
  }

  void appendFloat(const Field &field, const Value &value) {
    appendNumber(field,
                 floatText(context, floatOf(value), field.type, field.precision,
                           field.alternate),
                 value.origin());
  }

  // Marked texts take numbers out of texts, as int() and float() do.
  NumberText ofInteger(const Field &field, const Value &value) {
    bool isDecimal =
        std::string_view("diu").find(field.type) != std::string_view::npos;
    std::optional<BigInteger> number;
    if (value.isIntegral() || value.isBig()) {
      number = value.bigInteger();
    } else if (isDecimal && value.isFloat() && std::isfinite(value.number())) {
      number = BigInteger(std::trunc(value.number()));
    } else if (isDecimal && marks && value.isString()) {
      number = parseInteger(value.string(), 10);
    }
    if (!number || (marks && !isDecimal)) {
      fail(std::string("%") + field.type +
           " format: " + (isDecimal ? "a real number" : "an integer") +
           " is required, not " + value.typeName());
    }
    NumberText text = integerText(
        context, *number, isDecimal ? 'd' : field.type, field.alternate);
    text.digits =
        filled(context, "0", field.precision - int64_t(text.digits.size())) +
        text.digits;
    return text;
  }

  double floatOf(const Value &value) const {
    if (value.isNumber()) {
      return value.number();
    }
    std::optional<double> number;
    if (marks && value.isString()) {
      number = parseFloat(value.string());
    }
    if (!number) {
      fail("must be real number, not " + value.typeName());
    }
    return *number;
  }

  void appendNumber(const Field &field, const NumberText &text, Origin origin) {
    MeteredString sign = text.sign;
    if (sign.empty()) {
      sign = field.plus ? "+" : field.blank ? " " : "";
    }
    pad(field, TrackedText(text.digits + text.rest, origin),
        TrackedText(sign + text.prefix, origin), field.zero);
  }

  void pad(const Field &field, const TrackedText &text,
           const TrackedText &before, bool withZeros) {
    int64_t missing =
        field.width - int64_t(lengthOf(text.bytes())) - int64_t(before.size());
    bool zeros = withZeros && !field.left;
    MeteredString fill = filled(context, zeros ? "0" : " ", missing);
    context.scan(text.size() + before.size());
    out.append(field.left || zeros ? "" : std::string_view(fill));
    out.append(before);
    out.append(zeros ? std::string_view(fill) : "");
    out.append(text);
    out.append(field.left ? std::string_view(fill) : "");
  }

  Context &context;
  const TrackedText &whole; ///< the format
  std::string_view rest;    ///< what is left of it
  bool marks;               ///< what is filled in is escaped
  const Value &values;
  bool isMapping = false;
  Values pending; ///< what fields take, in order
  size_t next = 0;
  TrackedText out;
};

} // namespace

Value formatPercent(Context &context, const Value &format,
                    const Value &values) {
  context.scan(format.string().size());
  return PercentFormatter(context, format, values).run();
}

} // namespace cheems::jinja
