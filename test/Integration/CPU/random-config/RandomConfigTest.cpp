// Random legal checkpoints, compiled by both pipelines and run whole and in
// chunks, against the evaluator in double. GTEST_TOTAL_SHARDS and
// GTEST_SHARD_INDEX share the work between processes.
//
// The same seeds in every run, and some that CHEEMS_TEST_SEED draws; or
//
//   CHEEMS_RANDOM_SEED      the first of those to run instead (0)
//   CHEEMS_RANDOM_CONFIGS   how many of them (1)
#include "Choices.h"
#include "Tools.h"
#include "test/unit/Support/CpuVariants.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestRun.h"
#include "gtest/gtest.h"
#include <map>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

std::vector<uint64_t> seeds() {
  std::vector<uint64_t> result;
  auto add = [&](uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      result.push_back(first + i);
    }
  };
  if (std::getenv("CHEEMS_RANDOM_SEED") ||
      std::getenv("CHEEMS_RANDOM_CONFIGS")) {
    add(setting("CHEEMS_RANDOM_SEED", 0), setting("CHEEMS_RANDOM_CONFIGS", 1));
    return result;
  }
  add(0, fixedConfigs);
  uint64_t drawn = isLongRun() ? drawnInLongRuns : drawnConfigs;
  add(fixedConfigs + testSeed() * drawn, drawn);
  return result;
}

class RandomConfig : public testing::TestWithParam<uint64_t> {
protected:
  void SetUp() override {
    for (const char *tool : {"cheems-compile", "cheems-run"}) {
      if (!std::filesystem::exists(toolFolder() / tool)) {
        GTEST_SKIP() << tool << " is not in " << toolFolder()
                     << ": build it first";
      }
    }
  }
  static void TearDownTestSuite() {
    std::printf("compared %d of %d rows, %d ties went the other way\n",
                static_cast<int>(comparedRows), static_cast<int>(drawnRows),
                static_cast<int>(turnedTies));
    EXPECT_GE(2 * comparedRows, drawnRows) << "most rows were not compared";
    std::string skipped;
    std::printf("variants:");
    std::vector<std::string> names = variantNames();
    names.emplace_back(narrowDots);
    for (const std::string &variant : names) {
      std::string flag = lackingFlag(variant);
      if (!flag.empty()) {
        skipped +=
            "skipped: random models in " + variant + ": no " + flag + "\n";
      }
      std::printf(" %s (%s)", variant.c_str(),
                  flag.empty() ? (std::to_string(ran[variant]) + " ran").c_str()
                               : ("skipped: no " + flag).c_str());
    }
    std::printf("\n%s", skipped.c_str());
  }

  TemporaryFolder folder;
  static inline int64_t comparedRows = 0, drawnRows = 0, turnedTies = 0;
  static inline std::map<std::string, int> ran;
};

TEST_P(RandomConfig, BothPipelinesGiveTheReferencesLogits) {
  RandomCheckpoint drawn = drawModel(GetParam());
  SCOPED_TRACE(drawn.describe() + ", again: CHEEMS_RANDOM_SEED=" +
               std::to_string(GetParam()) + " RandomConfigTests");
  std::filesystem::path model = folder.path / "model";
  writeCheckpoint(drawn, model);
  Random random(GetParam() ^ 0x7e57);
  std::vector<Sequence> sequences;
  std::vector<int64_t> chunks;
  for (const Build &build : buildsOf(drawn)) {
    Compared compared(model, build, folder.path);
    ++ran[compared.variant()];
    if (build.cpu != "native") {
      ASSERT_EQ(compared.variant(), build.cpu);
    }
    if (weightBits(drawn) != 0) {
      auto formats = matmulFormatsOf(compared.artefact(), folder.path);
      ASSERT_TRUE(bool(formats)) << llvm::toString(formats.takeError());
      EXPECT_EQ(*formats, matmulFormats(drawn));
    }
    Evaluator evaluator = compared.evaluator();
    const auto *attention = compared.checkpoint().model().find<Attention>();
    std::optional<int64_t> window =
        attention ? attention->mask->keep : std::nullopt;
    if (sequences.empty()) {
      // a small window is passed several times, and so is a block of 64 rows
      int64_t length = random.integer(window && *window < 64 ? 70 : 1, 150);
      length = std::min(length, drawn.context());
      chunks = {length, random.integer(1, 9), random.integer(10, 70)};
      for (int b = 0; b < 2; ++b) {
        sequences.push_back(evaluator.draw(random, length));
        comparedRows += sequences.back().firm;
        drawnRows += length;
      }
    } else { // its rounding may differ
      for (Sequence &sequence : sequences) {
        sequence = evaluator.evaluate(sequence.ids);
      }
    }
    int64_t length = chunks[0];
    for (const Sequence &sequence : sequences) {
      ASSERT_GT(sequence.firm, 0) << "no row can be compared";
      if (!drawn.anyExperts() && drawn.mask == RandomCheckpoint::Mask::Bias) {
        EXPECT_GT(sequence.firm, std::min(window.value_or(length), length - 1))
            << "no row past the window can be compared";
      }
    }
    Evaluator::Agreement worst;
    for (int64_t chunk : chunks) {
      Evaluator::Agreement got =
          compared.run(sequences, chunk, random.integer(1, 2));
      if (!(got.error / got.allowed <= worst.error / worst.allowed)) {
        worst = got;
      }
    }
    for (const Sequence &sequence : sequences) {
      turnedTies += static_cast<int64_t>(sequence.turned.size());
    }
    std::printf("%s, kv %s, weights %s, %s, %s: error %.1e of %.1e, %d ties "
                "turned, %d and %d of %d rows\n",
                drawn.describe().c_str(), build.kv.c_str(),
                build.weights.c_str(), compared.variant().c_str(),
                build.pipeline.c_str(), worst.error, worst.allowed,
                static_cast<int>(worst.turned.size()),
                static_cast<int>(sequences[0].firm),
                static_cast<int>(sequences[1].firm), static_cast<int>(length));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomConfig, testing::ValuesIn(seeds()),
                         [](const auto &info) {
                           return std::to_string(info.param);
                         });

} // namespace
