#include "runtime/Grammar/CharacterClass.h"

#include "runtime/Tokenizer/UnicodeData.h"

#include <map>

namespace cheems::grammar {

namespace {

constexpr uint32_t firstBeyondAscii = 0x80;

/// Short names of categories by their long ones, and by themselves.
const std::map<std::string_view, std::string_view> &categories() {
  static const std::map<std::string_view, std::string_view> names = {
      {"Letter", "L"},
      {"Uppercase_Letter", "Lu"},
      {"Lowercase_Letter", "Ll"},
      {"Titlecase_Letter", "Lt"},
      {"Modifier_Letter", "Lm"},
      {"Other_Letter", "Lo"},
      {"Mark", "M"},
      {"Nonspacing_Mark", "Mn"},
      {"Spacing_Mark", "Mc"},
      {"Enclosing_Mark", "Me"},
      {"Number", "N"},
      {"Decimal_Number", "Nd"},
      {"Letter_Number", "Nl"},
      {"Other_Number", "No"},
      {"Punctuation", "P"},
      {"Connector_Punctuation", "Pc"},
      {"Dash_Punctuation", "Pd"},
      {"Open_Punctuation", "Ps"},
      {"Close_Punctuation", "Pe"},
      {"Initial_Punctuation", "Pi"},
      {"Final_Punctuation", "Pf"},
      {"Other_Punctuation", "Po"},
      {"Symbol", "S"},
      {"Math_Symbol", "Sm"},
      {"Currency_Symbol", "Sc"},
      {"Modifier_Symbol", "Sk"},
      {"Other_Symbol", "So"},
      {"Separator", "Z"},
      {"Space_Separator", "Zs"},
      {"Line_Separator", "Zl"},
      {"Paragraph_Separator", "Zp"}};
  return names;
}

} // namespace

CharacterClass CharacterClass::exactly(uint32_t first, uint32_t final) {
  CharacterSet set(first, final);
  return {set, set};
}

CharacterClass CharacterClass::named(char letter) {
  CharacterSet ascii, doubtful;
  if (letter == 's') {
    ascii.add('\t', '\r');
    ascii.add(' ', ' ');
    constexpr std::pair<uint32_t, uint32_t> others[] = {
        {0x1C, 0x1F},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
        {0x180E, 0x180E}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
        {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    for (auto [first, final] : others) {
      doubtful.add(first, final);
    }
  } else {
    ascii.add('0', '9');
    if (letter == 'w') {
      ascii.add('a', 'z');
      ascii.add('A', 'Z');
      ascii.add('_', '_');
    }
    doubtful.add(firstBeyondAscii, CharacterSet::last);
  }
  CharacterSet all = ascii;
  all.add(doubtful);
  return {ascii, all};
}

std::optional<CharacterClass> CharacterClass::category(std::string_view name,
                                                       bool anyCase) {
  auto known = categories().find(name);
  std::string_view wanted = known == categories().end() ? name : known->second;
  bool isShort = false;
  for (const auto &[longName, shortName] : categories()) {
    isShort = isShort || shortName == wanted;
  }
  if (!isShort) {
    return std::nullopt;
  }
  CharacterClass found;
  for (size_t at = 0; at < unicode::attributesCount; ++at) {
    constexpr int bitsOfAttributes = 11;
    uint32_t bits = unicode::attributes[at], first = bits >> bitsOfAttributes,
             final = at + 1 < unicode::attributesCount
                         ? (unicode::attributes[at + 1] >> bitsOfAttributes) - 1
                         : CharacterSet::last;
    std::string_view category(
        unicode::categoryNames + size_t(2) * (bits & unicode::categoryBits), 2);
    bool is = category.substr(0, wanted.size()) == wanted,
         isNewer = (bits & unicode::newer) != 0 || category == "Cn";
    if (is && !isNewer) {
      found.sure.add(first, final);
    }
    if (is || isNewer || (anyCase && wanted[0] == 'L' && category[0] == 'L')) {
      found.possible.add(first, final);
    }
  }
  return found;
}

CharacterClass CharacterClass::inAnyCase() const {
  CharacterClass all = *this;
  for (CharacterSet *set : {&all.sure, &all.possible}) {
    for (uint32_t lower = 'a'; lower <= 'z'; ++lower) {
      uint32_t upper = lower - 'a' + 'A';
      if (set->contains(lower) || set->contains(upper)) {
        set->add(lower, lower);
        set->add(upper, upper);
      }
    }
  }
  // some programs know others, such as the sign of kelvin for k
  constexpr std::pair<uint32_t, uint32_t> others[] = {
      {'k', 0x212A}, {'s', 0x17F}, {'i', 0x130}, {'i', 0x131}};
  for (auto [lower, other] : others) {
    if (all.possible.contains(lower) || all.possible.contains(other)) {
      all.possible.add(lower, lower);
      all.possible.add(lower - 'a' + 'A', lower - 'a' + 'A');
      all.possible.add(other, other);
    }
  }
  CharacterSet beyond(firstBeyondAscii, CharacterSet::last);
  if (!possible.intersected(beyond).empty()) {
    all.possible.add(beyond);
  }
  return all;
}

} // namespace cheems::grammar
