// Post-processors and decoders.
#include "TestSupport.h"

namespace cheems::test {
namespace {

const char *wrapping = R"({"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
             {"SpecialToken": {"id": "</s>", "type_id": 0}}],
  "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [259], "tokens": ["<s>"]},
                                 "</s>": {"id": "</s>", "ids": [260, 259], "tokens": ["</s>", "<s>"]}}})";

Json wrapped(const Json &post) {
  Json json = byteTokenizer();
  json["added_tokens"] = {addedToken("<s>", 259), addedToken("</s>", 260)};
  json["post_processor"] = post;
  return json;
}

TEST(PostProcessor, templateStandsAroundTheTextOnRequest) {
  Tokenizer tokenizer(wrapped(Json::parse(wrapping)).dump());
  EXPECT_EQ(tokenizer.encode("ab", true), (Ids{259, 256, 260, 259}));
  EXPECT_EQ(tokenizer.encode("ab", false), (Ids{256}));
  EXPECT_EQ(tokenizer.encode("", true), (Ids{259, 260, 259}));
}

TEST(PostProcessor, sequenceWithByteLevel) {
  Json sequence = {
      {"type", "Sequence"},
      {"processors", {{{"type", "ByteLevel"}}, Json::parse(wrapping)}}};
  EXPECT_EQ(Tokenizer(wrapped(sequence).dump()).encode("ab", true),
            (Ids{259, 256, 260, 259}));
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
  json["added_tokens"] = {addedToken("a b日", 259)};
  EXPECT_EQ(Tokenizer(json.dump()).decode({259}, false), "a b日");
}

TEST(Decoder, noneJoinsWithSpaces) {
  Json json = byteTokenizer();
  json["decoder"] = nullptr;
  json["added_tokens"] = {addedToken("<s>", 259)};
  json["added_tokens"][0]["special"] = true;
  Tokenizer tokenizer(json.dump());
  EXPECT_EQ(tokenizer.decode({259, 256, 'c'}, true), "ab c");
  EXPECT_EQ(tokenizer.decode({259, 256, 'c'}, false), "<s> ab c");
}

TEST(Decoder, sequenceOfOne) {
  Json json = byteTokenizer();
  json["decoder"] = Json::parse(
      R"({"type": "Sequence", "decoders": [{"type": "ByteLevel"}]})");
  EXPECT_EQ(Tokenizer(json.dump()).decode({' ', 256}, false), " ab");
  json["decoder"]["decoders"] = Json::array();
  EXPECT_EQ(Tokenizer(json.dump()).decode({' ', 256}, false), "Ġab");
}

Json decoding(const char *decoders) {
  Json json = byteTokenizer();
  json["decoder"] = {{"type", "Sequence"}, {"decoders", Json::parse(decoders)}};
  auto &vocabulary = json["model"]["vocab"];
  vocabulary["▁a"] = 300;
  vocabulary["<0xC3>"] = 301;
  vocabulary["<0xA9>"] = 302;
  return json;
}

TEST(Decoder, byteTokensAreACharacterOrAReplacementEach) {
  Tokenizer tokenizer(decoding(R"([{"type": "ByteFallback"}])").dump());
  EXPECT_EQ(tokenizer.decode({'a', 301, 302, 'b'}, false), "aéb");
  EXPECT_EQ(tokenizer.decode({301, 302, 301, 'b'}, false),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(tokenizer.decode({'a', 301}, false), "a\xEF\xBF\xBD");
}

TEST(Decoder, stripAfterFuseTakesTheFrontOfTheText) {
  const char *start = R"([{"type": "Replace", "pattern": {"String": "▁"},
      "content": " "}, {"type": "ByteFallback"})";
  std::string strip =
      R"({"type": "Strip", "content": " ", "start": 1, "stop": 0})";
  Tokenizer whole(
      decoding((start + (R"(, {"type": "Fuse"}, )" + strip) + "]").c_str())
          .dump());
  EXPECT_EQ(whole.decode({300, 300, 301, 302}, false), "a aé");
  Tokenizer each(decoding((start + (", " + strip) + "]").c_str()).dump());
  EXPECT_EQ(each.decode({300, 300}, false), "aa");
}

TEST(Decoder, metaspaceLeavesOutTheFirstTokensMarks) {
  Json json = decoding("[]");
  json["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}};
  EXPECT_EQ(Tokenizer(json.dump()).decode({300, 300}, false), "a a");
  json["decoder"]["prepend_scheme"] = "never";
  EXPECT_EQ(Tokenizer(json.dump()).decode({300, 300}, false), " a a");
}

TEST(Decoder, ordersThatDoNotWorkTokenByTokenAreRefused) {
  const std::string strip =
      R"({"type": "Strip", "content": " ", "start": 0, "stop": 1})";
  expectUnsupported(decoding(("[" + strip + "]").c_str()), "'stop'");
  expectUnsupported(decoding(R"([{"type": "Fuse"}, {"type": "ByteFallback"}])"),
                    "after 'Fuse'");
  expectUnsupported(
      decoding(R"([{"type": "ByteLevel"}, {"type": "ByteFallback"}])"),
      "after 'ByteLevel'");
  expectUnsupported(
      decoding(R"([{"type": "ByteFallback"}, {"type": "ByteFallback"}])"),
      "a second time");
  expectUnsupported(decoding(R"([{"type": "WordPiece"}])"), "\"WordPiece\"");
}

TEST(Decoder, idsThatAreNoTokensAreRefusedByValue) {
  Json json = byteTokenizer();
  json["model"]["vocab"]["<s>"] = 300; // 259..299 stay free
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
