// Random checkpoints open as drawn, evaluate to sensible logits, and no token
// sees a later one.
#include "test/unit/Support/RandomCheckpoint.h"
#include "cheems/Reference/Model.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <set>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

constexpr uint64_t seeds = 50;

/// What was drawn is what was opened.
void expectDrawn(const ModelDescription &model, const RandomCheckpoint &drawn) {
  using Drawn = RandomCheckpoint;
  EXPECT_EQ(model.modelType, drawn.cheems ? "cheems" : "doge");
  for (const Layer &layer : model.layers) {
    const auto *attention = layer.find<Attention>();
    EXPECT_EQ(attention ? attention->headSize : layer.find<SSD>()->headSize,
              drawn.headDim);
  }
  EXPECT_EQ(std::get<RotaryConfig>(model.rotary.front()).dynamic,
            drawn.dynamicRope);
  EXPECT_EQ(model.head.has_value(), !drawn.tied);
  if (const auto *attention = model.find<Attention>()) {
    const DynamicMask &mask = *attention->mask;
    EXPECT_EQ(mask.kind, drawn.mask == Drawn::Mask::Bias ? MaskKind::Bias
                         : drawn.mask == Drawn::Mask::Scale
                             ? MaskKind::Scale
                             : MaskKind::Threshold);
    EXPECT_EQ(mask.threshold, drawn.threshold);
    if (drawn.mask == Drawn::Mask::Bias) {
      EXPECT_EQ(mask.keep.value_or(0),
                drawn.keepWindow.value_or(drawn.authorNames ? 0 : 2048));
    } else {
      EXPECT_FALSE(mask.keep);
    }
  }
  EXPECT_EQ(model.find<SSD>() ? model.find<SSD>()->stateSize : 0,
            drawn.anySSD() ? drawn.stateSize : 0);
  const auto *anyExperts = model.find<RetrievedExperts>();
  EXPECT_EQ(anyExperts ? anyExperts->experts : 0,
            drawn.anyExperts() ? drawn.experts : 0);
  ASSERT_EQ(static_cast<int64_t>(model.layers.size()), drawn.layers);
  for (int64_t i = 0; i < drawn.layers; ++i) {
    const Layer &layer = model.layers[i];
    const auto *attention = layer.find<Attention>();
    const auto *ssd = layer.find<SSD>();
    const auto *experts = layer.find<RetrievedExperts>();
    EXPECT_EQ(layer.find<MLP>()->gate.has_value(), drawn.gated);
    ASSERT_EQ(attention != nullptr, drawn.isAttention(i));
    ASSERT_EQ(ssd != nullptr, !drawn.isAttention(i));
    ASSERT_EQ(experts != nullptr, drawn.hasExperts(i));
    if (attention) {
      EXPECT_EQ(attention->mask->heads, drawn.maskHeads());
      EXPECT_EQ(attention->queryNorm.has_value(), drawn.queryKeyNorms);
      EXPECT_EQ(attention->mask->visibleHeads.empty(),
                drawn.mask != Drawn::Mask::Threshold || drawn.threshold != 1.0);
    } else {
      EXPECT_EQ(ssd->groups, drawn.groups);
      EXPECT_EQ(ssd->skip.has_value(), drawn.skip);
      EXPECT_EQ(ssd->logarithm, drawn.decay == Drawn::Decay::Logarithm);
    }
    if (experts) {
      EXPECT_EQ(experts->router.has_value(), !drawn.authorNames);
      EXPECT_EQ(experts->keyCount, drawn.keyCount);
      EXPECT_EQ(experts->perHead, drawn.expertsPerHead);
      EXPECT_EQ(experts->placement, drawn.innerScore ? ScorePlacement::Inner
                                                     : ScorePlacement::Softmax);
    }
  }
}

class RandomCheckpoints : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomCheckpoints, OpenAndEvaluateCausally) {
  RandomCheckpoint drawn = drawCheckpoint(GetParam());
  SCOPED_TRACE(drawn.describe());
  TemporaryFolder folder;
  writeCheckpoint(drawn, folder.path);
  std::vector<std::string> warnings;
  auto opened =
      Checkpoint::open(folder.path.string(), [&](llvm::StringRef line) {
        warnings.push_back(line.str());
      });
  ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
  bool square = drawn.experts == drawn.keyCount * drawn.keyCount;
  EXPECT_EQ(warnings.size(), drawn.anyExperts() && !square ? 1u : 0u);
  expectDrawn(opened->model(), drawn);

  std::vector<int64_t> ids =
      drawIds(drawn, std::min<int64_t>(20, drawn.context()));
  Tensor logits = evaluateModel(*opened, ids);
  int64_t rows = static_cast<int64_t>(ids.size());
  ASSERT_EQ(logits.shape,
            (llvm::SmallVector<int64_t, 4>{rows, drawn.vocabulary}));
  double power = 0.0;
  for (double value : logits.data) {
    ASSERT_TRUE(std::isfinite(value));
    power += value * value / static_cast<double>(logits.data.size());
  }
  EXPECT_GT(std::sqrt(power), 0.3);
  EXPECT_LT(std::sqrt(power), 3.0);

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

Tensor logitsOf(const RandomCheckpoint &drawn, Rounding rounding) {
  TemporaryFolder folder;
  writeCheckpoint(drawn, folder.path);
  auto opened = Checkpoint::open(folder.path.string(), [](llvm::StringRef) {});
  if (!opened) {
    ADD_FAILURE() << llvm::toString(opened.takeError());
    return {};
  }
  return evaluateModel(*opened, drawIds(drawn, 9), rounding);
}

TEST(Rounding, IsOfBF16CheckpointsAlone) {
  using Stored = RandomCheckpoint::Stored;
  RandomCheckpoint drawn;
  for (Rounding rounding :
       {Rounding{true, false, false}, Rounding{false, true, false},
        Rounding{false, false, true}}) {
    for (Stored stored : {Stored::F32, Stored::F16, Stored::Mixed}) {
      drawn.stored = stored;
      EXPECT_EQ(logitsOf(drawn, rounding).data, logitsOf(drawn, {}).data);
    }
    drawn.stored = Stored::BF16;
    EXPECT_NE(logitsOf(drawn, rounding).data, logitsOf(drawn, {}).data);
  }
}

TEST(Rounding, InputsOfOddLengthAreReadAsTheyAre) {
  RandomCheckpoint drawn; // of SSD alone: attention's heads are even
  drawn.stored = RandomCheckpoint::Stored::BF16;
  drawn.cheems = drawn.authorNames = true;
  drawn.attentionPeriod = 3;
  drawn.attentionOffset = 2;
  drawn.stateSize = 4;
  drawn.heads = 3;
  drawn.keyValueHeads = 3;
  drawn.headDim = 5;
  drawn.hidden = 15;
  drawn.intermediate = 41;
  Rounding products{false, true};
  EXPECT_EQ(logitsOf(drawn, products).data, logitsOf(drawn, {}).data);
  drawn.intermediate = 40;
  EXPECT_NE(logitsOf(drawn, products).data, logitsOf(drawn, {}).data);
}

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

/// Counts the seeds of a feature that another test would miss in silence.
struct Coverage {
  std::map<std::string, int> seeds;
  void count(const char *feature, bool has) { seeds[feature] += has; }
};

TEST(RandomCheckpoint, SeedsCoverEveryKindOfLayer) {
  using Drawn = RandomCheckpoint;
  Coverage seen;
  std::set<Drawn::Experts> patterns;
  std::set<std::tuple<Drawn::Decay, bool>> states;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomCheckpoint c = drawCheckpoint(seed);
    bool attention = c.anyAttention();
    seen.count("plain Doge",
               !c.cheems && !c.anyExperts() && c.mask == Drawn::Mask::Bias);
    seen.count("hybrid", attention && c.anySSD());
    seen.count("SSD alone", !attention);
    seen.count("odd heads", c.headDim % 2 != 0);
    seen.count("Cheems of attention alone", c.cheems && !c.anySSD());
    seen.count("some heads a group",
               c.anySSD() && c.groups > 1 && c.groups < c.heads);
    seen.count("state size by default", c.anySSD() && c.stateSize == c.headDim);
    seen.count("state size of its own", c.anySSD() && c.stateSize != c.headDim);
    seen.count("SSD with dynamic rope", c.anySSD() && c.dynamicRope);
    seen.count("hybrid with a window", attention && c.anySSD() && c.keepWindow);
    seen.count("threshold 1", attention && c.mask == Drawn::Mask::Threshold &&
                                  c.threshold == 1.0);
    seen.count("threshold below", attention &&
                                      c.mask == Drawn::Mask::Threshold &&
                                      c.threshold < 1.0);
    seen.count("scale", attention && c.mask == Drawn::Mask::Scale);
    if (c.anySSD()) {
      states.emplace(c.decay, c.skip);
    }
    if (c.anyExperts()) {
      patterns.insert(c.expertLayers);
      seen.count("router", !c.authorNames);
      seen.count("Doge with queries and keys", c.authorNames && !c.cheems);
      seen.count("Cheems with experts", c.cheems);
      seen.count("several heads of experts", c.expertHeads > 1);
      seen.count("experts that are no square",
                 c.experts != c.keyCount * c.keyCount);
      seen.count("more experts than keys", c.expertsPerHead > c.keyCount);
      seen.count("inner score", c.innerScore);
    }
  }
  EXPECT_EQ(patterns.size(), 6u);
  EXPECT_EQ(states.size(), 6u);
  for (const auto &[feature, count] : seen.seeds) {
    EXPECT_GT(count, 0) << feature;
  }
  EXPECT_GE(seen.seeds["plain Doge"], static_cast<int>(seeds) / 4);
}

TEST(RandomCheckpoint, ExpertPatternsAreThoseOfThePaper) {
  using Experts = RandomCheckpoint::Experts;
  const std::pair<Experts, const char *> rows[] = {
      {Experts::None, "MMMMMMMM"},   {Experts::First, "EMMMMMMM"},
      {Experts::Last, "MMMMMMME"},   {Experts::Ends, "EMMMMMME"},
      {Experts::Middle, "MEEEEEEM"}, {Experts::All, "EEEEEEEE"}};
  for (const auto &[pattern, layers] : rows) {
    RandomCheckpoint c;
    c.layers = 8;
    c.expertLayers = pattern;
    for (int64_t i = 0; i < c.layers; ++i) {
      EXPECT_EQ(c.hasExperts(i), layers[i] == 'E') << layers << ' ' << i;
    }
  }
}

TEST(RandomCheckpoint, SameSeedWritesTheSameBytes) {
  TemporaryFolder first, second;
  uint64_t seed = 3;
  while (!drawCheckpoint(seed).cheems || !drawCheckpoint(seed).anyExperts()) {
    ++seed;
  }
  for (TemporaryFolder *folder : {&first, &second}) {
    RandomCheckpoint drawn = drawCheckpoint(seed);
    drawn.sharded = false;
    writeCheckpoint(drawn, folder->path);
  }
  for (const char *name : {"config.json", "model.safetensors"}) {
    auto a = llvm::MemoryBuffer::getFile((first.path / name).string());
    auto b = llvm::MemoryBuffer::getFile((second.path / name).string());
    ASSERT_TRUE(a && b);
    EXPECT_EQ((*a)->getBuffer(), (*b)->getBuffer());
  }
}

} // namespace
