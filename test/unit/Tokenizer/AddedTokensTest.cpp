// Tokens found in the text itself.
#include "TestSupport.h"

namespace cheems::test {
namespace {

Json with(std::vector<Json> tokens) {
  Json json = byteTokenizer();
  json["added_tokens"] = tokens;
  return json;
}

Json flagged(const std::string &content, int id,
             std::vector<std::string> flags) {
  Json token = addedToken(content, id);
  for (const std::string &flag : flags) {
    token[flag] = true;
  }
  return token;
}

TEST(AddedTokens, leftmostThenLongest) {
  Json json = with({addedToken("<x>", 300), addedToken("<x>y", 301),
                    addedToken("x>yz", 302)});
  EXPECT_EQ(encode(json, "a<x>b"), (Ids{'a', 300, 'b'}));
  EXPECT_EQ(encode(json, "<x>yz"), (Ids{301, 'z'}));
  EXPECT_EQ(encode(json, "<x<x>"), (Ids{'<', 'x', 300}));
  EXPECT_EQ(encode(json, "<x>"), (Ids{300}));
}

TEST(AddedTokens, specialOnesAreTextWhenParsingIsOff) {
  Tokenizer tokenizer(
      with({flagged("<e>", 300, {"special"}), addedToken("<n>", 301)}).dump());
  EXPECT_EQ(tokenizer.encode("<e><n>", false), (Ids{300, 301}));
  EXPECT_EQ(tokenizer.encode("<e><n>", false, false),
            (Ids{'<', 'e', '>', 301}));
  EXPECT_TRUE(tokenizer.isSpecial(300));
  EXPECT_FALSE(tokenizer.isSpecial(301));
  EXPECT_EQ(tokenizer.decode({300, 'a', 301}, true), "a<n>");
  EXPECT_EQ(tokenizer.decode({300, 'a', 301}, false), "<e>a<n>");
}

TEST(AddedTokens, singleWord) {
  Json json = with({flagged("in", 300, {"single_word"})});
  EXPECT_EQ(encode(json, "in in, ins"),
            (Ids{300, ' ', 300, ',', ' ', 'i', 'n', 's'}));
  EXPECT_EQ(encode(json, "éin"), (Ids{0xC3, 0xA9, 'i', 'n'}));
  EXPECT_EQ(encode(json, "—in"), (Ids{0xE2, 0x80, 0x94, 300}));
}

TEST(AddedTokens, stripping) {
  EXPECT_EQ(
      encode(with({flagged("##", 300, {"lstrip"})}), "a \xE3\x80\x80## b"),
      (Ids{'a', 300, ' ', 'b'}));
  EXPECT_EQ(encode(with({flagged("##", 300, {"rstrip"})}), "a ## \n b"),
            (Ids{'a', ' ', 300, 'b'}));
  EXPECT_EQ(encode(with({flagged("##", 300, {"lstrip", "rstrip"})}), " ## ## "),
            (Ids{300, 300}));
}

TEST(AddedTokens, normalizedOnesAreFoundInNormalizedText) {
  Json json = with({flagged("AB", 300, {"normalized"}), addedToken("CD", 301)});
  json["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_EQ(encode(json, "xaB CD cd"),
            (Ids{'x', 300, ' ', 301, ' ', 'c', 'd'}));
}

TEST(AddedTokens, tokenOfTheVocabularyKeepsItsId) {
  EXPECT_EQ(encode(with({addedToken("bc", 257)}), "abc"), (Ids{'a', 257}));
}

TEST(AddedTokens, contradictionsAreRefused) {
  expectMalformed(with({addedToken("bc", 300)}), "257 in the vocabulary");
  expectMalformed(with({addedToken("new", 257)}), "takes id 257 of \"bc\"");
  expectMalformed(with({addedToken("<p>", 300), addedToken("<p>", 301)}),
                  "listed twice");
  expectMalformed(with({addedToken("<p>", 300), addedToken("<q>", 300)}),
                  "given twice");
  expectMalformed(with({addedToken("", 300)}), "empty");
  expectMalformed(with({addedToken("<p>", -1)}), "-1");
  Json incomplete = addedToken("<p>", 300);
  incomplete.erase("lstrip");
  expectMalformed(with({incomplete}), "lstrip");
}

} // namespace
} // namespace cheems::test
