#include "runtime/Json/Json.h"
#include <gtest/gtest.h>

using namespace cheems;
using nlohmann::json;
using nlohmann::ordered_json;

TEST(Json, MembersKeepTheirOrderInAnOrderedDocument) {
  const std::string text = R"({"b":1,"a":[true,null,"x"]})";
  EXPECT_EQ(printJson(parseJson<ordered_json>(text)), text);
  EXPECT_EQ(printJson(parseJson<json>(text)), R"({"a":[true,null,"x"],"b":1})");
}

TEST(Json, WhatIsNoJsonIsDiscarded) {
  for (const char *text : {"", "{", "[1,]", "{} x"}) {
    EXPECT_TRUE(parseJson<json>(text).is_discarded()) << text;
    EXPECT_TRUE(parseJson<ordered_json>(text).is_discarded()) << text;
  }
}

TEST(Json, WhatIsNoJsonThrowsWithItsPlace) {
  try {
    parseJsonOrThrow<json>("[1, x]");
    FAIL();
  } catch (const json::parse_error &error) {
    EXPECT_EQ(error.byte, 5u);
  }
}

template <typename Document> class JsonOf : public testing::Test {};
using Documents = testing::Types<json, ordered_json>;
TYPED_TEST_SUITE(JsonOf, Documents);

TYPED_TEST(JsonOf, aCheckSeesTheDepthAndMayThrow) {
  std::string seen;
  auto check = [&](size_t depth, JsonEvent event) {
    seen += "{[n"[static_cast<int>(event)] + std::to_string(depth) + " ";
    if (depth > 2) {
      throw std::runtime_error("too deep");
    }
  };
  using Document = TypeParam;
  EXPECT_EQ(printJson(parseJsonOrThrow<Document>(R"([{"a":[]},1])", check)),
            R"([{"a":[]},1])");
  EXPECT_EQ(seen, "[0 {1 n2 [2 ");
  EXPECT_THROW(parseJsonOrThrow<Document>("[[[[1]]]]", check),
               std::runtime_error);
}

TYPED_TEST(JsonOf, theLastMemberOfANameCounts) {
  using Document = TypeParam;
  std::string all = "{\"x\":0,\"y\":{\"x\":1,\"x\":[2]}";
  for (int member = 0; member < 40; ++member) {
    all +=
        ",\"m" + std::to_string(member % 30) + "\":" + std::to_string(member);
  }
  auto document = parseJsonOrThrow<Document>(all + ",\"x\":-1}");
  EXPECT_EQ(document.size(), 32u);
  EXPECT_EQ(document["x"], -1);
  EXPECT_EQ(document["y"]["x"][0], 2);
  EXPECT_EQ(document["m5"], 35);
  EXPECT_EQ(document["m25"], 25);
}

TEST(Json, NamesAreLookedUpInAnOrderedDocumentHoweverManyThereAre) {
  std::string all = "{";
  for (int member = 0; member < 300000; ++member) {
    all += "\"member " + std::to_string(member) + "\":0,";
  }
  EXPECT_EQ(parseJson<ordered_json>(all + "\"z\":1}").size(), 300001u);
}

TEST(Json, BytesThatAreNotUtf8AreRefusedOrReplaced) {
  json text = "a\xff";
  EXPECT_THROW(printJson(text), json::type_error);
  EXPECT_EQ(printJsonOfAnyBytes(text), "\"a\xef\xbf\xbd\"");
}

TEST(Json, TextMayBeIndentedOrEscaped) {
  json text = {{"a", "\xc3\xa9"}};
  EXPECT_EQ(printJson(text, 2), "{\n  \"a\": \"\xc3\xa9\"\n}");
  EXPECT_EQ(printJsonOfAnyBytes(text, -1, /*ascii=*/true), R"({"a":"\u00e9"})");
}
