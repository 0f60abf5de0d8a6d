// Compiled models of all kernels on several threads under ThreadSanitizer: no
// two workers of a parallel body touch the same place, one of them writing.
//
// The compiler is that of the release build, which puts the checks into the
// code it makes; this program is built with ThreadSanitizer, and so is the pool
// that it links.
//
//   CHEEMS_RELEASE_BIN   the folder of cheems-compile (build/release/bin)
#include "runtime/Session/Session.h"
#include "test/unit/Support/RandomCheckpoint.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestPaths.h"
#include "test/unit/Support/TestRun.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

extern "C" const char *__tsan_default_options() {
  return "halt_on_error=1:exitcode=66";
}

namespace cheems::test {
namespace {

std::filesystem::path releaseFolder() {
  const char *given = std::getenv("CHEEMS_RELEASE_BIN");
  return given ? std::filesystem::path(given)
               : std::filesystem::path(cheems::test_paths::sourceFolder) /
                     "build/release/bin";
}

void runTool(const std::string &tool, const std::string &arguments) {
  std::string command = (releaseFolder() / tool).string() + " " + arguments;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

/// Wide enough for matmuls, attention, SSD and experts to be shared out.
RandomCheckpoint model(uint64_t seed) {
  RandomCheckpoint c;
  c.seed = seed;
  c.cheems = c.authorNames = c.oldRopeFields = true;
  c.queryKeyNorms = false;
  c.heads = 4;
  c.keyValueHeads = 2;
  c.headDim = 32;
  c.hidden = 128;
  c.intermediate = 192;
  c.vocabulary = 200;
  c.layers = c.attentionPeriod = 2;
  c.attentionOffset = 1;
  c.stateSize = 32;
  c.groups = 2;
  c.skip = true;
  c.keepWindow = 40;
  c.expertLayers = RandomCheckpoint::Experts::All;
  c.keyCount = 12;
  c.experts = 144;
  c.expertHeads = 2;
  c.expertsPerHead = 9;
  c.retrievalSize = 16;
  return c;
}

RandomCheckpoint everyKey(uint64_t seed) {
  RandomCheckpoint c = model(seed);
  c.keepWindow.reset();
  c.stored = RandomCheckpoint::Stored::BF16;
  return c;
}

struct Case {
  const char *name;
  RandomCheckpoint checkpoint;
  const char *options;
};

class Race : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(releaseFolder() / "cheems-compile")) {
      std::printf("skipped: races of compiled models: no release build\n");
      GTEST_SKIP() << "no cheems-compile in " << releaseFolder()
                   << ": build the release preset first";
    }
  }
  TemporaryFolder folder;
};

/// Prompts of several sequences, whole and in pieces, and decoded tokens, alone
/// and together.
void exercise(const std::string &artefact, int threads) {
  SessionOptions options;
  options.threads = threads;
  options.slots = 2;
  options.context = 400;
  options.prefillChunk = 150;
  Session session(Model::open(artefact), options);
  std::vector<int32_t> ids(150);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int32_t>(i * 7 % 50);
  }
  std::vector<float> logits(2 * session.vocabulary());
  for (int64_t slot : {0, 1}) {
    session.prefill(slot, ids, logits.data());
  }
  for (int i = 0; i < 6; ++i) {
    session.decode(0, ids[i], logits.data());
    cheems_segment segments[2] = {};
    int32_t tokens[2] = {ids[i], ids[i + 1]}, rows[2] = {0, 1};
    for (int32_t s : {0, 1}) {
      segments[s].slot = segments[s].start = s;
      segments[s].length = 1;
      segments[s].position = static_cast<int32_t>(session.position(s));
    }
    session.step({tokens, segments, rows}, logits.data());
  }
  for (float value : logits) {
    ASSERT_TRUE(std::isfinite(value));
  }
}

TEST_P(Race, NoTwoWorkersTouchTheSamePlace) {
  const Case &what = GetParam();
  writeCheckpoint(what.checkpoint, folder.path / "model");
  std::string artefact = folder.path / "model.cheems";
  ASSERT_NO_FATAL_FAILURE(runTool(
      "cheems-compile", (folder.path / "model").string() + " -o " + artefact +
                            " --cpu native --race-checks " + what.options));
  for (int threads : {2, 4}) {
    exercise(artefact, threads);
  }
}

/// Every run has all kinds of loops; long runs have more types.
std::vector<Case> cases() {
  std::vector<Case> list = {{"int4_kv_int8_grouped_experts", model(902),
                             "--weights int4 --kv int8 --group-experts 40"},
                            {"bf16_all_keys", everyKey(903), ""}};
  if (isLongRun()) {
    list.push_back({"f32_window", model(901), ""});
    list.push_back({"int8", everyKey(904), "--weights int8"});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(Models, Race, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

// Without it one could not tell a clean run from one that checks nothing: the
// planted step has all workers of a parallel body write one element.
TEST(PlantedRace, WorkersThatWriteTheSamePlaceAreReported) {
  TemporaryFolder folder;
  if (!std::filesystem::exists(releaseFolder() / "write-racy-artefact")) {
    std::printf("skipped: planted races: no release build\n");
    GTEST_SKIP() << "no write-racy-artefact in " << releaseFolder()
                 << ": build the release preset's tests first";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char *kind : {"number", "vector", "masked"}) {
    std::string artefact = folder.path / (std::string(kind) + ".cheems");
    ASSERT_NO_FATAL_FAILURE(
        runTool("write-racy-artefact", std::string(kind) + " " + artefact));
    auto decode = [&] {
      SessionOptions options;
      options.threads = 4;
      Session session(Model::open(artefact), options);
      std::vector<float> logits(session.vocabulary());
      for (int i = 0; i < 100; ++i) {
        session.reset(0);
        session.decode(0, 0, logits.data());
      }
    };
    EXPECT_DEATH(decode(), "WARNING: ThreadSanitizer: data race") << kind;
  }
}

} // namespace
} // namespace cheems::test
