// Numbers in the ways that both kinds of formatting share.
#include "runtime/ChatTemplate/Formatting.h"
#include "runtime/ChatTemplate/Operators.h"
#include "runtime/ChatTemplate/PythonText.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cheems::jinja {

int64_t takeCount(std::string_view &text) {
  int64_t count = -1;
  while (!text.empty() &&
         std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    count = std::max<int64_t>(count, 0) * 10 + (text.front() - '0');
    if (count > INT32_MAX) {
      fail("a width or precision in a format is too large");
    }
    text.remove_prefix(1);
  }
  return count;
}

MeteredString filled(Context &context, std::string_view fill, int64_t count) {
  MeteredString out;
  if (count > 0) {
    out.reserve(size_t(count) * fill.size());
    context.scan(size_t(count) * fill.size());
    for (int64_t i = 0; i < count; ++i) {
      out += fill;
    }
  }
  return out;
}

TrackedText characterOf(const Value &number) {
  bool exists = number.isIntegral() && number.integer() >= 0 &&
                number.integer() <= 0x10FFFF &&
                (number.integer() < 0xD800 || number.integer() > 0xDFFF);
  if (!exists) {
    fail("there is no such Unicode character to format");
  }
  TrackedText out;
  appendCharacter(out, char32_t(number.integer()), number.origin());
  return out;
}

TrackedText asciiOnly(Context &context, const TrackedText &text) {
  context.walk(text.size());
  TrackedText out;
  text.visitRuns([&](std::string_view run, Origin origin) {
    for (size_t offset = 0; offset < run.size();) {
      size_t start = offset;
      char32_t c = nextCharacter(run, offset);
      if (c < 0x80) {
        out.append(run.substr(start, 1), origin);
      } else {
        appendEscape(out, c, origin);
      }
    }
  });
  return out;
}

NumberText integerText(Context &context, const BigInteger &value, char type,
                       bool alternate) {
  NumberText text;
  int base = type == 'b'                  ? 2
             : type == 'o'                ? 8
             : type == 'x' || type == 'X' ? 16
                                          : 10;
  context.step(int64_t(limbsOf(value) * limbsOf(value)));
  text.sign = value < 0 ? "-" : "";
  BigInteger magnitude = abs(value);
  text.digits = std::string_view(base == 10 ? magnitude.str()
                                            : digitsOf(magnitude, base));
  if (alternate && base != 10) {
    text.prefix = {'0', type};
  }
  if (type == 'X') {
    for (char &c : text.digits) {
      c = char(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return text;
}

namespace {

MeteredString printed(Context &context, double value, char type,
                      int64_t precision, bool alternate) {
  std::string format =
      std::string("%") + (alternate ? "#" : "") + ".*" + std::string(1, type);
  context.scan(size_t(precision) + 400);
  MeteredString text(size_t(precision) + 400, '\0');
  text.resize(size_t(std::snprintf(text.data(), text.size(), format.c_str(),
                                   int(precision), value)));
  return text;
}

// What format() does with a precision and no type: `precision` digits, but
// never without one after the point.
MeteredString general(Context &context, double value, int64_t precision,
                      bool alternate) {
  precision = std::max<int64_t>(precision, 1);
  MeteredString text = printed(context, value, 'e', precision - 1, false);
  size_t mark = text.find('e');
  int64_t point = std::strtoll(text.c_str() + mark + 1, nullptr, 10) + 1;
  if (point <= -4 || point > precision - 1) {
    MeteredString digits = text.substr(0, mark);
    if (!alternate && digits.find('.') != std::string::npos) {
      digits.erase(digits.find_last_not_of('0') + 1);
      digits.erase(digits.find_last_not_of('.') + 1);
    }
    return digits + text.substr(mark);
  }
  text = printed(context, value, 'f', std::max<int64_t>(precision - point, 1),
                 false);
  if (!alternate) {
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text.back() == '.' ? text + "0" : text;
}

} // namespace

NumberText floatText(Context &context, double value, char type,
                     int64_t precision, bool alternate) {
  NumberText text;
  text.sign = std::signbit(value) && !std::isnan(value) ? "-" : "";
  value = type == '%' ? std::fabs(value) * 100 : std::fabs(value);
  MeteredString all;
  if (!std::isfinite(value)) {
    all = std::isnan(value) ? "nan" : "inf";
  } else if (type == '\0') {
    all = precision < 0 ? MeteredString(spelled(value))
                        : general(context, value, precision, alternate);
    if (alternate && all.find('.') == std::string::npos) {
      all.insert(std::min(all.find('e'), all.size()), ".");
    }
  } else {
    char letter = type == '%' ? 'f' : char(std::tolower(type));
    all = printed(context, value, letter, precision < 0 ? 6 : precision,
                  alternate);
  }
  if (std::isupper(static_cast<unsigned char>(type)) != 0) {
    for (char &c : all) {
      c = char(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  size_t whole = 0;
  while (whole < all.size() &&
         std::isdigit(static_cast<unsigned char>(all[whole])) != 0) {
    ++whole;
  }
  text.digits = all.substr(0, whole);
  text.rest = all.substr(whole) + (type == '%' ? "%" : "");
  return text;
}

} // namespace cheems::jinja
