// Regular expressions of schemas: what they find in strings, and what is
// refused.
#include "TestSupport.h"

#include <nlohmann/json.hpp>

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

GrammarPointer patternGrammar(const std::string &pattern,
                              nlohmann::json more = nlohmann::json::object()) {
  more["type"] = "string";
  more["pattern"] = pattern;
  return jsonSchemaGrammar(more.dump());
}

void expectStrings(const std::string &pattern,
                   const std::vector<std::string> &accepted,
                   const std::vector<std::string> &refused) {
  GrammarPointer grammar = patternGrammar(pattern);
  for (const std::string &text : accepted) {
    EXPECT_TRUE(accepts(grammar, nlohmann::json(text).dump()))
        << pattern << " " << text;
  }
  for (const std::string &text : refused) {
    EXPECT_FALSE(accepts(grammar, nlohmann::json(text).dump()))
        << pattern << " " << text;
  }
}

TEST(Pattern, WithoutAnchorsItIsFoundAnywhere) {
  expectStrings("b+", {"b", "abc", "xxbbyy"}, {"", "ac"});
  expectStrings("^b", {"b", "bc"}, {"", "ab"});
  expectStrings("b$", {"b", "ab"}, {"", "bc"});
  expectStrings("^b$", {"b"}, {"", "bb"});
  expectStrings("^a|b$", {"a", "ax", "xb", "b"}, {"xax", ""});
  expectStrings("", {"", "anything"}, {});
  expectStrings("^$|^x", {"", "xy"}, {"y"});
  expectStrings("$^", {""}, {"a"});
  expectStrings("(^|,)a($|,)", {"a", "x,a", "a,x"}, {"ba", "ab"});
}

TEST(Pattern, ClassesAndQuantifiers) {
  expectStrings("^[a-c]{2,3}$", {"ab", "ccc"}, {"a", "abcd", "xy"});
  expectStrings("^\\d{3}-\\d{4}$", {"555-1234"}, {"5551234", "555-123"});
  expectStrings("^\\w+@[^@\\s]+$", {"a_1@b.c"}, {"@b", "a@", "a@b c"});
  expectStrings("^(?:ab|c)*d?$", {"", "abcd", "d", "cab"}, {"a", "dd"});
  expectStrings("^(?<year>[0-9]{4})$", {"2026"}, {"26"});
  expectStrings("^(?P<year>[0-9]{4})$", {"2026"}, {"26"});
  expectStrings("^a.c$", {"abc", "aéc", "a😀c"}, {"a\nc", "ac"});
  expectStrings("^a*?b+?$", {"b", "aabb"}, {"a"});
  expectStrings("^[\\]\\-x-]+$", {"]-x"}, {"a"});
  expectStrings("^\\u00e9\\x41\\u{1F600}\\ud83d\\ude00$", {"éA😀😀"}, {"e"});
  expectStrings("^[\\w.]+$", {"a.b"}, {"a-b"});
  expectStrings("^\\S+$", {"日本"}, {"a b", ""});
  expectStrings("^[^a]$", {"b", "é"}, {"a", ""});
  expectStrings("^\\/\\.$", {"/."}, {"/a"});
}

TEST(Pattern, CharactersThatJsonEscapes) {
  expectStrings("^[\"\\\\\\n\\t\\x01]+$", {"\"\\\n\t\x01"}, {"a"});
  // each in one way, so that what is counted is clear
  EXPECT_FALSE(accepts(patternGrammar("^a$"), "\"\\u0061\""));
}

TEST(Pattern, WithLengths) {
  GrammarPointer grammar =
      patternGrammar("^(ab)+$", {{"minLength", 3}, {"maxLength", 6}});
  expectTexts(grammar, {"\"abab\"", "\"ababab\""},
              {"\"ab\"", "\"abababab\"", "\"aba\""});
  EXPECT_FALSE(begins(grammar, "\"abababa")) << "nothing could end there";
  grammar = patternGrammar("é", {{"maxLength", 2}});
  expectTexts(grammar, {"\"é\"", "\"éx\"", "\"xé\""}, {"\"xéx\"", "\"xx\""});
}

TEST(Pattern, LengthsOfLongStringsAreKept) {
  GrammarPointer words =
      patternGrammar("^[a-z]+(?: [a-z]+)*$", {{"maxLength", 3000}});
  std::string longest = "\"a" + std::string(2999, 'b');
  expectTexts(words, {"\"a\"", "\"a b\"", longest + "\""},
              {"\"\"", "\"a \"", "\"A\"", longest + "b\""});
  // what would be too large has no long texts
  GrammarPointer cut = patternGrammar("^[a-z]+(?: [a-z]+)*$",
                                      {{"minLength", 2}, {"maxLength", 30000}});
  expectTexts(cut, {"\"ab\"", longest + "\""}, {"\"a\"", "\"a \""});
  EXPECT_FALSE(accepts(cut, "\"a" + std::string(30000, 'b') + "\""));
}

TEST(Pattern, WhatWouldHaveManyStatesIsReadInManyWays) {
  std::string tail(11, 'x');
  expectStrings("a.{11}$", {"a" + tail, "aba" + tail}, {tail, "ab" + tail});
}

TEST(Pattern, BracketsWithoutTheirBeginningStandForThemselves) {
  expectStrings("^\\{\\w+}$", {"{a}"}, {"a", "{a"});
  expectStrings("^\\[a]]$", {"[a]]"}, {"[a]"});
  expectStrings("^a]{2}$", {"a]]"}, {"a]"});
  expectStrings("^a{b{2}$", {"a{bb"}, {"ab", "a{b"});
  expectStrings("^a{$", {"a{"}, {"a"});
  expectStrings("^a{1,x}$", {"a{1,x}"}, {"a"});
  auto fault = [](const std::string &pattern) {
    return refusal([&] { patternGrammar(pattern); });
  };
  EXPECT_THAT(fault("a{,2}"), HasSubstr("write {0,n}"));
  EXPECT_THAT(fault("{2}"), HasSubstr("nothing to repeat"));
  EXPECT_THAT(fault("a{2}{3}"), HasSubstr("nothing to repeat"));
}

TEST(Pattern, AnchorsOfOtherLanguages) {
  expectStrings("\\Aab\\z", {"ab"}, {"xab", "abx"});
  expectStrings("\\Aab\\Z", {"ab"}, {"xab", "abx", "ab\n"});
  EXPECT_THAT(refusal([] { patternGrammar("[\\A]"); }),
              HasSubstr("the escape \\A"));
}

TEST(Pattern, LettersOfBothCases) {
  expectStrings("(?i)^yes|no$", {"yes", "YES!", "nO"}, {"ye", "nop"});
  expectStrings("^(?i:ab)c$", {"abc", "ABc", "aBc"}, {"abC", "ac"});
  expectStrings("(?i)^[a-c1]+$", {"abCB1"}, {"d", "2"});
  expectStrings("(?i)^[^a-c]+$", {"dE1", "é"}, {"a", "B"});
  expectStrings("(?i)^[^k]$", {"a", "l"}, {"k", "K", "\u212A"});
  expectStrings("(?i)^\\w+[^\\W\\d]$", {"aK", "Ss"}, {"a1", "a-"});
  expectStrings("(?i)^\\x41$", {"a", "A"}, {"b"});
}

TEST(Pattern, CategoriesOfUnicode) {
  expectStrings("^\\p{L}+$", {"aZ", "éÉ", "日本"}, {"", "a1", "-", " "});
  expectStrings("^\\p{Lu}\\p{Ll}*$", {"A", "Éa", "Ωω"}, {"a", "AB", "1"});
  expectStrings("^[\\p{L}\\p{N} _-]{1,50}$", {"a-1 é_", "٣"}, {"", "a.b"});
  expectStrings("^\\P{L}+$", {"1-", " "}, {"a", "é", "1a"});
  expectStrings("^[^\\p{P}]*$", {"ab 1", ""}, {"a.b", "«"});
  expectStrings("^\\p{Letter}\\pN\\p{Decimal_Number}$", {"a12", "éⅣ3"},
                {"a1Ⅳ", "1"});
  expectStrings("(?i)^\\p{Lu}\\P{Lu}$", {"A1"}, {"1A", "Aa"});
  std::string letters;
  for (int count = 0; count < 500; ++count) {
    letters += "é";
  }
  expectStrings("^\\p{L}{2,4000}$", {"ab", letters}, {"a", "a b"});
  // of a newer Unicode than all programs know
  expectStrings("^\\p{L}|\\P{L}$", {"a", "1"}, {"\U0001E030", "\U0001E6C0"});
}

TEST(Pattern, WhatIsNotRegularIsRefusedByName) {
  auto fault = [](const std::string &pattern) {
    return refusal([&] { patternGrammar(pattern); });
  };
  EXPECT_EQ(fault("a(?<=b)"),
            "JSON schema, at #/pattern, line 1, column 3: "
            "look-behind ((?<=...) or (?<!...)) is not supported");
  EXPECT_THAT(fault("(?=b)*"), HasSubstr("a repetition of"));
  EXPECT_THAT(fault("(?<!b)"), HasSubstr("look-behind"));
  EXPECT_THAT(fault("(a)\\1"), HasSubstr("back-references"));
  EXPECT_THAT(fault("(?<a>a)\\k<a>"), HasSubstr("back-references"));
  EXPECT_THAT(fault("\\bword"), HasSubstr("word boundaries"));
  EXPECT_THAT(fault("\\p{Emoji}"), HasSubstr("no general category"));
  EXPECT_THAT(fault("\\p{L"), HasSubstr("no general category"));
  EXPECT_THAT(fault("\\p"), HasSubstr("no general category"));
  EXPECT_THAT(fault("a(?i)b"), HasSubstr("begins with ? and 'i'"));
}

TEST(Pattern, FaultsAreNamed) {
  auto fault = [](const std::string &pattern) {
    return refusal([&] { patternGrammar(pattern); });
  };
  EXPECT_THAT(fault("(a"), HasSubstr("a ( without its )"));
  EXPECT_THAT(fault("a)"), HasSubstr("a ) without its ("));
  EXPECT_THAT(fault("[a"), HasSubstr("no closing ]"));
  EXPECT_THAT(fault("*a"), HasSubstr("nothing to repeat"));
  EXPECT_THAT(fault("a**"), HasSubstr("nothing to repeat"));
  EXPECT_THAT(fault("^*"), HasSubstr("a repetition of an anchor"));
  EXPECT_THAT(fault("a{2,1}"), HasSubstr("ends before it begins"));
  EXPECT_THAT(fault("[b-a]"), HasSubstr("does not end after"));
  EXPECT_THAT(fault("a\\"), HasSubstr("a \\ at the end"));
  EXPECT_THAT(fault("\\q"), HasSubstr("the escape \\q is not supported"));
  EXPECT_THAT(fault("[]"), HasSubstr("no character is in"));
  EXPECT_THAT(fault("^a$b"), HasSubstr("has no text"));
}

} // namespace
} // namespace cheems
