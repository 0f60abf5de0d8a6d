// dynamic_mask, keep_threshold, append_visible and attention, at once and in
// blocks, against the goldens and small cases by hand.
#include "cheems/Reference/AppendVisible.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/KeepThreshold.h"
#include "cheems/Reference/Linear.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"
#include <limits>
#include <numeric>
#include <random>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

std::vector<int64_t> upTo(int64_t count) {
  std::vector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

class AttentionGolden : public testing::TestWithParam<const char *> {};

TEST_P(AttentionGolden, AttendsAsRecorded) {
  GoldenFile golden(
      goldenPath(std::string("ops/") + GetParam() + ".safetensors"));
  MaskOptions options;
  std::string kind = golden.attribute("kind", "");
  ASSERT_TRUE(kind == "bias" || kind == "threshold" || kind == "scale") << kind;
  options.kind = kind == "bias"    ? MaskKind::Bias
                 : kind == "scale" ? MaskKind::Scale
                                   : MaskKind::Threshold;
  if (int64_t keep = std::stoll(golden.attribute("keep", ""))) {
    options.window = keep;
  }
  options.threshold = std::stod(golden.attribute("threshold", ""));

  Tensor a = golden.tensor("A");
  LinearWeights maskStep{golden.tensor("dt_proj"), std::nullopt};
  Tensor q = golden.tensor("q"), k = golden.tensor("k"), v = golden.tensor("v");
  Tensor masks = golden.tensor("mask"), y = golden.tensor("y");
  int64_t length = q.shape[1];
  for (int64_t b = 0; b < q.shape[0]; ++b) {
    Tensor values = slice(v, b);
    Tensor flat = values.reshaped({length, maskStep.weight.shape[1]});
    Tensor mask = dynamicMask(linear(flat, maskStep), a),
           wantMask = slice(masks, b), want = slice(y, b);
    EXPECT_LE(maxError(mask, wantMask),
              toleranceF32(wantMask, maskStep.weight.shape[1]));
    Tensor got = dynamicMaskAttention(slice(q, b), slice(k, b), values, mask,
                                      upTo(length), upTo(length), options);
    EXPECT_LE(maxError(got, want), toleranceF32(want, length + q.shape[3]));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, AttentionGolden,
                         testing::Values("attention_bias", "attention_keep",
                                         "attention_keep_per_head",
                                         "attention_listing", "attention_scale",
                                         "attention_threshold"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(DynamicMask, IsAPowerOfTheSoftplus) {
  // softplus(0) = ln 2, so A = -1, 0, 1 give 1/2, 1, 2; a large step is passed
  // through
  Tensor mask =
      dynamicMask(Tensor({2, 3}, {0.0, 0.0, 0.0, 1000.0, 3.0, -1000.0}),
                  Tensor({3}, {-1.0, 0.0, 1.0}));
  EXPECT_DOUBLE_EQ(mask(0, 0), 0.5);
  EXPECT_EQ(mask(1, 0), 1.0);
  EXPECT_DOUBLE_EQ(mask(2, 0), 2.0);
  EXPECT_EQ(mask(0, 1), 0.0);
  EXPECT_EQ(mask(1, 1), 1.0);
  EXPECT_EQ(mask(2, 1), 1.0);
}

/// Which keys of positions 0… each query of the last position keeps, one
/// character a key.
std::string kept(const std::vector<double> &masks, int64_t window) {
  int64_t count = static_cast<int64_t>(masks.size());
  KeepThreshold threshold = keepThreshold(Tensor({1, count}, masks),
                                          upTo(count), {count - 1}, window);
  std::string keys;
  for (int64_t n = 0; n < count; ++n) {
    keys += threshold.keeps(0, 0, masks[n], n) ? 'x' : '.';
  }
  return keys;
}

TEST(KeepThreshold, KeepsTheLargestMasks) {
  EXPECT_EQ(kept({0.1, 0.9, 0.5, 0.7}, 2), ".x.x");
  EXPECT_EQ(kept({0.1, 0.9, 0.5, 0.7}, 1), ".x..");
}

TEST(KeepThreshold, OfEqualMasksTheLowerPositionStays) {
  EXPECT_EQ(kept({0.5, 0.5, 0.5, 0.5}, 2), "xx..");
  EXPECT_EQ(kept({0.5, 0.5, 0.5, 0.5}, 3), "xxx.");
  EXPECT_EQ(kept({0.4, 0.9, 0.5, 0.5}, 2), ".xx.");
  EXPECT_EQ(kept({0.5, 0.9, 0.5, 0.5}, 2), "xx..");
  EXPECT_EQ(kept({0.2, 0.5, 0.2, 0.5}, 1), ".x..");
}

TEST(KeepThreshold, MasksAreRankedAsF32) {
  EXPECT_EQ(kept({1.0, 1.0 + 0x1p-30, 1.0 + 0x1p-20}, 1), "..x");
  EXPECT_EQ(kept({1.0, 1.0 + 0x1p-30, 1.0 + 0x1p-20}, 2), "x.x");
  EXPECT_EQ(kept({1.0 + 0x1p-30, 1.0, 0.5}, 1), "x..");
}

TEST(KeepThreshold, ExactlyTheWindowKeepsEverything) {
  EXPECT_EQ(kept({0.3, 0.2, 0.1}, 3), "xxx");
  KeepThreshold threshold =
      keepThreshold(Tensor({1, 3}, {0.3, 0.2, 0.1}), upTo(3), {2}, 3);
  EXPECT_EQ(threshold.mask(0, 0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(threshold.last[0], 2147483647);
}

TEST(KeepThreshold, EarlierQueriesDoNotSeeLaterCandidates) {
  KeepThreshold threshold =
      keepThreshold(Tensor({1, 3}, {0.1, 0.2, 0.3}), upTo(3), {0, 1, 2}, 1);
  EXPECT_EQ(threshold.last, (std::vector<int64_t>{2147483647, 1, 2}));
  EXPECT_TRUE(threshold.keeps(0, 0, 0.1, 0));
  EXPECT_FALSE(threshold.keeps(0, 1, 0.1, 0));
}

/// The margin of a query that sees all of `masks`.
double margin(const std::vector<double> &masks, int64_t window,
              bool exactTies) {
  int64_t count = static_cast<int64_t>(masks.size());
  return keepMargins(Tensor({1, count}, masks), upTo(count), {count - 1},
                     window, exactTies)[0];
}

TEST(KeepMargins, IsTheStepFromTheLastKeptToTheFirstDropped) {
  EXPECT_EQ(margin({1.0, 4.0, 2.0}, 1, false), 2.0);
  EXPECT_EQ(margin({1.0, 4.0, 2.0}, 2, true), 1.0);
  EXPECT_EQ(margin({1.0, 4.0, 2.0}, 3, false),
            std::numeric_limits<double>::infinity());
}

TEST(KeepMargins, ExactTiesMoveTogether) {
  EXPECT_EQ(margin({2.0, 2.0, 5.0}, 2, false), 0.0);
  EXPECT_EQ(margin({2.0, 2.0, 5.0}, 2, true), 3.0);
  EXPECT_EQ(margin({2.0, 2.0, 5.0, 1.5}, 2, true), 0.5);
  EXPECT_EQ(margin({2.0, 2.0}, 1, true),
            std::numeric_limits<double>::infinity());
}

TEST(KeepMargins, LeastOfTheHeads) {
  EXPECT_EQ(
      keepMargins(Tensor({2, 2}, {1.0, 4.0, 1.0, 2.0}), upTo(2), {0, 1}, 1,
                  false),
      (std::vector<double>{std::numeric_limits<double>::infinity(), 1.0}));
}

TEST(KeepThreshold, DroppedKeysNeverMatterAgain) {
  // coarse masks, so that ties are the rule
  std::mt19937_64 engine(7);
  for (int64_t window : {1, 2, 5}) {
    int64_t count = 40;
    Tensor mask({1, count});
    for (double &value : mask.data) {
      value = static_cast<double>(engine() % 6);
    }
    std::vector<int64_t> stored;
    for (int64_t t = 0; t < count; ++t) {
      stored.push_back(t);
      Tensor storedMask({1, static_cast<int64_t>(stored.size())});
      for (size_t n = 0; n < stored.size(); ++n) {
        storedMask(0, n) = mask(0, stored[n]);
      }
      KeepThreshold whole = keepThreshold(mask, upTo(count), {t}, window);
      KeepThreshold part = keepThreshold(storedMask, stored, {t}, window);
      std::vector<int64_t> wholeKeys, partKeys;
      for (int64_t n = 0; n <= t; ++n) {
        if (whole.keeps(0, 0, mask(0, n), n)) {
          wholeKeys.push_back(n);
        }
      }
      for (int64_t n : stored) {
        if (part.keeps(0, 0, mask(0, n), n)) {
          partKeys.push_back(n);
        }
      }
      ASSERT_EQ(wholeKeys, partKeys) << "query " << t << ", window " << window;
      ASSERT_EQ(static_cast<int64_t>(partKeys.size()), std::min(window, t + 1));
      stored = partKeys;
    }
  }
}

/// Scores zero everywhere: weights come from the masks alone. Values are
/// one-hot, so y holds the weights.
Tensor weightsUnder(const std::vector<double> &masks, int64_t queryPosition,
                    const MaskOptions &options) {
  int64_t count = static_cast<int64_t>(masks.size());
  Tensor v({count, 1, count});
  for (int64_t n = 0; n < count; ++n) {
    v(n, 0, n) = 1.0;
  }
  return dynamicMaskAttention(Tensor({1, 1, 2}), Tensor({count, 1, 2}), v,
                              Tensor({1, count}, masks), {queryPosition},
                              upTo(count), options);
}

TEST(DynamicMaskAttention, OneTokenSeesItself) {
  Tensor y = weightsUnder({0.7}, 0, {});
  EXPECT_EQ(y.data, (std::vector<double>{1.0}));
}

TEST(DynamicMaskAttention, BiasAddsTheMask) {
  Tensor y = weightsUnder({std::log(3.0), 0.0}, 1, {});
  EXPECT_DOUBLE_EQ(y.data[0], 0.75);
  EXPECT_DOUBLE_EQ(y.data[1], 0.25);
}

TEST(DynamicMaskAttention, WindowOfOneLeavesTheBestCausalKey) {
  MaskOptions options;
  options.window = 1;
  EXPECT_EQ(weightsUnder({0.1, 0.5, 0.5, 0.9}, 2, options).data,
            (std::vector<double>{0.0, 1.0, 0.0, 0.0}));
  EXPECT_EQ(weightsUnder({0.1, 0.5, 0.5, 0.9}, 3, options).data,
            (std::vector<double>{0.0, 0.0, 0.0, 1.0}));
}

TEST(DynamicMaskAttention, ThresholdHidesSmallMasksWithoutBiasingTheRest) {
  MaskOptions options;
  options.kind = MaskKind::Threshold;
  options.threshold = 0.5;
  options.window = 1; // means nothing with this kind
  EXPECT_EQ(weightsUnder({0.4, 0.5, 3.0, 9.0}, 2, options).data,
            (std::vector<double>{0.0, 0.5, 0.5, 0.0}));
}

TEST(DynamicMaskAttention, NothingVisibleGivesZero) {
  MaskOptions options;
  options.kind = MaskKind::Threshold;
  options.threshold = 2.0;
  EXPECT_EQ(weightsUnder({0.4, 0.5}, 1, options).data,
            (std::vector<double>{0.0, 0.0}));
  // and so does a query before every key
  EXPECT_EQ(weightsUnder({0.4, 0.5}, -1, {}).data,
            (std::vector<double>{0.0, 0.0}));
}

TEST(DynamicMaskAttention, ScaleIsNotNormalisedAgain) {
  MaskOptions options;
  options.kind = MaskKind::Scale;
  EXPECT_EQ(weightsUnder({0.4, 3.0, 7.0}, 1, options).data,
            (std::vector<double>{0.2, 1.5, 0.0}));
}

TEST(DynamicMaskAttention, HeadsReadTheirOwnKeyAndMaskHeads) {
  // 4 heads over 2 key/value heads and 4 mask heads; each mask head keeps a key
  // of its own
  Tensor v({2, 2, 1}, {1.0, 10.0, 2.0, 20.0});
  Tensor mask({4, 2}, {0.9, 0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.9});
  MaskOptions options;
  options.window = 1;
  Tensor y = dynamicMaskAttention(Tensor({1, 4, 2}), Tensor({2, 2, 2}), v, mask,
                                  {1}, upTo(2), options);
  EXPECT_EQ(y.data, (std::vector<double>{1.0, 2.0, 10.0, 20.0}));
}

TEST(DynamicMaskAttention, ScoresAreScaledByTheRootOfTheHead) {
  Tensor q({1, 1, 4}, {2.0, 0.0, 0.0, 0.0}),
      k({2, 1, 4}, {std::log(3.0), 0, 0, 0, 0, 0, 0, 0});
  Tensor v({2, 1, 1}, {1.0, 0.0});
  Tensor y = dynamicMaskAttention(q, k, v, Tensor({1, 2}), {1}, upTo(2), {});
  EXPECT_DOUBLE_EQ(y.data[0], 0.75);
}

TEST(AppendVisible, StoresWhatSomeHeadSees) {
  StoredEntries stored{Tensor({1, 4, 1}), Tensor({1, 4, 1}), Tensor({2, 4})};
  double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<int64_t> seen =
      appendVisible(Tensor({4, 1}, {1.0, 2.0, 3.0, 4.0}),
                    Tensor({4, 1}, {5.0, 6.0, 7.0, 8.0}),
                    Tensor({4, 2}, {0.4, 0.5, 0.4, 0.4, none, none, 0.6, none}),
                    0.5, 1, stored);
  EXPECT_EQ(seen, (std::vector<int64_t>{2, 2, 2, 3}));
  EXPECT_EQ(stored.keys.data, (std::vector<double>{0.0, 1.0, 4.0, 0.0}));
  EXPECT_EQ(stored.values.data, (std::vector<double>{0.0, 5.0, 8.0, 0.0}));
  EXPECT_EQ(stored.mask(0, 1), 0.4);
  EXPECT_EQ(stored.mask(1, 1), 0.5);
  EXPECT_EQ(stored.mask(0, 2), 0.6);
}

} // namespace
