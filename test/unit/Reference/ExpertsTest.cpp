// retrieve_experts and mix_experts against the goldens, all sums by brute
// force, and edges by hand.
#include "cheems/Reference/Experts.h"
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
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Scores [T, 2, H, K] of both halves: of a router [2K, D], or of queries laid
/// out (half, head, n) and keys [H, K, 2, n].
Tensor scoresOf(const GoldenFile &golden, const Tensor &x, int64_t heads) {
  int64_t rows = x.shape[0];
  if (golden.has("router_gate.weight")) {
    Tensor both = linear(x, {golden.tensor("router_gate.weight"), {}});
    return both.reshaped({rows, 2, 1, both.shape[1] / 2});
  }
  Tensor keys = golden.tensor("keys");
  int64_t count = keys.shape[1], size = keys.shape[3];
  Tensor queries = linear(x, {golden.tensor("queries.weight"), {}})
                       .reshaped({rows, 2, heads, size});
  Tensor scores({rows, 2, heads, count});
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t key = 0; key < count; ++key) {
          for (int64_t n = 0; n < size; ++n) {
            scores(t, half, h, key) +=
                queries(t, half, h, n) * keys(h, key, half, n);
          }
        }
      }
    }
  }
  return scores;
}

class ExpertsGolden : public testing::TestWithParam<const char *> {};

TEST_P(ExpertsGolden, MixesAsRecorded) {
  GoldenFile golden(
      goldenPath(std::string("ops/") + GetParam() + ".safetensors"));
  int64_t heads = std::stoll(golden.attribute("heads", "")),
          k = std::stoll(golden.attribute("k", ""));
  std::string placement = golden.attribute("score", "");
  ASSERT_TRUE(placement == "softmax" || placement == "inner") << placement;
  auto projection = [&](const std::string &name) {
    return LinearWeights{golden.tensor(name + "_proj.weight"), {}};
  };
  MLPWeights weights{{}, projection("up"), projection("down")};
  if (golden.has("gate_proj.weight")) {
    weights.gate = projection("gate");
  }
  Tensor down = golden.tensor("down_embed.weight"),
         up = golden.tensor("up_embed.weight");
  Tensor xs = golden.tensor("x"), ys = golden.tensor("y");
  for (int64_t b = 0; b < xs.shape[0]; ++b) {
    Tensor x = slice(xs, b), want = slice(ys, b);
    Tensor got = mlp(x, weights, Activation::SiLU);
    Tensor experts = mixExperts(
        x, retrieveExperts(scoresOf(golden, x, heads), k), down, up,
        placement == "inner" ? ScorePlacement::Inner : ScorePlacement::Softmax,
        Activation::SiLU);
    for (size_t i = 0; i < got.data.size(); ++i) {
      got.data[i] += experts.data[i];
    }
    EXPECT_LE(maxError(got, want),
              toleranceF32(want, weights.down.weight.shape[1] +
                                     x.shape[1] * heads * k));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, ExpertsGolden,
                         testing::Values("cdmoe_gate_keys", "cdmoe_inner",
                                         "cdmoe_softmax"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

/// One row and head.
Tensor halves(std::vector<double> first, const std::vector<double> &second) {
  int64_t keys = static_cast<int64_t>(first.size());
  first.insert(first.end(), second.begin(), second.end());
  return Tensor({1, 2, 1, keys}, std::move(first));
}

TEST(RetrieveExperts, FindsTheBestOfAllSums) {
  std::mt19937 engine(5);
  for (int i = 0; i < 200; ++i) {
    int64_t keys = 1 + engine() % 12, heads = 1 + engine() % 3,
            rows = 1 + engine() % 3, k = 1 + engine() % (keys * keys);
    Tensor scores({rows, 2, heads, keys});
    for (double &score : scores.data) {
      score = engine() * 0x1p-32;
    }
    Retrieval got = retrieveExperts(scores, k);
    std::vector<double> margins = retrievalMargins(scores, k);
    for (int64_t t = 0; t < rows; ++t) {
      double margin = kInfinity;
      for (int64_t h = 0; h < heads; ++h) {
        std::vector<std::pair<double, int64_t>> all;
        for (int64_t e = 0; e < keys * keys; ++e) {
          all.emplace_back(
              scores(t, 0, h, e / keys) + scores(t, 1, h, e % keys), e);
        }
        std::sort(all.rbegin(), all.rend());
        for (int64_t n = 0; n < k; ++n) {
          EXPECT_EQ(got.score(t, h, n), all[n].first);
          EXPECT_EQ(got.expert[(t * heads + h) * k + n], all[n].second);
        }
        if (k < keys * keys) {
          margin = std::min(margin, all[k - 1].first - all[k].first);
        }
      }
      EXPECT_EQ(margins[t], margin);
    }
  }
}

TEST(RetrieveExperts, EqualSumsGoToTheLowerExpert) {
  Retrieval got = retrieveExperts(halves({1.0, 0.0}, {0.0, 1.0}), 3);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{1, 0, 3}));
  EXPECT_EQ(got.score.data, (std::vector<double>{2.0, 1.0, 1.0}));
}

TEST(RetrieveExperts, EqualHalfScoresKeepTheLowerKeys) {
  Retrieval got = retrieveExperts(halves({2.0, 2.0, 2.0}, {1.0, 3.0, 3.0}), 2);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{1, 2}));
}

TEST(RetrieveExperts, RoundedSumsTieWhereExactOnesDoNot) {
  Tensor scores = halves({1.0, 0.0}, {0x1p-40, 0x1p-30});
  EXPECT_EQ(retrieveExperts(scores, 1).expert, std::vector<int64_t>{1});
  EXPECT_EQ(retrieveExperts(scores, 2, true).expert,
            (std::vector<int64_t>{0, 1}));
}

TEST(RetrieveExperts, MoreExpertsThanKeysTakeEveryPair) {
  Retrieval got = retrieveExperts(halves({1.0, 3.0}, {10.0, 20.0}), 4);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{3, 1, 2, 0}));
  EXPECT_EQ(got.score.data, (std::vector<double>{23.0, 21.0, 13.0, 11.0}));
}

TEST(RetrieveExperts, OneKeyIsOneExpert) {
  Tensor scores = halves({1.5}, {2.0});
  Retrieval got = retrieveExperts(scores, 1);
  EXPECT_EQ(got.expert, std::vector<int64_t>{0});
  EXPECT_EQ(got.score.data, std::vector<double>{3.5});
  EXPECT_EQ(retrievalMargins(scores, 1), std::vector<double>{kInfinity});
}

TEST(RetrieveExperts, AscendingIsTheSameByExpert) {
  Tensor scores = halves({1.0, 3.0, kNaN}, {10.0, 20.0, 0.0});
  Retrieval got = retrieveExperts(scores, 3, /*roundSums=*/false,
                                  RetrievalOrder::Ascending);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{1, 3, 4}));
  EXPECT_EQ(got.score.data, (std::vector<double>{21.0, 13.0, 23.0}));
}

TEST(RetrieveExperts, AscendingIsByExpertInEachHead) {
  Tensor scores({1, 2, 2, 2}, {0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 2.0});
  Retrieval got = retrieveExperts(scores, 2, false, RetrievalOrder::Ascending);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{1, 3, 1, 3}));
  EXPECT_EQ(got.score.data, (std::vector<double>{1.0, 2.0, 3.0, 2.0}));
}

TEST(RetrieveExperts, NaNRanksBelowEveryNumber) {
  Retrieval got = retrieveExperts(halves({kNaN, -kInfinity}, {1.0, kNaN}), 4);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{2, 0, 1, 3}));
  EXPECT_EQ(got.score(0, 0, 0), -kInfinity);
  EXPECT_TRUE(std::isnan(got.score(0, 0, 1)));
}

TEST(RetrieveExperts, ASumOfOppositeInfinitiesRanksAsNaN) {
  Retrieval got =
      retrieveExperts(halves({kInfinity, 0.0}, {0.0, -kInfinity}), 4);
  EXPECT_EQ(got.expert, (std::vector<int64_t>{0, 2, 3, 1}));
}

TEST(MixExperts, ScoresActBesideOrInsideTheActivation) {
  // down gives hits of 2 and -1, scores are ln 3 and 0: softmax 3/4 and 1/4
  Tensor x({1, 1}, {1.0}), down({2, 1}, {2.0, -1.0}), up({2, 1}, {10.0, 100.0});
  Retrieval both{Tensor({1, 1, 2}, {std::log(3.0), 0.0}), {0, 1}};
  EXPECT_DOUBLE_EQ(mixExperts(x, both, down, up, ScorePlacement::Softmax,
                              Activation::ReLU)(0, 0),
                   0.75 * 2.0 * 10.0);
  EXPECT_DOUBLE_EQ(mixExperts(x, both, down, up, ScorePlacement::Inner,
                              Activation::ReLU)(0, 0),
                   2.0 * std::log(3.0) * 10.0);
  both.score = Tensor({1, 1, 2}, {1.0, -2.0});
  EXPECT_DOUBLE_EQ(mixExperts(x, both, down, up, ScorePlacement::Inner,
                              Activation::ReLU)(0, 0),
                   2.0 * 10.0 + 2.0 * 100.0);
}

TEST(MixExperts, SoftmaxIsOverTheExpertsOfOneHead) {
  // One expert per head: both weights are 1, and the expert counts twice.
  Tensor x({1, 2}, {1.0, 2.0}), down({1, 2}, {1.0, 1.0}),
      up({1, 2}, {1.0, -1.0});
  Retrieval twice{Tensor({1, 2, 1}, {-7.0, 40.0}), {0, 0}};
  EXPECT_EQ(
      mixExperts(x, twice, down, up, ScorePlacement::Softmax, Activation::ReLU)
          .data,
      (std::vector<double>{6.0, -6.0}));
}

TEST(MixExperts, ARowOfCodesHasOneScale) {
  // hits of -0.5 * (2 - 6) and 0.25 * (4 - 2)
  Tensor x({2, 2}, {1.0, -2.0, 1.0, -2.0});
  QuantizedWeights down{Tensor({2, 2}, {2.0, 3.0, 4.0, 1.0}),
                        Tensor({2, 1}, {-0.5, 0.25})},
      up{Tensor({2, 2}, {127.0, -127.0, 1.0, 3.0}), Tensor({2, 1}, {2.0, 8.0})};
  Retrieval one{Tensor({2, 1, 1}, {3.0, 5.0}), {0, 1}};
  EXPECT_EQ(
      mixExperts(x, one, down, up, ScorePlacement::Softmax, Activation::ReLU)
          .data,
      (std::vector<double>{2.0 * 2.0 * 127.0, 2.0 * 2.0 * -127.0,
                           0.5 * 8.0 * 1.0, 0.5 * 8.0 * 3.0}));
}

} // namespace
