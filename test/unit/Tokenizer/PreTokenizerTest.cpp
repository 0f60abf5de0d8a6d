// Pre-tokenizers on their own: the pieces they leave.
#include "TestSupport.h"

#include "runtime/Tokenizer/PreTokenizer.h"

namespace cheems::test {
namespace {

using Words = std::vector<std::string>;

Words cut(const char *component, const std::string &text) {
  Json json = Json::parse(component);
  Pieces pieces(text);
  PreTokenizer::make(&json, "pre_tokenizer")->apply(pieces);
  Words words;
  for (size_t index = 0; index < pieces.spans.size(); ++index) {
    words.emplace_back(pieces[index]);
  }
  return words;
}

Words cutAtDashes(const std::string &behavior, bool invert,
                  const std::string &text) {
  Json json = {{"type", "Split"},
               {"pattern", {{"String", "-"}}},
               {"behavior", behavior},
               {"invert", invert}};
  return cut(json.dump().c_str(), text);
}

TEST(PreTokenizer, splitBehaviors) {
  std::string text = "the-final--countdown";
  EXPECT_EQ(cutAtDashes("Removed", false, text),
            (Words{"the", "final", "countdown"}));
  EXPECT_EQ(cutAtDashes("Isolated", false, text),
            (Words{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(cutAtDashes("MergedWithPrevious", false, text),
            (Words{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(cutAtDashes("MergedWithNext", false, text),
            (Words{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(cutAtDashes("Contiguous", false, text),
            (Words{"the", "-", "final", "--", "countdown"}));
}

TEST(PreTokenizer, splitInverted) {
  EXPECT_EQ(cutAtDashes("Removed", true, "a-b--c"), (Words{"-", "-", "-"}));
  EXPECT_EQ(cutAtDashes("MergedWithPrevious", true, "a-b"), (Words{"a", "-b"}));
}

TEST(PreTokenizer, splitAtTheEnds) {
  EXPECT_EQ(cutAtDashes("Removed", false, "-"), Words{});
  EXPECT_EQ(cutAtDashes("MergedWithNext", false, "-a-"), (Words{"-a", "-"}));
  EXPECT_EQ(cutAtDashes("MergedWithPrevious", false, "-a-"),
            (Words{"-", "a-"}));
  EXPECT_EQ(cutAtDashes("Isolated", false, ""), Words{});
}

TEST(PreTokenizer, splitAtEmptyMatchesLosesNothing) {
  Json split = {{"type", "Split"},
                {"pattern", {{"Regex", "(?=\\p{Lu})"}}},
                {"behavior", "Removed"},
                {"invert", false}};
  EXPECT_EQ(cut(split.dump().c_str(), "helloWorldÉté"),
            (Words{"hello", "World", "Été"}));
}

TEST(PreTokenizer, byteLevel) {
  EXPECT_EQ(
      cut(R"({"type": "ByteLevel", "add_prefix_space": true, "use_regex": false})",
          "a\n"),
      (Words{"ĠaĊ"}));
  EXPECT_EQ(
      cut(R"({"type": "ByteLevel", "add_prefix_space": true, "use_regex": false})",
          " a"),
      (Words{"Ġa"}));
  EXPECT_EQ(
      cut(R"({"type": "ByteLevel", "add_prefix_space": false})", "it's  me é"),
      (Words{"it", "'s", "Ġ", "Ġme", "ĠÃ©"}));
}

TEST(PreTokenizer, digits) {
  EXPECT_EQ(cut(R"({"type": "Digits", "individual_digits": true})", "a12½"),
            (Words{"a", "1", "2", "½"}));
  EXPECT_EQ(cut(R"({"type": "Digits", "individual_digits": false})", "a12½b"),
            (Words{"a", "12½", "b"}));
}

TEST(PreTokenizer, whitespace) {
  EXPECT_EQ(cut(R"({"type": "Whitespace"})", " Hey, man!\xE3\x80\x80x_1"),
            (Words{"Hey", ",", "man", "!", "x_1"}));
  EXPECT_EQ(cut(R"({"type": "WhitespaceSplit"})", " Hey,\tman! "),
            (Words{"Hey,", "man!"}));
}

TEST(PreTokenizer, sequenceCutsThePiecesOfTheOneBefore) {
  EXPECT_EQ(
      cut(R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                    {"type": "Digits", "individual_digits": true},
                    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})",
          "a1 é"),
      (Words{"a", "1", "Ã©"}));
}

TEST(PreTokenizer, unknownOnesAreRefusedByName) {
  auto with = [](const char *component) {
    Json json = byteTokenizer();
    json["pre_tokenizer"] = Json::parse(component);
    return json;
  };
  expectUnsupported(with(R"({"type": "Metaspace"})"), "\"Metaspace\"");
  expectUnsupported(
      with(
          R"({"type": "Sequence", "pretokenizers": [{"type": "Punctuation"}]})"),
      "\"Punctuation\"");
  expectUnsupported(
      with(
          R"({"type": "Split", "pattern": {"String": "-"}, "behavior": "Shuffled", "invert": false})"),
      "\"Shuffled\"");
  expectUnsupported(
      with(
          R"({"type": "Split", "pattern": {"Glob": "-"}, "behavior": "Removed", "invert": false})"),
      "pattern");
  expectUnsupported(
      with(
          R"({"type": "Sequence", "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": false},
                             {"type": "ByteLevel", "add_prefix_space": false}]})"),
      "second 'ByteLevel'");
}

} // namespace
} // namespace cheems::test
