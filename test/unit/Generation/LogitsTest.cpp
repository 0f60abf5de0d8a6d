// Logits from file to file: whole or not at all, each row on its own.
#include "TalkingArtifact.h"
#include "runtime/Error.h"
#include "runtime/Generation/LogitsFile.h"
#include "runtime/Generation/LogitsMode.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class LogitsTest : public testing::Test {
protected:
  TemporaryFile neighbour{"x"};
  fs::path folder = fs::path(neighbour.path()).parent_path();
  std::string out = (folder / "out.safetensors").string();

  size_t filesInFolder() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder), {}));
  }
};

struct Logits {
  nlohmann::json entry;
  std::vector<float> values;
};

Logits readLogits(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  Logits logits;
  logits.entry = nlohmann::json::parse(bytes.substr(8, size)).at("logits");
  logits.values.resize((bytes.size() - 8 - size) / sizeof(float));
  std::memcpy(logits.values.data(), bytes.data() + 8 + size,
              logits.values.size() * sizeof(float));
  return logits;
}

TEST_F(LogitsTest, theFileAppearsWhenItIsWhole) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  {
    LogitsFile file(out, 1, 3, 2);
    file.append(values.data(), 1);
    EXPECT_FALSE(fs::exists(out));
    file.append(values.data() + 2, 2);
    file.finish();
  }
  Logits logits = readLogits(out);
  EXPECT_EQ(logits.entry["dtype"], "F32");
  EXPECT_EQ(logits.entry["shape"], nlohmann::json({1, 3, 2}));
  EXPECT_EQ(logits.entry["data_offsets"], nlohmann::json({0, 24}));
  EXPECT_EQ(logits.values, values);
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_F(LogitsTest, anUnfinishedFileLeavesNothing) {
  std::vector<float> values(2);
  {
    LogitsFile file(out, 2, 1, 2);
    file.append(values.data(), 1);
    EXPECT_THROW(file.finish(), Error);
    EXPECT_THROW(file.append(values.data(), 2), Error);
  }
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(LogitsTest, placesThatCannotBeWrittenAreNamed) {
  for (std::string path : {std::string("/no/such/folder/x"), folder.string()}) {
    try {
      LogitsFile file(path, 1, 1, 1);
      FAIL();
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

TEST_F(LogitsTest, rowsAreSequencesOfTheirOwnWholeOrInChunks) {
  auto model = load(talkingArtifact());
  TokenTable table;
  table.rows = 3;
  table.columns = 5;
  table.ids = {0, 4, 5, 6, 7, 0, 1, 2, 3, 4, 9, 9, 9, 9, 9};
  std::vector<float> expected;
  for (int64_t row = 0; row < 3; ++row) {
    int64_t hash = 0;
    for (int64_t i = 0; i < 5; ++i) { // TalkingModel.c
      hash = (hash * 31 + table.ids[row * 5 + i] + 1) % 65521;
      for (int64_t v = 0; v < fakeVocabulary; ++v) {
        expected.push_back(v == hash % fakeVocabulary ? 3 : 0);
      }
    }
  }
  for (int64_t chunk : {0, 1, 2}) {
    SessionOptions options;
    options.threads = 2;
    options.prefillChunk = chunk;
    Session session(model, options);
    writeLogits(session, table, "in", out);
    EXPECT_EQ(readLogits(out).entry["shape"],
              nlohmann::json({3, 5, fakeVocabulary}));
    EXPECT_EQ(readLogits(out).values, expected);
  }
}

TEST_F(LogitsTest, badTablesAreRefusedBeforeAFileIsMade) {
  SessionOptions options;
  options.context = 4;
  Session session(load(talkingArtifact()), options);
  auto refusal = [&](int64_t columns, std::vector<int64_t> ids) {
    TokenTable table;
    table.rows = 1;
    table.columns = columns;
    table.ids = std::move(ids);
    try {
      writeLogits(session, table, "in", out);
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal(2, {3, 16}), HasSubstr("token id 16 at place 1"));
  EXPECT_THAT(refusal(1, {-1}), HasSubstr("-1"));
  EXPECT_THAT(refusal(5, {1, 1, 1, 1, 1}), HasSubstr("context of 4"));
  EXPECT_EQ(filesInFolder(), 1u);
}

} // namespace
