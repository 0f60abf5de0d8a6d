// Each class is put together from the generated tables; where PCRE2's own
// properties are used, what changed after Unicode 14 is listed beside them.
#include "runtime/Tokenizer/RegexClass.h"

#include "runtime/Tokenizer/UnicodeData.h"

#include <array>
#include <cctype>
#include <utility>

namespace cheems {

namespace {

using unicode::ofCategory;
using unicode::withAttribute;

CodePoints spaces() {
  return ofCategory("Z") | CodePoints(0x9, 0xD) | CodePoints(0x85);
}

CodePoints blanks() { return ofCategory("Zs") | CodePoints('\t'); }

CodePoints alphabetic() { return withAttribute(unicode::alphabetic); }

CodePoints ascii() { return {0, 0x7F}; }

/// "Uppercase_Letter" as "uppercaseletter".
std::string plain(std::string_view name) {
  std::string out;
  for (char letter : name) {
    if (letter != '_' && letter != ' ' && letter != '-') {
      out.push_back(
          static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
    }
  }
  return out;
}

constexpr std::array<std::pair<const char *, const char *>, 37> longNames{
    {{"letter", "L"},
     {"uppercaseletter", "Lu"},
     {"lowercaseletter", "Ll"},
     {"titlecaseletter", "Lt"},
     {"modifierletter", "Lm"},
     {"otherletter", "Lo"},
     {"mark", "M"},
     {"nonspacingmark", "Mn"},
     {"spacingmark", "Mc"},
     {"enclosingmark", "Me"},
     {"number", "N"},
     {"decimalnumber", "Nd"},
     {"letternumber", "Nl"},
     {"othernumber", "No"},
     {"punctuation", "P"},
     {"connectorpunctuation", "Pc"},
     {"dashpunctuation", "Pd"},
     {"openpunctuation", "Ps"},
     {"closepunctuation", "Pe"},
     {"initialpunctuation", "Pi"},
     {"finalpunctuation", "Pf"},
     {"otherpunctuation", "Po"},
     {"symbol", "S"},
     {"mathsymbol", "Sm"},
     {"currencysymbol", "Sc"},
     {"modifiersymbol", "Sk"},
     {"othersymbol", "So"},
     {"separator", "Z"},
     {"spaceseparator", "Zs"},
     {"lineseparator", "Zl"},
     {"paragraphseparator", "Zp"},
     {"other", "C"},
     {"control", "Cc"},
     {"format", "Cf"},
     {"surrogate", "Cs"},
     {"privateuse", "Co"},
     {"unassigned", "Cn"}}};

/// The short name of a general category, or "".
std::string categoryName(const std::string &name) {
  for (auto [longName, shortName] : longNames) {
    if (name == longName || name == plain(shortName)) {
      return shortName;
    }
  }
  return "";
}

RegexClass category(const std::string &name, RegexProperties properties) {
  // new characters were unassigned, and U+1171E was of Mn: PCRE2's own sets
  // may hold more than these
  if (name == "C" || name == "Cn" || name == "Mn") {
    return RegexClass::of(ofCategory(name));
  }
  return RegexClass::of(ofCategory(name), "\\p{" + name + "}", properties);
}

} // namespace

RegexClass RegexClass::of(CodePoints set) {
  std::string members = set.members();
  return {std::move(set), std::move(members)};
}

RegexClass RegexClass::of(CodePoints set, std::string_view native,
                          RegexProperties properties) {
  if (properties != RegexProperties::native) {
    return of(std::move(set));
  }
  std::string members =
      std::string(native) + (set & withAttribute(unicode::newer)).members();
  return {std::move(set), std::move(members)};
}

void RegexClass::add(const RegexClass &other) {
  set = set | other.set;
  members += other.members;
}

RegexClass RegexClass::space(RegexProperties) { return of(spaces()); }

RegexClass RegexClass::notSpace(RegexProperties properties) {
  // PCRE2's \s has U+180E besides
  return of(~spaces(), "\\S\\x{180e}", properties);
}

RegexClass RegexClass::word(bool inBrackets, RegexProperties properties) {
  CodePoints set =
      alphabetic() | ofCategory("M") | ofCategory("Nd") | ofCategory("Pc");
  // of the alphabetic ones the rest are letters in circles
  std::string native =
      "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}" + (set & ofCategory("So")).members();
  if (!inBrackets) {
    CodePoints more =
        CodePoints(0xB2, 0xB3) | CodePoints(0xB9) | CodePoints(0xBC, 0xBE);
    set = set | more;
    native += more.members();
  }
  return of(std::move(set), native, properties);
}

RegexClass RegexClass::digit(RegexProperties properties) {
  return category("Nd", properties);
}

RegexClass RegexClass::hexadecimal() {
  return of(CodePoints('0', '9') | CodePoints('A', 'F') | CodePoints('a', 'f'));
}

std::optional<RegexClass> RegexClass::property(std::string_view given,
                                               RegexProperties properties) {
  std::string name = plain(given);
  if (std::string found = categoryName(name); !found.empty()) {
    return category(found, properties);
  }
  if (auto script = unicode::ofScript(name)) {
    return of(std::move(*script));
  }
  if (name == "any") {
    return of(CodePoints::everything());
  }
  if (name == "assigned") {
    return of(~ofCategory("Cn"));
  }
  if (name == "alphabetic" || name == "uppercase" || name == "lowercase") {
    return posix(name.substr(0, 5), properties);
  }
  if (name == "whitespace") {
    return space(properties);
  }
  if (name == "word") {
    return word(false, properties);
  }
  if (name == "punct") {
    return category("P", properties);
  }
  return posix(name, properties);
}

std::optional<RegexClass> RegexClass::posix(std::string_view name,
                                            RegexProperties properties) {
  if (name == "alpha") {
    return of(alphabetic());
  }
  if (name == "alnum") {
    return of(alphabetic() | ofCategory("Nd"));
  }
  if (name == "upper") {
    return of(withAttribute(unicode::uppercase));
  }
  if (name == "lower") {
    return of(withAttribute(unicode::lowercase));
  }
  if (name == "digit") {
    return digit(properties);
  }
  if (name == "space") {
    return space(properties);
  }
  if (name == "blank") {
    return of(blanks());
  }
  if (name == "cntrl") {
    return category("Cc", properties);
  }
  if (name == "punct") {
    return of(ofCategory("P") | ofCategory("S"));
  }
  if (name == "graph") {
    return of(
        ~(spaces() | ofCategory("Cc") | ofCategory("Cn") | ofCategory("Cs")));
  }
  if (name == "print") {
    return of(~(ofCategory("Cc") | ofCategory("Cn") | ofCategory("Cs") |
                ofCategory("Zl") | ofCategory("Zp")));
  }
  if (name == "word") {
    return word(true, properties);
  }
  if (name == "xdigit") {
    return hexadecimal();
  }
  if (name == "ascii") {
    return of(ascii());
  }
  return std::nullopt;
}

} // namespace cheems
