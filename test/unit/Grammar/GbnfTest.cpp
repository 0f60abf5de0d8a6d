// Texts that GBNF grammars accept, and grammars that are refused.
#include "TestSupport.h"

#include "runtime/Tokenizer/Utf8.h"

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

TEST(Gbnf, LiteralsSequencesAndAlternatives) {
  expectTexts(parseGbnf("root ::= \"a\" \"bc\" | \"x\"\n"), {"abc", "x"},
              {"", "a", "ab", "abcx", "xx", "X"});
}

TEST(Gbnf, RulesCallEachOtherInAnyOrder) {
  expectTexts(parseGbnf("# a comment\n"
                        "root ::= greeting \", \" name # another\n"
                        "\n"
                        "name ::= [A-Z] [a-z]*\n"
                        "greeting ::= \"Hi\" | \"Ho\"\n"),
              {"Hi, Romeo", "Ho, J"}, {"Hi, romeo", "Hi,Romeo", "Hi, "});
}

TEST(Gbnf, GroupsGoOverLines) {
  expectTexts(parseGbnf("root ::= \"[\" (\n  item\n  (\",\" item)*\n)? \"]\"\n"
                        "item ::=\n  \"1\" |\n  \"2\"\n"),
              {"[]", "[1]", "[1,2,2]"}, {"[,]", "[1,]", "[12]", "["});
}

TEST(Gbnf, AlternativesMayBeginLines) {
  expectTexts(
      parseGbnf("root ::= \"a\"\n  | \"b\"\n  | \"c\"\nother ::= \"d\""),
      {"a", "b", "c"}, {"d", ""});
}

TEST(Gbnf, Repetitions) {
  expectTexts(parseGbnf("root ::= \"a\"* \"b\"+ \"c\"?"),
              {"b", "aab", "bbc", "aabbc"}, {"", "a", "ac", "bcc"});
  expectTexts(parseGbnf("root ::= \"ab\"{2}"), {"abab"}, {"ab", "ababab"});
  expectTexts(parseGbnf("root ::= [ab]{2,}"), {"ab", "bbb"}, {"a", ""});
  expectTexts(parseGbnf("root ::= (\"abc\" | \"d\"){1,3}"),
              {"abc", "dd", "dabcd"}, {"", "dddd", "ab"});
  expectTexts(parseGbnf("root ::= \"a\"{0,2}"), {"", "a", "aa"}, {"aaa"});
  expectTexts(parseGbnf("root ::= \"x\" \"a\"{0}"), {"x"}, {"xa"});
  expectTexts(parseGbnf("root ::= (\"a\"? | \"b\"*)* \"c\""),
              {"c", "abbac", "bc"}, {"ab", "cc"});
}

TEST(Gbnf, CharacterClasses) {
  expectTexts(parseGbnf("root ::= [a-cx\\]\\x41\\u00e9-]"),
              {"a", "b", "c", "x", "]", "A", "é", "-"},
              {"d", "w", "\xC3", "B", "", "ab"});
  expectTexts(parseGbnf("root ::= [^a-z\\n]"), {"A", "é", "€", "😀", " "},
              {"m", "\n", "\xFF", "\xED\xA0\x80", "\xC0\x80"});
  expectTexts(parseGbnf("root ::= ."), {"a", "\n", "é", "\U0010FFFF"},
              {"", "ab", "\x80", "\xF4\x90\x80\x80"});
}

TEST(Gbnf, EscapesInTexts) {
  expectTexts(parseGbnf(R"(root ::= "\"\\\t\n\r\x41\u00e9\U0001F600\[\]")"),
              {"\"\\\t\n\rAé😀[]"}, {"\""});
}

TEST(Gbnf, EncodingsOfEveryLengthAtTheirEnds) {
  // each range by its ends and their neighbours
  std::vector<uint32_t> ends = {0x7F,    0x80,    0x7FF,   0x800,    0xFFF,
                                0x1000,  0xD7FF,  0xE000,  0xFFFF,   0x10000,
                                0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF};
  auto encoded = [](uint32_t code) {
    std::string text;
    utf8::append(text, static_cast<char32_t>(code));
    return text;
  };
  for (uint32_t first : ends) {
    for (uint32_t final : ends) {
      if (final < first) {
        continue;
      }
      char text[64];
      std::snprintf(text, sizeof(text), "root ::= [\\U%08x-\\U%08x]", first,
                    final);
      GrammarPointer grammar = parseGbnf(text);
      for (uint32_t code : ends) {
        for (int offset : {-1, 0, 1}) {
          uint32_t near = code + static_cast<uint32_t>(offset);
          if (near > 0x10FFFF || (near >= 0xD800 && near <= 0xDFFF)) {
            continue;
          }
          EXPECT_EQ(accepts(grammar, encoded(near)),
                    first <= near && near <= final)
              << text << " " << near;
        }
      }
    }
  }
}

TEST(Gbnf, RecursionNests) {
  GrammarPointer grammar = parseGbnf("root ::= \"(\" root* \")\"");
  expectTexts(grammar, {"()", "(()(()))"}, {"(", "())", ")("});
  GrammarPointer right = parseGbnf("root ::= \"a\" root | \"b\"");
  EXPECT_TRUE(accepts(right, std::string(5000, 'a') + "b"));
}

TEST(Gbnf, AlternativesThatNeverEndAreNotTaken) {
  GrammarPointer grammar =
      parseGbnf("root ::= \"a\" | \"b\" never\nnever ::= \"c\" never");
  expectTexts(grammar, {"a"}, {"b", "bc"});
  EXPECT_FALSE(begins(grammar, "b"));
}

TEST(Gbnf, FaultsAreNamedWithTheirPlace) {
  auto fault = [](const std::string &text) {
    return refusal([&] { parseGbnf(text); });
  };
  EXPECT_EQ(fault("root ::= \"a\"\nb = \"c\""),
            "grammar, line 2, column 3: expected ::= after the name of a "
            "rule, not '='");
  EXPECT_EQ(fault("root ::= \"é\" other"),
            "grammar, line 1, column 14: rule 'other' is not defined");
  EXPECT_THAT(fault("root ::= \u200B\"a\""), HasSubstr("(U+200B)"));
  EXPECT_THAT(fault("\uFEFFroot ::= \"a\""), HasSubstr("(U+FEFF)"));
  EXPECT_THAT(fault("a ::= \"a\""), HasSubstr("no rule is called root"));
  EXPECT_THAT(fault(""), HasSubstr("no rule is called root"));
  EXPECT_THAT(fault("root ::= \"a"), HasSubstr("no closing \""));
  EXPECT_THAT(fault("root ::= [a"), HasSubstr("no closing ]"));
  EXPECT_THAT(fault("root ::= [b-a]"), HasSubstr("ends before it begins"));
  EXPECT_THAT(fault("root ::= []"), HasSubstr("no character is in"));
  EXPECT_THAT(fault("root ::= (\"a\""), HasSubstr("expected )"));
  EXPECT_THAT(fault("root ::= \"a\")"), HasSubstr("expected the end of the"));
  EXPECT_THAT(fault("root ::= \"\\q\""), HasSubstr("unknown escape"));
  EXPECT_THAT(fault("root ::= \"\\ud800\""), HasSubstr("is no character"));
  EXPECT_THAT(fault("root ::= \"\\x4\""), HasSubstr("2 hexadecimal digits"));
  EXPECT_THAT(fault("root ::= \"a\"{3,2}"), HasSubstr("ends before it begins"));
  EXPECT_THAT(fault("root ::= \"a\"{"), HasSubstr("expected a number"));
  EXPECT_THAT(fault("root ::= * \"a\""), HasSubstr("expected the end of the"));
  EXPECT_THAT(fault("root ::= \"a\"\nroot ::= \"b\""),
              HasSubstr("'root' is defined twice"));
  EXPECT_THAT(fault("root ::= <think>"), HasSubstr("tokens in grammars"));
  EXPECT_THAT(fault("root ::= \"\xFF\""), HasSubstr("not valid UTF-8"));
}

TEST(Gbnf, LeftRecursionIsRefused) {
  for (const char *text :
       {"root ::= root \"a\" | \"b\"", "root ::= a\na ::= \"x\"? root",
        "root ::= a root\na ::= \"\"", "root ::= (\"x\"? root)? \"a\"",
        "root ::= \"a\"\nunused ::= unused"}) {
    EXPECT_THAT(refusal([&] { parseGbnf(text); }), HasSubstr("left recursion"))
        << text;
  }
}

TEST(Gbnf, ARootWithoutTextIsRefused) {
  EXPECT_THAT(refusal([] { parseGbnf("root ::= \"a\" root"); }),
              HasSubstr("rule 'root' has no text"));
}

} // namespace
} // namespace cheems
