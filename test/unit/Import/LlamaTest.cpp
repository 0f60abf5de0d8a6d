// Llama and its kin: what config.json makes of their layers, and what is
// refused.
#include "test/unit/Import/LlamaFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(Llama, KinAreOneGraph) {
  for (const char *type : kinTypes) {
    LlamaFolder folder(type);
    Opened opened = folder.writeAndOpen();
    ASSERT_EQ(opened.error, "") << type;
    EXPECT_THAT(opened.warnings, IsEmpty()) << type;
    const ModelDescription &model = opened.checkpoint->model();
    EXPECT_EQ(model.modelType, type);
    EXPECT_EQ(model.maxPositions, 64);
    EXPECT_FALSE(model.head);
    ASSERT_EQ(model.layers.size(), 3u);
    ASSERT_EQ(model.rotary.size(), 1u);
    EXPECT_EQ(std::get<RotaryConfig>(model.rotary[0]).theta,
              model.modelType == "smollm3" ? 2e6 : 1e4);
    const Layer &layer = model.layers[2];
    ASSERT_EQ(layer.branches.size(), 2u);
    const Attention &attention = *layer.find<Attention>();
    EXPECT_FALSE(attention.mask);
    EXPECT_EQ(attention.heads, 4);
    EXPECT_EQ(attention.keyValueHeads, 2);
    EXPECT_EQ(attention.headSize, 4);
    EXPECT_EQ(attention.scale, model.modelType == "granite" ? 1.0 : 0.5);
    EXPECT_EQ(attention.queryNorm.has_value(), model.modelType == "qwen3");
    EXPECT_EQ(attention.query.bias.has_value(), model.modelType == "qwen2");
    EXPECT_FALSE(attention.output.bias);
    EXPECT_EQ(attention.window, model.modelType == "mistral"
                                    ? std::optional<int64_t>(4096)
                                    : std::nullopt);
    ASSERT_TRUE(attention.rotary);
    EXPECT_EQ(attention.rotary->size, 4);
    const MLP &mlp = *layer.find<MLP>();
    EXPECT_TRUE(mlp.gate);
    EXPECT_EQ(mlp.down.in, 12);
    for (const Branch &branch : layer.branches) {
      EXPECT_FALSE(branch.residual.weight);
      EXPECT_EQ(branch.residual.factor, 1.0);
      EXPECT_EQ(branch.norm.epsilon, 1e-6);
    }
  }
}

TEST(Llama, ClassNamesTellTheType) {
  LlamaFolder folder("mistral");
  Opened opened =
      folder.unset("model_type")
          .set("architectures", llvm::json::Array{"MistralForCausalLM"})
          .writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().modelType, "mistral");
}

TEST(Llama, HeadSizes) {
  LlamaFolder qwen("qwen3", 128);
  Opened opened = qwen.unset("head_dim").writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().find<Attention>()->headSize, 128);
  LlamaFolder llama("llama", 6); // 24 in a width of 16
  opened = llama.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().find<Attention>()->output.in, 24);
  opened = llama.set("head_dim", nullptr).writeAndOpen();
  EXPECT_THAT(opened.error, HasSubstr("q_proj.weight' has shape [24, 16]"));
}

TEST(Llama, Windows) {
  auto windows = [](const char *type, llvm::json::Object fields) {
    LlamaFolder folder(type);
    for (const auto &[name, value] : fields) {
      folder.set(name, value);
    }
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "") << type;
    std::vector<int64_t> found;
    for (const Layer &layer : opened.checkpoint->model().layers) {
      found.push_back(layer.find<Attention>()->window.value_or(0));
    }
    return found;
  };
  using Object = llvm::json::Object;
  using Array = llvm::json::Array;
  EXPECT_THAT(windows("mistral", Object{{"sliding_window", 24}}),
              ElementsAre(24, 24, 24));
  EXPECT_THAT(windows("mistral", Object{{"sliding_window", nullptr}}),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(windows("llama", Object{{"sliding_window", nullptr}}),
              ElementsAre(0, 0, 0));
  Object qwen{{"sliding_window", 24}, {"max_window_layers", 1}};
  EXPECT_THAT(windows("qwen2", qwen), ElementsAre(0, 0, 0));
  qwen["use_sliding_window"] = true;
  EXPECT_THAT(windows("qwen2", qwen), ElementsAre(0, 24, 24));
  qwen["layer_types"] =
      Array{"sliding_attention", "full_attention", "sliding_attention"};
  EXPECT_THAT(windows("qwen3", qwen), ElementsAre(24, 0, 24));
  qwen.erase("layer_types");
  qwen["use_sliding_window"] = false;
  qwen["sliding_window"] = 0;
  EXPECT_THAT(windows("qwen3", qwen), ElementsAre(0, 0, 0));
  qwen["use_sliding_window"] = true;
  qwen["sliding_window"] = nullptr;
  EXPECT_THAT(windows("qwen3", qwen), ElementsAre(0, 0, 0));
  Object smol{{"use_sliding_window", true},
              {"sliding_window", 24},
              {"no_rope_layers", Array{1, 0, 1}}};
  EXPECT_THAT(windows("smollm3", smol), ElementsAre(0, 24, 0));
  smol["layer_types"] =
      Array{"sliding_attention", "full_attention", "full_attention"};
  EXPECT_THAT(windows("smollm3", smol), ElementsAre(24, 0, 0));
}

TEST(Llama, WindowsAreNotGuessed) {
  for (const char *type : {"qwen2", "qwen3", "smollm3"}) {
    LlamaFolder folder(type);
    Opened opened = folder.set("use_sliding_window", true).writeAndOpen();
    EXPECT_FALSE(opened.unsupported);
    EXPECT_THAT(opened.error, HasSubstr("sliding_window is missing")) << type;
  }
  const std::pair<const char *, const char *> cases[] = {
      {"mistral", "has no size; set sliding_window"},
      {"qwen2", "has no size; set sliding_window and use_sliding_window"},
      {"smollm3", "has no size; set sliding_window and use_sliding_window"},
      {"llama", "is not supported with model_type 'llama', which has no "}};
  for (const auto &[type, part] : cases) {
    LlamaFolder folder(type);
    folder.set("sliding_window", nullptr)
        .set("layer_types",
             llvm::json::Array{"full_attention", "full_attention",
                               "sliding_attention"});
    EXPECT_THAT(
        folder.writeAndOpen().error,
        HasSubstr(std::string("layer_types 'sliding_attention' ") + part));
  }
}

TEST(Llama, KeyHeadsThatAreNullAreAsManyAsQueryHeads) {
  for (const char *type : kinTypes) {
    LlamaFolder folder(type);
    Opened opened = folder.set("num_key_value_heads", nullptr)
                        .set("num_attention_heads", 2)
                        .set("head_dim", 4)
                        .writeAndOpen();
    // the keys of two heads are stored, and the queries of four
    EXPECT_THAT(opened.error,
                HasSubstr("q_proj.weight' has shape [16, 16], but config.json "
                          "asks for [8, 16]"))
        << type;
  }
}

TEST(Llama, LayersWithoutPositions) {
  auto turns = [](llvm::json::Object fields) {
    LlamaFolder folder("smollm3");
    for (const auto &[name, value] : fields) {
      folder.set(name, value);
    }
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "");
    std::vector<bool> found;
    for (const Layer &layer : opened.checkpoint->model().layers) {
      found.push_back(layer.find<Attention>()->rotary.has_value());
    }
    return found;
  };
  using Object = llvm::json::Object;
  EXPECT_THAT(turns(Object{}), ElementsAre(true, true, true));
  EXPECT_THAT(turns(Object{{"no_rope_layer_interval", 2}}),
              ElementsAre(true, false, true));
  EXPECT_THAT(turns(Object{{"no_rope_layer_interval", 2},
                           {"no_rope_layers", llvm::json::Array{0, 1, 1}}}),
              ElementsAre(false, true, true));
}

TEST(Llama, FactorsOfGranite) {
  LlamaFolder folder("granite");
  folder.set("embedding_multiplier", 12.0)
      .set("residual_multiplier", 0.25)
      .set("attention_multiplier", 0.125)
      .set("logits_scaling", 8.0);
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  const ModelDescription &model = opened.checkpoint->model();
  EXPECT_EQ(model.embeddingFactor, 12.0);
  EXPECT_EQ(model.logitFactor, 0.125);
  EXPECT_EQ(model.find<Attention>()->scale, 0.125);
  for (const Branch &branch : model.layers[1].branches) {
    EXPECT_EQ(branch.residual.factor, 0.25);
  }
}

TEST(Llama, BiasesFollowTheFields) {
  LlamaFolder folder("llama");
  for (int64_t i = 0; i < 3; ++i) {
    std::string attention = LlamaFolder::prefix(i) + "self_attn.";
    folder.addBias(attention + "q_proj", 16);
    folder.addBias(attention + "k_proj", 8);
    folder.addBias(attention + "v_proj", 8);
    folder.addBias(attention + "o_proj", 16);
  }
  Opened opened = folder.set("attention_bias", true).writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().find<Attention>()->output.bias,
            "model.layers.0.self_attn.o_proj.bias");
  opened = folder.set("attention_bias", false).writeAndOpen();
  EXPECT_TRUE(opened.unsupported);
  EXPECT_THAT(opened.error, HasSubstr("k_proj.bias' (and 11 more) does not"));
  opened =
      folder.set("attention_bias", true).set("mlp_bias", true).writeAndOpen();
  EXPECT_THAT(opened.error,
              HasSubstr("'model.layers.0.mlp.gate_proj.bias' of shape [12] is "
                        "missing; config.json says mlp_bias true"));
}

TEST(Llama, RefusedByName) {
  using Object = llvm::json::Object;
  const struct {
    const char *type, *field;
    llvm::json::Value value;
    const char *part;
  } cases[] = {
      {"llama", "sliding_window", 64, "sliding_window is not supported with"},
      {"granite", "use_sliding_window", true, "use_sliding_window is not"},
      {"qwen2", "attention_bias", true,
       "attention_bias is not supported with "
       "model_type 'qwen2'"},
      {"mistral", "mlp_bias", true, "mlp_bias is not"},
      {"llama", "no_rope_layers", llvm::json::Array{1, 0, 1}, "no_rope_layers"},
      {"llama", "residual_multiplier", 0.5, "residual_multiplier is not"},
      {"llama", "attention_multiplier", 0.5, "attention_multiplier is not"},
      {"llama", "partial_rotary_factor", 0.5, "partial_rotary_factor must be"},
      {"llama", "rope_parameters",
       Object{{"full_attention", Object{{"rope_type", "default"}}}},
       "rope_parameters.full_attention is a table; all layers share one"},
      {"llama", "rope_interleaved", true, "rope_interleaved true"},
      {"llama", "hidden_act", "quick_gelu", "hidden_act"},
      {"llama", "is_causal", false, "is_causal"},
      {"llama", "layer_types",
       llvm::json::Array{"full_attention", "chunked_attention",
                         "full_attention"},
       "layer_types 'chunked_attention' is not supported"},
      {"llama", "rope_scaling",
       Object{{"rope_type", "longrope"}, {"factor", 4.0}},
       "rope_scaling.rope_type 'longrope' is not supported"}};
  for (const auto &[type, field, value, part] : cases) {
    LlamaFolder folder(type);
    Opened opened = folder.set(field, value).writeAndOpen();
    EXPECT_TRUE(opened.unsupported) << field << ' ' << opened.error;
    EXPECT_THAT(opened.error, HasSubstr(part)) << field;
  }
}

TEST(Llama, MistakesNameTheField) {
  using Object = llvm::json::Object;
  const struct {
    const char *type, *field;
    llvm::json::Value value;
    const char *part;
  } cases[] = {
      {"llama", "vocab_size", nullptr, "vocab_size is missing"},
      {"llama", "head_dim", 5, "head_dim 5 is odd"},
      {"mistral", "sliding_window", 0, "sliding_window must be at least 1"},
      {"smollm3", "no_rope_layers", llvm::json::Array{1, 0},
       "no_rope_layers must list one entry for each of 3 layers"},
      {"smollm3", "no_rope_layers", llvm::json::Array{1, 2, 1},
       "no_rope_layers must list 0 and 1, found 2"},
      {"granite", "logits_scaling", 0, "logits_scaling must not be 0"},
      {"granite", "logits_scaling", 1e-300, "logits_scaling must not be 0"},
      {"granite", "embedding_multiplier", 1e30,
       "embedding_multiplier must be between -2^32 and 2^32"},
      {"granite", "attention_multiplier", -1e30,
       "attention_multiplier must be between -2^32 and 2^32"},
      {"llama", "rope_theta", 0.5, "rope_theta must be at least 1"},
      {"llama", "rope_scaling",
       Object{{"rope_type", "llama3"}, {"type", "linear"}, {"factor", 8.0}},
       "rope_scaling.type 'linear' contradicts rope_type 'llama3'; keep"},
      {"llama", "rope_scaling", Object{{"rope_type", "linear"}},
       "rope_scaling.factor is missing"},
      {"llama", "rope_scaling",
       Object{{"rope_type", "llama3"}, {"factor", 8.0}, {"low_freq_factor", 1}},
       "rope_scaling.high_freq_factor is missing"},
      {"llama", "rope_scaling",
       Object{{"rope_type", "llama3"},
              {"factor", 8.0},
              {"low_freq_factor", 4},
              {"high_freq_factor", 4}},
       "rope_scaling.low_freq_factor must be above 0 and below"},
      {"llama", "rope_scaling", Object{{"rope_type", "yarn"}, {"factor", 0.5}},
       "rope_scaling.factor must be at least 1"}};
  for (const auto &[type, field, value, part] : cases) {
    LlamaFolder folder(type);
    Opened opened = folder.set(field, value).writeAndOpen();
    EXPECT_FALSE(opened.checkpoint) << field;
    EXPECT_FALSE(opened.unsupported) << field << ' ' << opened.error;
    EXPECT_THAT(opened.error, HasSubstr(part)) << field;
  }
}

TEST(Llama, EveryMissingTensorIsNamed) {
  for (const char *type : kinTypes) {
    LlamaFolder reference(type);
    for (const auto &[name, tensor] : reference.tensors) {
      LlamaFolder folder(type);
      folder.remove(name);
      Opened opened = folder.writeAndOpen();
      EXPECT_FALSE(opened.checkpoint) << name;
      EXPECT_THAT(opened.error, HasSubstr("'" + name + "'")) << type;
    }
  }
}

} // namespace
