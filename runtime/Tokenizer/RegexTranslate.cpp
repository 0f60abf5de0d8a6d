// From Oniguruma's Ruby syntax to PCRE2's: the text is mostly common; this
// walks it and rewrites or refuses the rest.
#include "runtime/Error.h"
#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/Regex.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace cheems {

namespace {

// Class bodies. PCRE2's own \s has U+180E besides, its \w lacks marks. Outside
// brackets Oniguruma's \w takes the Latin-1 superscripts and fractions, too.
constexpr const char *space =
    "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}"
    "\\x{2029}\\x{202f}\\x{205f}\\x{3000}";
constexpr const char *notSpace = "\\S\\x{180e}";
constexpr const char *wordInBrackets = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";
constexpr const char *word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
                             "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}";
constexpr const char *hex = "0-9A-Fa-f";

class Translator {
public:
  Translator(const std::string &source, const std::string &where)
      : source(source), where(where) {}

  std::string run() {
    while (position < source.size()) {
      switch (char next = source[position]) {
      case '\\':
        escape(false);
        break;
      case '[':
        characterClass();
        break;
      case '(':
        group();
        break;
      case '{':
        interval();
        break;
      default:
        out.push_back(next);
        ++position;
      }
    }
    return std::move(out);
  }

private:
  [[noreturn]] void refuse(const std::string &construct) const {
    throw Error(Status::unsupported, where + ": regular expression " +
                                         tokenizer_json::shown(source) + ": " +
                                         construct + " is not supported");
  }

  bool at(std::string_view text) const {
    return source.compare(position, text.size(), text) == 0;
  }

  void take(std::string_view text) {
    out += text;
    position += text.size();
  }

  void group() {
    if (at("(*")) {
      refuse("a '(*' callout or verb");
    }
    if (!at("(?")) {
      return take("(");
    }
    if (at("(?i)")) {
      // further in, the two engines disagree on whether alternatives behind it
      // are inside
      if (position != 0) {
        refuse("'(?i)' that is not at the start");
      }
      return take("(?i)");
    }
    for (const char *known :
         {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:"}) {
      if (at(known)) {
        return take(known);
      }
    }
    refuse("group " + tokenizer_json::shown(source.substr(position, 3)));
  }

  /// {n}, {n,}, {n,m}, {,m}; anything else with a brace is the brace itself, to
  /// both engines.
  void interval() {
    auto digits = [&](size_t from) {
      while (from < source.size() &&
             std::isdigit(static_cast<unsigned char>(source[from]))) {
        ++from;
      }
      return from;
    };
    size_t lowEnd = digits(position + 1);
    bool comma = lowEnd < source.size() && source[lowEnd] == ',';
    size_t highEnd = comma ? digits(lowEnd + 1) : lowEnd;
    bool empty = lowEnd == position + 1 && highEnd == lowEnd + (comma ? 1 : 0);
    if (empty || highEnd >= source.size() || source[highEnd] != '}') {
      out += "\\{";
      ++position;
      return;
    }
    char behind = highEnd + 1 < source.size() ? source[highEnd + 1] : '\0';
    if (behind == '+' || (behind == '?' && !comma)) {
      refuse(std::string("'") + behind + "' behind a '{…}' count");
    }
    out += lowEnd == position + 1 ? "{0" : "{";
    out += source.substr(position + 1, highEnd - position);
    position = highEnd + 1;
  }

  void characterClass() {
    out.push_back('[');
    ++position;
    if (position < source.size() && source[position] == '^') {
      take("^");
    }
    for (bool first = true; position < source.size(); first = false) {
      char next = source[position];
      if (next == ']' && !first) {
        return take("]");
      }
      if (next == ']') {
        refuse("']' as the first member of a class");
      }
      if (next == '[') {
        refuse(at("[:") ? "a POSIX bracket" : "a class inside a class");
      }
      if (at("&&")) {
        refuse("'&&' in a class");
      }
      if (next == '\\') {
        escape(true);
      } else {
        out.push_back(next);
        ++position;
      }
    }
    refuse("a class without its ']'");
  }

  /// A shorthand class: brackets around it unless it stands in a class already.
  void shorthand(bool inClass, std::string_view body) {
    out += inClass ? std::string(body) : "[" + std::string(body) + "]";
  }

  void negatedShorthand(bool inClass, char letter, std::string_view body) {
    if (inClass) {
      refuse(std::string("'\\") + letter + "' in a class");
    }
    out += "[^" + std::string(body) + "]";
  }

  void escape(bool inClass) {
    if (++position == source.size()) {
      refuse("a '\\' at the end");
    }
    char letter = source[position++];
    switch (letter) {
    case 's':
      return shorthand(inClass, space);
    case 'S':
      return shorthand(inClass, notSpace);
    case 'w':
      return shorthand(inClass, inClass ? wordInBrackets : word);
    case 'W':
      return negatedShorthand(inClass, letter, word);
    case 'h':
      return shorthand(inClass, hex);
    case 'H':
      return negatedShorthand(inClass, letter, hex);
    case 'd':
      out += "\\p{Nd}";
      return;
    case 'D':
      out += "\\P{Nd}";
      return;
    case 'p':
    case 'P':
      return property(letter);
    case 'x':
    case 'u':
      return codepoint(letter);
    case 'v':
      out += "\\x{b}";
      return;
    case 'n':
    case 'r':
    case 't':
    case 'f':
    case 'a':
    case 'e':
      out += {'\\', letter};
      return;
    case 'b':
    case 'B':
      return boundary(inClass, letter);
    case 'A':
    case 'z':
    case 'Z':
      if (inClass) {
        break;
      }
      out += {'\\', letter};
      return;
    default:
      if (!std::isalnum(static_cast<unsigned char>(letter))) {
        // a character of several bytes needs no backslash, and PCRE2 allows
        // none
        out += static_cast<unsigned char>(letter) < 0x80
                   ? std::string{'\\', letter}
                   : std::string{letter};
        return;
      }
    }
    refuse(tokenizer_json::shown(std::string{'\\', letter}) +
           (inClass ? " in a class" : ""));
  }

  void boundary(bool inClass, char letter) {
    if (inClass && letter == 'b') {
      out += "\\x{8}";
      return;
    }
    if (inClass) {
      refuse("'\\B' in a class");
    }
    std::string set = "[" + std::string(word) + "]";
    out += letter == 'b' ? "(?:(?<=" + set + ")(?!" + set + ")|(?<!" + set +
                               ")(?=" + set + "))"
                         : "(?:(?<=" + set + ")(?=" + set + ")|(?<!" + set +
                               ")(?!" + set + "))";
  }

  /// \xHH (below 80: above, Oniguruma reads a raw byte), \x{H…}, \uHHHH.
  void codepoint(char letter) {
    bool braced =
        letter == 'x' && position < source.size() && source[position] == '{';
    position += braced;
    size_t begin = position, most = braced ? 8 : letter == 'x' ? 2 : 4;
    while (position < source.size() && position - begin < most &&
           std::isxdigit(static_cast<unsigned char>(source[position]))) {
      ++position;
    }
    std::string digits = source.substr(begin, position - begin);
    bool complete = !digits.empty() && (letter == 'x' || digits.size() == 4);
    if (braced) {
      complete =
          complete && position < source.size() && source[position++] == '}';
    }
    if (!complete ||
        (letter == 'x' && !braced && std::stoul(digits, nullptr, 16) >= 0x80)) {
      refuse(std::string("this form of '\\") + letter + "'");
    }
    out += "\\x{" + digits + "}";
  }

  void property(char letter) {
    size_t close = source.find('}', position);
    if (position >= source.size() || source[position] != '{' ||
        close == std::string::npos) {
      refuse(std::string("'\\") + letter + "' without '{name}'");
    }
    std::string name = source.substr(position + 1, close - position - 1);
    position = close + 1;
    std::string sign;
    if (!name.empty() && name[0] == '^') {
      sign = "^";
      name.erase(0, 1);
    }
    std::string known = pcreProperty(name);
    if (known.empty()) {
      refuse("property " + tokenizer_json::shown(name));
    }
    out += std::string("\\") + letter + "{" + sign + known + "}";
  }

  /// PCRE2's name of a property, or "" when it has none. A bare script name
  /// means the characters whose own script it is, which PCRE2 spells sc:.
  static std::string pcreProperty(const std::string &name) {
    if (name.empty() ||
        !std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return std::isalnum(c) || c == '_';
        })) {
      return "";
    }
    static constexpr std::array<std::pair<const char *, const char *>, 7>
        longNames{{{"Letter", "L"},
                   {"Mark", "M"},
                   {"Number", "N"},
                   {"Punctuation", "P"},
                   {"Symbol", "S"},
                   {"Separator", "Z"},
                   {"Other", "C"}}};
    for (const auto &[longName, shortName] : longNames) {
      if (name == longName) {
        return shortName;
      }
    }
    for (const std::string &candidate : {"sc:" + name, name}) {
      if (regexCompiles("\\p{" + candidate + "}")) {
        return candidate;
      }
    }
    return "";
  }

  const std::string &source;
  const std::string &where;
  size_t position = 0;
  std::string out;
};

} // namespace

std::string translateRegex(const std::string &expression,
                           const std::string &where) {
  return Translator(expression, where).run();
}

} // namespace cheems
