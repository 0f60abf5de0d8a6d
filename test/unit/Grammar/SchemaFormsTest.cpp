// Schemas as pydantic and zod write them: each keyword that narrows narrows,
// and what fits can be written.
#include "TestSupport.h"

namespace cheems {
namespace {

using namespace grammar_tests;
using testing::HasSubstr;

void expectStrings(const std::string &text,
                   const std::vector<std::string> &accepted,
                   const std::vector<std::string> &refused) {
  auto quoted = [](std::vector<std::string> all) {
    for (std::string &one : all) {
      one = "\"" + one + "\"";
    }
    return all;
  };
  expectTexts(schema(text), quoted(accepted), quoted(refused));
}

void expectFormat(const std::string &name,
                  const std::vector<std::string> &accepted,
                  const std::vector<std::string> &refused) {
  expectStrings("{\"type\": \"string\", \"format\": \"" + name + "\"}",
                accepted, refused);
}

TEST(Formats, DatesAndTimesAreOnesThatExist) {
  expectFormat("date", {"2024-02-29", "2000-02-29", "1999-12-31"},
               {"2023-02-29", "1900-02-29", "2024-13-01", "2024-04-31",
                "0000-01-01", "2024-1-1", "2024-01-01T"});
  expectFormat("time", {"12:34:56Z", "23:59:59.123+05:30"},
               {"24:00:00Z", "12:60:00Z", "12:34:56", "12:34Z"});
  expectFormat("date-time", {"2024-02-29T00:00:00Z"},
               {"2023-02-29T00:00:00Z", "2024-02-29 00:00:00Z"});
  expectFormat("duration", {"P1Y", "P1DT2H3M", "PT5S", "P3W", "P1Y2M3D"},
               {"P", "PT", "P1Y2D", "P1S", "PT1H2S", "1D"});
}

TEST(Formats, NamesAndAddresses) {
  expectFormat("uuid", {"123e4567-e89b-12d3-a456-426614174000"},
               {"123e4567e89b12d3a456426614174000", "123e4567-e89b"});
  expectFormat("uuid4", {"123e4567-e89b-42d3-a456-426614174000"},
               {"123e4567-e89b-12d3-a456-426614174000",
                "123e4567-e89b-42d3-c456-426614174000"});
  expectFormat("email", {"a.b+c@example.co.uk"},
               {"a@b", ".a@b.com", "a..b@c.de", "a@-b.com", "a b@c.de",
                std::string(65, 'a') + "@b.de"});
  expectFormat("hostname", {"a", "www.example.org", "a-b.c"},
               {"-a.b", "a..b", "a-.b", "a.b.", "ab--c.de"});
  expectFormat("ipv4", {"0.0.0.0", "255.255.255.255", "10.20.30.40"},
               {"256.1.1.1", "1.1.1", "01.1.1.1", "1.1.1.1.1"});
  expectFormat(
      "ipv6", {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "fe80::1:2"},
      {":", "1:2:3:4:5:6:7", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9"});
  expectFormat("uri", {"https://example.org/a?b=c#d", "ftp://a.b:21/%20"},
               {"example.org", "https://a b", "https://", "https://a/%2"});
}

TEST(Formats, OthersAreRemarks) {
  // as pydantic and zod write them
  for (const char *name :
       {"regex", "password", "binary", "byte", "base64", "base64url", "color",
        "phone", "path", "file-path", "directory-path", "json-string",
        "ipv4network", "ipv6network", "ipv4interface", "ipv6interface",
        "multi-host-uri", "jwt", "emoji"}) {
    expectFormat(name, {"x", ""}, {});
  }
}

TEST(Formats, HoldBesideLengths) {
  expectStrings(R"s({"format": "uri", "minLength": 1, "maxLength": 20})s",
                {"http://abcdefghijklm"}, {"http://abcdefghijklmn"});
  // as HttpUrl of pydantic, several times
  EXPECT_EQ(fault(R"({"prefixItems": [
    {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2083},
    {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2083},
    {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2083}]})"),
            "");
  expectStrings(R"({"format": "uuid", "minLength": 36, "maxLength": 40})",
                {"123e4567-e89b-12d3-a456-426614174000"}, {""});
  std::string name(63, 'a');
  expectStrings(R"({"format": "hostname", "maxLength": 100})",
                {name, "www.example.org", "a." + name.substr(2)},
                {name + "a", "a." + name, "-a.b", "ab--c.de", "a.", ""});
  expectStrings(R"({"format": "hostname", "minLength": 70, "maxLength": 100})",
                {name.substr(30) + "." + name.substr(31) + ".org"},
                {name + ".org", name + ".example.org"});
}

TEST(Formats, EmailsOfAllLengthsAreValid) {
  auto local = [](size_t length) { return std::string(length, 'a'); };
  for (int maximum : {12, 50, 67, 68, 100, 127, 128, 254, 2083}) {
    GrammarPointer grammar = schema("{\"format\": \"email\", \"maxLength\": " +
                                    std::to_string(maximum) + "}");
    auto most = static_cast<size_t>(maximum);
    size_t half = std::min<size_t>(most / 2 - 1, 64);
    size_t left = std::min<size_t>(most - 1 - half, 63);
    expectTexts(grammar,
                {"\"a@b.de\"", "\"a.b@c-d.org\"",
                 "\"" + local(half) + "@b." + local(left - 2) + "\""},
                {"\"a..b@c.de\"", "\"a@b\"", "\"a@-b.de\"",
                 "\"" + local(65) + "@b.de\"",
                 "\"" + local(most - 4) + "@b.de\"",
                 "\"a@" + local(64) + ".de\""});
  }
}

TEST(Formats, APatternBesideOneDecidesAlone) {
  // as email(), time() and datetime() of zod
  std::string email =
      R"s("format": "email", "pattern": "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$")s";
  expectStrings("{" + email + "}", {"a.b@c.de", "o'neil@c-.de"},
                {"a..b@c.de", ".a@c.de", "a@c"});
  expectStrings("{" + email + R"(, "maxLength": 9})", {"a.b@c.de", "ab.c@d.ef"},
                {"a..b@c.de", "a.b@c", "abcd@ef.gh"});
  EXPECT_EQ(fault("{\"prefixItems\": [{" + email + R"(, "maxLength": 50}, {)" +
                  email + R"(, "maxLength": 254}]})"),
            "");
  expectStrings(
      R"s({"format": "time", "pattern": "^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?$"})s",
      {"12:30", "12:30:59.5"}, {"12:30Z", "24:00", "12:30:00.", ""});
  expectStrings(R"s({"format": "date-time", "pattern": "^.{19}Z$"})s",
                {"2024-01-01T00:00:00Z"}, {"2024-01-01T00:00:00+01:00"});
  // as hostname() and email({pattern: unicodeEmail})
  expectStrings(
      R"s({"format": "hostname", "pattern": "^(?=.{1,253}\\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$"})s",
      {"a", "www.example.org", "example.org.", "a-b.c"},
      {"", ".", "-a", "a-", "a..b", std::string(64, 'a')});
  expectStrings(
      R"s({"format": "email", "pattern": "^[^\\s@\"]{1,64}@[^\\s@]{1,255}$", "maxLength": 100})s",
      {"é@b", std::string(64, 'a') + "@" + std::string(35, 'b')},
      {"a b@c", "@b", std::string(64, 'a') + "@" + std::string(36, 'b')});
  // the pattern of another schema holds beside the format
  expectStrings(R"({"allOf": [{"format": "date"}, {"pattern": "^2024"}]})",
                {"2024-02-29"}, {"2023-01-01", "2024"});
}

TEST(Strings, ManyOfGreatLengthsShareTheirEnds) {
  std::string fields;
  for (int index = 0; index < 50; ++index) {
    fields += (index ? R"(, "p)" : R"("p)") + std::to_string(index) +
              R"(": {"maxLength": )" + std::to_string(5000 + index) +
              R"(, "minLength": )" + std::to_string(index % 3) + "}";
  }
  auto grammar =
      schema(R"({"type": "object", "properties": {)" + fields + "}}");
  std::string text(5001, 'x');
  expectTexts(grammar,
              {R"({"p0":"","p49":"\u00e9"})", "{\"p1\":\"" + text + "\"}"},
              {R"({"p1":""})", "{\"p0\":\"" + text + "\"}"});
  // what is beyond the most that can be counted is not written
  expectTexts(schema(R"({"maxLength": 100000, "minLength": 2})"),
              {"\"ab\"", "\"" + text + "\""}, {"\"a\""});
  EXPECT_THAT(fault(R"({"minLength": 65537})"), HasSubstr("at most 65536"));
}

TEST(JsonSchema, EqualSchemasAtDifferentPlacesShareTheirRules) {
  std::string fields;
  for (int index = 0; index < 40; ++index) {
    fields +=
        (index ? R"(, "p)" : R"("p)") + std::to_string(index) +
        R"s(": {"title": "t)s" + std::to_string(index) +
        R"s(", "format": "email", "pattern": "^[^@ ]+@([a-z0-9][a-z0-9-]*\\.)+[a-z]{2,9}$", "maxLength": 254})s";
  }
  GrammarPointer many = schema("{\"properties\": {" + fields + "}}");
  EXPECT_TRUE(accepts(many, R"({"p0":"a@b.de","p39":"c@d.ef"})"));
  EXPECT_FALSE(accepts(many, R"({"p0":"a@b.de","p39":"c"})"));
  // names of properties are no remarks, and values differ
  expectTexts(schema(R"({"prefixItems": [
    {"properties": {"title": {"const": 1}}},
    {"properties": {"title": {"const": 2}}},
    {"properties": {}, "title": "t"}]})"),
              {R"([{"title":1},{"title":2},{}])"},
              {R"([{"title":2},{"title":1},{}])", R"([{},{},{"title":1}])"});
}

TEST(Patterns, LookAheadHoldsWhereItStands) {
  // as Decimal of pydantic
  expectStrings(
      R"s({"pattern": "^(?!^[-+.]*$)[+-]?0*(?:\\d{0,3}|(?=[\\d.]{1,6}0*$)\\d{0,3}\\.\\d{0,2}0*$)"})s",
      {"1", "-12.34", "123.450", "0.5"}, {"", "-", ".", "+."});
  expectStrings(R"s({"pattern": "^(?:(?!ab)[a-c]{2})+$"})s",
                {"aa", "ba", "bcac"}, {"ab", "aaab", "a"});
  expectStrings(R"s({"pattern": "^(?=.{2,3}$)a*b*$"})s", {"ab", "aaa", "abb"},
                {"a", "aabb"});
  expectStrings(R"s({"pattern": "^(?=(?!b).*c)\\w+$"})s", {"ac", "c"},
                {"bc", "aa"});
  // one that looks further than the one that it is in
  expectStrings(R"s({"pattern": "^(?!a(?!bc))\\w+$"})s", {"abc", "b"},
                {"a", "ab", "abd", "aa"});
  expectStrings(R"s({"pattern": "^(?=a(?=bc|$))\\w+$"})s", {"abc", "a"},
                {"b", "ab", "abd"});
}

TEST(Numbers, BoundsOfDecimalsAreExact) {
  expectTexts(schema(R"({"type": "number", "minimum": -1.5, "maximum": 2.25})"),
              {"-1.5", "-1.50", "-0.1", "0", "2", "2.25", "2.249999", "1.0"},
              {"-1.51", "-2", "2.26", "3", "2.250001", "-", "1.", "1e0"});
  expectTexts(schema(R"({"type": "number", "exclusiveMinimum": 0,
        "exclusiveMaximum": 1})"),
              {"0.5", "0.00000000000001", "0.99999999999999"},
              {"0", "0.0", "-0", "1", "1.0", "-0.5", "0.00000000000000001"});
  expectTexts(schema(R"({"type": "number", "minimum": 0,
    "exclusiveMinimum": true})"),
              {"0.1"}, {"0", "-1"});
  expectTexts(schema(R"({"type": "number", "minimum": -3.4e38,
    "maximum": 3.4e38})"),
              {"-12.5", "999999999999999"}, {"1e39"});
  expectTexts(schema(R"({"type": "number", "minimum": 99.5})"),
              {"99.5", "100", "12345.678"}, {"99.4", "9", "-100"});
}

TEST(Numbers, MultiplesAreExact) {
  for (int step : {2, 3, 7, 10, 60, 100}) {
    GrammarPointer all = schema(R"({"type": "integer", "multipleOf": )" +
                                std::to_string(step) + "}");
    GrammarPointer some =
        schema(R"({"type": "integer", "minimum": -150, "maximum": 222,
          "multipleOf": )" +
               std::to_string(step) + "}");
    for (int value = -400; value <= 400; ++value) {
      std::string text = std::to_string(value);
      EXPECT_EQ(accepts(all, text), value % step == 0) << text << " " << step;
      EXPECT_EQ(accepts(some, text),
                value % step == 0 && -150 <= value && value <= 222)
          << text << " " << step;
    }
  }
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.25})"),
              {"0", "1", "1.5", "-2.75", "1.50"}, {"1.1", "0.3", "2.251"});
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.1, "minimum": 0,
    "maximum": 1})"),
              {"0", "0.1", "0.5", "1"}, {"0.15", "1.1", "-0.1"});
  EXPECT_THAT(fault(R"({"multipleOf": 0})"), HasSubstr("above 0"));
}

TEST(Numbers, MultiplesOfDecimalFractionsNeedNoBounds) {
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.01})"),
              {"0", "0.07", "-12.3", "12.30", "1000000", "99999.99"},
              {"0.001", "1.234", "1e2", "-0.005", ".5", "1."});
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.05, "minimum": 0})"),
              {"0", "0.05", "0.1", "17.95", "3"},
              {"-0.05", "0.01", "0.051", "17.99"});
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.001,
    "exclusiveMinimum": 0})"),
              {"0.001", "2.125", "7"}, {"0", "0.0", "0.0005", "-1"});
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.1, "maximum": -1})"),
              {"-1", "-1.1", "-70.3"}, {"-0.9", "-1.15", "0", "1"});
  // more of them than are listed
  expectTexts(schema(R"({"type": "number", "multipleOf": 0.01, "minimum": 0,
    "maximum": 1000})"),
              {"0", "0.29", "999.99", "1000"}, {"1000.01", "-0.01", "0.295"});
  expectTexts(schema(R"({"type": "number", "multipleOf": 1.05})"),
              {"1.05", "2.1", "21", "-3.15"}, {"1", "1.06", "2.11"});
  expectTexts(schema(R"({"type": "integer", "multipleOf": 0.01})"),
              {"0", "29", "-7", "1234567"}, {"0.01", "1.0"});
  expectTexts(schema(R"({"type": "integer", "multipleOf": 2.5})"),
              {"0", "5", "-10", "12345"}, {"2.5", "1", "12", "7"});
  EXPECT_THAT(fault(R"({"type": "number", "multipleOf": 1.0000001})"),
              HasSubstr("at most 6 are possible"));
}

TEST(Combinations, AllOfHoldsAllTogether) {
  expectTexts(schema(R"({"allOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}},
         "required": ["a"]},
        {"properties": {"b": {"type": "string"}, "a": {"minimum": 5}},
         "required": ["b"]}]})"),
              {"{\"a\":5,\"b\":\"\"}"},
              {"{\"a\":4,\"b\":\"\"}", "{\"a\":5}", "{\"b\":\"\"}"});
  expectTexts(schema(R"({"allOf": [{"$ref": "#/$defs/s"}, {"maxLength": 2}],
    "minLength": 1, "$defs": {"s": {"type": "string"}}})"),
              {"\"a\"", "\"ab\""}, {"\"\"", "\"abc\"", "1"});
  expectTexts(schema(R"({"allOf": [{"pattern": "^a"}, {"pattern": "b$"}]})"),
              {"\"ab\"", "\"axb\""}, {"\"a\"", "\"b\"", "\"ba\""});
  expectTexts(schema(R"({"allOf": [{"enum": [1, 2, 3]}, {"enum": [2, 3, 4]},
    {"minimum": 3}]})"),
              {"3"}, {"1", "2", "4"});
  EXPECT_THAT(fault(R"({"allOf": [{"type": "string"}, {"type": "null"}]})"),
              HasSubstr("no type fits all"));
}

TEST(Combinations, OneOfMustSurelyFitOne) {
  // as pydantic's discriminated unions
  expectTexts(
      schema(R"({"oneOf": [{"$ref": "#/$defs/C"}, {"$ref": "#/$defs/D"}],
    "discriminator": {"propertyName": "k", "mapping": {"c": "#/$defs/C"}},
    "$defs": {"C": {"properties": {"k": {"const": "c"}}, "required": ["k"]},
      "D": {"properties": {"k": {"enum": ["d", "e"]}, "n": {"type": "null"}},
        "required": ["k", "n"]}}})"),
      {"{\"k\":\"c\"}", "{\"k\":\"e\",\"n\":null}"},
      {"{\"k\":\"d\"}", "{\"k\":\"f\",\"n\":null}"});
  expectTexts(schema(R"({"oneOf": [{"type": "string"}, {"type": "null"}]})"),
              {"\"\"", "null"}, {"1"});
  expectTexts(schema(R"({"oneOf": [{"format": "date", "type": "string"},
    {"format": "uuid", "type": "string"}, {"maximum": 0, "type": "integer"},
    {"minimum": 1, "type": "integer"}]})"),
              {"\"2024-01-01\"", "0", "7"}, {"\"x\""});
  expectTexts(schema(R"({"oneOf": [{"required": ["a"], "properties":
      {"a": {"type": "integer"}}}, {"required": ["b"], "properties":
      {"b": {"type": "integer"}}}]})"),
              {"{\"a\":1}", "{\"b\":1}"}, {"{}", "{\"a\":1,\"b\":1}"});
  for (
      const char *open :
      {R"([{"type": "integer"}, {"type": "number"}])",
       R"([{"type": "string"}, {"minLength": 3}])",
       R"([{"type": "number"}, {"type": "number", "minimum": 1e20}])",
       R"([{"type": "number", "maximum": 2}, {"type": "number", "minimum": 2}])",
       R"([{"properties": {"a": {}}}, {"properties": {"b": {}}}])"}) {
    EXPECT_THAT(fault("{\"oneOf\": " + std::string(open) + "}"),
                HasSubstr("a value might fit both its schemas"));
  }
}

TEST(Combinations, ConstantsOfManyMembersAreJudgedEachByItself) {
  std::string all;
  for (int value = 0; value < 3; ++value) {
    all += value ? ", {" : "{";
    for (int member = 0; member < 20; ++member) {
      all += (member ? ", \"" : "\"") +
             std::string(1, static_cast<char>('a' + value)) +
             std::to_string(member) + "\": 1";
    }
    all += "}";
  }
  GrammarPointer grammar =
      schema("{\"enum\": [" + all + "], \"required\": [\"b19\"]}");
  EXPECT_TRUE(begins(grammar, "{\"b0\":1"));
  EXPECT_FALSE(begins(grammar, "{\"a0"));
  EXPECT_FALSE(begins(grammar, "{\"c0"));
}

TEST(Combinations, NotTakesConstantsAndTypesAway) {
  expectTexts(schema(R"({"type": "string", "not": {"enum": ["a", "bc"]}})"),
              {"\"\"", "\"b\"", "\"abc\""}, {"\"a\"", "\"bc\""});
  expectTexts(schema(R"({"type": "integer", "minimum": 1, "maximum": 9,
    "not": {"const": 5}})"),
              {"1", "4", "6", "9"}, {"5", "10"});
  expectTexts(schema(R"({"type": ["string", "boolean", "null"],
    "not": {"enum": [true, null]}, "maxLength": 1})"),
              {"\"\"", "false"}, {"true", "null"});
  expectTexts(schema(R"({"not": {"type": ["object", "array"]}})"),
              {"1", "\"\"", "null"}, {"{}", "[]"});
  // as zod's never() and undefined()
  expectTexts(schema(R"({"properties": {"a": {"not": {}}, "b": {"anyOf":
    [{"not": {}}, {"type": "null"}]}}, "required": ["b"]})"),
              {"{\"b\":null}"}, {"{\"a\":1,\"b\":null}"});
  EXPECT_THAT(fault(R"({"not": {"minLength": 3}})"), HasSubstr("not is"));
  EXPECT_THAT(fault(R"({"not": {}})"), HasSubstr("accepts nothing"));
}

TEST(Objects, PatternsAndNamesOfProperties) {
  expectTexts(schema(R"({"type": "object", "patternProperties": {
    "^x-": {"type": "integer"}, "^y": {"type": "null"}},
    "properties": {"x-a": {"minimum": 5}}})"),
              {"{}", "{\"x-b\":1,\"y\":null}", "{\"x-a\":5,\"x-\":1}"},
              {"{\"x-a\":4}", "{\"z\":1}", "{\"y\":1}", "{\"x-b\":null}"});
  expectTexts(schema(R"({"patternProperties": {"^a": {"type": "null"}},
    "additionalProperties": {"type": "integer"}})"),
              {"{\"a\":null,\"b\":1}"}, {"{\"a\":1}", "{\"b\":null}"});
  expectTexts(schema(R"({"type": "object", "propertyNames": {"minLength": 2,
    "pattern": "^[a-z]+$"}, "additionalProperties": {"type": "integer"}})"),
              {"{}", "{\"ab\":1}"}, {"{\"a\":1}", "{\"A1\":1}"});
  // as a dict of an enum; each name comes once
  expectTexts(schema(R"({"propertyNames": {"enum": ["a", "b"]},
    "additionalProperties": {"type": "integer"}, "required": ["b"]})"),
              {"{\"b\":1}"}, {"{}", "{\"a\":1}", "{\"c\":1,\"b\":1}"});
}

TEST(Objects, NumbersOfProperties) {
  expectTexts(schema(R"({"additionalProperties": {"type": "integer"},
    "minProperties": 1, "maxProperties": 2})"),
              {"{\"a\":1}", "{\"a\":1,\"b\":2}"},
              {"{}", "{\"a\":1,\"b\":2,\"c\":3}"});
  expectTexts(schema(R"({"properties": {"a": {"const": 1}, "b": {"const": 1},
    "c": {"const": 1}}, "minProperties": 2, "maxProperties": 2})"),
              {"{\"a\":1,\"b\":1}", "{\"b\":1,\"c\":1}"},
              {"{}", "{\"a\":1}", "{\"a\":1,\"b\":1,\"c\":1}"});
  expectTexts(schema(R"({"type": "object", "maxProperties": 0})"), {"{}"},
              {"{\"a\":1}"});
  EXPECT_THAT(fault(R"({"type": "object", "minProperties": 2})"),
              HasSubstr("minProperties is supported up to"));
}

TEST(Arrays, FirstItemsHaveTheirOwnSchemas) {
  expectTexts(schema(R"({"prefixItems": [{"type": "integer"},
    {"type": "string"}], "minItems": 2, "maxItems": 2})"),
              {"[1,\"\"]"}, {"[]", "[1]", "[1,1]", "[1,\"\",1]"});
  expectTexts(schema(R"({"prefixItems": [{"const": 1}], "minItems": 0,
    "items": {"const": 2}, "maxItems": 3})"),
              {"[]", "[1]", "[1,2]", "[1,2,2]"}, {"[2]", "[1,2,2,2]"});
  expectTexts(schema(R"({"items": [{"const": 1}, {"const": 2}]})"), {"[1,2]"},
              {"[1]", "[1,2,3]"});
  expectTexts(schema(R"({"items": [{"const": 1}],
    "additionalItems": {"type": "null"}})"),
              {"[1]", "[1,null]"}, {"[1,1]"});
}

TEST(JsonSchema, NullableAddsNullWhereThereIsAType) {
  expectTexts(schema(R"({"type": "string", "enum": ["a"], "nullable": true})"),
              {"\"a\"", "null"}, {"\"b\""});
  expectTexts(schema(R"({"type": "integer", "nullable": false})"), {"1"},
              {"null"});
}

TEST(JsonSchema, AlternativesThatAcceptNothingAreLeftOut) {
  expectTexts(schema(R"({"anyOf": [false, {"minItems": 2, "maxItems": 1},
    {"type": "null"}]})"),
              {"null"}, {"[]"});
}

TEST(JsonSchema, DefinitionsMayReferToThemselvesThroughAnything) {
  expectTexts(schema(R"({"allOf": [{"$ref": "#/definitions/n"}],
    "definitions": {"n": {"type": "object", "required": ["k"], "properties":
      {"k": {"type": "array", "items": {"allOf": [{"$ref": "#/definitions/n"}],
        "description": "d"}}}}}})"),
              {"{\"k\":[]}", "{\"k\":[{\"k\":[]}]}"}, {"{}", "{\"k\":[1]}"});
}

} // namespace
} // namespace cheems
