// Rotary fields of Llama and its kin: both spellings, and what is refused or
// without effect.
#include "lib/Import/RotaryFrequencies.h"
#include "test/unit/Import/LlamaFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(LlamaRotary, RotaryTypesInBothSpellings) {
  auto tableOf = [](llvm::json::Object fields) {
    LlamaFolder folder("llama");
    for (const auto &[name, value] : fields) {
      folder.set(name, value);
    }
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "");
    EXPECT_THAT(opened.warnings, IsEmpty());
    return opened.checkpoint->model().rotary.at(0);
  };
  using Object = llvm::json::Object;
  auto list = [&](Object fields) {
    return std::get<RotaryList>(tableOf(std::move(fields)));
  };
  RotaryList linear = linearFrequencies(5e5, 4, 4.0);
  for (Object fields :
       {Object{{"rope_theta", 5e5},
               {"rope_scaling", Object{{"type", "linear"}, {"factor", 4.0}}}},
        Object{{"rope_parameters", Object{{"rope_type", "linear"},
                                          {"rope_theta", 5e5},
                                          {"factor", 4.0}}}}}) {
    EXPECT_EQ(list(std::move(fields)).frequencies, linear.frequencies);
  }
  Object llama3{{"rope_type", "llama3"},
                {"factor", 8.0},
                {"low_freq_factor", 1.0},
                {"high_freq_factor", 4.0},
                {"original_max_position_embeddings", 32}};
  EXPECT_EQ(list(Object{{"rope_theta", 16.0}, {"rope_scaling", Object(llama3)}})
                .frequencies,
            llama3Frequencies(16.0, 4, {8.0, 1.0, 4.0, 32.0}).frequencies);
  llama3.erase("original_max_position_embeddings"); // 64 then
  EXPECT_EQ(list(Object{{"rope_theta", 16.0}, {"rope_scaling", Object(llama3)}})
                .frequencies,
            llama3Frequencies(16.0, 4, {8.0, 1.0, 4.0, 64.0}).frequencies);
  YarnScaling scaling;
  scaling.factor = 2.0;
  scaling.trained = 32.0;
  RotaryList yarn = list(Object{
      {"rope_parameters", Object{{"rope_type", "yarn"},
                                 {"factor", 2.0},
                                 {"original_max_position_embeddings", 32}}}});
  EXPECT_EQ(yarn.frequencies, yarnFrequencies(1e4, 4, scaling).frequencies);
  EXPECT_EQ(yarn.factor, 0.1 * std::log(2.0) + 1.0);
  auto dynamic = std::get<RotaryConfig>(tableOf(Object{
      {"rope_scaling", Object{{"rope_type", "dynamic"}, {"factor", 2.0}}}}));
  EXPECT_TRUE(dynamic.dynamic);
  EXPECT_EQ(dynamic.trainedPositions, 64);
}

TEST(LlamaRotary, YarnThatLeavesNoAnglesIsAMistake) {
  using Object = llvm::json::Object;
  const std::pair<Object, const char *> cases[] = {
      {Object{{"attention_factor", 0}},
       "rope_scaling.attention_factor must be at least 2^-126"},
      {Object{{"attention_factor", -1.5}},
       "rope_scaling.attention_factor must be at least 2^-126"},
      {Object{{"attention_factor", 1e300}},
       "rope_scaling.attention_factor must be at least 2^-126"},
      {Object{{"mscale", -1000.0}, {"mscale_all_dim", 1.0}},
       "rope_scaling.mscale and mscale_all_dim make a factor"},
      {Object{{"mscale", 1.0}, {"mscale_all_dim", -10.0 / std::log(2.0)}},
       "rope_scaling.mscale and mscale_all_dim make a factor"},
      {Object{{"beta_fast", 1}, {"beta_slow", 32}},
       "rope_scaling.beta_fast must not be below beta_slow"},
      {Object{{"rope_theta", 2.0},
              {"original_max_position_embeddings", 1000000}},
       "rope_scaling.original_max_position_embeddings or theta is wrong"},
      {Object{{"original_max_position_embeddings", 32.5}},
       "rope_scaling.original_max_position_embeddings must be an integer"},
      {Object{{"truncate", 0}}, "rope_scaling.truncate must be true or false"}};
  for (const auto &[members, part] : cases) {
    Object table{{"rope_type", "yarn"},
                 {"factor", 2.0},
                 {"original_max_position_embeddings", 32}};
    for (const auto &[name, value] : members) {
      table[name] = value;
    }
    LlamaFolder folder("llama");
    Opened opened = folder.set("rope_scaling", std::move(table)).writeAndOpen();
    EXPECT_FALSE(opened.checkpoint) << part;
    EXPECT_FALSE(opened.unsupported) << part;
    EXPECT_THAT(opened.error, HasSubstr(part));
  }
}

TEST(LlamaRotary, TrainedLengthMayStandBesideTheTable) {
  using Object = llvm::json::Object;
  LlamaFolder folder("llama");
  folder.set("rope_theta", 16.0)
      .set("original_max_position_embeddings", 32)
      .set("rope_scaling", Object{{"rope_type", "llama3"},
                                  {"factor", 8.0},
                                  {"low_freq_factor", 1.0},
                                  {"high_freq_factor", 4.0}});
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  EXPECT_EQ(
      std::get<RotaryList>(opened.checkpoint->model().rotary.at(0)).frequencies,
      llama3Frequencies(16.0, 4, {8.0, 1.0, 4.0, 32.0}).frequencies);
  folder.config.getObject("rope_scaling")
      ->insert({"original_max_position_embeddings", 16});
  EXPECT_THAT(folder.writeAndOpen().error,
              HasSubstr("rope_scaling.original_max_position_embeddings 16 "
                        "contradicts original_max_position_embeddings 32"));
}

TEST(LlamaRotary, NullTruncateIsFalseAsInTransformers) {
  using Object = llvm::json::Object;
  auto frequencies = [](llvm::json::Value truncate) {
    LlamaFolder folder("llama", 16);
    folder.set("rope_scaling", Object{{"rope_type", "yarn"},
                                      {"factor", 2.0},
                                      {"original_max_position_embeddings", 32},
                                      {"truncate", std::move(truncate)}});
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "");
    return std::get<RotaryList>(opened.checkpoint->model().rotary.at(0))
        .frequencies;
  };
  EXPECT_EQ(frequencies(nullptr), frequencies(false));
  EXPECT_NE(frequencies(nullptr), frequencies(true));
}

TEST(LlamaRotary, RotaryFieldsWithoutEffectAreNamed) {
  using Object = llvm::json::Object;
  const struct {
    Object fields;
    const char *part;
  } cases[] = {
      {Object{{"rope_scaling", Object{{"factor", 8.0}}}},
       "rope_scaling.factor has no effect with rope type default"},
      {Object{{"rope_scaling", Object{{"type", "linear"},
                                      {"factor", 8.0},
                                      {"attention_factor", 1.5}}}},
       "rope_scaling.attention_factor has no effect with rope type linear"},
      {Object{{"rope_theta", 500.0},
              {"rope_parameters", Object{{"rope_theta", 1e6}}}},
       "rope_theta has no effect, as rope_parameters.rope_theta is given"},
      {Object{{"original_max_position_embeddings", 32}},
       "original_max_position_embeddings has no effect with rope type default"},
      {Object{
           {"rope_scaling", Object{{"rope_type", "yarn"},
                                   {"factor", 4.0},
                                   {"original_max_position_embeddings", 32}}}},
       "rope_scaling.factor is not max_position_embeddings over "
       "original_max_position_embeddings"}};
  for (const auto &[fields, part] : cases) {
    LlamaFolder folder("llama");
    for (const auto &[name, value] : fields) {
      folder.set(name, value);
    }
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "") << part;
    EXPECT_THAT(opened.warnings, ElementsAre(HasSubstr(part)));
  }
}

} // namespace
