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

TEST(Json, ACheckSeesTheDepthAndMayThrow) {
  auto check = [](int depth, json::parse_event_t, json &) {
    return depth > 2 ? throw std::runtime_error("too deep") : true;
  };
  EXPECT_EQ(parseJsonOrThrow<json>("[[1]]", check), json({{1}}));
  EXPECT_THROW(parseJsonOrThrow<json>("[[[1]]]", check), std::runtime_error);
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
