// Exactly what the reference implementation gives, recorded with it: for a
// whole tokenizer (encode.jsonl), and for its components in many settings put
// into that tokenizer (components.jsonl).
#include "TestSupport.h"

#include "runtime/Tokenizer/StreamingDecoder.h"
#include "test/unit/Support/TestPaths.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace cheems::test {
namespace {

/// A limit that the text just keeps changes nothing, and one token less is too
/// few.
void checkLimits(const Tokenizer &tokenizer, const std::string &text,
                 const Ids &ids) {
  EXPECT_EQ(tokenizer.encode(text, false, true, ids.size()), ids) << text;
  if (!ids.empty()) {
    EXPECT_THROW(tokenizer.encode(text, false, true, ids.size() - 1),
                 TooManyTokens)
        << text;
  }
}

TEST(Golden, wholeTokenizerEncodesAndDecodesAsRecorded) {
  Tokenizer tokenizer(readData("tokenizer.json"),
                      readData("tokenizer_config.json"));
  std::vector<Json> lines = readLines("encode.jsonl");
  ASSERT_EQ(lines.size(), 66u);
  for (const Json &line : lines) {
    auto text = line["text"].get<std::string>();
    auto ids = line["ids"].get<Ids>();
    EXPECT_EQ(tokenizer.encode(text, false), ids) << text;
    checkLimits(tokenizer, text, ids);
    EXPECT_EQ(tokenizer.encode(text, true), line["ids_with_special"].get<Ids>())
        << text;
    EXPECT_EQ(tokenizer.decode(ids, false), line["decoded"].get<std::string>());
    EXPECT_EQ(tokenizer.decode(ids, true),
              line["decoded_skip_special"].get<std::string>());
  }
}

TEST(Golden, componentsEncodeAsRecorded) {
  const Json base = Json::parse(readData("tokenizer.json"));
  std::vector<Json> settings = readLines("components.jsonl");
  ASSERT_EQ(settings.size(), 63u);
  for (const Json &setting : settings) {
    Json json = base;
    json["model"]["ignore_merges"] = setting["ignore_merges"];
    json["normalizer"] = setting["normalizer"];
    json["pre_tokenizer"] = setting["pre_tokenizer"];
    json["added_tokens"].insert(json["added_tokens"].end(),
                                setting["added_tokens"].begin(),
                                setting["added_tokens"].end());
    Tokenizer tokenizer(json.dump());
    for (const Json &line : setting["cases"]) {
      auto text = line["text"].get<std::string>();
      EXPECT_EQ(tokenizer.encode(text, false), line["ids"].get<Ids>())
          << setting.dump();
      checkLimits(tokenizer, text, line["ids"].get<Ids>());
      const Json &plain = line.contains("raw") ? line["raw"] : line["ids"];
      EXPECT_EQ(tokenizer.encode(text, false, false), plain.get<Ids>())
          << setting.dump();
    }
  }
}

TEST(Golden, threadsShareATokenizer) {
  Tokenizer tokenizer(readData("tokenizer.json"));
  std::vector<Json> lines = readLines("encode.jsonl");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        for (const Json &line : lines) {
          wrong += tokenizer.encode(line["text"].get<std::string>(), false) !=
                   line["ids"].get<Ids>();
        }
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Golden, demoModelsTokenizerRoundTrips) {
  std::string folder = std::string(cheems::test_paths::sourceFolder) +
                       "/models/doge-shakespeare/";
  auto read = [&](const char *name) {
    std::ifstream file(folder + name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  };
  Tokenizer tokenizer(read("tokenizer.json"), read("tokenizer_config.json"));
  std::string text = "ROMEO:\nBut, soft! what light through yonder window "
                     "breaks? — é日🎉\t  \n";
  Ids ids = tokenizer.encode(text, false);
  EXPECT_EQ(tokenizer.decode(ids, false), text);
  EXPECT_LT(ids.size(), text.size());
  EXPECT_LT(*std::max_element(ids.begin(), ids.end()),
            tokenizer.vocabularySize());
}

} // namespace
} // namespace cheems::test
