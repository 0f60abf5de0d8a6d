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

TEST(UniqueItems, ListedValuesComeOnceInAnyOrder) {
  // as a set of a Literal
  GrammarPointer set = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"enum": ["a", "ab", 1, 1.0]}})");
  expectTexts(set,
              {"[]", R"(["a"])", R"(["ab","a"])", R"(["a", "ab", 1])",
               R"([1,"a","ab"])"},
              {R"(["a","a"])", R"([1,1.0])", R"(["a","ab","a"])",
               R"(["a","ab",1,1])", R"(["c"])", "[,]"});
  EXPECT_FALSE(begins(set, R"(["a","a")"));
  EXPECT_FALSE(begins(set, R"(["a","ab",1,)"));
  expectTexts(schema(R"({"type": "array", "uniqueItems": true, "minItems": 2,
    "maxItems": 2, "items": {"anyOf": [{"type": "boolean"}, {"type": "null"},
      {"$ref": "#/$defs/E"}]}, "$defs": {"E": {"const": {"k": [1]}}}})"),
              {"[true,false]", "[null,true]", R"([{"k":[1]},null])"},
              {"[]", "[true]", "[true,true]", "[true,false,null]",
               R"([{"k":[1]},{"k":[1]}])"});
  std::string eight = R"({"uniqueItems": true, "minItems": 8, "items":
    {"enum": [1, 2, 3, 4, 5, 6, 7, 8]}})";
  expectTexts(schema(eight), {"[1,2,3,4,5,6,7,8]", "[8,1,7,2,6,3,5,4]"},
              {"[1,2,3,4,5,6,7]", "[1,2,3,4,5,6,7,7]"});
  EXPECT_THAT(fault(R"({"uniqueItems": true, "minItems": 3,
    "items": {"type": "boolean"}})"),
              HasSubstr("minItems is larger than the number of values"));
  expectTexts(schema(R"({"uniqueItems": true, "items": {"enum": [1, "a"],
    "type": "string", "not": {"const": "b"}}})"),
              {"[]", "[\"a\"]"}, {"[1]", "[\"a\",\"a\"]"});
}

TEST(UniqueItems, ManyValuesComeOnceInAnyOrder) {
  std::string many = R"({"type": "array", "uniqueItems": true, "items":
    {"enum": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]})";
  expectTexts(
      schema(many + "}"),
      {"[]", "[1]", "[10]", "[10,1]", "[2, 3,5]", "[1,2,3,4,5,10,6,7,8,9]"},
      {"[1,1]", "[2,1, 2]", "[1,11]", "[,1]", "[1,]",
       "[1,2,3,4,5,6,7,8,9,10,"});
  expectTexts(schema(many + R"(, "minItems": 2, "maxItems": 3})"),
              {"[10,1]", "[4,5,6]"}, {"[]", "[1]", "[1,2,3,4]", "[1,1]"});
  expectTexts(schema(many + R"(, "minItems": 9})"),
              {"[1,2,3,4,5,6,7,8,9]", "[10,9,8,7,6,5,4,3,1]"},
              {"[1,2,3,4,5,6,7,8]", "[1,2,3,4,5,6,7,8,9,9]"});
  EXPECT_FALSE(begins(schema(many + "}"), "[1,2,3,4,5,6,7,8,9,10,"));
}

TEST(UniqueItems, FirstItemsThatAreListedHaveTheirOwnValues) {
  GrammarPointer tuple = schema(R"({"uniqueItems": true, "prefixItems": [
    {"enum": ["a", "b"]}, {"const": "a"}]})");
  expectTexts(tuple, {R"(["b","a"])"}, {R"(["a","a"])", "[]", R"(["b","b"])"});
  EXPECT_FALSE(begins(tuple, R"(["a")"));
  expectTexts(schema(R"({"uniqueItems": true, "prefixItems": [{"const": 1}],
    "items": {"enum": [1, 2]}})"),
              {"[1]", "[1,2]"}, {"[2]", "[1,1]", "[1,2,2]"});
}

TEST(UniqueItems, OneItemIsUniqueWhateverItIs) {
  expectTexts(schema(R"({"type": "array", "uniqueItems": true, "maxItems": 1,
    "items": {"type": "string"}})"),
              {"[]", "[\"a\"]"}, {"[\"a\",\"b\"]", "[1]"});
}

TEST(UniqueItems, StringsAndNumbersComeOnce) {
  // as set[str], set[float], set[date]
  expectTexts(
      schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "string"}})"),
      {"[]", R"(["a", "b","ab",""])", R"(["a]","a,"])", R"(["\"","\\"])"},
      {R"(["a","a"])", R"(["a","b", "a"])", R"(["a","\u0061"])",
       R"(["\n","\u000A"])", R"(["",""])"});
  expectTexts(schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "number"}})"),
              {"[1,10,100]", "[1,-1]", "[0.1,0.01]", "[1.5]"},
              {"[1,1]", "[1,1.0]", "[10,1e1]", "[0,-0]", "[0.1,0.10]"});
  expectTexts(schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "string", "format": "date"}})"),
              {R"(["2024-01-01","2024-01-02"])"},
              {R"(["2024-01-01","2024-01-01"])"});
  expectTexts(schema(R"({"uniqueItems": true})"),
              {R"([1,"1",[1],{"1":1},true,null,[]])"},
              {R"([{"a":1,"b":2},{"b":2,"a":1.0}])", "[[1],[1]]", "[null,null]",
               "[true,false,true]"});
}

TEST(UniqueItems, AListNeverComesToWhereNoNewItemIsLeft) {
  GrammarPointer few = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "integer", "minimum": 0, "maximum": 10}})");
  // behind 1, 10 and 100 a further "1" could not end
  EXPECT_TRUE(begins(few, "[1,10,2"));
  EXPECT_FALSE(begins(few, "[1,10,1"));
  EXPECT_TRUE(begins(few, "[10,1"));
  EXPECT_FALSE(begins(few, "[0,1,2,3,4,5,6,7,8,9,10,"));
  EXPECT_TRUE(accepts(few, "[0,1,2,3,4,5,6,7,8,9,10]"));
  GrammarPointer tagged = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"anyOf": [{"const": "ab"}, {"type": "string", "pattern": "^c"}]}})");
  EXPECT_FALSE(begins(tagged, R"(["ab","a)"));
  EXPECT_TRUE(begins(tagged, R"(["ab","c)"));
  GrammarPointer pairs = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "object", "required": ["a"], "properties":
      {"a": {"type": "boolean"}}, "additionalProperties": false}})");
  EXPECT_TRUE(begins(pairs, R"([{"a":true},{"a":f)"));
  EXPECT_FALSE(begins(pairs, R"([{"a":true},{"a": t)"));
  EXPECT_FALSE(begins(pairs, R"([{"a":true},{"a": false},)"));
}

TEST(UniqueItems, ListsWithinListsHaveItemsOfTheirOwn) {
  GrammarPointer sets = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "array", "uniqueItems": true,
      "items": {"type": "boolean"}}})");
  expectTexts(sets, {"[[],[true],[false,true]]"},
              {"[[],[]]", "[[true,true]]", "[[true],[true]]"});
  // a last list that could only be one of those before
  EXPECT_TRUE(begins(sets, "[[],[true],[false],[true,false],[false"));
  EXPECT_FALSE(begins(sets, "[[],[true,false],[true],[t"));
  GrammarPointer within = schema(R"({"type": "array", "items":
    {"type": "object", "properties": {"tags": {"type": "array",
      "uniqueItems": true, "items": {"type": "string"}}},
      "required": ["tags"]}})");
  expectTexts(
      within,
      {R"([{"tags": ["a"]}, {"tags": ["a","b"]}])",
       R"([{"tags":["a"]},{"tags":["a"]}])"},
      {R"([{"tags": ["a","a"]}])", R"([{"tags":[]},{"tags":["b","b"]}])"});
}

TEST(UniqueItems, AnotherReadingOfAListTakesItToo) {
  GrammarPointer either = schema(R"({"anyOf": [
    {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
    {"type": "array", "items": {"type": "integer"}}]})");
  expectTexts(either, {R"(["a","b"])", "[1,2]"}, {R"(["a","a"])", "[1,1]"});
}

TEST(UniqueItems, TokensOfSeveralItemsAreReadWhole) {
  GrammarPointer set = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "string"}})");
  std::vector<std::string> tokens = byteTokens();
  size_t first = tokens.size();
  for (const char *token : {R"(["a")", R"(["a","a")", R"(","b")", R"(","a")",
                            R"(","a"])", R"(a","b","b)", R"(a","b","c)"}) {
    tokens.emplace_back(token);
  }
  TokenConstraint constraint(set, trieOf(tokens));
  std::vector<bool> allowed;
  auto look = [&] {
    const std::vector<uint32_t> &mask = constraint.mask({});
    allowed.clear();
    for (size_t token = first; token < tokens.size(); ++token) {
      allowed.push_back(allows(mask, token));
    }
  };
  look();
  EXPECT_EQ(allowed, (std::vector<bool>{1, 0, 0, 0, 0, 0, 0}));
  constraint.accept(static_cast<int32_t>(first));
  TokenConstraint copy = constraint;
  for (char byte : std::string(",\"")) {
    constraint.accept(byte);
  }
  look();
  EXPECT_EQ(allowed, (std::vector<bool>{0, 0, 1, 0, 0, 0, 0}));
  constraint.accept('b');
  constraint.accept('"');
  EXPECT_THROW(constraint.accept(static_cast<int32_t>(first + 3)), Error);
  // what was copied before knows nothing of it
  for (char byte : std::string(",\"b\"]")) {
    copy.accept(byte);
  }
  EXPECT_TRUE(copy.mustEnd());
}

TEST(UniqueItems, FalseSaysNothingAndConstantsAreJudged) {
  expectTexts(schema(R"({"uniqueItems": false, "items": {"const": 1}})"),
              {"[1,1]"}, {"[2]", "1"});
  expectTexts(schema(R"({"uniqueItems": false, "minLength": 1})"), {"\"a\""},
              {"[]"});
  expectTexts(schema(R"({"enum": [[1, 1.0], [1, 2], [[1], [1]], 3],
    "uniqueItems": true})"),
              {"[1,2]", "3"}, {"[1,1.0]", "[[1],[1]]"});
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
