// Drawing tokens: greedy choice, determinism, frequencies, refusals.
#include "runtime/Sampler/Sampler.h"

#include "runtime/Error.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::HasSubstr;

namespace {

SamplingOptions sampling() {
  SamplingOptions options;
  options.doSample = true;
  return options;
}

std::vector<int32_t> draw(const SamplingOptions &options,
                          const std::vector<float> &logits, int count) {
  Sampler sampler(options);
  std::vector<int32_t> tokens;
  for (int i = 0; i < count; ++i) {
    tokens.push_back(sampler.sample(logits.data(), logits.size()));
  }
  return tokens;
}

std::string usageError(const SamplingOptions &options) {
  try {
    Sampler sampler(options);
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::usage);
    return error.what();
  }
  return "";
}

std::string sampleError(const std::vector<float> &logits,
                        const SamplingOptions &options) {
  try {
    Sampler(options).sample(logits.data(), logits.size());
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Sampler, GreedyTakesTheHighestAndTheLowestIdOfEquals) {
  std::vector<float> logits{0, 7, 2, 7, -1};
  EXPECT_EQ(draw({}, logits, 2), (std::vector<int32_t>{1, 1}));
  SamplingOptions cold = sampling();
  cold.temperature = 0;
  EXPECT_EQ(draw(cold, logits, 2), (std::vector<int32_t>{1, 1}));
}

TEST(Sampler, GreedyFollowsTheRepeatPenalty) {
  SamplingOptions options;
  options.repeatPenalty = 2;
  Sampler sampler(options);
  std::vector<float> logits{3, 5, 1};
  EXPECT_EQ(sampler.sample(logits.data(), 3), 1);
  sampler.accept(1);
  EXPECT_EQ(sampler.sample(logits.data(), 3), 0);
  sampler.forget();
  EXPECT_EQ(sampler.sample(logits.data(), 3), 1);
}

TEST(Sampler, SameSeedSameTokens) {
  std::vector<float> logits{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
  SamplingOptions options = sampling();
  options.seed = 42;
  auto first = draw(options, logits, 100);
  EXPECT_EQ(first, draw(options, logits, 100));
  options.seed = 43;
  EXPECT_NE(first, draw(options, logits, 100));
}

// The engine's output and its use are fixed by the C++ standard and this code,
// so these must never change.
TEST(Sampler, SeedGivesTheSameTokensOnEveryPlatform) {
  SamplingOptions options = sampling();
  options.seed = 5489; // the first value of this seed is 14514284786278117030
                       // by the standard: 0.7868...
  EXPECT_EQ(draw(options, std::vector<float>(100, 0.0f), 1),
            (std::vector<int32_t>{78}));
}

TEST(Sampler, DrawsInProportion) {
  std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f),
                            -std::numeric_limits<float>::infinity()};
  std::vector<int> counts(4);
  for (int32_t token : draw(sampling(), logits, 20000)) {
    ++counts[size_t(token)];
  }
  EXPECT_NEAR(counts[0] / 20000.0, 0.5, 0.015);
  EXPECT_NEAR(counts[1] / 20000.0, 0.3, 0.015);
  EXPECT_NEAR(counts[2] / 20000.0, 0.2, 0.015);
  EXPECT_EQ(counts[3], 0);
}

TEST(Sampler, LookingAtTheDistributionDoesNotDisturbTheDraws) {
  std::vector<float> logits{0, 1, 2, 3};
  Sampler plain(sampling());
  Sampler watched(sampling());
  for (int i = 0; i < 20; ++i) {
    watched.distribution(logits.data(), logits.size());
    EXPECT_EQ(plain.sample(logits.data(), 4), watched.sample(logits.data(), 4));
  }
}

TEST(Sampler, TopPOfZeroIsGreedy) {
  SamplingOptions options;
  options.doSample = true;
  options.temperature = 5;
  options.topP = 0;
  Sampler sampler(options);
  std::vector<float> logits{1, 2, 2, 0};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(sampler.sample(logits.data(), logits.size()), 1);
  }
  EXPECT_EQ(sampler.distribution(logits.data(), logits.size()),
            (std::vector<float>{0, 1, 0, 0}));
}

TEST(Sampler, RefusesOptionsOutOfRangeByName) {
  const double nan = std::nan("");
  auto with = [](auto change) {
    SamplingOptions options;
    change(options);
    return usageError(options);
  };
  for (double value : {-0.5, nan, HUGE_VAL}) {
    EXPECT_THAT(with([&](auto &o) { o.temperature = value; }),
                HasSubstr("temperature must be"))
        << value;
  }
  for (double value : {-1e-9, -1.0, 1.5, nan}) {
    EXPECT_THAT(with([&](auto &o) { o.topP = value; }),
                HasSubstr("top-p must be"))
        << value;
  }
  for (double value : {-0.1, 1.1, nan}) {
    EXPECT_THAT(with([&](auto &o) { o.minP = value; }),
                HasSubstr("min-p must be"))
        << value;
  }
  for (double value : {0.0, -1.0, 1e-60, 1e60, nan}) {
    EXPECT_THAT(with([&](auto &o) { o.repeatPenalty = value; }),
                HasSubstr("repeat penalty must be"))
        << value;
  }
  EXPECT_EQ(with([](auto &o) { o.topK = -3; }),
            "top-k must be 0 (off) or above, not -3");
  EXPECT_EQ(with([](auto &) {}), "");
}

TEST(Sampler, RefusesUnusableLogits) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const SamplingOptions &options : {SamplingOptions(), sampling()}) {
    EXPECT_THAT(sampleError({1, std::nanf(""), 2}, options),
                HasSubstr("token 1 the logit nan"));
    EXPECT_THAT(sampleError({1, 2, infinity}, options),
                HasSubstr("token 2 the logit inf"));
    EXPECT_THAT(sampleError({-infinity, -infinity}, options),
                HasSubstr("none to choose"));
    EXPECT_THAT(sampleError({}, options), HasSubstr("no logits"));
    EXPECT_EQ(sampleError({-infinity, 0}, options), "");
  }
}

TEST(Sampler, PenaltyThatOverflowsLeavesAToken) {
  SamplingOptions options = sampling();
  options.repeatPenalty = 1e-30;
  Sampler sampler(options);
  sampler.accept(0);
  sampler.accept(2);
  std::vector<float> logits{1e20f, 1, -1e20f};
  EXPECT_EQ(sampler.sample(logits.data(), 3), 0);
}

TEST(Sampler, RefusesANegativeTokenInItsHistory) {
  SamplingOptions options;
  options.repeatPenalty = 1.1;
  Sampler sampler(options);
  EXPECT_THROW(sampler.accept(-1), Error);
}

} // namespace
