// Normalizers: Unicode forms and rewrites.
#include "TestSupport.h"

#include "runtime/Tokenizer/Normalizer.h"

#include <chrono>

namespace cheems::test {
namespace {

std::string normalize(const char *component, std::string text) {
  Json json = Json::parse(component);
  Normalizer::make(&json, "normalizer")->apply(text);
  return text;
}

TEST(Normalizer, unicodeForms) {
  std::string composed = "\xC3\xA9", decomposed = "e\xCC\x81",
              ligature = "\xEF\xAC\x81";
  EXPECT_EQ(normalize(R"({"type": "NFC"})", decomposed + ligature),
            composed + ligature);
  EXPECT_EQ(normalize(R"({"type": "NFD"})", composed + ligature),
            decomposed + ligature);
  EXPECT_EQ(normalize(R"({"type": "NFKC"})", decomposed + ligature),
            composed + "fi");
  EXPECT_EQ(normalize(R"({"type": "NFKD"})", composed + ligature),
            decomposed + "fi");
  // marks sort by class: dot below (220) before acute (230); equal classes stay
  // as they are
  EXPECT_EQ(normalize(R"({"type": "NFD"})", "a\xCC\x81\xCC\x80\xCC\xA3"),
            "a\xCC\xA3\xCC\x81\xCC\x80");
  EXPECT_EQ(
      normalize(R"({"type": "NFC"})", "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"),
      "각");
  EXPECT_EQ(normalize(R"({"type": "NFC"})", std::string("a\0b", 3)),
            std::string("a\0b", 3));
}

TEST(Normalizer, longRunsOfMarksAreNotQuadratic) {
  std::string text = "a";
  for (int index = 0; index < 100'000; ++index) {
    text += index < 50'000 ? "\xCC\x81" : "\xCC\xA3"; // class 230, then 220
  }
  auto start = std::chrono::steady_clock::now();
  std::string normalized = normalize(R"({"type": "NFD"})", text);
  EXPECT_EQ(normalized.substr(0, 3), "a\xCC\xA3");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
}

TEST(Normalizer, rewrites) {
  EXPECT_EQ(normalize(R"({"type": "Lowercase"})", "ÀBİ"), "àbi\xCC\x87");
  EXPECT_EQ(normalize(R"({"type": "Prepend", "prepend": "_"})", "a"), "_a");
  EXPECT_EQ(normalize(R"({"type": "Prepend", "prepend": "_"})", ""), "");
  EXPECT_EQ(
      normalize(
          R"({"type": "Replace", "pattern": {"String": "."}, "content": "$1"})",
          "a.b."),
      "a$1b$1");
  EXPECT_EQ(
      normalize(
          R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})",
          "a   b c"),
      "a b c");
  EXPECT_EQ(
      normalize(
          R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]})",
          "É"),
      "e\xCC\x81");
}

TEST(Normalizer, charactersNewerThanTheReferencesTablesStayAsTheyAre) {
  // U+0EBA has a combining class since Unicode 12, U+32FF is of 12.1
  std::string marks = "a\xE0\xBA\xB9\xE0\xBA\xBA";
  EXPECT_EQ(normalize(R"({"type": "NFC"})", marks), marks);
  EXPECT_EQ(normalize(R"({"type": "NFKC"})", "㋿㍿"), "㋿株式会社");
  EXPECT_EQ(normalize(R"({"type": "Lowercase"})", "\xE1\xB2\x89Ǆ"),
            "\xE1\xB2\x8Aǆ");
}

TEST(Normalizer, strip) {
  EXPECT_EQ(
      normalize(R"({"type": "Strip", "strip_left": true, "strip_right": true})",
                " \n a b\xE3\x80\x80"),
      "a b");
  EXPECT_EQ(
      normalize(
          R"({"type": "Strip", "strip_left": false, "strip_right": true})",
          " a "),
      " a");
  EXPECT_EQ(
      normalize(R"({"type": "Strip", "strip_left": true, "strip_right": true})",
                " \t"),
      "");
}

TEST(Normalizer, applyBeforeEncoding) {
  Json json = byteTokenizer();
  json["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_EQ(encode(json, "ABx"), (Ids{256, 'x'}));
}

TEST(Normalizer, growthWithoutBoundIsAnError) {
  Json json = byteTokenizer();
  Json parts = Json::array();
  for (int index = 0; index < 40; ++index) {
    parts.push_back({{"type", "Replace"},
                     {"pattern", {{"String", "a"}}},
                     {"content", "aaaa"}});
  }
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", parts}};
  Tokenizer tokenizer(json.dump());
  EXPECT_THROW(tokenizer.encode("aaaa", false), Error);
}

TEST(Normalizer, unknownOnesAreRefusedByName) {
  for (const char *type :
       {"StripAccents", "Precompiled", "BertNormalizer", "Nmt", "ByteLevel"}) {
    Json json = byteTokenizer();
    json["normalizer"] = {{"type", "Sequence"},
                          {"normalizers", {{{"type", type}}}}};
    expectUnsupported(json, std::string("\"") + type + "\"");
  }
}

} // namespace
} // namespace cheems::test
