// The generation loop on the stand-in model: what ends it, what it hands out.
#include "runtime/Generation/Generator.h"
#include "TalkingArtifact.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;

namespace {

/// What TalkingModel.c says comes next.
int32_t next(const std::vector<int32_t> &tokens) {
  int64_t hash = 0;
  for (int32_t token : tokens) {
    hash = (hash * 31 + token + 1) % 65521;
  }
  return static_cast<int32_t>(hash % fakeVocabulary);
}

struct Outcome {
  std::vector<int32_t> tokens;
  Stop stop;
  Statistics statistics;
};

Outcome generate(const std::vector<int32_t> &prompt,
                 const GenerationLimits &limits, int64_t context = 0,
                 const std::function<bool()> &stop = nullptr) {
  SessionOptions options;
  options.threads = 1;
  options.context = context;
  Session session(load(talkingArtifact()), options);
  Sampler sampler{SamplingOptions()};
  Generator generator(session, sampler, stop);
  generator.feed(prompt);
  Outcome run;
  run.stop = generator.generate(
      limits, [&](int32_t token) { run.tokens.push_back(token); });
  run.statistics = generator.statistics();
  return run;
}

TEST(Generator, feedsBackWhatItChose) {
  std::vector<int32_t> all = {0, 4, 5};
  Outcome run = generate(all, {20, {}});
  ASSERT_EQ(run.tokens.size(), 20u);
  for (int32_t token : run.tokens) {
    EXPECT_EQ(token, next(all));
    all.push_back(token);
  }
  EXPECT_EQ(run.stop, Stop::length);
  EXPECT_EQ(run.statistics.promptTokens, 3);
  EXPECT_EQ(run.statistics.generatedTokens, 20);
  EXPECT_EQ(run.statistics.decodedTokens, 19);
}

TEST(Generator, nothingToGenerateIsNothing) {
  Outcome run = generate({0, 4}, {0, {}});
  EXPECT_TRUE(run.tokens.empty());
  EXPECT_EQ(run.stop, Stop::length);
}

TEST(Generator, anyEndTokenEndsAndIsHandedOut) {
  Outcome whole = generate({0, 4, 5}, {20, {}});
  for (size_t place : {0, 7, 19}) {
    int32_t end = whole.tokens[place];
    Outcome run = generate({0, 4, 5}, {20, {100, end}});
    EXPECT_EQ(run.stop, Stop::endOfText);
    EXPECT_EQ(run.tokens.back(), end);
    EXPECT_LE(run.tokens.size(), place + 1);
    EXPECT_EQ(std::count(run.tokens.begin(), run.tokens.end(), end), 1);
  }
}

TEST(Generator, aFullContextEndsClearly) {
  EXPECT_EQ(generate({0, 4, 5}, {std::nullopt, {}}, 10).tokens.size(), 7u);
  Outcome run = generate({0, 4, 5}, {100, {}}, 10);
  EXPECT_EQ(run.tokens.size(), 7u);
  EXPECT_EQ(run.stop, Stop::contextFull);
  EXPECT_EQ(generate({0, 4, 5}, {7, {}}, 10).stop, Stop::length);
  Outcome none = generate({0, 4, 5}, {std::nullopt, {}}, 3);
  EXPECT_TRUE(none.tokens.empty());
  EXPECT_EQ(none.stop, Stop::contextFull);
}

TEST(Generator, anInterruptionEndsBetweenTokens) {
  int asked = 0;
  Outcome run = generate({0, 4, 5}, {20, {}}, 0, [&] { return ++asked > 4; });
  EXPECT_EQ(run.stop, Stop::interrupted);
  EXPECT_EQ(run.tokens.size(), 4u);
}

TEST(Generator, theLastLineHasBothCountsAndRates) {
  Statistics statistics;
  statistics.promptTokens = 10;
  statistics.promptSeconds = 0.5;
  statistics.generatedTokens = 5;
  statistics.decodedTokens = 4;
  statistics.generationSeconds = 2;
  EXPECT_EQ(statistics.line(), "prompt: 10 tokens, 20.0 tokens/s; generated: "
                               "5 tokens, 2.0 tokens/s");
  statistics.promptTokens = statistics.generatedTokens = 1;
  EXPECT_EQ(statistics.line(), "prompt: 1 token, 2.0 tokens/s; generated: "
                               "1 token, 2.0 tokens/s");
  EXPECT_EQ(Statistics().line(), "prompt: 0 tokens, 0.0 tokens/s; generated: "
                                 "0 tokens, 0.0 tokens/s");
}

} // namespace
