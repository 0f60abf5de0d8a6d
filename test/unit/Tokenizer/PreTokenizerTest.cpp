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

TEST(PreTokenizer, punctuation) {
  EXPECT_EQ(cut(R"({"type": "Punctuation"})", "Hey, «you»$_"),
            (Words{"Hey", ",", " ", "«", "you", "»", "$", "_"}));
  EXPECT_EQ(cut(R"({"type": "Punctuation", "behavior": "Removed"})", "a!?b, c"),
            (Words{"a", "b", " c"}));
}

TEST(PreTokenizer, metaspace) {
  auto with = [](const char *scheme, bool split) {
    Json json = {{"type", "Metaspace"},
                 {"replacement", "▁"},
                 {"prepend_scheme", scheme},
                 {"split", split}};
    return json.dump();
  };
  EXPECT_EQ(cut(with("always", true).c_str(), "Hey  you"),
            (Words{"▁Hey", "▁", "▁you"}));
  EXPECT_EQ(cut(with("always", false).c_str(), " Hey you"),
            (Words{"▁Hey▁you"}));
  EXPECT_EQ(cut(with("never", true).c_str(), "Hey you"),
            (Words{"Hey", "▁you"}));
  EXPECT_EQ(
      cut(R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false})",
          "Hey you"),
      (Words{"Hey", "▁you"}));
  EXPECT_EQ(
      cut(R"({"type": "Sequence", "pretokenizers": [{"type": "Punctuation"}, )"
          R"({"type": "Metaspace", "replacement": "_"}]})",
          "a b-c"),
      (Words{"_a", "_b", "_-", "_c"}));
}

TEST(PreTokenizer, metaspaceOfSchemeFirstMarksOnlyTheFrontOfTheText) {
  Json json = byteTokenizer();
  json["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "x"}, {"prepend_scheme", "first"}};
  json["added_tokens"] = {addedToken("<s>", 259)};
  EXPECT_EQ(encode(json, "a<s>b"), (Ids{'x', 'a', 259, 'b'}));
  EXPECT_EQ(encode(json, "<s>b"), (Ids{259, 'b'}));
  json["normalizer"] = {
      {"type", "Strip"}, {"strip_left", true}, {"strip_right", false}};
  EXPECT_EQ(encode(json, " a"), (Ids{'a'}));
}

TEST(PreTokenizer, unicodeScripts) {
  EXPECT_EQ(cut(R"({"type": "UnicodeScripts"})", "日本ごABЯ 1か"),
            (Words{"日本ご", "AB", "Я ", "1", "か"}));
  // what has no script before the first that has one is lost
  EXPECT_EQ(cut(R"({"type": "UnicodeScripts"})", "  a b"), (Words{"a b"}));
  EXPECT_EQ(cut(R"({"type": "UnicodeScripts"})", "  "), Words{});
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
  expectUnsupported(with(R"({"type": "FixedLength"})"), "\"FixedLength\"");
  expectUnsupported(
      with(
          R"({"type": "Sequence", "pretokenizers": [{"type": "BertPreTokenizer"}]})"),
      "\"BertPreTokenizer\"");
  expectUnsupported(
      with(
          R"({"type": "Sequence", "pretokenizers": [{"type": "Punctuation"},
               {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"}]})"),
      "'first'");
  expectUnsupported(
      with(
          R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "last"})"),
      "\"last\"");
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
