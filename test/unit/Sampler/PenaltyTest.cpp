// Biases, penalties and masks against a plain computation, and samplers that go
// on elsewhere.
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

constexpr float none = -std::numeric_limits<float>::infinity();

/// Probabilities as docs and header say, one option after the other, with
/// nothing kept between tokens.
std::vector<double> plain(const SamplingOptions &options,
                          const std::vector<float> &logits,
                          const std::vector<int32_t> &history) {
  std::vector<float> scores = logits;
  for (const LogitBias &each : options.logitBias) {
    scores[each.token] += each.bias;
  }
  size_t window = options.repeatLastN < 0
                      ? history.size()
                      : std::min(history.size(), size_t(options.repeatLastN));
  for (size_t token = 0; token < scores.size(); ++token) {
    int64_t times = 0;
    for (size_t i = history.size() - window; i < history.size(); ++i) {
      times += history[i] == int32_t(token);
    }
    if (times != 0) {
      float repeat = float(options.repeatPenalty), &score = scores[token];
      score = score < 0 ? score * repeat : score / repeat;
      score -= float(times) * float(options.frequencyPenalty) +
               float(options.presencePenalty);
    }
  }
  std::vector<double> weights;
  double sum = 0;
  for (float score : scores) {
    weights.push_back(std::exp(double(score) / options.temperature));
    sum += weights.back();
  }
  for (double &weight : weights) {
    weight /= sum;
  }
  return weights;
}

TEST(Penalties, EqualAPlainComputation) {
  std::mt19937 random(9);
  auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    SamplingOptions options;
    options.doSample = true;
    options.temperature = uniform(0.3, 2);
    options.repeatPenalty = round % 3 == 0 ? 1 : uniform(0.5, 2);
    options.presencePenalty = round % 4 == 0 ? 0 : uniform(-2, 2);
    options.frequencyPenalty = round % 5 == 0 ? 0 : uniform(-1, 1);
    options.repeatLastN = int64_t(random() % 12) - 1;
    std::vector<float> logits(11);
    for (float &logit : logits) {
      logit = float(uniform(-4, 4));
    }
    logits[3] = none;
    for (int i = int(random() % 4); i > 0; --i) {
      float bias = random() % 4 == 0 ? none : float(uniform(-3, 3));
      options.logitBias.add({int32_t(random() % 11), bias});
    }
    std::vector<int32_t> history;
    Sampler sampler(options);
    for (int length = 0; length < 15; ++length) {
      std::vector<float> got = sampler.distribution(logits.data(), 11);
      std::vector<double> want = plain(options, logits, history);
      for (size_t i = 0; i < got.size(); ++i) {
        // rounded to f32, and so were the scores
        EXPECT_NEAR(got[i], want[i], 1e-6) << round << ", token " << i;
      }
      history.push_back(int32_t(random() % 11));
      sampler.accept(history.back());
    }
  }
}

TEST(Penalties, ALongHistoryIsThatOfItsEnd) {
  SamplingOptions options;
  options.doSample = true;
  options.frequencyPenalty = 0.5;
  options.repeatLastN = 64;
  Sampler sampler(options), fresh(options);
  std::mt19937 random(4);
  std::vector<int32_t> history;
  for (int i = 0; i < 5000; ++i) {
    history.push_back(int32_t(random() % 100));
  }
  sampler.accept(history.data(), history.size());
  fresh.accept(history.data() + history.size() - 64, 64);
  std::vector<float> logits(100, 1);
  EXPECT_EQ(sampler.distribution(logits.data(), 100),
            fresh.distribution(logits.data(), 100));
}

TEST(Penalties, FarOutOnesLeaveTokensComparable) {
  SamplingOptions options;
  options.presencePenalty = 3e38;
  options.frequencyPenalty = 3e38;
  options.logitBias = {{2, 3e38f}, {2, 3e38f}, {3, none}};
  Sampler sampler(options);
  std::vector<float> logits{1, 0, -5, 9};
  EXPECT_EQ(sampler.sample(logits.data(), 4), 2);
  for (int32_t token : {0, 1, 2, 2}) {
    sampler.accept(token);
  }
  EXPECT_NE(sampler.sample(logits.data(), 4), 3);
}

// The largest penalties and biases meet the largest logits: each token has a
// probability, and one that is possible is chosen.
TEST(Penalties, FarOutOnesMakeNoScoreThatIsNoNumber) {
  constexpr float most = std::numeric_limits<float>::max();
  constexpr double penalties[] = {
      0, 1, -1, 3e38, -3e38, double(most), -double(most)};
  constexpr double repeats[] = {1, 1e-45, 1e-38, 3e38, double(most), 2};
  constexpr double temperatures[] = {1, 5e-324, 1e-300, 1e300, 0};
  constexpr float biases[] = {none, -100, 100, 3e38f, -3e38f, most, -most};
  constexpr float logitsOf[] = {0, -0.f, 1, -1, most, -most, 1e-45f, none, 5};
  std::mt19937 random(7);
  auto any = [&](const auto &list) { return list[random() % std::size(list)]; };
  for (int round = 0; round < 20000; ++round) {
    SamplingOptions options;
    options.doSample = true;
    options.presencePenalty = any(penalties);
    options.frequencyPenalty = any(penalties);
    options.repeatPenalty = any(repeats);
    options.temperature = any(temperatures);
    options.minP = random() % 3 == 0 ? 0.5 : 0;
    options.topP = random() % 3 == 0 ? 0.5 : 1;
    options.topK = random() % 3;
    for (int i = int(random() % 4); i > 0; --i) {
      options.logitBias.add({int32_t(random() % 5), any(biases)});
    }
    std::vector<float> logits(6);
    for (float &logit : logits) {
      logit = any(logitsOf);
    }
    logits[5] = 1; // which nothing forbids
    Sampler sampler(options);
    for (int i = int(random() % 8); i > 0; --i) {
      sampler.accept(int32_t(random() % 6));
    }
    double sum = 0;
    for (float each : sampler.distribution(logits.data(), logits.size())) {
      ASSERT_TRUE(each >= 0 && each <= 1) << round << ": " << each;
      sum += double(each);
    }
    EXPECT_NEAR(sum, 1, 1e-5) << round;
    auto token = size_t(sampler.sample(logits.data(), logits.size()));
    EXPECT_NE(logits[token], none) << round;
  }
}

TEST(Penalties, OfTwoThatOverflowNothingIsLeft) {
  SamplingOptions options;
  options.repeatPenalty = 1e-38;
  options.frequencyPenalty = 3e38;
  Sampler sampler(options);
  for (int i = 0; i < 2; ++i) {
    sampler.accept(0);
  }
  std::vector<float> logits{9, 1};
  EXPECT_EQ(sampler.sample(logits.data(), 2), 1);
}

TEST(Penalties, OptionsOutOfRangeAreNamed) {
  auto refusal = [](auto set) -> std::string {
    SamplingOptions options;
    set(options);
    try {
      Sampler sampler(options);
    } catch (const Error &error) {
      EXPECT_EQ(error.status, Status::usage);
      return error.what();
    }
    return "";
  };
  using Options = SamplingOptions;
  EXPECT_THAT(refusal([](Options &o) { o.presencePenalty = 1e39; }),
              HasSubstr("presence penalty must be between -3.4e38 and 3.4e38"));
  EXPECT_THAT(refusal([](Options &o) { o.frequencyPenalty = NAN; }),
              HasSubstr("frequency penalty must be a finite number, not nan"));
  for (double repeat : {1e308, 1e-60}) {
    EXPECT_THAT(refusal([=](Options &o) { o.repeatPenalty = repeat; }),
                HasSubstr("repeat penalty must be between 1.5e-45 and 3.4e38"));
  }
  EXPECT_THAT(refusal([](Options &o) { o.repeatLastN = -2; }),
              HasSubstr("repeat-last-n must be -1 (all)"));
  for (float bias : {NAN, -none}) {
    EXPECT_THAT(refusal([=](Options &o) { o.logitBias = {{1, bias}}; }),
                HasSubstr("logit bias must be a finite number or -infinity"));
  }
  EXPECT_THAT(refusal([](Options &o) { o.logitBias = {{-1, 0.f}}; }),
              HasSubstr("logit bias must be of a token id"));
}

TEST(Mask, LeavesTheTokensWhoseBitIsSet) {
  constexpr size_t vocabulary = 70;
  std::vector<float> logits(vocabulary);
  std::mt19937 random(2);
  for (bool samples : {false, true}) {
    SamplingOptions options;
    options.doSample = samples;
    Sampler sampler(options);
    for (int round = 0; round < 200; ++round) {
      for (float &logit : logits) {
        logit = float(random() % 100) / 10;
      }
      uint32_t mask[3] = {uint32_t(random() & random()),
                          uint32_t(random() & random()), 1};
      int32_t token = sampler.sample(logits.data(), vocabulary, mask);
      EXPECT_TRUE(mask[token / 32] >> token % 32 & 1);
      for (size_t i = 0; !samples && i < vocabulary; ++i) {
        if (mask[i / 32] >> i % 32 & 1) {
          EXPECT_LE(logits[i], logits[size_t(token)]);
        }
      }
    }
    uint32_t nothing[3] = {};
    EXPECT_THROW(sampler.sample(logits.data(), vocabulary, nothing), Error);
  }
}

TEST(Sampler, BiasAndPenaltiesNeedTheWholeRow) {
  float values[] = {3, 2};
  int32_t tokens[] = {1, 0};
  TopLogits best{values, tokens, 2, 4, 2};
  SamplingOptions biased;
  biased.logitBias = {{0, 1.f}};
  EXPECT_EQ(Sampler(biased).enough(), 0u);
  EXPECT_FALSE(Sampler(biased).sample(best));
  SamplingOptions penalised;
  penalised.presencePenalty = 1;
  Sampler sampler(penalised);
  EXPECT_EQ(sampler.sample(best), 1);
  sampler.accept(1);
  EXPECT_EQ(sampler.enough(), 0u);
  EXPECT_FALSE(sampler.sample(best));
}

TEST(Sampler, GoesOnFromItsState) {
  SamplingOptions options;
  options.doSample = true;
  options.frequencyPenalty = 0.7;
  options.repeatLastN = 5;
  options.seed = 3;
  std::vector<float> logits{1, 2, 1.5f, 0};
  auto next = [&](Sampler &sampler) {
    int32_t token = sampler.sample(logits.data(), 4);
    sampler.accept(token);
    return token;
  };
  Sampler sampler(options);
  for (int i = 0; i < 20; ++i) {
    next(sampler);
  }
  std::string state = sampler.state();
  options.seed = 99;
  Sampler other(options), copy(sampler);
  next(other);
  other.setState(state);
  EXPECT_EQ(other.options().seed, 3u);
  for (int i = 0; i < 50; ++i) {
    int32_t token = next(sampler);
    EXPECT_EQ(next(other), token);
    EXPECT_EQ(next(copy), token);
  }
  copy.reseed(3);
  copy.forget();
  options.seed = 3;
  Sampler fresh(options);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(next(copy), next(fresh));
  }
}

TEST(Sampler, DamagedStatesChangeNothing) {
  SamplingOptions options;
  options.doSample = true;
  options.presencePenalty = 1;
  Sampler sampler(options);
  for (int32_t token : {1, 2}) {
    sampler.accept(token);
  }
  std::string state = sampler.state();
  auto refused = [&](const std::string &bytes) {
    try {
      sampler.setState(bytes);
      return false;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr("the sampler's state: "));
      return true;
    }
  };
  for (size_t size = 0; size < state.size(); size += 1 + size / 8) {
    EXPECT_TRUE(refused(state.substr(0, size))) << size;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = state;
    char &byte = damaged[random() % damaged.size()];
    byte = char(byte ^ (1 << random() % 8));
    EXPECT_TRUE(refused(damaged));
  }
  EXPECT_EQ(sampler.state(), state);
}

} // namespace
