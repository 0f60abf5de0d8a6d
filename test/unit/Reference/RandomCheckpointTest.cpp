// Random checkpoints open, evaluate to sensible logits, and no token sees a
// later one.
#include "test/unit/Support/RandomCheckpoint.h"
#include "cheems/Reference/Model.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

constexpr uint64_t seeds = 50;

class RandomCheckpoints : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomCheckpoints, OpenAndEvaluateCausally) {
  RandomCheckpoint drawn = drawCheckpoint(GetParam());
  SCOPED_TRACE(drawn.describe());
  TemporaryFolder folder;
  writeCheckpoint(drawn, folder.path);
  auto opened = Checkpoint::open(folder.path.string(), [](llvm::StringRef) {});
  ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
  const ModelConfig &config = opened->config();
  EXPECT_EQ(config.maskHeads, drawn.maskHeads());
  EXPECT_EQ(config.headDim, drawn.headDim);
  EXPECT_EQ(config.rotary.dynamic, drawn.dynamicRope);
  EXPECT_EQ(config.layer[0].attention->queryNorm.has_value(),
            drawn.queryKeyNorms);
  EXPECT_EQ(config.layer[0].gate.has_value(), drawn.gated);
  EXPECT_EQ(config.head.has_value(), !drawn.tied);
  EXPECT_EQ(config.keepWindow.value_or(0),
            drawn.keepWindow.value_or(drawn.authorNames ? 0 : 2048));

  std::vector<int64_t> ids =
      drawIds(drawn, std::min<int64_t>(20, drawn.context()));
  Tensor logits = evaluateModel(*opened, ids);
  int64_t rows = static_cast<int64_t>(ids.size());
  ASSERT_EQ(logits.shape,
            (llvm::SmallVector<int64_t, 4>{rows, drawn.vocabulary}));
  double square = 0.0;
  for (double value : logits.data) {
    ASSERT_TRUE(std::isfinite(value));
    square += value * value / static_cast<double>(logits.data.size());
  }
  EXPECT_GT(std::sqrt(square), 0.3);
  EXPECT_LT(std::sqrt(square), 3.0);

  ids.back() = (ids.back() + 1) % drawn.vocabulary;
  Tensor changed = evaluateModel(*opened, ids);
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t n = 0; n < drawn.vocabulary && t + 1 < rows; ++n) {
      ASSERT_EQ(changed(t, n), logits(t, n)) << "row " << t;
    }
  }
  bool lastDiffers = false;
  for (int64_t n = 0; n < drawn.vocabulary; ++n) {
    lastDiffers |= changed(rows - 1, n) != logits(rows - 1, n);
  }
  EXPECT_TRUE(lastDiffers);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCheckpoints,
                         testing::Range<uint64_t>(0, seeds));

TEST(RandomCheckpoint, SeedsCoverEveryNameSetNormAndMaskHeadCombination) {
  std::set<std::tuple<bool, bool, bool>> seen;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomCheckpoint c = drawCheckpoint(seed);
    if (c.heads != c.keyValueHeads) {
      seen.emplace(c.authorNames, c.queryKeyNorms, c.maskPerAttentionHead);
    }
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(RandomCheckpoint, SameSeedWritesTheSameBytes) {
  TemporaryFolder first, second;
  RandomCheckpoint drawn = drawCheckpoint(3);
  drawn.sharded = false;
  writeCheckpoint(drawn, first.path);
  writeCheckpoint(drawn, second.path);
  for (const char *name : {"config.json", "model.safetensors"}) {
    auto a = llvm::MemoryBuffer::getFile((first.path / name).string());
    auto b = llvm::MemoryBuffer::getFile((second.path / name).string());
    ASSERT_TRUE(a && b);
    EXPECT_EQ((*a)->getBuffer(), (*b)->getBuffer());
  }
}

} // namespace
