// Expressions as Oniguruma reads them, where PCRE2 would read them otherwise,
// and what is refused.
#include "TestSupport.h"

#include "runtime/Tokenizer/Regex.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <random>

namespace cheems::test {
namespace {

std::vector<std::string> matches(const std::string &expression,
                                 const std::string &text) {
  std::vector<TextSpan> spans;
  Regex::oniguruma(expression, "regex").findAll(text, spans);
  std::vector<std::string> found;
  for (TextSpan span : spans) {
    found.push_back(text.substr(span.begin, span.end - span.begin));
  }
  return found;
}

using Found = std::vector<std::string>;

TEST(Regex, whitespaceIsUnicodeWithoutTheMongolianVowelSeparator) {
  EXPECT_EQ(matches("\\s", "a b\xC2\xA0\xE3\x80\x80\xC2\x85"),
            (Found{" ", "\xC2\xA0", "\xE3\x80\x80", "\xC2\x85"}));
  EXPECT_EQ(matches("\\s|[\\s]", "\xE1\xA0\x8E"), Found{});
  EXPECT_EQ(matches("\\S", "\xE1\xA0\x8E"), (Found{"\xE1\xA0\x8E"}));
  EXPECT_EQ(matches("[^\\S\\n]+", " \t\n\xE1\xA0\x8E"), (Found{" \t"}));
}

TEST(Regex, wordCharactersIncludeMarks) {
  EXPECT_EQ(matches("\\w+", "na\xCC\x88s_1 ‿²"),
            (Found{"na\xCC\x88s_1", "‿²"}));
  EXPECT_EQ(matches("[\\w]+", "a²b"), (Found{"a", "b"}));
  EXPECT_EQ(matches("\\b\\w", "aa\xCC\x88 b"), (Found{"a", "b"}));
}

TEST(Regex, rubySyntax) {
  EXPECT_EQ(matches("\\h+", "xyzAf09 g"), (Found{"Af09"}));
  EXPECT_EQ(matches("^a$", "a\nb\na"), (Found{"a", "a"}));
  EXPECT_EQ(matches("xa{,2}y", "xy xay xaay xaaay"),
            (Found{"xy", "xay", "xaay"}));
  EXPECT_EQ(matches("a.c", "a\nc a\rc"), (Found{"a\rc"}));
  EXPECT_EQ(matches("{a}|b{x", "{a}b{x"), (Found{"{a}", "b{x"}));
  EXPECT_EQ(matches("\\u65e5|\\x41|\\x{1f600}", "日A\xF0\x9F\x98\x80"),
            (Found{"日", "A", "\xF0\x9F\x98\x80"}));
}

TEST(Regex, caseFoldingIsUnicode) {
  EXPECT_EQ(matches("(?i:'s)", "'S'\xC5\xBF"), (Found{"'S", "'\xC5\xBF"}));
}

TEST(Regex, scriptsAreThoseOfTheCharacterItself) {
  // U+3001 is used with Han but its script is Common
  EXPECT_EQ(matches("\\p{Han}", "日、"), (Found{"日"}));
  EXPECT_EQ(matches("\\P{L}|\\p{^Letter}", "a1"), (Found{"1"}));
}

TEST(Regex, emptyMatchesDoNotRepeatOrSplitCharacters) {
  std::vector<TextSpan> spans;
  Regex::oniguruma("a*", "regex").findAll("éaa", spans);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 0u);
  EXPECT_EQ(spans[0].end, 0u);
  EXPECT_EQ(spans[1].begin, 2u);
  EXPECT_EQ(spans[1].end, 4u);
}

TEST(Regex, literalTextIsNotAnExpression) {
  std::vector<TextSpan> spans;
  Regex::literal("a.", "regex").findAll("aba.", spans);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].begin, 2u);
}

TEST(Regex, propertiesAreThoseOfUnicode16WhateverPcre2Knows) {
  // U+1FA77 is of Unicode 15, U+1C89 of 16, U+1171E became Mc in 15
  EXPECT_EQ(matches("\\p{S}", "a🩷"), (Found{"🩷"}));
  EXPECT_EQ(matches("[^\\s\\p{L}\\p{N}]+", "\xE1\xB2\x89🩷!"), (Found{"🩷!"}));
  EXPECT_EQ(matches("\\p{Mn}|\\p{Cn}", "\xF0\x91\x9C\x9E🩷"), Found{});
  std::string everything;
  for (char32_t codepoint = 1; codepoint <= 0x10FFFF; ++codepoint) {
    if (codepoint < 0xD800 || codepoint > 0xDFFF) {
      utf8::append(everything, codepoint);
    }
  }
  for (const char *expression :
       {"\\p{L}+", "[^\\s\\p{L}\\p{N}]+", "\\p{M}+", "\\p{C}", "\\p{Mn}+",
        "\\p{P}+|\\p{S}+", "\\w+", "[\\w&&[^\\d]]+", "[\\S]+", "\\P{Lu}+"}) {
    std::vector<TextSpan> native, listed;
    Regex::oniguruma(expression, "regex", RegexProperties::native)
        .findAll(everything, native);
    Regex::oniguruma(expression, "regex", RegexProperties::listed)
        .findAll(everything, listed);
    ASSERT_EQ(native.size(), listed.size()) << expression;
    EXPECT_TRUE(std::equal(native.begin(), native.end(), listed.begin(),
                           [](TextSpan left, TextSpan right) {
                             return left.begin == right.begin &&
                                    left.end == right.end;
                           }))
        << expression;
  }
}

/// Returns where matches begin and end, but for those that end after `size`
/// bytes.
std::vector<std::pair<size_t, size_t>>
placesOf(const Regex &regex, const std::string &text, size_t size) {
  std::vector<TextSpan> spans;
  regex.findAll(text, spans);
  std::vector<std::pair<size_t, size_t>> places;
  for (TextSpan span : spans) {
    if (span.end < size) {
      places.emplace_back(span.begin, span.end);
    }
  }
  return places;
}

TEST(Regex, textsOfTheFirst256CharactersHaveTheSameMatches) {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    // mostly letters and what stands between words
    utf8::append(text, random() % 4   ? U"aksSKeé'st12 \n.µÿßå"[random() % 19]
                       : random() % 2 ? random() % 0x7F + 1
                                      : random() % 0xFF + 1);
  }
  text += "|\n";
  for (
      const char *expression :
      {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
       R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\w+|\W)",
       "(?i)[\u017F]+", "(?i)[^\u212A]", "(?i:[\\x{3bc}\\x{39c}])",
       "(?i)[\\x{178}\\x{1e9e}\\x{212b}]+", "[日本]|\\b\\w", "[^日]\\B",
       "\\p{Han}|\\P{Han}", "[[:alnum:]&&[^\\p{Lu}]]+|\\d|\\h+"}) {
    Regex regex = Regex::oniguruma(expression, "regex");
    auto fast = placesOf(regex, text, text.size());
    // one character after the first 256 makes it the program of all texts
    EXPECT_EQ(fast, placesOf(regex, text + "日", text.size())) << expression;
    EXPECT_GT(fast.size(), 100u) << expression;
  }
}

TEST(Regex, classesInClasses) {
  EXPECT_EQ(matches("[a[bc]]+", "xabcd"), (Found{"abc"}));
  EXPECT_EQ(matches("[^a[^bc]]", "abcd"), (Found{"b", "c"}));
  EXPECT_EQ(matches("[a-z&&[^aeiou]]+", "hello"), (Found{"h", "ll"}));
  EXPECT_EQ(matches("[^a-z&&[^aeiou]]+", "hello X"), (Found{"e", "o X"}));
  EXPECT_EQ(matches("[a-c&&b-d&&c-e]|[ab&&]", "abcde"), (Found{"c"}));
  EXPECT_EQ(matches("[[:space:][:^alpha:]]+", "a 1b"), (Found{" 1"}));
  EXPECT_EQ(matches("[\\W]+", "a, b"), (Found{", "}));
}

TEST(Regex, aPlusAfterACountRepeatsIt) {
  EXPECT_EQ(matches("a{2}+", "aaaaab"), (Found{"aaaa"}));
  EXPECT_EQ(matches("(?:ab){1,2}+c", "abababc"), (Found{"abababc"}));
  EXPECT_EQ(matches("[ab]\\d{2}+", "a12345"), (Found{"a1234"}));
  EXPECT_EQ(matches("a{2}?", "aaa"), (Found{"aa"}));
  EXPECT_EQ(matches("a++b|\\s?+x", "aab x"), (Found{"aab", " x"}));
}

TEST(Regex, whatHasNoEquivalentIsRefusedByName) {
  for (auto [expression, named] :
       std::vector<std::pair<std::string, std::string>>{
           {"[[:alpaca:]]", "POSIX bracket \"alpaca\""},
           {"[[:alpha]", "POSIX bracket without"},
           {"[a-\\d]", "ends with a class"},
           {"[\\d-a]", "begins with a class"},
           {"[b-a]", "ends before it begins"},
           {"[--a]", "begins with '-'"},
           {"\\p{Emoji}", "Emoji"},
           {"[]a]", "']'"},
           {"[a", "without its ']'"},
           {"[a[b]", "without its ']'"},
           {std::string(40, '['), "nest so deeply"},
           {"(?<name>a)", "(?<"},
           {"(?m:a)", "(?m"},
           {"a(?i)b", "(?i)"},
           {"(*FAIL)", "(*"},
           {"(a)\\1", "\\1"},
           {"\\xff", "\\x"},
           {"\\p{Klingon}", "Klingon"},
           {"\\pL", "\\p"},
           {"a\\", "at the end"},
           {"(", "refused"},
           {"a**", "refused"}}) {
    try {
      Regex::oniguruma(expression, "here");
      ADD_FAILURE() << expression;
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::unsupported);
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(named),
                                               testing::StartsWith("here: ")));
    }
  }
}

TEST(Regex, endlessBacktrackingIsAnError) {
  std::vector<TextSpan> spans;
  Regex regex = Regex::oniguruma("(?:a|a|aa)+$", "here");
  EXPECT_THROW(regex.findAll(std::string(2000, 'a') + "c", spans), Error);
}

TEST(Regex, deepGroupsFallBackToTheInterpreter) {
  std::vector<TextSpan> spans;
  std::string text(200'000, 'a');
  Regex::oniguruma("(?:a|b(?=b))+", "here").findAll(text, spans);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].end, text.size());
}

} // namespace
} // namespace cheems::test
