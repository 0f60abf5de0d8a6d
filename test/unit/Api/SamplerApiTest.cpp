// The C interface: samplers.
#include "../Generation/TalkingArtifact.h"
#include "ApiFixture.h"
#include <cmath>
#include <limits>
#include <set>

using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Samplers : public Api {
protected:
  void TearDown() override {
    cheems_sampler_destroy(sampler);
    Api::TearDown();
  }
  static cheems_sampler_options sized() {
    cheems_sampler_options options = {};
    options.size = sizeof(options);
    return options;
  }
  void make(const cheems_sampler_options *options) {
    cheems_sampler_destroy(sampler);
    sampler = nullptr;
    ASSERT_EQ(cheems_sampler_create(model, options, &sampler), CHEEMS_OK)
        << cheems_last_error();
  }
  int32_t choose(cheems_sampler *from, const uint32_t *mask = nullptr) {
    int32_t token = -1;
    EXPECT_EQ(cheems_sampler_sample(from, row.data(), mask, &token), CHEEMS_OK)
        << cheems_last_error();
    return token;
  }
  std::vector<int32_t> choose(cheems_sampler *from, int count) {
    std::vector<int32_t> tokens;
    for (int i = 0; i < count; ++i) {
      tokens.push_back(choose(from));
      EXPECT_EQ(cheems_sampler_accept(from, &tokens.back(), 1), CHEEMS_OK);
    }
    return tokens;
  }
  cheems_sampler *sampler = nullptr;
  /// Token 6 is the best, then 5, and so on in a circle.
  std::array<float, fakeVocabulary> row = [] {
    std::array<float, fakeVocabulary> logits;
    for (int i = 0; i < fakeVocabulary; ++i) {
      logits[i] = static_cast<float>((i + 9) % fakeVocabulary) / 4;
    }
    return logits;
  }();
};

TEST_F(Samplers, takeTheBestTokenByDefault) {
  make(nullptr);
  EXPECT_EQ(choose(sampler), 6);
  cheems_sampler_options options = sized();
  make(&options);
  EXPECT_EQ(choose(sampler), 6);
  uint32_t mask = ~(1u << 6);
  EXPECT_EQ(choose(sampler, &mask), 5);
  cheems_logit_bias biases[] = {{5, 1.f}, {6, -INFINITY}};
  options.logit_bias = biases;
  options.logit_bias_count = 2;
  make(&options);
  biases[0].bias = -9; // was copied
  EXPECT_EQ(choose(sampler), 5);
}

TEST_F(Samplers, penaltiesLookAtAcceptedTokens) {
  cheems_sampler_options options = sized();
  options.presence_penalty = 100;
  options.repeat_last_n = 2;
  make(&options);
  EXPECT_THAT(choose(sampler, 5), ElementsAre(6, 5, 4, 6, 5));
  EXPECT_EQ(cheems_sampler_forget(sampler), CHEEMS_OK);
  EXPECT_EQ(choose(sampler), 6);
  options.repeat_last_n = 0; // all
  make(&options);
  EXPECT_THAT(choose(sampler, 5), ElementsAre(6, 5, 4, 3, 2));
}

TEST_F(Samplers, seedsClonesAndStatesRepeatTokens) {
  cheems_sampler_options options = sized();
  options.temperature = 1;
  options.frequency_penalty = 0.2;
  options.seed = 7;
  make(&options);
  std::vector<int32_t> first = choose(sampler, 20);
  EXPECT_GT(std::set<int32_t>(first.begin(), first.end()).size(), 3u);
  size_t size = 0, written = 0;
  ASSERT_EQ(cheems_sampler_state_size(sampler, &size), CHEEMS_OK);
  std::string state(size, '\0');
  EXPECT_EQ(cheems_sampler_state_get(sampler, state.data(), size - 1, &written),
            CHEEMS_USAGE);
  ASSERT_EQ(cheems_sampler_state_get(sampler, state.data(), size, &written),
            CHEEMS_OK);
  EXPECT_EQ(written, size);
  cheems_sampler *clone = nullptr;
  ASSERT_EQ(cheems_sampler_clone(sampler, &clone), CHEEMS_OK);
  std::vector<int32_t> next = choose(sampler, 20);
  EXPECT_EQ(choose(clone, 20), next);
  ASSERT_EQ(cheems_sampler_state_set(clone, state.data(), size), CHEEMS_OK);
  EXPECT_EQ(choose(clone, 20), next);
  EXPECT_EQ(cheems_sampler_state_set(clone, state.data(), size - 1),
            CHEEMS_CORRUPT);
  ASSERT_EQ(cheems_sampler_seed(clone, 7), CHEEMS_OK);
  ASSERT_EQ(cheems_sampler_forget(clone), CHEEMS_OK);
  EXPECT_EQ(choose(clone, 20), first);
  cheems_sampler_destroy(clone);
  options.seed = 8;
  make(&options);
  EXPECT_NE(choose(sampler, 20), first);
}

TEST_F(Samplers, optionsOutOfRangeAreNamed) {
  auto refusal = [&](auto set) -> std::string {
    cheems_sampler_options options = sized();
    set(options);
    EXPECT_EQ(cheems_sampler_create(model, &options, &sampler), CHEEMS_USAGE);
    return cheems_last_error();
  };
  using Options = cheems_sampler_options;
  EXPECT_THAT(refusal([](Options &o) { o.temperature = -1; }),
              HasSubstr("temperature"));
  EXPECT_THAT(refusal([](Options &o) { o.top_p = 2; }), HasSubstr("top_p"));
  EXPECT_THAT(refusal([](Options &o) { o.repeat_penalty = -1; }),
              HasSubstr("repeat_penalty"));
  EXPECT_THAT(refusal([](Options &o) { o.repeat_last_n = -1; }),
              HasSubstr("repeat_last_n"));
  EXPECT_THAT(refusal([](Options &o) { o.logit_bias_count = 1; }),
              HasSubstr("logit_bias is null"));
  cheems_logit_bias bias = {fakeVocabulary, 1};
  EXPECT_THAT(refusal([&](Options &o) {
                o.logit_bias = &bias;
                o.logit_bias_count = 1;
              }),
              HasSubstr("token 16, which is outside the vocabulary"));
  EXPECT_THAT(refusal([](Options &o) { o.size = 1; }),
              HasSubstr("sizeof(cheems_sampler_options)"));
  EXPECT_EQ(sampler, nullptr);
}

TEST_F(Samplers, wrongCallsAreRefused) {
  make(nullptr);
  int32_t token = 3, tokens[] = {1, fakeVocabulary};
  EXPECT_EQ(cheems_sampler_accept(sampler, tokens, 2), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_accept(sampler, tokens, -1), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_accept(sampler, nullptr, 1), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_accept(sampler, nullptr, 0), CHEEMS_OK);
  EXPECT_EQ(cheems_sampler_sample(sampler, nullptr, nullptr, &token),
            CHEEMS_USAGE);
  uint32_t nothing = 0;
  EXPECT_EQ(cheems_sampler_sample(sampler, row.data(), &nothing, &token),
            CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("no token can be chosen"));
  row[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(cheems_sampler_sample(sampler, row.data(), nullptr, &token),
            CHEEMS_FAILED);
  EXPECT_EQ(token, 3);
  EXPECT_EQ(cheems_sampler_create(nullptr, nullptr, &sampler), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_clone(nullptr, &sampler), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_forget(nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_seed(nullptr, 1), CHEEMS_USAGE);
  EXPECT_EQ(cheems_sampler_state_size(nullptr, nullptr), CHEEMS_USAGE);
}

TEST_F(Samplers, logprobsAreThoseOfTheSoftmaxInDouble) {
  long double sum = 0;
  for (float logit : row) {
    sum += std::exp(static_cast<long double>(logit));
  }
  int32_t tokens[3] = {};
  double chosen = 1, top[3] = {};
  ASSERT_EQ(cheems_logprobs(model, row.data(), 2, &chosen, 3, tokens, top),
            CHEEMS_OK)
      << cheems_last_error();
  auto want = [&](int token) {
    return static_cast<double>(row[token] - std::log(sum));
  };
  constexpr double rounding = fakeVocabulary * 0x1p-52 * 8;
  EXPECT_NEAR(chosen, want(2), rounding);
  EXPECT_THAT(tokens, ElementsAre(6, 5, 4));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(top[i], want(tokens[i]), rounding);
  }
  // the same number for the same token, whichever way it is asked for
  ASSERT_EQ(cheems_logprobs(model, row.data(), 6, &chosen, 0, nullptr, nullptr),
            CHEEMS_OK);
  EXPECT_EQ(chosen, top[0]);
  EXPECT_EQ(cheems_logprobs(model, row.data(), -1, nullptr, 1, tokens, top),
            CHEEMS_OK);
  EXPECT_EQ(
      cheems_logprobs(model, row.data(), 16, &chosen, 0, nullptr, nullptr),
      CHEEMS_USAGE);
  EXPECT_EQ(cheems_logprobs(model, row.data(), 1, &chosen, 17, tokens, top),
            CHEEMS_USAGE);
  EXPECT_EQ(cheems_logprobs(model, row.data(), 1, &chosen, 1, nullptr, top),
            CHEEMS_USAGE);
  row[0] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cheems_logprobs(model, row.data(), 1, &chosen, 0, nullptr, nullptr),
            CHEEMS_FAILED);
}

TEST(SamplerDefaults, areThoseOfTheModel) {
  FakeArtifact artifact = talkingArtifact();
  auto defaults = [&](const char *generation) {
    setText(artifact, CHEEMS_SECTION_GENERATION_CONFIG, generation);
    TemporaryFile file(artifact.bytes());
    cheems_model *model = nullptr;
    EXPECT_EQ(cheems_model_open(file.path().c_str(), &model), CHEEMS_OK);
    cheems_sampler_options options = {};
    options.size = sizeof(options);
    options.seed = 5;
    EXPECT_EQ(cheems_model_sampler_options(model, &options), CHEEMS_OK);
    cheems_model_close(model);
    return options;
  };
  cheems_sampler_options options = defaults(
      R"({"do_sample": true, "temperature": 0.5, "top_k": 3, "top_p": 0.25,
          "min_p": 0.125, "repetition_penalty": 1.5})");
  EXPECT_EQ(options.size, sizeof(options));
  EXPECT_EQ(options.temperature, 0.5);
  EXPECT_EQ(options.top_k, 3);
  EXPECT_EQ(options.top_p, 0.25);
  EXPECT_EQ(options.min_p, 0.125);
  EXPECT_EQ(options.repeat_penalty, 1.5);
  EXPECT_EQ(options.seed, 0u);
  options = defaults(R"({"temperature": 0.5, "top_k": 3})");
  EXPECT_EQ(options.temperature, 0);
  EXPECT_EQ(options.top_k, 3);
  EXPECT_EQ(defaults("").temperature, 0);
  EXPECT_EQ(cheems_model_sampler_options(nullptr, &options), CHEEMS_USAGE);
}

} // namespace
