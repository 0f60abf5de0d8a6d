// Unions of objects: a property tells their schemas apart.
#include "TestSupport.h"

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

/// This is how pydantic writes models whose tag has a default.
const std::string tagged = R"("$defs": {
  "C": {"type": "object", "properties": {
    "kind": {"const": "c", "default": "c", "type": "string"},
    "n": {"type": "integer"}}, "required": ["n"]},
  "D": {"type": "object", "properties": {
    "kind": {"enum": ["d", "e"], "default": "d", "type": "string"},
    "n": {"type": "integer"}}, "required": ["n"]}})";

const std::string eitherTagged =
    R"([{"$ref": "#/$defs/C"}, {"$ref": "#/$defs/D"}])";

const std::string discriminator =
    R"("discriminator": {"propertyName": "kind",
  "mapping": {"c": "#/$defs/C", "d": "#/$defs/D", "e": "#/$defs/D"}})";

TEST(Unions, TagOfADiscriminatedUnionIsAlwaysWritten) {
  for (const char *keyword : {"oneOf", "anyOf"}) {
    expectTexts(schema("{\"" + std::string(keyword) + "\": " + eitherTagged +
                       ", " + discriminator + ", " + tagged + "}"),
                {R"({"kind":"c","n":1})", R"({"kind":"d","n":1})",
                 R"({"kind":"e","n":1})"},
                {R"({"n":1})", R"({"kind":"x","n":1})", R"({"kind":"c"})"});
  }
  // by itself, a schema of the union has its default
  expectTexts(schema("{\"$ref\": \"#/$defs/C\", " + tagged + "}"),
              {R"({"n":1})", R"({"kind":"c","n":1})"}, {R"({"kind":"d"})"});
}

TEST(Unions, TagsTellSchemasOfAOneOfApartWithoutADiscriminator) {
  expectTexts(schema("{\"oneOf\": " + eitherTagged + ", " + tagged + "}"),
              {R"({"kind":"c","n":1})", R"({"kind":"e","n":1})"},
              {R"({"n":1})", R"({"kind":"x","n":1})"});
  // nothing is required that need not be
  expectTexts(schema("{\"anyOf\": " + eitherTagged + ", " + tagged + "}"),
              {R"({"kind":"c","n":1})", R"({"n":1})"}, {R"({"kind":"x"})"});
  expectTexts(schema(R"({"oneOf": [
        {"properties": {"v": {"const": 1}, "a": {"type": "null"}},
         "required": ["a"], "additionalProperties": false},
        {"properties": {"v": {"const": 2}, "b": {"type": "null"}},
         "required": ["b"], "additionalProperties": false}]})"),
              {R"({"a":null})", R"({"v":1,"a":null})", R"({"b":null})"},
              {R"({"v":2,"a":null})", "{}", R"({"v":1})"});
}

TEST(Unions, TagsMayBeSharedOrAfterReferences) {
  // one constant is of both schemas: what has it fits both
  EXPECT_THAT(fault(R"({"oneOf": [
    {"type": "object", "properties": {"k": {"enum": ["a", "b"]}}},
    {"type": "object", "properties": {"k": {"enum": ["b", "c"]}}}]})"),
              HasSubstr("a value might fit both its schemas 0 and 1"));
  expectTexts(
      schema(R"({"oneOf": [
    {"type": "object", "properties": {"on": {"$ref": "#/$defs/A"}}},
    {"type": "object", "properties": {"on": {"allOf": [{"$ref": "#/$defs/B"}],
      "default": "b"}}},
    {"type": "object", "properties": {"on": {"anyOf": [{"const": 3},
      {"type": "null"}]}}}], "discriminator": {"propertyName": "on"},
    "$defs": {"A": {"enum": ["a"]}, "B": {"const": "b"}}})"),
      {R"({"on":"a"})", R"({"on":"b"})", R"({"on":3})", R"({"on":null})"},
      {"{}", R"({"on":"c"})"});
}

TEST(Unions, WhatOneSchemaOfAOneOfRequiresTheOthersLeaveOut) {
  GrammarPointer one = schema(R"({"type": "object", "properties": {
    "a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}},
    "oneOf": [{"required": ["a"]}, {"required": ["b"]}]})");
  expectTexts(
      one, {R"({"a":1})", R"({"b":2})", R"({"a":1,"c":3})", R"({"b":2,"c":3})"},
      {"{}", R"({"c":3})", R"({"a":1,"b":2})", R"({"a":1,"b":2,"c":3})"});
  expectTexts(schema(R"({"type": "object", "properties": {"a": {}, "b": {},
    "c": {}}, "additionalProperties": false, "oneOf": [{"required": ["a"]},
    {"required": ["b"]}, {"required": ["c"]}]})"),
              {R"({"a":1})", R"({"b":2})", R"({"c":2})"},
              {"{}", R"({"a":1,"b":2})", R"({"b":1,"c":2})"});
  // where other names may be there, too
  expectTexts(schema(R"({"type": "object", "oneOf": [{"required": ["a"]},
    {"required": ["b"]}]})"),
              {R"({"a":1})", R"({"b":1,"x":2})"},
              {"{}", R"({"a":1,"b":2})", R"({"b":1,"a":2})", R"({"x":1})",
               R"({"a":1,"\u0062":2})"});
  EXPECT_THAT(fault(R"({"oneOf": [{"properties": {"a": {}}, "required": ["a"]},
    {"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}]})"),
              HasSubstr("a value might fit both its schemas 1 and 0"));
}

TEST(Unions, DiscriminatorOfAPropertyThatHasNoConstantsSaysNothing) {
  expectTexts(schema(R"({"anyOf": [
    {"type": "object", "properties": {"k": {"const": "a"}}},
    {"type": "object", "properties": {"k": {"type": "string"}}}],
    "discriminator": {"propertyName": "k"}})"),
              {"{}", R"({"k":"z"})"}, {R"({"k":1})"});
  for (const char *other : {"null", "\"k\"", "{}", "{\"propertyName\": 1}"}) {
    expectTexts(schema(R"({"anyOf": [{"type": "object", "properties":
      {"k": {"const": "a"}}}], "discriminator": )" +
                       std::string(other) + "}"),
                {"{}", R"({"k":"a"})"}, {R"({"k":"b"})"});
  }
}

TEST(Unions, SchemasOfOtherTypesHaveNoTag) {
  GrammarPointer grammar = schema(R"({"anyOf": [
    {"properties": {"k": {"const": "a"}}}, {"maxLength": 1}],
    "discriminator": {"propertyName": "k"}})");
  expectTexts(grammar, {R"({"k":"a"})", "\"x\""}, {"{}", R"({"k":"b"})"});
}

TEST(Unions, TaggedUnionsMayBeNestedListedClosedAndNullable) {
  // the second of two tags tells two schemas of the first apart
  std::string pet = R"({"discriminator": {"propertyName": "pet"}, "oneOf": [
      {"discriminator": {"propertyName": "color"}, "oneOf": [
        {"$ref": "#/$defs/Black"}, {"$ref": "#/$defs/White"}]},
      {"$ref": "#/$defs/Dog"}]})";
  std::string definitions = R"("$defs": {
    "Black": {"type": "object", "additionalProperties": false, "properties": {
      "pet": {"const": "cat", "default": "cat"},
      "color": {"const": "black", "default": "black"},
      "of": {"anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "null"}],
             "default": null}}},
    "White": {"type": "object", "additionalProperties": false, "properties": {
      "pet": {"const": "cat", "default": "cat"},
      "color": {"const": "white", "default": "white"}}},
    "Dog": {"type": "object", "additionalProperties": false, "properties": {
      "pet": {"const": "dog", "default": "dog"}}},
    "Pet": )" + pet + "}";
  std::string white = R"({"pet":"cat","color":"white"})";
  std::vector<std::string> pets = {
      R"({"pet":"dog"})", white, R"({"pet":"cat","color":"black"})",
      R"({"pet":"cat","color":"black","of":)" + white + "}",
      R"({"pet":"cat","color":"black","of":null})"};
  std::vector<std::string> others = {
      "{}", R"({"pet":"cat"})", R"({"color":"black"})",
      R"({"pet":"dog","color":"black"})",
      R"({"pet":"cat","color":"black","of":{"pet":"cat"}})"};
  expectTexts(schema("{\"$ref\": \"#/$defs/Pet\", " + definitions + "}"), pets,
              others);
  GrammarPointer nullable =
      schema(R"({"anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "null"}], )" +
             definitions + "}");
  expectTexts(nullable, pets, others);
  expectTexts(nullable, {"null"}, {"[]"});
  expectTexts(schema("{\"type\": \"array\", \"items\": " + pet + ", " +
                     definitions + "}"),
              {"[]", "[" + white + ",{\"pet\":\"dog\"}]"},
              {"[{}]", "[" + white + ",{\"pet\":\"cat\"}]"});
}

} // namespace
} // namespace cheems
