// Forms that programs give schemas, beside those of JSON Schema's own pages.
#include "TestSupport.h"

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

TEST(Nulls, KeywordsWhoseValueIsNullAreAbsent) {
  std::string nulls;
  for (const char *keyword : {"required",
                              "enum",
                              "format",
                              "pattern",
                              "anyOf",
                              "allOf",
                              "oneOf",
                              "not",
                              "minimum",
                              "maximum",
                              "exclusiveMinimum",
                              "exclusiveMaximum",
                              "multipleOf",
                              "minLength",
                              "maxLength",
                              "minItems",
                              "maxItems",
                              "uniqueItems",
                              "minProperties",
                              "maxProperties",
                              "$ref",
                              "properties",
                              "patternProperties",
                              "propertyNames",
                              "items",
                              "prefixItems",
                              "additionalItems",
                              "additionalProperties",
                              "$defs",
                              "$id",
                              "$anchor",
                              "title",
                              "description",
                              "discriminator",
                              "nullable",
                              "if",
                              "contains",
                              "dependentRequired",
                              "unevaluatedProperties"}) {
    std::string one = "\"" + std::string(keyword) + "\": null";
    nulls += ", " + one;
    expectTexts(schema("{" + one + "}"), {"1", "\"\"", "[1,1]", "{\"a\":1}"},
                {"x"});
    expectTexts(schema("{\"type\": \"string\", " + one + "}"), {"\"a\""},
                {"1", "null"});
  }
  expectTexts(schema("{\"type\": \"object\", \"properties\": {\"a\": "
                     "{\"type\": \"integer\"" +
                     nulls +
                     "}}, \"additionalProperties\": null, "
                     "\"required\": null}"),
              {"{}", "{\"a\":1}"}, {"{\"a\":\"\"}", "{\"b\":1}", "null"});
  expectTexts(schema(R"({"type": null, "minLength": 1, "minimum": null})"),
              {"\"a\""}, {"\"\"", "1"});
  expectTexts(schema(R"({"not": {"type": "string", "minLength": null}})"),
              {"1"}, {"\"\""});
}

TEST(Nulls, ConstantsMayBeNull) {
  expectTexts(schema(R"({"const": null})"), {"null"}, {"1", "\"\""});
  expectTexts(schema(R"({"const": null, "enum": null})"), {"null"}, {"1"});
  expectTexts(schema(R"({"enum": [null]})"), {"null"}, {"1"});
  expectTexts(schema(R"({"type": "object", "properties": {"a": {
    "anyOf": [{"type": "integer"}, {"type": "null"}], "default": null}}})"),
              {"{}", "{\"a\":null}", "{\"a\":1}"}, {"{\"a\":\"\"}"});
  EXPECT_THAT(fault(R"({"properties": {"a": null}})"),
              HasSubstr("must be an object or a boolean"));
}

TEST(Nulls, ArgumentsOfToolsAreObjectsIfTheirTypeIsNull) {
  GrammarPointer grammar = toolCallGrammar(
      R"([{"name": "f", "parameters": {"type": null, "anyOf": null}}])");
  auto call = [](const std::string &arguments) {
    return "<tool_call>\n{\"name\": \"f\", \"arguments\": " + arguments +
           "}\n</tool_call>";
  };
  expectTexts(grammar, {call("{}"), call("{\"a\":1}")}, {call("1")});
}

TEST(References, MayNameASchemaByItsIdOrAnchor) {
  // as TypeBox writes what refers to itself
  expectTexts(schema(R"({"$id": "Node", "type": "object", "properties": {
    "kids": {"type": "array", "items": {"$ref": "Node"}}},
    "required": ["kids"]})"),
              {R"({"kids":[]})", R"({"kids":[{"kids":[]}]})"},
              {R"({"kids":[1]})"});
  expectTexts(schema(R"({"prefixItems": [{"$ref": "Point"}, {"$ref": "#unit"},
    {"$ref": "Point#/properties/x"}, {"$ref": "http://a.b/c#"},
    {"$ref": "#old"}], "$defs": {
      "p": {"$id": "Point", "properties": {"x": {"const": 1}},
            "required": ["x"]},
      "u": {"$anchor": "unit", "const": "m"}, "c": {"$id": "http://a.b/c",
      "const": null}, "o": {"$id": "#old", "const": true}}})"),
              {R"([{"x":1},"m",1,null,true])"},
              {R"([{"x":2},"m",1,null,true])", R"([{"x":1},"n",1,null,true])",
               R"([{"x":1},"m",1,null,false])"});
}

TEST(References, OfASchemaWithAnIdStartThere) {
  GrammarPointer grammar = schema(R"({"type": "object", "properties": {
    "in": {"$id": "In", "type": "object", "properties": {
      "a": {"$ref": "#/$defs/v"}, "b": {"$ref": "#v"}, "c": {"$ref": "#"},
      "d": {"$ref": "#/$defs/w"}},
      "$defs": {"v": {"$anchor": "v", "const": 1}}}},
    "$defs": {"v": {"$anchor": "v", "const": 2}, "w": {"const": 3}}})");
  expectTexts(
      grammar,
      {R"({"in":{"a":1,"b":1,"c":{},"d":3}})", R"({"in":{"c":{"a":1}}})"},
      {R"({"in":{"a":2}})", R"({"in":{"b":2}})", R"({"in":{"c":{"in":{}}}})"});
}

TEST(References, NamesInValuesAndOfPropertiesAreNotMeant) {
  EXPECT_THAT(fault(R"({"const": {"$id": "X"}, "$ref": "X"})"),
              HasSubstr("the reference 'X' is not supported"));
  EXPECT_THAT(fault(R"({"$ref": "#x", "properties": {"a": {}}})"),
              HasSubstr("the reference '#x' names nothing"));
  expectTexts(schema(R"({"properties": {"default": {"$id": "D", "const": 1},
    "$id": {"$ref": "D"}, "$anchor": {"const": 2}}})"),
              {R"({"default":1,"$id":1,"$anchor":2})"}, {R"({"$id":2})"});
}

TEST(ClosedObjects, OfAnAllOfHaveThePropertiesOfAll) {
  // as zod's A.and(B)
  GrammarPointer both = schema(R"({"allOf": [
    {"type": "object", "properties": {"a": {"type": "integer"},
      "in": {"type": "object", "properties": {"x": {"const": 1}},
             "required": ["x"], "additionalProperties": false}},
     "required": ["a"], "additionalProperties": false},
    {"type": "object", "properties": {"b": {"type": "string"},
      "in": {"type": "object", "properties": {"y": {"const": 2}},
             "required": ["y"], "additionalProperties": false}},
     "required": ["b", "in"], "additionalProperties": false}]})");
  expectTexts(both, {R"({"a":1,"in":{"x":1,"y":2},"b":""})"},
              {R"({"a":1,"in":{"x":1,"y":2}})", R"({"a":1,"b":""})",
               R"({"a":1,"in":{"x":1},"b":""})",
               R"({"a":1,"in":{"x":1,"y":2},"b":"","c":1})"});
  // siblings, and references
  expectTexts(schema(R"({"allOf": [{"$ref": "#/$defs/A"}], "properties":
    {"b": {"const": 2}}, "required": ["b"], "additionalProperties": false,
    "$defs": {"A": {"properties": {"a": {"const": 1}}, "required": ["a"],
      "additionalProperties": false}}})"),
              {R"({"b":2,"a":1})"}, {R"({"b":2})", R"({"b":2,"a":1,"c":1})"});
  // a union in an allOf
  expectTexts(schema(R"({"allOf": [
    {"properties": {"a": {"const": 1}}, "required": ["a"],
     "additionalProperties": false},
    {"anyOf": [
      {"properties": {"b": {"const": 2}}, "required": ["b"],
       "additionalProperties": false},
      {"properties": {"c": {"const": 3}}, "required": ["c"],
       "additionalProperties": false}]}]})"),
              {R"({"a":1,"b":2})", R"({"a":1,"c":3})"},
              {R"({"a":1})", R"({"a":1,"b":2,"c":3})", R"({"b":2})"});
}

TEST(ClosedObjects, ThatAreNotAllClosedOrAreAlternativesStayAsTheyAre) {
  EXPECT_THAT(fault(R"({"allOf": [
    {"properties": {"a": {}}, "additionalProperties": false},
    {"properties": {"b": {}}, "required": ["b"]}]})"),
              HasSubstr("'b' is required, but neither"));
  expectTexts(schema(R"({"properties": {"a": {"const": 1}, "b": {"const": 2}},
    "additionalProperties": false, "anyOf": [
      {"properties": {"a": {}}, "required": ["a"],
       "additionalProperties": false},
      {"properties": {"b": {}, "c": {}}, "required": ["b"],
       "additionalProperties": false}]})"),
              {R"({"a":1})", R"({"b":2})"},
              {R"({"a":1,"b":2})", R"({"b":2,"c":3})", "{}"});
  expectTexts(schema(R"({"properties": {"in": {"properties": {"a": {},
      "b": {}}, "additionalProperties": false}}, "required": ["in"], "anyOf": [
      {"properties": {"in": {"properties": {"a": {"const": 1}},
        "additionalProperties": false}}}]})"),
              {R"({"in":{}})", R"({"in":{"a":1}})"},
              {R"({"in":{"a":1,"b":1}})", R"({"in":{"b":1}})"});
  expectTexts(schema(R"({"properties": {"in": {"properties": {"a": {}},
      "additionalProperties": false}}, "patternProperties": {"^i": {
      "properties": {"a": {}, "b": {}}, "additionalProperties": false}}})"),
              {R"({"in":{"a":1}})", R"({"i":{"b":1}})"}, {R"({"in":{"b":1}})"});
}

} // namespace
} // namespace cheems
