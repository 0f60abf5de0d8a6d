// Lists whose items must differ.
#include "TestSupport.h"

#include <random>
#include <set>

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

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
  // after 1, 10 and 100 a further "1" could not end
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

/// Goes on at random until the text must end; the shortest way, if it has one,
/// is not looked for.
static std::string randomText(const GrammarPointer &grammar,
                              std::mt19937 &random) {
  auto trie = trieOf(byteTokens());
  TokenConstraint constraint(grammar, trie);
  std::string text;
  while (!constraint.mustEnd() && text.size() < 5000) {
    const std::vector<uint32_t> &mask = constraint.mask({});
    std::vector<int32_t> allowed;
    for (size_t token = 0; token < trie->vocabulary(); ++token) {
      if (allows(mask, token)) {
        allowed.push_back(static_cast<int32_t>(token));
      }
    }
    int32_t token = allowed[random() % allowed.size()];
    constraint.accept(token);
    text += static_cast<char>(token);
  }
  return text;
}

TEST(UniqueItems, AListMayHaveAllItemsThatThereAre) {
  std::mt19937 random(1);
  std::string lists = R"({"type": "array", "uniqueItems": true, "items":
    {"type": "array", "uniqueItems": true, "items":
      {"enum": ["red", "green", "blue"]}}, "minItems": )";
  std::string tuples = R"({"type": "array", "uniqueItems": true, "items":
    {"type": "array", "prefixItems": [{"type": "boolean"}, {"type": "boolean"},
      {"type": "boolean"}, {"type": "boolean"}], "minItems": 4,
      "maxItems": 4}, "minItems": )";
  for (const std::string &all : {lists + "16}", tuples + "16}"}) {
    std::string text = randomText(schema(all), random);
    EXPECT_EQ(text.back(), ']') << text;
  }
  for (int number = 0; number < 3; ++number) {
    randomText(schema(lists + "7}"), random);
    randomText(schema(tuples + "10}"), random);
    randomText(schema(R"({"uniqueItems": true, "minItems": 5, "maxItems": 9,
      "items": {"type": ["integer", "null"], "minimum": -3, "maximum": 4}})"),
               random);
  }
}

TEST(UniqueItems, ANumberIsNotFilledUpWithZeros) {
  GrammarPointer numbers = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "number"}})");
  EXPECT_TRUE(begins(numbers, "[0,0.000000000000000"));
  EXPECT_FALSE(begins(numbers, "[0,0.0000000000000000"));
  EXPECT_TRUE(begins(numbers, "[1,0.0000000000000000"));
}

TEST(UniqueItems, MoreItemsThanThereAreValuesIsSaid) {
  for (const char *items :
       {R"({"type": "integer", "minimum": 1, "maximum": 5})",
        R"({"type": "string", "pattern": "^[a-e]$"})",
        R"({"type": "array", "prefixItems": [{"enum": [1, 2, 3, 4, 5]}]})"}) {
    std::string list = R"({"properties": {"a": {"type": "array", "uniqueItems":
      true, "items": )" +
                       std::string(items) + R"(, "minItems": )";
    EXPECT_THAT(fault(list + "6}}}"),
                HasSubstr("at #/properties/a: minItems is larger than the "
                          "number of values"));
    schema(list + "5}}}");
  }
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
  GrammarPointer numbers = schema(R"({"type": "array", "uniqueItems": true,
    "items": {"type": "array", "uniqueItems": true,
      "items": {"type": "integer"}}})");
  expectTexts(numbers, {"[[0],[1,0],[10,1]]"}, {"[[0,0]]", "[[1],[1]]"});
  EXPECT_FALSE(begins(numbers, "[[0,0"));
  EXPECT_TRUE(begins(numbers, "[[1,1"));
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

/// Whether a string that is complete is there twice; there are no escapes.
static bool hasRepeat(const std::string &text) {
  std::set<std::string> items;
  for (size_t at = text.find('"'); at != std::string::npos;) {
    size_t end = text.find('"', at + 1);
    if (end == std::string::npos) {
      return false;
    }
    if (!items.insert(text.substr(at, end - at)).second) {
      return true;
    }
    at = text.find('"', end + 1);
  }
  return false;
}

TEST(UniqueItems, MasksLackWhatRepeatsAndNothingElse) {
  std::string items = R"("type": "array", "items": {"type": "string",
    "pattern": "^[ab]*$"})";
  GrammarPointer list = schema("{" + items + "}");
  GrammarPointer set = schema("{" + items + R"(, "uniqueItems": true})");
  auto trie = trieOf({"[",
                      "]",
                      "\"",
                      ",",
                      " ",
                      "a",
                      "b",
                      "[\"",
                      "\"]",
                      "\",\"",
                      "\", \"",
                      "a\"",
                      "ab\",\"",
                      "a\",\"a",
                      "a\",\"a\"",
                      "\",\"b\",\"",
                      "b\"]",
                      "[]",
                      ",\"b\",\"b\"",
                      "\"\"",
                      "aa",
                      "abab",
                      "[\"a\",\"b\",\"a\""});
  std::mt19937 random(1);
  size_t repeats = 0;
  for (int number = 0; number < 200; ++number) {
    TokenConstraint plain(list, trie), constraint(set, trie);
    std::string text;
    for (int step = 0; step < 30 && !constraint.mustEnd(); ++step) {
      std::vector<uint32_t> all = plain.mask({}), some = constraint.mask({});
      std::vector<int32_t> allowed;
      for (size_t token = 0; token < trie->vocabulary(); ++token) {
        auto id = static_cast<int32_t>(token);
        std::string next = text + std::string(trie->bytes(id));
        bool repeated = hasRepeat(next);
        ASSERT_EQ(allows(some, token), allows(all, token) && !repeated) << next;
        repeats += allows(all, token) && repeated;
        if (allows(some, token)) {
          allowed.push_back(id);
        }
      }
      int32_t token = allowed[random() % allowed.size()];
      text += trie->bytes(token);
      plain.accept(token);
      constraint.accept(token);
    }
  }
  EXPECT_GT(repeats, 1000u);
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

} // namespace
} // namespace cheems
