// format(value, specification): fill, alignment, sign, width, grouping,
// precision, type.
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>

namespace cheems::jinja {

namespace {

struct Specification {
  Origin origin = Origin::model; ///< of all that it makes
  MeteredString fill = " ";
  char alignment = '\0'; ///< one of < > = ^, or none given
  char sign = '\0';      ///< one of + - and space, or none given
  bool noNegativeZero = false;
  bool alternate = false;
  int64_t width = -1;
  char grouping = '\0'; ///< one of , and _, or none
  int64_t precision = -1;
  char type = '\0';
};

bool isAlignment(char c) {
  return c == '<' || c == '>' || c == '=' || c == '^';
}

Specification parse(const TrackedText &whole, bool isNumber) {
  std::string_view text = whole.bytes();
  Specification made;
  made.origin = whole.origin();
  size_t first = 0;
  nextCharacter(text, first);
  bool hasFill = first < text.size() && isAlignment(text[first]);
  if (hasFill) {
    made.fill = text.substr(0, first);
    text.remove_prefix(first);
  }
  auto takes = [&](std::string_view letters, char &into) {
    bool found = !text.empty() && letters.find(text.front()) != letters.npos;
    into = found ? text.front() : into;
    text.remove_prefix(found);
    return found;
  };
  char ignored = '\0';
  takes("<>=^", made.alignment);
  takes("+- ", made.sign);
  made.noNegativeZero = takes("z", ignored);
  made.alternate = takes("#", ignored);
  if (!hasFill && takes("0", ignored)) {
    made.fill = "0";
    if (made.alignment == '\0' && isNumber) {
      made.alignment = '=';
    }
  }
  made.width = takeCount(text);
  takes(",_", made.grouping);
  if (takes(".", ignored)) {
    made.precision = takeCount(text);
    if (made.precision < 0) {
      fail("format specifier missing precision");
    }
  }
  if (text.size() > 1) {
    fail("invalid format specifier");
  }
  made.type = text.empty() ? '\0' : text.front();
  return made;
}

[[noreturn]] void unknownType(const Specification &wanted, const Value &value) {
  fail(std::string("unknown format code '") + wanted.type +
       "' for object of type '" + value.typeName() + "'");
}

TrackedText aligned(Context &context, const Specification &wanted,
                    const TrackedText &before, const TrackedText &text,
                    char fallback) {
  char alignment = wanted.alignment == '\0' ? fallback : wanted.alignment;
  int64_t missing =
      std::max<int64_t>(0, wanted.width - int64_t(lengthOf(before.bytes()) +
                                                  lengthOf(text.bytes())));
  int64_t left = alignment == '<'   ? 0
                 : alignment == '^' ? missing / 2
                                    : missing;
  context.scan(before.size() + text.size());
  TrackedText out;
  if (alignment == '=') {
    out.append(before);
  }
  out.append(filled(context, wanted.fill, left), wanted.origin);
  if (alignment != '=') {
    out.append(before);
  }
  out.append(text);
  out.append(filled(context, wanted.fill, missing - left), wanted.origin);
  return out;
}

TrackedText formattedText(Context &context, const Value &value,
                          const Specification &wanted) {
  if (wanted.type != '\0' && wanted.type != 's') {
    unknownType(wanted, value);
  }
  bool isForNumbers = wanted.sign != '\0' || wanted.noNegativeZero ||
                      wanted.alternate || wanted.grouping != '\0' ||
                      wanted.alignment == '=';
  if (isForNumbers) {
    fail("a text's format specifier takes no sign, 'z', '#', grouping or '='");
  }
  TrackedText text = toText(context, value);
  if (wanted.precision >= 0) {
    text = text.part(text.bytes().substr(
        0, offsetOf(text.bytes(), size_t(wanted.precision))));
  }
  return aligned(context, wanted, {}, text, '<');
}

// Zeros that fill up to a width are grouped, too, and a separator never comes
// first.
MeteredString grouped(Context &context, MeteredString digits, char separator,
                      size_t group, int64_t width) {
  auto length = [&](size_t count) {
    return int64_t(count + (count == 0 ? 0 : (count - 1) / group));
  };
  MeteredString out;
  out.reserve(size_t(std::max<int64_t>(width, 0)));
  size_t count = digits.size();
  while (length(count) < width) {
    ++count;
  }
  digits = filled(context, "0", int64_t(count - digits.size())) + digits;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % group == 0) {
      out += separator;
    }
    out += digits[i];
  }
  context.scan(out.size());
  return out;
}

bool isOneOf(char type, std::string_view letters) {
  return type != '\0' && letters.find(type) != letters.npos;
}

NumberText numberText(Context &context, const Value &value,
                      const Specification &wanted) {
  // C's locale groups nothing
  char type = wanted.type == 'n' ? (value.isFloat() ? 'g' : 'd') : wanted.type;
  if (isOneOf(type, "eEfFgG%") || value.isFloat()) {
    if (!isOneOf(type, "eEfFgG%") && type != '\0') {
      unknownType(wanted, value);
    }
    NumberText text = floatText(context, value.number(), type, wanted.precision,
                                wanted.alternate);
    bool isZero = (text.digits + text.rest).find_first_of("123456789ni") ==
                  MeteredString::npos;
    if (wanted.noNegativeZero && isZero) {
      text.sign.clear();
    }
    return text;
  }
  if (type != '\0' && !isOneOf(type, "bcdoxX")) {
    unknownType(wanted, value);
  }
  if (wanted.precision >= 0 || wanted.noNegativeZero) {
    fail("an integer's format specifier takes no precision and no 'z'");
  }
  if (type == 'c') {
    if (wanted.sign != '\0' || wanted.alternate) {
      fail("a sign and '#' do not go with integer format specifier 'c'");
    }
    return {"", "", "", MeteredString(characterOf(value).bytes())};
  }
  return integerText(context, value.bigInteger(), type, wanted.alternate);
}

TrackedText formattedNumber(Context &context, const Value &value,
                            const Specification &wanted) {
  bool groupsFour = isOneOf(wanted.type, "boxX");
  if (wanted.grouping != '\0' &&
      (isOneOf(wanted.type, "nc") || (groupsFour && wanted.grouping == ','))) {
    fail(std::string("cannot specify '") + wanted.grouping + "' with '" +
         wanted.type + "'");
  }
  NumberText text = numberText(context, value, wanted);
  if (text.sign.empty() && (wanted.sign == '+' || wanted.sign == ' ')) {
    text.sign = wanted.sign;
  }
  if (wanted.grouping != '\0') {
    bool fillsUp = wanted.fill == "0" && wanted.alignment == '=';
    int64_t others =
        int64_t(text.sign.size() + text.prefix.size() + text.rest.size());
    text.digits =
        grouped(context, text.digits, wanted.grouping, groupsFour ? 4 : 3,
                fillsUp ? wanted.width - others : 0);
  }
  Origin origin = value.origin() | wanted.origin;
  return aligned(context, wanted, TrackedText(text.sign + text.prefix, origin),
                 TrackedText(text.digits + text.rest, origin), '>');
}

} // namespace

TrackedText formatted(Context &context, const Value &value,
                      const TrackedText &specification) {
  if (specification.empty()) {
    return toText(context, value);
  }
  if (!value.isString() && !value.isNumber()) {
    fail("unsupported format string passed to " + value.typeName() +
         ".__format__");
  }
  Specification wanted = parse(specification, value.isNumber());
  return value.isString() ? formattedText(context, value, wanted)
                          : formattedNumber(context, value, wanted);
}

} // namespace cheems::jinja
