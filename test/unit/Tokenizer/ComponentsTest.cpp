// Post-processors and decoders.
#include "TestSupport.h"

namespace cheems::test {
namespace {

const char *wrapping = R"({"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
             {"SpecialToken": {"id": "</s>", "type_id": 0}}],
  "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [300], "tokens": ["<s>"]},
                                 "</s>": {"id": "</s>", "ids": [301, 300], "tokens": ["</s>", "<s>"]}}})";

Json wrapped(const Json &post) {
  Json json = byteTokenizer();
  json["added_tokens"] = {addedToken("<s>", 300), addedToken("</s>", 301)};
  json["post_processor"] = post;
  return json;
}

TEST(PostProcessor, templateStandsAroundTheTextOnRequest) {
  Tokenizer tokenizer(wrapped(Json::parse(wrapping)).dump());
  EXPECT_EQ(tokenizer.encode("ab", true), (Ids{300, 256, 301, 300}));
  EXPECT_EQ(tokenizer.encode("ab", false), (Ids{256}));
  EXPECT_EQ(tokenizer.encode("", true), (Ids{300, 301, 300}));
}

TEST(PostProcessor, sequenceWithByteLevel) {
  Json sequence = {
      {"type", "Sequence"},
      {"processors", {{{"type", "ByteLevel"}}, Json::parse(wrapping)}}};
  EXPECT_EQ(Tokenizer(wrapped(sequence).dump()).encode("ab", true),
            (Ids{300, 256, 301, 300}));
}

TEST(PostProcessor, refusals) {
  expectUnsupported(wrapped({{"type", "BertProcessing"}}),
                    "\"BertProcessing\"");
  expectUnsupported(
      wrapped({{"type", "Sequence"},
               {"processors", {Json::parse(wrapping), Json::parse(wrapping)}}}),
      "second 'TemplateProcessing'");
  Json undefined = Json::parse(wrapping);
  undefined["special_tokens"].erase("</s>");
  expectMalformed(wrapped(undefined), "\"</s>\"");
  Json unknown = Json::parse(wrapping);
  unknown["special_tokens"]["<s>"]["ids"] = {9999};
  expectMalformed(wrapped(unknown), "9999");
  Json pair = Json::parse(wrapping);
  pair["single"].push_back(pair["single"][1]);
  expectUnsupported(wrapped(pair), "not one text");
  Json none = Json::parse(wrapping);
  none["single"].erase(1);
  expectMalformed(wrapped(none), "no place for the text");
}

TEST(Decoder, byteLevelSpellsBytes) {
  Tokenizer tokenizer(byteTokenizer().dump());
  EXPECT_EQ(tokenizer.decode({0xC3, 0xA9, 256, ' '}, false), "éab ");
  EXPECT_EQ(tokenizer.decode({0xC3, 256}, false), "\xEF\xBF\xBD"
                                                  "ab");
  EXPECT_EQ(tokenizer.decodeBytes({0xC3, 256}, false), "\xC3"
                                                       "ab");
  EXPECT_EQ(tokenizer.decode({}, false), "");
}

TEST(Decoder, tokenOutsideTheByteAlphabetIsItself) {
  Json json = byteTokenizer();
  json["added_tokens"] = {addedToken("a b日", 300)};
  EXPECT_EQ(Tokenizer(json.dump()).decode({300}, false), "a b日");
}

TEST(Decoder, noneJoinsWithSpaces) {
  Json json = byteTokenizer();
  json["decoder"] = nullptr;
  json["added_tokens"] = {addedToken("<s>", 300)};
  json["added_tokens"][0]["special"] = true;
  Tokenizer tokenizer(json.dump());
  EXPECT_EQ(tokenizer.decode({300, 256, 'c'}, true), "ab c");
  EXPECT_EQ(tokenizer.decode({300, 256, 'c'}, false), "<s> ab c");
}

TEST(Decoder, sequenceOfOne) {
  Json json = byteTokenizer();
  json["decoder"] = Json::parse(
      R"({"type": "Sequence", "decoders": [{"type": "ByteLevel"}]})");
  EXPECT_EQ(Tokenizer(json.dump()).decode({' ', 256}, false), " ab");
  json["decoder"]["decoders"].push_back({{"type", "ByteFallback"}});
  expectUnsupported(json, "\"ByteFallback\"");
  json["decoder"]["decoders"] = Json::array();
  expectUnsupported(json, "Sequence of 0");
  json["decoder"] = {{"type", "Metaspace"}};
  expectUnsupported(json, "\"Metaspace\"");
}

TEST(Decoder, idsThatAreNoTokensAreRefusedByValue) {
  Json json = byteTokenizer();
  json["added_tokens"] = {addedToken("<s>", 300)}; // 259..299 stay free
  Tokenizer tokenizer(json.dump());
  EXPECT_EQ(tokenizer.vocabularySize(), 301);
  for (int32_t id : {-1, 259, 299, 301, 2147483647, -2147483647 - 1}) {
    try {
      tokenizer.decode({'a', id}, false);
      ADD_FAILURE() << id;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("token id " + std::to_string(id) + " "));
    }
  }
}

TEST(Tokenizer, invalidTextIsRefusedWithItsOffset) {
  Tokenizer tokenizer(byteTokenizer().dump());
  for (const char *text :
       {"ab\xFF", "ab\xC3", "ab\xED\xA0\x80", "ab\xC0\x80"}) {
    try {
      tokenizer.encode(text, false);
      ADD_FAILURE() << text;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("byte 2"));
    }
  }
  EXPECT_EQ(tokenizer.encode(std::string("a\0b", 3), false),
            (Ids{'a', 0, 'b'}));
}

TEST(Tokenizer, tokensAndIds) {
  Tokenizer tokenizer(byteTokenizer().dump());
  EXPECT_EQ(tokenizer.idToToken(' '), "Ġ");
  EXPECT_EQ(tokenizer.tokenToId("abc"), 258);
  EXPECT_EQ(tokenizer.tokenToId("abcd"), std::nullopt);
  EXPECT_EQ(tokenizer.vocabularySize(), 259);
}

} // namespace
} // namespace cheems::test
