// Texts and ids that the reference recorded (record.py), in settings that
// change one of its parts each.
#include "TestSupport.h"

#include "runtime/Tokenizer/StreamingDecoder.h"

#include <cstdlib>

namespace cheems::test {
namespace {

std::vector<Json> recorded() {
  const char *path = std::getenv("CHEEMS_TEST_REFERENCE");
  if (!path) {
    return readLines("reference.jsonl");
  }
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(Json::parse(line));
  }
  return lines;
}

std::string streamed(const Tokenizer &tokenizer, const Ids &ids, bool skip) {
  StreamingDecoder stream(tokenizer, skip);
  std::string text;
  for (int32_t id : ids) {
    text += stream.push(id);
  }
  return text + stream.finish();
}

TEST(Reference, encodesAndDecodesAsRecorded) {
  std::vector<Json> settings = recorded();
  ASSERT_GT(settings.size(), 100u);
  for (const Json &setting : settings) {
    Json json = Json::parse(readData(setting["base"].get<std::string>()));
    json.merge_patch(setting["patch"]);
    SCOPED_TRACE(setting["patch"].dump());
    Tokenizer tokenizer(json.dump());
    for (const Json &line : setting["encoded"]) {
      auto text = line[0].get<std::string>();
      EXPECT_EQ(tokenizer.encode(text, false), line[1].get<Ids>())
          << line[0].dump(-1, ' ', true);
    }
    for (const Json &line : setting["decoded"]) {
      Ids ids = line[0].get<Ids>();
      for (bool skip : {false, true}) {
        auto text = line[skip ? 2 : 1].get<std::string>();
        EXPECT_EQ(tokenizer.decode(ids, skip), text) << line[0];
        EXPECT_EQ(streamed(tokenizer, ids, skip), text) << line[0];
      }
    }
  }
}

} // namespace
} // namespace cheems::test
