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
    file.append(0, values.data(), 1);
    EXPECT_FALSE(fs::exists(out));
    file.append(0, values.data() + 2, 2);
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
    file.append(1, values.data(), 1);
    EXPECT_THROW(file.finish(), Error);
    EXPECT_THROW(file.append(1, values.data(), 1), Error);
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
  table.columns = 5;
  table.rows = 21; // more than are computed at once
  std::vector<float> expected;
  for (int64_t row = 0; row < table.rows; ++row) {
    int64_t hash = 0;
    for (int64_t i = 0; i < table.columns; ++i) { // TalkingModel.c
      table.ids.push_back((row * 7 + i * i) % fakeVocabulary);
      hash = (hash * 31 + table.ids.back() + 1) % 65521;
      for (int64_t v = 0; v < fakeVocabulary; ++v) {
        expected.push_back(v == hash % fakeVocabulary ? 3 : 0);
      }
    }
  }
  for (int64_t chunk : {0, 1, 2, 3, 5, 100}) {
    SessionOptions options;
    options.threads = 2;
    options.prefillChunk = chunk;
    auto check = [&](Session &session) {
      writeLogits(session, table, "in", out);
      EXPECT_EQ(readLogits(out).entry["shape"],
                nlohmann::json({21, 5, fakeVocabulary}));
      EXPECT_EQ(readLogits(out).values, expected) << chunk;
    };
    Session batch = sessionFor(table, "in", model, options);
    EXPECT_EQ(batch.slots(), 16);
    EXPECT_EQ(batch.context(), 5);
    check(batch);
    // rows that end at different steps, so that a step holds old and new ones
    options.slots = 3;
    options.rows = 7;
    Session ragged(model, options);
    check(ragged);
    options.slots = 1;
    options.rows = 0;
    Session alone(model, options);
    check(alone);
  }
}

TEST_F(LogitsTest, memoryIsBoundedByWhatOneStepCanUse) {
  auto model = load(talkingArtifact());
  TokenTable table;
  table.columns = 200;
  table.rows = 100;
  SessionOptions options;
  EXPECT_EQ(sessionFor(table, "in", model, options).slots(), 2);
  options.prefillChunk = 64;
  EXPECT_EQ(sessionFor(table, "in", model, options).slots(), 8);
  options.prefillChunk = 600;
  EXPECT_EQ(sessionFor(table, "in", model, options).slots(), 2);
  table.rows = 1;
  EXPECT_EQ(sessionFor(table, "in", model, options).slots(), 1);
  EXPECT_EQ(sessionFor(table, "in", model, options).maxRows(), 200);
  table.columns = 257;
  EXPECT_THROW(sessionFor(table, "in", model, options), Error);
  options.context = 300;
  EXPECT_EQ(sessionFor(table, "in", model, options).context(), 257);
}

TEST_F(LogitsTest, anInterruptionLeavesNoFile) {
  TokenTable table;
  table.columns = 2;
  table.rows = 3;
  table.ids = {1, 2, 3, 4, 5, 6};
  Session session(load(talkingArtifact()));
  try {
    writeLogits(session, table, "in", out, [] { return true; });
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::interrupted);
  }
  EXPECT_EQ(filesInFolder(), 1u);
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
  EXPECT_THAT(refusal(2, {3, 16}), HasSubstr("token id 16 at index 1"));
  EXPECT_THAT(refusal(1, {-1}), HasSubstr("-1"));
  EXPECT_THAT(refusal(5, {1, 1, 1, 1, 1}), HasSubstr("context of 4"));
  EXPECT_EQ(filesInFolder(), 1u);
}

} // namespace
