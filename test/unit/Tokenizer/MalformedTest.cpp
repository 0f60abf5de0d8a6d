// Files that are cut off, of the wrong shape, or that contradict themselves.
#include "TestSupport.h"

namespace cheems::test {
namespace {

TEST(Malformed, everyTruncationIsRefused) {
  std::string text = byteTokenizer().dump();
  for (size_t length = 0; length < text.size(); length += 7) {
    EXPECT_THAT(loadError(text.substr(0, length)).what(),
                testing::HasSubstr("tokenizer.json: not valid JSON"));
  }
}

TEST(Malformed, notAnObject) {
  for (const char *text : {"null", "[]", "3", "\"x\"", "true"}) {
    EXPECT_THAT(loadError(text).what(),
                testing::HasSubstr("not a JSON object"));
  }
  EXPECT_THAT(loadError("{\"model\": \"\xFF\"}").what(),
              testing::HasSubstr("not valid JSON"));
}

TEST(Malformed, everyFieldOfTheWrongTypeIsRefused) {
  Json json = byteTokenizer();
  for (const char *field :
       {"normalizer", "pre_tokenizer", "post_processor", "decoder", "model"}) {
    for (const char *value :
         {"3", "\"ByteLevel\"", "[]", "{}", R"({"type": 3})"}) {
      Json changed = json;
      changed[field] = Json::parse(value);
      expectMalformed(changed, field);
    }
  }
  json["added_tokens"] = 3;
  expectMalformed(json, "added_tokens");
  json["added_tokens"] = {3};
  expectMalformed(json, "added_tokens[0]");
}

TEST(Malformed, missingModel) {
  Json json = byteTokenizer();
  json.erase("model");
  expectMalformed(json, "'model' is missing");
  json["model"] = {{"type", "BPE"}, {"merges", Json::array()}};
  expectMalformed(json, "'vocab' is missing");
  json["model"] = {{"type", "BPE"}, {"vocab", Json::object()}};
  expectMalformed(json, "'merges' is missing");
}

TEST(Malformed, ids) {
  for (const char *id : {"-1", "4194304", "2147483648", "18446744073709551615",
                         "1.5", "\"7\"", "null", "[]", "1e300"}) {
    Json json = byteTokenizer();
    json["model"]["vocab"]["new"] = Json::parse(id);
    expectMalformed(json, "\"new\"");
  }
  Json json = byteTokenizer();
  json["model"]["vocab"]["new"] = 256;
  expectMalformed(json, "share id 256");
}

TEST(Malformed, merges) {
  for (const char *merge :
       {"\"ab\"", "\"a b c\"", "\"a  b\"", "[\"a\"]", "[\"a\", \"b\", \"c\"]",
        "[\"a\", 3]", "3", "null", "[\"a\", \"zz\"]", "\"zz a\"",
        "[\"a\", \"c\"]", "\"\""}) {
    Json json = byteTokenizer();
    json["model"]["merges"].push_back(Json::parse(merge));
    expectMalformed(json, "merges[3]");
  }
}

TEST(Malformed, deepNesting) {
  for (auto [component, list] :
       std::vector<std::pair<const char *, const char *>>{
           {"normalizer", "normalizers"},
           {"pre_tokenizer", "pretokenizers"},
           {"post_processor", "processors"},
           {"decoder", "decoders"}}) {
    Json nested = {{"type", "Sequence"}, {list, Json::array()}};
    for (int depth = 0; depth < 200; ++depth) {
      Json outer = {{"type", "Sequence"}, {list, Json::array()}};
      outer[list].push_back(std::move(nested));
      nested = std::move(outer);
    }
    Json json = byteTokenizer();
    json[component] = nested;
    expectMalformed(json, "nest too deeply");
  }
  loadError(std::string(100'000, '['));
  loadError("{\"model\":" + std::string(100'000, '[') +
            std::string(100'000, ']') + "}");
}

TEST(Malformed, messagesStayOnOneLineWhateverTheNames) {
  Json json = byteTokenizer();
  json["pre_tokenizer"] = {{"type", "a\nb"}};
  loadError(json.dump()); // checks the line itself
  json = byteTokenizer();
  json["model"]["vocab"]["x\ny\r\x01"] = -1;
  loadError(json.dump());
}

} // namespace
} // namespace cheems::test
