// Expressions as Oniguruma reads them, where PCRE2 would read them otherwise,
// and what is refused.
#include "TestSupport.h"

#include "runtime/Tokenizer/Regex.h"

namespace cheems::test {
namespace {

std::vector<std::string> matches(const std::string &expression,
                                 const std::string &text) {
  std::vector<Span> spans;
  Regex::oniguruma(expression, "regex").findAll(text, spans);
  std::vector<std::string> found;
  for (Span span : spans) {
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
  std::vector<Span> spans;
  Regex::oniguruma("a*", "regex").findAll("éaa", spans);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 0u);
  EXPECT_EQ(spans[0].end, 0u);
  EXPECT_EQ(spans[1].begin, 2u);
  EXPECT_EQ(spans[1].end, 4u);
}

TEST(Regex, literalTextIsNotAnExpression) {
  std::vector<Span> spans;
  Regex::literal("a.", "regex").findAll("aba.", spans);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].begin, 2u);
}

TEST(Regex, whatHasNoEquivalentIsRefusedByName) {
  for (auto [expression, named] :
       std::vector<std::pair<std::string, std::string>>{
           {"[a&&b]", "'&&'"},
           {"[a[bc]]", "class inside a class"},
           {"[[:alpha:]]", "POSIX"},
           {"[]a]", "']'"},
           {"[a", "without its ']'"},
           {"(?<name>a)", "(?<"},
           {"(?m:a)", "(?m"},
           {"a(?i)b", "(?i)"},
           {"(*FAIL)", "(*"},
           {"a{2}+", "'+' behind"},
           {"a{2}?", "'?' behind"},
           {"(a)\\1", "\\1"},
           {"\\xff", "\\x"},
           {"\\p{Klingon}", "Klingon"},
           {"\\pL", "\\p"},
           {"[\\W]", "\\W"},
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
  std::vector<Span> spans;
  Regex regex = Regex::oniguruma("(?:a|a|aa)+$", "here");
  EXPECT_THROW(regex.findAll(std::string(2000, 'a') + "c", spans), Error);
}

TEST(Regex, deepGroupsFallBackToTheInterpreter) {
  std::vector<Span> spans;
  std::string text(200'000, 'a');
  Regex::oniguruma("(?:a|b(?=b))+", "here").findAll(text, spans);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].end, text.size());
}

} // namespace
} // namespace cheems::test
