// Drawing from the best logits of a row: the token of the whole row, or none.
#include "runtime/Sampler/Sampler.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace cheems;

namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

/// The best `count` of a row, by their definition.
struct Best {
  std::vector<int32_t> tokens;
  std::vector<float> values;
  float logSumExp = 0;
  size_t vocabulary;

  Best(const std::vector<float> &row, size_t count) : vocabulary(row.size()) {
    tokens.resize(row.size());
    std::iota(tokens.begin(), tokens.end(), 0);
    std::sort(tokens.begin(), tokens.end(), [&](int32_t a, int32_t b) {
      return row[size_t(a)] != row[size_t(b)] ? row[size_t(a)] > row[size_t(b)]
                                              : a < b;
    });
    double sum = 0;
    for (float logit : row) {
      sum += std::exp(double(logit));
    }
    logSumExp = float(std::log(sum));
    tokens.resize(count);
    for (int32_t token : tokens) {
      values.push_back(row[size_t(token)]);
    }
  }
  TopLogits view() const {
    return {values.data(), tokens.data(), values.size(), logSumExp, vocabulary};
  }
};

SamplingOptions sampling(double temperature, int64_t topK, double topP,
                         double minP) {
  SamplingOptions options;
  options.doSample = true;
  options.temperature = temperature;
  options.topK = topK;
  options.topP = topP;
  options.minP = minP;
  return options;
}

/// Rows in which many logits are equal, and some are -infinity.
std::vector<float> drawRow(std::mt19937 &random) {
  std::vector<float> row(1 + random() % 300);
  unsigned levels = 1 + random() % 400;
  for (float &logit : row) {
    logit = random() % 16 == 0 ? none : float(random() % levels) / 16 - 5;
  }
  row[random() % row.size()] = 3;
  return row;
}

TEST(TopLogits, WhatIsChosenIsWhatTheWholeRowGives) {
  std::mt19937 random(1);
  size_t decided = 0, asked = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<float> row = drawRow(random);
    Best best(row, 1 + random() % row.size());
    const SamplingOptions each[] = {
        SamplingOptions(),          sampling(1, 5, 1, 0),
        sampling(0.7, 40, 0.9, 0),  sampling(1.3, 0, 1, 0.2),
        sampling(1, 0, 0.9, 0),     sampling(0.8, 20, 0.95, 0.05),
        sampling(1, 1000, 1, 0.01), sampling(1, 0, 1, 0)};
    for (SamplingOptions options : each) {
      options.seed = uint64_t(round);
      Sampler whole(options), parts(options);
      for (int draw = 0; draw < 4; ++draw) {
        int32_t wanted = whole.sample(row.data(), row.size());
        auto found = parts.sample(best.view());
        ++asked;
        decided += found.has_value();
        // What is not decided is drawn from the row, by the same chance.
        EXPECT_EQ(found ? *found : parts.sample(row.data(), row.size()),
                  wanted);
      }
    }
  }
  EXPECT_GT(decided, asked / 3);
  EXPECT_LT(decided, asked);
}

TEST(TopLogits, DecideWhereTheRestCannotMatter) {
  std::vector<float> row(100);
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = -float(i);
  }
  Best best(row, 8);
  auto decides = [&](const SamplingOptions &options) {
    return Sampler(options).sample(best.view()).has_value();
  };
  EXPECT_TRUE(decides({}));
  EXPECT_TRUE(decides(sampling(1, 7, 0.9, 0)));
  EXPECT_FALSE(decides(sampling(1, 8, 1, 0))); // the ninth may be as good
  EXPECT_FALSE(decides(sampling(1, 0, 1, 0)));
  EXPECT_FALSE(decides(sampling(1, 0, 0.5, 0))); // of what total?
  EXPECT_TRUE(decides(sampling(1, 0, 1, 0.01)));
  EXPECT_FALSE(decides(sampling(1, 0, 1, 0.0001)));
}

TEST(TopLogits, APenaltyOfSeenTokensNeedsTheWholeRow) {
  Best best({1, 2, 3, 4}, 2);
  SamplingOptions options;
  options.repeatPenalty = 1.5;
  Sampler sampler(options);
  EXPECT_EQ(sampler.sample(best.view()), 3);
  sampler.accept(3);
  EXPECT_EQ(sampler.sample(best.view()), std::nullopt);
}

TEST(TopLogits, RowsThatCannotBeUsedAreLeftToTheWholeRow) {
  Best best({1, 2, 3, 4}, 2);
  best.logSumExp = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Sampler({}).sample(best.view()), std::nullopt);
  EXPECT_EQ(Sampler({}).sample(Best({none, none}, 1).view()), std::nullopt);
}

} // namespace
