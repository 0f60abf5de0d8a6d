// Texts that schemas accept, and keywords that are refused.
#include "TestSupport.h"

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

TEST(JsonObject, IsAnyObject) {
  expectTexts(jsonObjectGrammar(),
              {"{}", "{\"a\":1}",
               "{\"a\": [1, {\"b\": null}, []], \"\": \"x\"}",
               "{\"a\":true,\"b\":false}"},
              {"", "[]", "1", "{\"a\" :1}", "{ }", "{\"a\":1,}", "{a:1}",
               "{\"a\":  1}", "{\"a\":1} ", "{\"a\":1"});
}

TEST(JsonValues, Strings) {
  expectTexts(schema(R"({"type": "string"})"),
              {"\"\"", "\"é😀\x7F\"", R"("\"\\\/\b\f\n\r\t")", R"("\u00e9")",
               R"("\ud83d\ude00")", R"("\uD7FF\uE000\u0000")"},
              {"\"", "\"\n\"", "\"\x01\"", R"("\x")", R"("\u12")",
               R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\u0041")",
               R"("\ude00")", "\"\xC3\"", "\"\xED\xA0\x80\"", "\"\xFF\""});
}

TEST(JsonValues, Numbers) {
  expectTexts(schema(R"({"type": "number"})"),
              {"0", "-0", "12", "-1.5", "1e9", "1.25E-3", "0.0", "10"},
              {"", "-", "01", "1.", ".5", "+1", "1e", "NaN", "1e1000"});
  expectTexts(schema(R"({"type": "integer"})"),
              {"0", "-12", "9007199254740993"},
              {"-0", "1.0", "1e2", "007", "12345678901234567"});
}

TEST(JsonValues, TypesAndLists) {
  expectTexts(schema(R"({"type": "boolean"})"), {"true", "false"}, {"null"});
  expectTexts(schema(R"({"type": "null"})"), {"null"}, {"true"});
  expectTexts(schema(R"({"type": ["integer", "null"]})"), {"1", "null"},
              {"\"a\"", "1.5"});
  expectTexts(schema("{}"), {"1", "[]", "{\"a\":\"b\"}", "null"}, {"", "a"});
  expectTexts(schema("true"), {"1", "{}"}, {"nul"});
}

TEST(JsonSchema, EnumAndConst) {
  expectTexts(
      schema(R"({"enum": ["a", 1, null, {"b": [1, 2]}, "\n\""]})"),
      {"\"a\"", "1", "null", "{\"b\":[1,2]}", "{\"b\": [1, 2]}", R"("\n\"")"},
      {"a", "2", "{\"b\":[1]}", "\"b\""});
  expectTexts(schema(R"({"const": 1.5})"), {"1.5"}, {"1.50", "1"});
  expectTexts(schema(R"({"enum": ["a", 1, 2.0], "type": "integer"})"),
              {"1", "2.0"}, {"\"a\""});
  EXPECT_THAT(fault(R"({"enum": ["a"], "type": "integer"})"),
              HasSubstr("no value of enum or const is of the type"));
  expectTexts(schema(R"({"enum": ["a", "bcd", 1], "minLength": 2})"),
              {"\"bcd\"", "1"}, {"\"a\""});
  EXPECT_THAT(fault(R"({"enum": ["a"], "minLength": 2})"),
              HasSubstr("no value of enum or const is of the type"));
}

TEST(JsonSchema, PropertiesInOrderAndRequired) {
  GrammarPointer grammar = schema(R"({"type": "object", "properties": {
    "b": {"type": "integer"}, "a": {"type": "boolean"}, "c": {"const": 1}},
    "required": ["a"]})");
  expectTexts(grammar,
              {"{\"a\":true}", "{\"b\": 1, \"a\": true}",
               "{\"b\":1,\"a\":true,\"c\":1}", "{\"a\":false,\"c\":1}"},
              {"{}", "{\"b\":1}", "{\"a\":true,\"b\":1}", "{\"a\":1}",
               "{\"a\":true,}", "{\"a\":true,\"d\":1}", "{,\"a\":true}"});
}

TEST(JsonSchema, AdditionalProperties) {
  GrammarPointer grammar = schema(R"({"properties": {"ab": {"type": "integer"}},
    "additionalProperties": {"type": "boolean"}})");
  expectTexts(grammar,
              {"{}", "{\"ab\":1}", "{\"a\":true}", "{\"abc\":true}",
               "{\"ab\":1,\"x\":true, \"\":false}", "{\"é\\n\":true}"},
              {"{\"ab\":true}", "{\"x\":1}", "{\"x\":true,\"ab\":1}",
               "{\"\\u0061b\":true}"});
  expectTexts(schema(R"({"type": "object",
    "additionalProperties": {"type": "integer"}})"),
              {"{}", "{\"a\":1}"}, {"{\"a\":\"\"}"});
  expectTexts(schema(R"({"type": "object", "additionalProperties": false})"),
              {"{}"}, {"{\"a\":1}"});
  expectTexts(schema(R"({"type": "object", "required": ["x"]})"),
              {"{\"x\":1}", "{\"x\":[],\"y\":2}"}, {"{}", "{\"y\":2}"});
  EXPECT_THAT(fault(R"({"properties": {}, "required": ["x"],
    "additionalProperties": false})"),
              HasSubstr("'x' is required, but neither"));
}

TEST(JsonSchema, Items) {
  expectTexts(schema(R"({"type": "array"})"), {"[]", "[1, \"a\",[]]"},
              {"[1,]"});
  expectTexts(schema(R"({"items": {"type": "integer"}, "minItems": 2,
    "maxItems": 3})"),
              {"[1,2]", "[1, 2, 3]"}, {"[]", "[1]", "[1,2,3,4]", "[1 ,2]"});
  expectTexts(schema(R"({"items": {"type": "null"}, "maxItems": 1})"),
              {"[]", "[null]"}, {"[null,null]"});
  expectTexts(schema(R"({"type": "array", "maxItems": 0})"), {"[]"}, {"[1]"});
  expectTexts(schema(R"({"items": false})"), {"[]"}, {"[1]"});
  EXPECT_THAT(fault(R"({"minItems": 2, "maxItems": 1})"),
              HasSubstr("minItems is larger than maxItems"));
}

TEST(JsonSchema, LengthsCountCharacters) {
  expectTexts(schema(R"({"type": "string", "minLength": 2, "maxLength": 3})"),
              {"\"ab\"", "\"éé\"", "\"😀😀😀\"", R"("\ud83d\ude00\n")"},
              {"\"a\"", "\"é\"", "\"abcd\"", R"("\ud83d\ude00")"});
  expectTexts(schema(R"({"minLength": 1})"), {"\"abc\""}, {"\"\""});
}

TEST(JsonSchema, BoundsOfIntegersAreExact) {
  std::vector<std::pair<int, int>> cases = {
      {0, 0},  {0, 9},     {-5, 5},    {17, 123}, {-123, -17}, {99, 100},
      {-1, 0}, {100, 999}, {-200, 45}, {1, 1000}, {-1000, -1}, {1234, 1299}};
  for (auto [low, high] : cases) {
    Automaton grammar(
        schema("{\"type\": \"integer\", \"minimum\": " + std::to_string(low) +
               ", \"maximum\": " + std::to_string(high) + "}"));
    Automaton above(
        schema("{\"exclusiveMinimum\": " + std::to_string(low) + "}"));
    Automaton below(
        schema("{\"exclusiveMaximum\": " + std::to_string(high) + "}"));
    for (int value = -1400; value <= 1400; ++value) {
      std::string text = std::to_string(value);
      EXPECT_EQ(accepts(grammar, text), low <= value && value <= high) << text;
      EXPECT_EQ(accepts(above, text), value > low) << text << " " << low;
      EXPECT_EQ(accepts(below, text), value < high) << text << " " << high;
    }
    EXPECT_FALSE(accepts(grammar, "-0"));
    EXPECT_FALSE(accepts(grammar, "00"));
  }
  expectTexts(schema(R"({"minimum": 0.5, "maximum": 2.5})"), {"1", "2"},
              {"0", "3"});
  expectTexts(schema(R"({"exclusiveMinimum": 0.5, "exclusiveMaximum": 2.0})"),
              {"1"}, {"0", "2"});
  expectTexts(schema(R"({"minimum": 4611686018427387904})"),
              {"4611686018427387904", "9999999999999999999"},
              {"4611686018427387903"});
  expectTexts(schema(R"({"type": "integer", "minimum": -9223372036854775808,
    "maximum": 18446744073709551615})"),
              {"-9223372036854775808", "18446744073709551615"},
              {"-9223372036854775809", "18446744073709551616"});
  EXPECT_THAT(fault(R"({"type": "integer", "minimum": 1e30})"),
              HasSubstr("no integer is within"));
  EXPECT_THAT(fault(R"({"type": "integer", "minimum": 2, "maximum": 1})"),
              HasSubstr("no integer is within"));
  EXPECT_THAT(fault(R"({"minimum": "1"})"), HasSubstr("must be a number"));
}

TEST(JsonSchema, AnyOfAndReferences) {
  GrammarPointer list = schema(R"({"$ref": "#/$defs/node", "$defs": {"node": {
    "type": "object", "properties": {"v": {"type": "integer"},
    "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
    "required": ["v", "next"]}}})");
  expectTexts(
      list,
      {"{\"v\":1,\"next\":null}", "{\"v\":1,\"next\":{\"v\":2,\"next\":null}}"},
      {"{\"v\":1}", "null", "{\"v\":1,\"next\":{}}"});
  expectTexts(schema(R"({"type": "array", "items": {"$ref": "#"}})"),
              {"[]", "[[],[[]]]"}, {"[1]"});
  expectTexts(schema(R"({"definitions": {"a/b c": {"const": 1}},
    "$ref": "#/definitions/a~1b%20c"})"),
              {"1"}, {"2"});
  EXPECT_THAT(fault(R"({"$ref": "#/$defs/x"})"), HasSubstr("names nothing"));
  EXPECT_THAT(fault(R"({"$ref": "http://a/b"})"), HasSubstr("not supported"));
  EXPECT_THAT(fault(R"({"$ref": "#"})"), HasSubstr("left recursion"));
}

TEST(JsonSchema, KeywordsBesideAnyOfHoldForEachAlternative) {
  GrammarPointer grammar = schema(R"({"type": "object", "properties": {
    "a": {"const": 1}, "b": {"const": 2}},
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})");
  expectTexts(grammar, {"{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}"}, {"{}"});
  expectTexts(schema(R"({"type": "string", "anyOf": [{"maxLength": 1},
    {"enum": ["abc"]}]})"),
              {"\"\"", "\"x\"", "\"abc\""}, {"\"ab\"", "1"});
  expectTexts(schema(R"({"maxLength": 3, "anyOf": [{"minLength": 2},
    {"maxLength": 1}, {"maxLength": 5, "const": "abcd"}]})"),
              {"\"\"", "\"ab\"", "\"abc\""}, {"\"abcd\""});
}

TEST(JsonSchema, WhatIsNotKnownAndDoesNotNarrowSaysNothing) {
  expectTexts(schema(R"({"$schema": "x", "title": "t", "description": "d",
    "default": 3, "examples": [], "type": "null", "$comment": "",
    "x-order": 1, "markdownDescription": "", "strict": true,
    "contentEncoding": "base64", "contentMediaType": "text/plain",
    "contentSchema": {}, "deprecated": true, "readOnly": true,
    "discriminator": {"propertyName": "k"}, "uniqueItems": false})"),
              {"null"}, {"3"});
}

TEST(JsonSchema, OtherKeywordsThatNarrowAreRefusedWithTheirPlace) {
  EXPECT_THAT(fault(R"({"properties": {"a": {"items": {"if": {}}}}})"),
              HasSubstr("JSON schema, at #/properties/a/items: keyword 'if' "
                        "narrows what is valid, and is not supported"));
  for (const char *keyword :
       {"if", "then", "contains", "dependentRequired", "dependentSchemas",
        "unevaluatedProperties", "unevaluatedItems", "uniqueItems",
        "$dynamicRef"}) {
    EXPECT_THAT(fault("{\"" + std::string(keyword) + "\": 1}"),
                HasSubstr(std::string("keyword '") + keyword + "'"));
  }
}

TEST(JsonSchema, MalformedSchemasAreRefused) {
  EXPECT_THAT(fault("{"), HasSubstr("JSON schema is not valid JSON"));
  EXPECT_THAT(fault("3"), HasSubstr("must be an object or a boolean"));
  EXPECT_THAT(fault("false"), HasSubstr("accepts nothing"));
  EXPECT_THAT(fault(R"({"type": "text"})"), HasSubstr("a type must be one of"));
  EXPECT_THAT(fault(R"({"type": []})"), HasSubstr("must not be empty"));
  EXPECT_THAT(fault(R"({"enum": []})"), HasSubstr("not empty"));
  EXPECT_THAT(fault(R"({"anyOf": []})"), HasSubstr("not empty"));
  EXPECT_THAT(fault(R"({"properties": []})"), HasSubstr("must be an object"));
  EXPECT_THAT(fault(R"({"required": "a"})"), HasSubstr("a list of names"));
  EXPECT_THAT(fault(R"({"minLength": -1})"), HasSubstr("not negative"));
  EXPECT_THAT(fault(R"({"pattern": 1})"), HasSubstr("must be a string"));
  expectTexts(schema(R"({"minLength": 1, "minItems": 1})"), {"\"a\"", "[1]"},
              {"\"\"", "[]", "1"});
}

TEST(ToolCalls, OneOfTheTools) {
  GrammarPointer grammar = toolCallGrammar(R"([
    {"name": "add", "parameters": {"type": "object", "properties": {
      "x": {"$ref": "#/$defs/n"}}, "required": ["x"],
      "$defs": {"n": {"type": "integer"}}}},
    {"name": "now"}, {"name": "none", "parameters": {}}])");
  auto call = [](const std::string &name, const std::string &arguments) {
    return "<tool_call>\n{\"name\": \"" + name +
           "\", \"arguments\": " + arguments + "}\n</tool_call>";
  };
  expectTexts(grammar,
              {call("add", "{\"x\": 3}"), call("now", "{}"),
               call("now", "{\"a\":1}"), call("none", "{\"a\":1}")},
              {call("add", "{}"), call("sub", "{}"), call("none", "3"),
               "{\"name\": \"now\", \"arguments\": {}}"});
  auto refused = [](const std::string &tools) {
    return refusal([&] { toolCallGrammar(tools); });
  };
  EXPECT_THAT(refused("[]"), HasSubstr("not empty"));
  EXPECT_THAT(refused("[{}]"), HasSubstr("an object with a name"));
  EXPECT_THAT(refused(R"([{"name": "f", "parameters": {"oneOf": []}}])"),
              HasSubstr("parameters of tool 'f', at #/oneOf: oneOf must"));
}

} // namespace
} // namespace cheems
