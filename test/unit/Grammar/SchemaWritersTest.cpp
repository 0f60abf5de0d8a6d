// Forms that programs give schemas, beside those of JSON Schema's own pages.
#include "TestSupport.h"

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

GrammarPointer schema(const std::string &text) {
  return jsonSchemaGrammar(text);
}

std::string fault(const std::string &text) {
  return refusal([&] { jsonSchemaGrammar(text); });
}

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

} // namespace
} // namespace cheems
