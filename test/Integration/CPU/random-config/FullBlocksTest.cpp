// bf16 models of full blocks: rows of several blocks of 64, heads and states
// that fill tiles, a window that evicts, experts; and layers as wide as those
// of published models. In every variant that this CPU has, against the
// evaluator, which rounds what that variant does. Where that is keys and values
// alone, those that went the other way are read off the state, and with them
// all rows agree to f32's error.
#include "Compared.h"
#include "test/unit/Support/CpuVariants.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestRun.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;

namespace {

using Drawn = RandomCheckpoint;

RandomCheckpoint bf16(uint64_t seed) {
  RandomCheckpoint c;
  c.seed = seed;
  c.stored = Drawn::Stored::BF16;
  c.tied = true;
  c.vocabulary = 96;
  return c;
}

/// Heads of 64, states of 128 and experts: one layer of attention, one of SSD.
RandomCheckpoint cheems(uint64_t seed, int64_t heads) {
  RandomCheckpoint c = bf16(seed);
  c.cheems = c.authorNames = c.oldRopeFields = true;
  c.queryKeyNorms = false;
  c.heads = heads;
  c.keyValueHeads = heads / 2;
  c.headDim = 64;
  c.hidden = heads * c.headDim;
  c.intermediate = 2 * c.hidden;
  c.attentionPeriod = 2;
  c.attentionOffset = 0; // where masks are far apart or exactly equal
  c.stateSize = 128;
  c.skip = true;
  c.maskPerAttentionHead = true;
  return c;
}

RandomCheckpoint fullBlocks() {
  RandomCheckpoint c = cheems(701, 2);
  c.keepWindow = 70;
  c.expertLayers = Drawn::Experts::First;
  c.keyCount = 4;
  c.experts = 16;
  c.expertsPerHead = 2;
  c.retrievalSize = 64;
  return c;
}

/// The widths of a Doge of 160M parameters.
RandomCheckpoint doge160M() {
  RandomCheckpoint c = bf16(702);
  c.heads = 6;
  c.keyValueHeads = 3;
  c.headDim = 128;
  c.hidden = 768;
  c.intermediate = 1536;
  c.layers = 1;
  return c;
}

/// Those of a Cheems of 320M.
RandomCheckpoint cheems320M() {
  RandomCheckpoint c = cheems(703, 12);
  c.attentionOffset = 1; // no keys are dropped
  return c;
}

struct Case {
  const char *name;
  RandomCheckpoint (*draw)();
  int64_t length;
  std::vector<int64_t> chunks;
};

/// The same code and weights, and no key is dropped: what a window has dropped
/// by the end of a sequence is in no state.
RandomCheckpoint keepingAll(RandomCheckpoint drawn) {
  drawn.keepWindow = std::nullopt;
  return drawn;
}

class FullBlocks
    : public testing::TestWithParam<std::tuple<Case, std::string>> {};

TEST_P(FullBlocks, GiveTheReferencesLogits) {
  const auto &[what, variant] = GetParam();
  if (std::string flag = lackingFlag(variant); !flag.empty()) {
    std::printf("skipped: models of full blocks in %s: no %s\n",
                variant.c_str(), flag.c_str());
    GTEST_SKIP();
  }
  // The evaluator takes minutes for wide layers.
  if (what.draw != fullBlocks && !isDrawn(what.name + variant, 4)) {
    std::printf("skipped: wide layers in three of four variants: the seed "
                "draws one, --long takes all\n");
    GTEST_SKIP();
  }
  TemporaryFolder folder, other;
  RandomCheckpoint drawn = what.draw();
  writeCheckpoint(drawn, folder.path / "model");
  Build build;
  build.cpu = variant;
  Compared compared(folder.path / "model", build, folder.path);
  ASSERT_EQ(compared.variant(), variant);
  Evaluator evaluator = compared.evaluator();
  Random random(drawn.seed);
  std::vector<Sequence> sequences{
      evaluator.draw(random, what.length, drawn.vocabulary)};
  ASSERT_GE(2 * sequences[0].firm, what.length) << "of few rows";

  const Compared *storing = nullptr; // what it stores explains all differences
  std::optional<Compared> keeping;
  if (evaluator.roundsEntriesOnly()) {
    storing = &compared;
    if (drawn.keepWindow) {
      writeCheckpoint(keepingAll(drawn), other.path / "model");
      storing = &keeping.emplace(other.path / "model", build, other.path);
    }
  }
  for (int64_t chunk : what.chunks) {
    Evaluator::Turned turned;
    if (storing) {
      turned = storing->turnedEntries(sequences[0].ids, chunk, 2);
      ASSERT_EQ(turned.unexplained, "") << "this is no rounding at a tie";
      sequences[0] = evaluator.evaluate(sequences[0].ids, turned.roundings);
      ASSERT_GE(2 * sequences[0].firm, what.length) << "of few rows";
    }
    Evaluator::Agreement got = compared.run(sequences, chunk, 2);
    if (storing) {
      EXPECT_EQ(got.turned, turned.roundings) << "other roundings went astray";
      EXPECT_EQ(got.allowed, bound(compared.checkpoint().model(), what.length))
          << "a difference was allowed that no rounding explains";
    }
    std::printf("%s, %s, chunks of %d: error %.1e of %.1e, %d ties turned, of "
                "those stored the farthest by %.1e, %d of %d rows\n",
                what.name, variant.c_str(), static_cast<int>(chunk), got.error,
                got.allowed, static_cast<int>(got.turned.size()),
                turned.farthest, static_cast<int>(sequences[0].firm),
                static_cast<int>(what.length));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, FullBlocks,
    testing::Combine(
        testing::Values(Case{"cheems", fullBlocks, 230, {230, 64, 100}},
                        Case{"doge160M", doge160M, 200, {200}},
                        Case{"cheems320M", cheems320M, 200, {200}}),
        testing::Values("avx2", "avx512", "avx512bf16", "amx")),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param);
    });

} // namespace
