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
  Json json = with({addedToken("<x>", 259), addedToken("<x>y", 260),
                    addedToken("x>yz", 261)});
  EXPECT_EQ(encode(json, "a<x>b"), (Ids{'a', 259, 'b'}));
  EXPECT_EQ(encode(json, "<x>yz"), (Ids{260, 'z'}));
  EXPECT_EQ(encode(json, "<x<x>"), (Ids{'<', 'x', 259}));
  EXPECT_EQ(encode(json, "<x>"), (Ids{259}));
}

TEST(AddedTokens, specialOnesAreTextWhenParsingIsOff) {
  Tokenizer tokenizer(
      with({flagged("<e>", 259, {"special"}), addedToken("<n>", 260)}).dump());
  EXPECT_EQ(tokenizer.encode("<e><n>", false), (Ids{259, 260}));
  EXPECT_EQ(tokenizer.encode("<e><n>", false, false),
            (Ids{'<', 'e', '>', 260}));
  EXPECT_TRUE(tokenizer.isSpecial(259));
  EXPECT_FALSE(tokenizer.isSpecial(260));
  EXPECT_EQ(tokenizer.decode({259, 'a', 260}, true), "a<n>");
  EXPECT_EQ(tokenizer.decode({259, 'a', 260}, false), "<e>a<n>");
}

TEST(AddedTokens, singleWord) {
  Json json = with({flagged("in", 259, {"single_word"})});
  EXPECT_EQ(encode(json, "in in, ins"),
            (Ids{259, ' ', 259, ',', ' ', 'i', 'n', 's'}));
  EXPECT_EQ(encode(json, "éin"), (Ids{0xC3, 0xA9, 'i', 'n'}));
  EXPECT_EQ(encode(json, "—in"), (Ids{0xE2, 0x80, 0x94, 259}));
}

TEST(AddedTokens, stripping) {
  EXPECT_EQ(
      encode(with({flagged("##", 259, {"lstrip"})}), "a \xE3\x80\x80## b"),
      (Ids{'a', 259, ' ', 'b'}));
  EXPECT_EQ(encode(with({flagged("##", 259, {"rstrip"})}), "a ## \n b"),
            (Ids{'a', ' ', 259, 'b'}));
  EXPECT_EQ(encode(with({flagged("##", 259, {"lstrip", "rstrip"})}), " ## ## "),
            (Ids{259, 259}));
}

TEST(AddedTokens, normalizedOnesAreFoundInNormalizedText) {
  Json json = with({flagged("AB", 259, {"normalized"}), addedToken("CD", 260)});
  json["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_EQ(encode(json, "xaB CD cd"),
            (Ids{'x', 259, ' ', 260, ' ', 'c', 'd'}));
}

TEST(AddedTokens, tokenOfTheVocabularyKeepsItsId) {
  EXPECT_EQ(encode(with({addedToken("bc", 257)}), "abc"), (Ids{'a', 257}));
}

// The reference numbers them in this way.
TEST(AddedTokens, idsAfterTheVocabularyGoOnWithoutGapsInTheOrderOfTheList) {
  Json json = with(
      {addedToken("<x>", 300), addedToken("bc", 257), addedToken("<y>", 280)});
  Tokenizer tokenizer(json.dump());
  EXPECT_EQ(tokenizer.encode("<y>bc<x>", false), (Ids{260, 257, 259}));
  EXPECT_EQ(tokenizer.decode({259, 260}, false), "<x><y>");
  EXPECT_EQ(tokenizer.vocabularySize(), 261);
}

TEST(AddedTokens, anIdThatTheVocabularyHoldsAfterAGapIsRefused) {
  Json json = with({addedToken("<x>", 300)});
  json["model"]["vocab"]["d!"] = 260;
  EXPECT_THAT(loadError(json.dump()).what(),
              testing::HasSubstr("gets id 260, the next one after 260 tokens"));
}

TEST(AddedTokens, normalizedOnesDecodeToTheirNormalizedForm) {
  Json json = with({flagged("AB", 259, {"normalized"}),
                    flagged("CD", 260, {"normalized", "special"}),
                    flagged("EF", 261, {"special"})});
  json["normalizer"] = {{"type", "Lowercase"}};
  Tokenizer tokenizer(json.dump());
  EXPECT_EQ(tokenizer.decode({259, 260, 261}, false), "abcdEF");
  // to the reference "cd" is not the special token "CD"
  EXPECT_EQ(tokenizer.decode({259, 260, 261}, true), "abcd");
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
