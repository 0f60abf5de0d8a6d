// From Oniguruma's Ruby syntax to PCRE2's: the text is mostly common; this
// walks it and rewrites or refuses the rest.
#include "runtime/Error.h"
#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/Regex.h"
#include "runtime/Tokenizer/RegexClass.h"
#include "runtime/Tokenizer/Utf8.h"

#include <cctype>
#include <vector>

namespace cheems {

namespace {

class Translator {
public:
  Translator(const std::string &source, const std::string &where,
             RegexProperties properties)
      : source(source), where(where), properties(properties) {}

  std::string run() {
    while (position < source.size()) {
      size_t begin = out.size();
      switch (char next = source[position]) {
      case '\\':
        escape();
        atom = begin;
        break;
      case '[':
        write(characterClass(0));
        atom = begin;
        break;
      case '(':
        if (group()) {
          groups.push_back(begin);
        }
        break;
      case ')':
        take(")");
        if (!groups.empty()) {
          atom = groups.back();
          groups.pop_back();
        }
        break;
      case '{':
        interval();
        break;
      case '*':
      case '+':
      case '?':
        take(std::string_view(&next, 1));
        break;
      default:
        take(character());
        atom = begin;
      }
    }
    return std::move(out);
  }

private:
  /// A class, and whether it is what the class does not hold.
  struct Class {
    RegexClass held;
    bool negated = false;

    RegexClass members() const { return negated ? held.negated() : held; }
  };

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

  /// The character that stands here.
  std::string_view character() const {
    std::string_view left = std::string_view(source).substr(position);
    return left.substr(0, utf8::scan(left).length);
  }

  void write(const Class &set) {
    std::string members = membersOf(set.held);
    if (members.empty()) {
      // PCRE2 knows no empty class
      out += set.negated ? "[\\x{0}-\\x{10ffff}]" : "[^\\x{0}-\\x{10ffff}]";
      return;
    }
    out += (set.negated ? "[^" : "[") + members + "]";
  }

  std::string membersOf(const RegexClass &held) const {
    if (properties != RegexProperties::latin) {
      return held.members;
    }
    // without regard to case those after stand for one of the first 256
    static const CodePoints told = CodePoints(0, 0xFF) | CodePoints(0x178) |
                                   CodePoints(0x17F) | CodePoints(0x39C) |
                                   CodePoints(0x3BC) | CodePoints(0x1E9E) |
                                   CodePoints(0x212A, 0x212B);
    return (held.set & told).members();
  }

  /// Whether a group is open after it.
  bool group() {
    if (at("(*")) {
      refuse("a '(*' callout or verb");
    }
    if (!at("(?")) {
      take("(");
      return true;
    }
    if (at("(?i)")) {
      // further in, the two engines disagree on whether alternatives after it
      // are inside
      if (position != 0) {
        refuse("'(?i)' that is not at the start");
      }
      take("(?i)");
      return false;
    }
    for (const char *known :
         {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:"}) {
      if (at(known)) {
        take(known);
        return true;
      }
    }
    refuse("group " + tokenizer_json::shown(source.substr(position, 3)));
  }

  /// {n}, {n,}, {n,m}, {,m}; anything else with a brace is the brace itself, to
  /// both engines. A '+' after it repeats: to PCRE2 it would be possessive.
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
      atom = out.size();
      out += "\\{";
      ++position;
      return;
    }
    out += lowEnd == position + 1 ? "{0" : "{";
    out += source.substr(position + 1, highEnd - position);
    position = highEnd + 1;
    if (at("+")) {
      ++position;
      out.insert(atom, "(?:");
      out += ")+";
    }
  }

  /// From '[' to its ']', with classes and intersections inside.
  Class characterClass(int depth) {
    if (depth > tokenizer_json::maximumDepth) {
      refuse("classes that nest so deeply");
    }
    Class result;
    ++position;
    if (position < source.size() && source[position] == '^') {
      result.negated = true;
      ++position;
    }
    std::optional<CodePoints> common; // of the parts before an '&&'
    for (bool first = true; position < source.size(); first = false) {
      if (at("]")) {
        if (first) {
          refuse("']' as the first member of a class");
        }
        ++position;
        if (common) {
          result.held = RegexClass::of(*common & result.held.set);
        }
        return result;
      }
      if (at("&&")) {
        position += 2;
        common = common ? *common & result.held.set : result.held.set;
        result.held = {};
        continue;
      }
      result.held.add(member(depth));
    }
    refuse("a class without its ']'");
  }

  /// One member of a class: a class, or a character or a range of them.
  RegexClass member(int depth) {
    if (at("[:")) {
      return posixBracket();
    }
    if (at("[")) {
      return characterClass(depth + 1).members();
    }
    char32_t begin = 0, end = 0;
    std::optional<RegexClass> set = single(begin);
    bool range =
        at("-") && position + 1 < source.size() && source[position + 1] != ']';
    if (set && !range) {
      return *set;
    }
    if (set) {
      refuse("a range that begins with a class");
    }
    if (range && begin == '-') {
      refuse("a range that begins with '-'");
    }
    end = begin;
    if (range) {
      ++position;
      if (at("[") || at("&&") || single(end)) {
        refuse("a range that ends with a class");
      }
      if (end < begin) {
        refuse("a range that ends before it begins");
      }
    }
    return RegexClass::of(CodePoints(begin, end));
  }

  RegexClass posixBracket() {
    size_t close = source.find(":]", position);
    bool negated = source.compare(position + 2, 1, "^") == 0;
    size_t begin = position + 2 + negated;
    if (close == std::string::npos || close < begin) {
      refuse("a POSIX bracket without its ':]'");
    }
    std::string name = source.substr(begin, close - begin);
    std::optional<RegexClass> found = RegexClass::posix(name, properties);
    if (!found) {
      refuse("POSIX bracket " + tokenizer_json::shown(name));
    }
    position = close + 2;
    return negated ? found->negated() : *found;
  }

  /// A character of a class, into `codepoint`, or a set that an escape names.
  std::optional<RegexClass> single(char32_t &codepoint) {
    if (position >= source.size()) {
      refuse("a class without its ']'");
    }
    if (at("\\")) {
      if (++position == source.size()) {
        refuse("a '\\' at the end");
      }
      char letter = source[position];
      if (auto set = namedSet(true)) {
        return set->members();
      }
      if (letter == 'b') {
        ++position;
        codepoint = 8;
        return std::nullopt;
      }
      codepoint = escapedCharacter(true);
      return std::nullopt;
    }
    std::string_view text = character();
    codepoint = utf8::scan(text).codepoint;
    position += text.size();
    return std::nullopt;
  }

  /// The set that the letter after a '\' stands for, if it does.
  std::optional<Class> namedSet(bool inClass) {
    char letter = source[position++];
    switch (letter) {
    case 's':
      return Class{RegexClass::space(properties)};
    case 'S':
      if (inClass) {
        return Class{RegexClass::notSpace(properties)};
      }
      return Class{RegexClass::space(properties), true};
    case 'w':
    case 'W':
      return Class{RegexClass::word(inClass, properties), letter == 'W'};
    case 'd':
    case 'D':
      return Class{RegexClass::digit(properties), letter == 'D'};
    case 'h':
    case 'H':
      return Class{RegexClass::hexadecimal(), letter == 'H'};
    case 'p':
    case 'P':
      return property(letter == 'P');
    default:
      --position;
      return std::nullopt;
    }
  }

  void escape() {
    if (++position == source.size()) {
      refuse("a '\\' at the end");
    }
    if (std::optional<Class> set = namedSet(false)) {
      return write(*set);
    }
    switch (char letter = source[position]) {
    case 'b':
    case 'B':
      ++position;
      return boundary(letter);
    case 'A':
    case 'z':
    case 'Z':
      ++position;
      out += {'\\', letter};
      return;
    default:
      out += RegexClass::of(CodePoints(escapedCharacter(false))).members;
    }
  }

  /// The one character that the escape after a '\' is.
  char32_t escapedCharacter(bool inClass) {
    char letter = source[position];
    switch (letter) {
    case 'x':
    case 'u':
      ++position;
      return codepoint(letter);
    case 'v':
      ++position;
      return 0xB;
    case 'n':
      ++position;
      return '\n';
    case 'r':
      ++position;
      return '\r';
    case 't':
      ++position;
      return '\t';
    case 'f':
      ++position;
      return '\f';
    case 'a':
      ++position;
      return '\a';
    case 'e':
      ++position;
      return 0x1B;
    default:
      break;
    }
    if (std::isalnum(static_cast<unsigned char>(letter))) {
      refuse(tokenizer_json::shown(std::string{'\\', letter}) +
             (inClass ? " in a class" : ""));
    }
    std::string_view text = character();
    position += text.size();
    return utf8::scan(text).codepoint;
  }

  void boundary(char letter) {
    std::string set =
        "[" + membersOf(RegexClass::word(false, properties)) + "]";
    out += letter == 'b' ? "(?:(?<=" + set + ")(?!" + set + ")|(?<!" + set +
                               ")(?=" + set + "))"
                         : "(?:(?<=" + set + ")(?=" + set + ")|(?<!" + set +
                               ")(?!" + set + "))";
  }

  /// \xHH (below 80: above, Oniguruma reads a raw byte), \x{H…}, \uHHHH.
  char32_t codepoint(char letter) {
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
          complete && position < source.size() && source[position] == '}';
      ++position;
    }
    unsigned long value = complete ? std::stoul(digits, nullptr, 16) : 0;
    if (!complete || (letter == 'x' && !braced && value >= 0x80) ||
        value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
      refuse(std::string("this form of '\\") + letter + "'");
    }
    return static_cast<char32_t>(value);
  }

  Class property(bool negated) {
    size_t close = source.find('}', position);
    if (position >= source.size() || source[position] != '{' ||
        close == std::string::npos) {
      refuse(std::string("'\\") + (negated ? 'P' : 'p') + "' without '{name}'");
    }
    std::string name = source.substr(position + 1, close - position - 1);
    position = close + 1;
    if (!name.empty() && name[0] == '^') {
      negated = !negated;
      name.erase(0, 1);
    }
    std::optional<RegexClass> known = RegexClass::property(name, properties);
    if (!known) {
      refuse("property " + tokenizer_json::shown(name));
    }
    return {*known, negated};
  }

  const std::string &source;
  const std::string &where;
  RegexProperties properties;
  size_t position = 0;
  std::string out;
  size_t atom = 0; ///< where what a quantifier repeats begins in `out`
  std::vector<size_t> groups; ///< where the open ones begin
};

} // namespace

std::string translateRegex(const std::string &expression,
                           const std::string &where,
                           RegexProperties properties) {
  return Translator(expression, where, properties).run();
}

} // namespace cheems
