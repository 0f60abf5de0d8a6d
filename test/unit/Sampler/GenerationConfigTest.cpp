// generation_config.json: transformers' defaults, every field, malformed files.
#include "runtime/Sampler/GenerationConfig.h"
#include "runtime/Sampler/Sampler.h"

#include "runtime/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::string errorOf(const char *text) {
  try {
    parseGenerationConfig(text);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(GenerationConfig, IsGreedyWithoutDoSample) {
  EXPECT_TRUE(parseGenerationConfig("{}").sampling.greedy());
  EXPECT_TRUE(
      parseGenerationConfig(R"({"do_sample": false, "temperature": 0.7})")
          .sampling.greedy());
  EXPECT_TRUE(parseGenerationConfig(R"({"temperature": 0.7, "top_k": 3})")
                  .sampling.greedy());
}

TEST(GenerationConfig, HasTransformersDefaultsWhenSampling) {
  for (
      const char *text :
      {R"({"do_sample": true})",
       R"({"do_sample": true, "top_k": null, "top_p": null, "temperature": null})"}) {
    auto config = parseGenerationConfig(text);
    EXPECT_FALSE(config.sampling.greedy());
    EXPECT_EQ(config.sampling.topK, 50);
    EXPECT_EQ(config.sampling.temperature, 1);
    EXPECT_EQ(config.sampling.topP, 1);
    EXPECT_EQ(config.sampling.minP, 0);
    EXPECT_EQ(config.sampling.repeatPenalty, 1);
    EXPECT_THAT(config.eosTokenIds, IsEmpty());
    EXPECT_FALSE(config.bosTokenId);
  }
}

TEST(GenerationConfig, ReadsEveryField) {
  auto config = parseGenerationConfig(
      R"({"do_sample": true, "temperature": 0.8, "top_k": 0, "top_p": 0.9,
    "min_p": 0.05, "repetition_penalty": 1.1, "eos_token_id": [1, 7], "bos_token_id": 0, "pad_token_id": 2,
    "transformers_version": "5.0"})");
  EXPECT_EQ(config.sampling.temperature, 0.8);
  EXPECT_EQ(config.sampling.topK, 0);
  EXPECT_EQ(config.sampling.topP, 0.9);
  EXPECT_EQ(config.sampling.minP, 0.05);
  EXPECT_EQ(config.sampling.repeatPenalty, 1.1);
  EXPECT_THAT(config.eosTokenIds, ElementsAre(1, 7));
  EXPECT_EQ(config.bosTokenId, 0);
  EXPECT_EQ(config.padTokenId, 2);
  EXPECT_THAT(config.warnings, IsEmpty());
  EXPECT_THAT(parseGenerationConfig(R"({"eos_token_id": 5})").eosTokenIds,
              ElementsAre(5));
}

TEST(GenerationConfig, TakesMinusOneForNone) {
  auto config = parseGenerationConfig(
      R"({"eos_token_id": -1, "bos_token_id": -1, "pad_token_id": -1})");
  EXPECT_THAT(config.eosTokenIds, IsEmpty());
  EXPECT_THAT(config.eosTokensOr({3}), IsEmpty());
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("no token ends a text")));
  EXPECT_FALSE(config.bosTokenId || config.padTokenId);
  config = parseGenerationConfig(R"({"eos_token_id": [-1, 7.0]})");
  EXPECT_THAT(config.eosTokensOr({3}), ElementsAre(7));
  EXPECT_THAT(config.warnings, IsEmpty());
  for (const char *text :
       {"{}", R"({"eos_token_id": null})", R"({"eos_token_id": []})"}) {
    EXPECT_THAT(parseGenerationConfig(text).eosTokensOr({3}), ElementsAre(3));
  }
  EXPECT_EQ(parseGenerationConfig(R"({"top_k": -1})").sampling.topK, 0);
}

TEST(GenerationConfig, TakesWholeNumbersWithAPoint) {
  auto config = parseGenerationConfig(
      R"({"top_k": 40.0, "eos_token_id": 2.0, "bos_token_id": 1e0,
          "pad_token_id": -1.0})");
  EXPECT_EQ(config.sampling.topK, 40);
  EXPECT_THAT(config.eosTokenIds, ElementsAre(2));
  EXPECT_EQ(config.bosTokenId, 1);
  EXPECT_FALSE(config.padTokenId);
}

TEST(GenerationConfig, TopPOfZeroKeepsTheBestToken) {
  auto config =
      parseGenerationConfig(R"({"do_sample": true, "top_k": 0, "top_p": 0})");
  Sampler sampler(config.sampling);
  const float logits[] = {0.5f, 2, 1.75f, -1};
  EXPECT_THAT(sampler.distribution(logits, 4), ElementsAre(0, 1, 0, 0));
}

TEST(GenerationConfig, WarnsOfFieldsThatItDoesNotFollow) {
  auto config = parseGenerationConfig(
      R"({"num_beams": 4, "typical_p": 1.0, "no_repeat_ngram_size": 3})");
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("num_beams"),
                                           HasSubstr("no_repeat_ngram_size")));
  EXPECT_THAT(parseGenerationConfig(R"({"suppress_tokens": []})").warnings,
              IsEmpty());
}

TEST(GenerationConfig, ReadsTextsThatEndAText) {
  auto config = parseGenerationConfig(
      R"({"stop_strings": "END", "chat_stop_strings": ["\n\n", "x"]})");
  EXPECT_THAT(config.stopStrings, ElementsAre("END"));
  EXPECT_THAT(config.chatStopStrings, ElementsAre("\n\n", "x"));
  EXPECT_THAT(config.warnings, IsEmpty());
  for (const char *text :
       {R"({"stop_strings": 1})", R"({"stop_strings": ["a", null]})"}) {
    EXPECT_THAT(errorOf(text), HasSubstr("stop_strings must be a text"));
  }
}

TEST(GenerationConfig, NamesTheMalformedField) {
  EXPECT_THAT(errorOf("{"), HasSubstr("generation_config.json"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("one JSON object"));
  EXPECT_THAT(errorOf("\xff"), HasSubstr("one JSON object"));
  EXPECT_THAT(errorOf(R"({"do_sample": 1})"),
              HasSubstr("do_sample must be true or false"));
  EXPECT_THAT(errorOf(R"({"temperature": "hot"})"),
              HasSubstr("temperature must be a number"));
  EXPECT_THAT(errorOf(R"({"temperature": -1})"),
              HasSubstr("temperature must be"));
  EXPECT_THAT(errorOf(R"({"top_p": 2})"), HasSubstr("top_p must be between"));
  EXPECT_THAT(errorOf(R"({"min_p": 2})"), HasSubstr("min_p must be"));
  EXPECT_THAT(errorOf(R"({"repetition_penalty": 0})"),
              HasSubstr("repetition_penalty must be"));
  EXPECT_THAT(errorOf(R"({"top_k": 2.5})"),
              HasSubstr("top_k must be an integer"));
  EXPECT_THAT(errorOf(R"({"top_k": 18446744073709551615})"),
              HasSubstr("top_k must be an integer"));
  EXPECT_THAT(errorOf(R"({"top_k": -2})"), HasSubstr("top_k must be 0"));
  EXPECT_THAT(errorOf(R"({"top_k": 1e300})"),
              HasSubstr("top_k must be an integer"));
  EXPECT_THAT(errorOf(R"({"eos_token_id": [1, 2.5]})"),
              HasSubstr("eos_token_id[1] must be an integer"));
  EXPECT_THAT(errorOf(R"({"eos_token_id": [1, "2"]})"),
              HasSubstr("eos_token_id[1] must be an integer"));
  EXPECT_THAT(errorOf(R"({"eos_token_id": -4})"),
              HasSubstr("eos_token_id is not a token id: -4"));
  EXPECT_THAT(errorOf(R"({"bos_token_id": 9999999999})"),
              HasSubstr("bos_token_id"));
  EXPECT_THAT(errorOf(R"({"pad_token_id": {}})"), HasSubstr("pad_token_id"));
}

} // namespace
