// Fields of config.json: values, defaults of each name set, ranges, refusals,
// warnings.
#include "test/unit/Import/ModelFolder.h"
#include "test/unit/Import/ReadConfig.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(Config, TransformersDefaults) {
  Read r = read("");
  ASSERT_EQ(r.error, "");
  EXPECT_THAT(r.warnings, IsEmpty());
  const DogeLikeFields &model = *r.config;
  EXPECT_EQ(model.vocabulary, 32768);
  EXPECT_EQ(model.hidden, 1024);
  EXPECT_EQ(model.intermediate, 2048);
  EXPECT_EQ(model.layers, 32);
  EXPECT_EQ(model.heads, 8);
  EXPECT_EQ(model.keyValueHeads, 8);
  EXPECT_EQ(model.headDim, 128);
  EXPECT_EQ(model.maxPositions, 2048);
  EXPECT_EQ(model.normEpsilon, 1e-6);
  EXPECT_EQ(model.activation, Activation::SiLU);
  EXPECT_EQ(model.keepWindow, 2048);
  EXPECT_FALSE(r.config->tied);
  EXPECT_FALSE(model.rotary.dynamic);
  EXPECT_EQ(model.rotary.theta, 10000.0);
  EXPECT_EQ(model.bosToken, std::nullopt);
  EXPECT_EQ(model.padToken, std::nullopt);
  EXPECT_THAT(model.eosTokens, IsEmpty());
  EXPECT_FALSE(r.config->attentionBias || r.config->mlpBias);
}

TEST(Config, AuthorsDefaults) {
  Read r = read("", authorsDogeKind());
  ASSERT_EQ(r.error, "");
  const DogeLikeFields &model = *r.config;
  EXPECT_EQ(model.vocabulary, 32768);
  EXPECT_EQ(model.hidden, 1024);
  EXPECT_EQ(model.intermediate, 4096);
  EXPECT_EQ(model.layers, 16);
  EXPECT_EQ(model.heads, 8);
  EXPECT_EQ(model.keepWindow, std::nullopt);
  EXPECT_TRUE(r.config->tied);
  EXPECT_FALSE(model.rotary.dynamic);
  EXPECT_EQ(model.bosToken, 0);
  EXPECT_THAT(model.eosTokens, ElementsAre(1));
  EXPECT_EQ(model.padToken, 2);
}

TEST(Config, NullMeansAbsentButForTheWindow) {
  Read r = read(
      R"("num_key_value_heads": null, "head_dim": null, "rope_scaling": null, "sliding_window": null,
                   "bos_token_id": null, "eos_token_id": null, "keep_window_size": null, "hidden_act": null)",
      dogeKind());
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.config->keyValueHeads, 8);
  EXPECT_EQ(r.config->headDim, 128);
  EXPECT_EQ(r.config->keepWindow, std::nullopt);
  r = read(
      R"("bos_token_id": null, "eos_token_id": null, "pad_token_id": -1, "keep_window_size": 5)",
      authorsDogeKind());
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.config->bosToken, std::nullopt);
  EXPECT_EQ(r.config->padToken, std::nullopt);
  EXPECT_THAT(r.config->eosTokens, IsEmpty());
  EXPECT_EQ(r.config->keepWindow, 5);
}

TEST(Config, EndTokensMayBeAList) {
  Read r = read(R"("eos_token_id": [1, 7])");
  ASSERT_EQ(r.error, "");
  EXPECT_THAT(r.config->eosTokens, ElementsAre(1, 7));
  EXPECT_THAT(read(R"("eos_token_id": [1, "x"])").error,
              HasSubstr("eos_token_id"));
  EXPECT_THAT(read(R"("eos_token_id": [32768])").error,
              HasSubstr("eos_token_id"));
  EXPECT_THAT(read(R"("bos_token_id": 32768)").error,
              HasSubstr("bos_token_id"));
}

TEST(Config, Activations) {
  const std::pair<const char *, Activation> known[] = {
      {"silu", Activation::SiLU},
      {"swish", Activation::SiLU},
      {"gelu", Activation::GELU},
      {"gelu_pytorch_tanh", Activation::GELUTanh},
      {"gelu_new", Activation::GELUTanh},
      {"gelu_fast", Activation::GELUTanh},
      {"relu", Activation::ReLU},
      {"relu2", Activation::ReLU2}};
  for (const auto &[name, activation] : known) {
    Read r = read(std::string("\"hidden_act\": \"") + name + "\"");
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.config->activation, activation);
  }
  for (const char *name :
       {"quick_gelu", "gelu_10", "tanh", "relu6", "SiLU", ""}) {
    Read r = read(std::string("\"hidden_act\": \"") + name + "\"");
    EXPECT_TRUE(r.unsupported) << name;
    EXPECT_THAT(r.error, HasSubstr(std::string("hidden_act '") + name + "'"));
  }
}

TEST(Config, RotaryInEitherSpelling) {
  for (
      const char *fields :
      {R"("rope_parameters": {"rope_theta": 5e5, "rope_type": "dynamic", "factor": 4.0,
                               "original_max_position_embeddings": 128})",
       R"("rope_theta": 5e5, "rope_parameters": {"rope_type": "dynamic", "factor": 4})",
       R"("rope_theta": 500000, "rope_scaling": {"rope_type": "dynamic", "factor": 4.0})",
       R"("rope_theta": 500000, "rope_scaling": {"type": "dynamic", "factor": 4.0})",
       R"("rope_parameters": {"rope_theta": 5e5, "type": "dynamic", "factor": 4.0})",
       R"("rope_theta": 5e5, "rope_parameters": {}, "rope_scaling": {"type": "dynamic", "factor": 4.0})"}) {
    Read r = read(std::string("\"max_position_embeddings\": 128, ") + fields);
    ASSERT_EQ(r.error, "") << fields;
    EXPECT_THAT(r.warnings, IsEmpty()) << fields;
    const RotaryConfig &rotary = r.config->rotary;
    EXPECT_TRUE(rotary.dynamic);
    EXPECT_EQ(rotary.theta, 5e5);
    EXPECT_EQ(rotary.factor, 4.0);
    EXPECT_EQ(rotary.trainedPositions, 128);
  }
  Read r =
      read(R"("rope_scaling": {"rope_type": "default", "type": "linear"})");
  EXPECT_THAT(r.error,
              HasSubstr("rope_scaling.type 'linear' contradicts rope_type"));
  r = read(R"("rope_theta": 2, "rope_parameters": {"rope_theta": 5e5})");
  EXPECT_EQ(r.config->rotary.theta, 5e5);
  EXPECT_THAT(r.warnings, ElementsAre(HasSubstr("rope_theta has no effect")));
}

TEST(Config, DynamicRotaryStretchesPastMaxPositionsOnly) {
  Read r = read(
      R"("max_position_embeddings": 256, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0,
                   "original_max_position_embeddings": 128})");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.config->rotary.trainedPositions, 256);
  EXPECT_THAT(
      r.warnings,
      ElementsAre(HasSubstr(
          "rope_scaling.original_max_position_embeddings 128 has no effect")));
}

TEST(Config, ScalingWinsOverParametersAndSaysSo) {
  Read r = read(R"("rope_parameters": {"rope_type": "default"},
                   "rope_scaling": {"rope_type": "dynamic", "factor": 2.0})");
  ASSERT_EQ(r.error, "");
  EXPECT_TRUE(r.config->rotary.dynamic);
  EXPECT_THAT(r.warnings,
              ElementsAre(HasSubstr("rope_parameters has no effect")));
}

TEST(Config, RefusedByName) {
  const std::pair<const char *, const char *> cases[] = {
      {R"("dynamic_mask_ratio": 0.5)", "dynamic_mask_ratio"},
      {R"("sliding_window": 64)", "sliding_window"},
      {R"("partial_rotary_factor": 0.5)", "partial_rotary_factor"},
      {R"("rope_parameters": {"partial_rotary_factor": 0.5})",
       "rope_parameters.partial_rotary_factor"},
      {R"("rope_parameters": {"rope_type": "yarn"})",
       "rope_parameters.rope_type 'yarn'"},
      {R"("rope_scaling": {"type": "linear", "factor": 2})",
       "rope_scaling.type 'linear'"},
      {R"("rope_scaling": {"rope_type": "llama3", "factor": 2})",
       "rope_scaling.rope_type 'llama3'"},
      {R"("rope_parameters": {"full_attention": {"rope_type": "default"}})",
       "rope_parameters.full_attention is a table"},
      {R"("is_causal": false)", "is_causal"},
      {R"("dynamic_mask_type": "window")",
       "dynamic_mask_type 'window' is not supported; 'bias', 'threshold' and "
       "'scale' are"},
      {R"("cdmoe_score": "sigmoid")",
       "cdmoe_score 'sigmoid' is not supported; 'softmax' and 'inner' are"},
      {R"("quantization_config": {"bits": 4})", "quantization_config"},
      {R"("per_layer_config": {"0": {"hidden_size": 3}})", "per_layer_config"}};
  for (const auto &[fields, part] : cases) {
    Read r = read(fields);
    EXPECT_TRUE(r.unsupported) << fields << " " << r.error;
    EXPECT_THAT(r.error, HasSubstr(part));
  }
}

TEST(Config, RefusedFieldsMayBeOff) {
  Read r = read(
      R"("dynamic_mask_ratio": 0.0, "sliding_window": null, "partial_rotary_factor": 1.0, "is_causal": true,
                   "rope_parameters": {"partial_rotary_factor": 1}, "is_moe": false, "dynamic_mask_type": "bias",
                   "quantization_config": null, "per_layer_config": {})");
  EXPECT_EQ(r.error, "");
  EXPECT_THAT(r.warnings, IsEmpty());
}

TEST(Config, WrongTypesAndRangesNameTheField) {
  const std::pair<const char *, const char *> cases[] = {
      {R"("vocab_size": "6")",
       "vocab_size must be an integer from 1 to 2147483647, found '6'"},
      {R"("vocab_size": 0)", "vocab_size"},
      {R"("vocab_size": 4294967296)", "vocab_size"},
      {R"("hidden_size": -128)",
       "hidden_size must be an integer from 1 to 16777216, found -128"},
      {R"("hidden_size": 1e300)", "hidden_size"},
      {R"("hidden_size": 64.5)", "hidden_size"},
      {R"("hidden_size": true)", "hidden_size"},
      {R"("hidden_size": [64])",
       "hidden_size must be an integer from 1 to 16777216, found a list"},
      {R"("intermediate_size": 99999999999999999999999)", "intermediate_size"},
      {R"("num_hidden_layers": 1000000)", "num_hidden_layers"},
      {R"("num_hidden_layers": 0)", "num_hidden_layers"},
      {R"("num_attention_heads": 0)", "num_attention_heads"},
      {R"("num_attention_heads": 7)",
       "num_attention_heads 7 does not divide hidden_size 1024"},
      {R"("num_key_value_heads": 3)",
       "num_key_value_heads 3 does not divide num_attention_heads 8"},
      {R"("num_key_value_heads": 16)", "num_key_value_heads"},
      {R"("head_dim": 33)", "head_dim 33 is odd"},
      {R"("hidden_size": 24)",
       "hidden_size 24 over num_attention_heads gives an odd head size 3"},
      {R"("max_position_embeddings": 0)", "max_position_embeddings"},
      {R"("rms_norm_eps": 0)", "rms_norm_eps"},
      {R"("rms_norm_eps": 1e-40)",
       "rms_norm_eps must be at least 2^-126 and below 1"},
      {R"("rms_norm_eps": 1e-50)", "rms_norm_eps"},
      {R"("rms_norm_eps": -1e-6)", "rms_norm_eps"},
      {R"("rms_norm_eps": "1e-6")",
       "rms_norm_eps must be a finite number, found '1e-6'"},
      {R"("hidden_act": 3)", "hidden_act"},
      {R"("keep_window_size": 0)", "keep_window_size"},
      {R"("keep_window_size": -1)", "keep_window_size"},
      {R"("tie_word_embeddings": "yes")",
       "tie_word_embeddings must be true or false, found 'yes'"},
      {R"("attention_bias": 1)", "attention_bias"},
      {R"("rope_theta": 0)", "rope_theta"},
      {R"("rope_theta": "1e4")", "rope_theta"},
      {R"("rope_parameters": "dynamic")", "rope_parameters must be an object"},
      {R"("rope_scaling": 4.0)", "rope_scaling must be an object"},
      {R"("rope_parameters": {"rope_theta": -1})",
       "rope_parameters.rope_theta"},
      {R"("rope_parameters": {"rope_type": 1})",
       "rope_parameters.rope_type must be a string"},
      {R"("rope_scaling": {"rope_type": "dynamic"})",
       "rope_scaling.factor is missing"},
      {R"("rope_scaling": {"rope_type": "dynamic", "factor": 0.5})",
       "rope_scaling.factor"},
      {R"("rope_scaling": {"rope_type": "dynamic", "factor": 1e9})",
       "rope_scaling.factor"},
      {R"("rope_scaling": {"rope_type": "dynamic", "factor": 2}, "head_dim": 2)",
       "rope_scaling.rope_type"},
      {R"("dynamic_mask_ratio": -0.5)", "dynamic_mask_ratio"},
      {R"("bos_token_id": -2)", "bos_token_id"},
      {R"("eos_token_id": "</s>")", "eos_token_id"}};
  for (const auto &[fields, part] : cases) {
    Read r = read(fields);
    EXPECT_FALSE(r.unsupported) << fields;
    EXPECT_THAT(r.error, HasSubstr(part)) << fields;
  }
}

TEST(Config, UnknownFieldsAreWarnedAboutByName) {
  Read r = read(R"("use_cache": true, "rope_parameters": {"beta_fast": 32})");
  EXPECT_EQ(r.error, "");
  EXPECT_THAT(r.warnings,
              ElementsAre(HasSubstr("'rope_parameters.beta_fast'")));
  ModelFolder folder;
  Opened opened = folder.set("zebra", 1)
                      .set("apple", llvm::json::Object{})
                      .set("use_cache", true)
                      .writeAndOpen();
  EXPECT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings,
              ElementsAre(HasSubstr("'apple'"), HasSubstr("'zebra'")));
}

} // namespace
