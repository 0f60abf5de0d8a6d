// What opening a sound folder yields: name sets, heads, biases, shards,
// precision, carried files.
#include "cheems/Import/Checkpoint.h"
#include "test/unit/Import/ModelFolder.h"
#include "test/unit/Support/TestPaths.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class NameCombinations
    : public testing::TestWithParam<std::tuple<bool, bool, bool>> {};

TEST_P(NameCombinations, Import) {
  auto [author, norms, perHead] = GetParam();
  ModelFolder folder;
  if (author) {
    folder.useAuthorNames();
  }
  if (!norms) {
    folder.removeNorms();
  }
  if (perHead) {
    folder.maskPerAttentionHead();
  }
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  const Checkpoint &checkpoint = *opened.checkpoint;
  const ModelDescription &model = checkpoint.model();
  EXPECT_EQ(model.modelType, "doge");
  EXPECT_EQ(model.find<Attention>()->mask->heads, perHead ? 4 : 2);
  EXPECT_EQ(model.embedding,
            author ? "model.word_embed.weight" : "model.embed_tokens.weight");
  EXPECT_EQ(model.finalNorm.weight,
            author ? "model.final_layernorm.weight" : "model.norm.weight");
  EXPECT_EQ(model.find<Attention>()->mask->keep,
            author ? std::nullopt : std::optional<int64_t>(2048));
  EXPECT_FALSE(model.head);
  ASSERT_EQ(model.layers.size(), 2u);
  const Layer &layer = model.layers[1];
  const Branch &sequence = layer.branches[0], &state = layer.branches[1];
  const Attention &attention = *layer.find<Attention>();
  const MLP &mlp = *layer.find<MLP>();
  EXPECT_EQ(sequence.norm.weight,
            std::string("model.layers.1.") +
                (author ? "pre_layernorm.weight" : "input_layernorm.weight"));
  EXPECT_EQ(sequence.residual.weight,
            std::string("model.layers.1.") +
                (author ? "pre_residual.weight" : "input_residual"));
  EXPECT_EQ(state.norm.weight,
            std::string("model.layers.1.") +
                (author ? "post_layernorm.weight"
                        : "post_attention_layernorm.weight"));
  EXPECT_EQ(state.residual.weight,
            std::string("model.layers.1.") +
                (author ? "post_residual.weight" : "post_attention_residual"));
  EXPECT_EQ(attention.queryNorm.has_value(), norms);
  EXPECT_EQ(attention.keyNorm.has_value(), norms);
  ASSERT_TRUE(mlp.gate);
  EXPECT_EQ(mlp.gate->weight, std::string("model.layers.1.") +
                                  (author ? "feed_forward." : "mlp.") +
                                  "gate_proj.weight");
  EXPECT_FALSE(attention.query.bias);
  // the mapped bytes are those that were written, under whatever name
  EXPECT_EQ(checkpoint.tensor(attention.query.weight).at(3),
            0.25 * (1 + (3 * 7 + 5) % 6));
  EXPECT_EQ(checkpoint.tensor(attention.mask->a).elements(), perHead ? 4 : 2);
  EXPECT_EQ(checkpoint.tensor(model.embedding).elements(), 11 * 16);
}

INSTANTIATE_TEST_SUITE_P(AllEight, NameCombinations,
                         testing::Combine(testing::Bool(), testing::Bool(),
                                          testing::Bool()));

TEST(Checkpoint, AuthorsLayersMayLackAGate) {
  ModelFolder folder;
  folder.useAuthorNames().remove(
      "model.layers.0.feed_forward.gate_proj.weight");
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_FALSE(opened.checkpoint->model().layers[0].find<MLP>()->gate);
  EXPECT_TRUE(opened.checkpoint->model().layers[1].find<MLP>()->gate);
}

TEST(Checkpoint, UntiedHeadIsBound) {
  ModelFolder folder;
  folder.unset("tie_word_embeddings")
      .add("lm_head.weight", patterned({11, 16}, "F32", 3));
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().head->weight, "lm_head.weight");
  EXPECT_EQ(opened.checkpoint->tensor("lm_head.weight").at(0),
            0.25 * (1 + 15 % 6));
}

TEST(Checkpoint, TiedHeadMayBeStoredWhenEqual) {
  ModelFolder folder;
  folder.add("lm_head.weight", patterned({11, 16}));
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_FALSE(opened.checkpoint->model().head);
  folder.tensors["lm_head.weight"].bytes[5] ^= 1;
  opened = folder.writeAndOpen();
  EXPECT_THAT(opened.error, HasSubstr("lm_head.weight"));
  EXPECT_THAT(opened.error, HasSubstr("tie_word_embeddings"));
}

TEST(Checkpoint, BiasesFollowTheTensors) {
  ModelFolder folder;
  folder.add("model.layers.0.self_attn.q_proj.bias", patterned({16}))
      .add("model.layers.1.self_attn.dt_proj.bias", patterned({2}))
      .add("model.layers.1.mlp.down_proj.bias", patterned({16}));
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  const std::vector<Layer> &layers = opened.checkpoint->model().layers;
  EXPECT_EQ(layers[0].find<Attention>()->query.bias,
            "model.layers.0.self_attn.q_proj.bias");
  EXPECT_FALSE(layers[1].find<Attention>()->query.bias);
  EXPECT_EQ(layers[1].find<Attention>()->mask->step.bias,
            "model.layers.1.self_attn.dt_proj.bias");
  EXPECT_EQ(layers[1].find<MLP>()->down.bias,
            "model.layers.1.mlp.down_proj.bias");
  opened =
      folder.set("attention_bias", false).set("mlp_bias", false).writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, ElementsAre(HasSubstr("attention_bias false"),
                                           HasSubstr("mlp_bias false")));
}

TEST(Checkpoint, PromisedBiasesMustBeThere) {
  for (const char *field : {"attention_bias", "hidden_bias"}) {
    ModelFolder folder;
    Opened opened = folder.set(field, true).writeAndOpen();
    EXPECT_THAT(opened.error,
                HasSubstr("'model.layers.0.self_attn.q_proj.bias' is missing"));
    EXPECT_THAT(opened.error, HasSubstr(field));
    EXPECT_FALSE(opened.unsupported);
  }
  ModelFolder folder;
  Opened opened = folder.set("mlp_bias", true).writeAndOpen();
  EXPECT_THAT(opened.error,
              HasSubstr("'model.layers.0.mlp.gate_proj.bias' is missing"));
}

TEST(Checkpoint, PrecisionIsThatOfTheMatrices) {
  auto precision = [](auto typeOf) {
    ModelFolder folder;
    for (auto &[name, tensor] : folder.tensors) {
      tensor = patterned(tensor.shape, typeOf(name, tensor));
    }
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "");
    return opened.checkpoint->precision();
  };
  using Name = const std::string &;
  using Tensor = const StoredTensor &;
  EXPECT_EQ(precision([](Name, Tensor) { return "F32"; }), DType::F32);
  EXPECT_EQ(precision([](Name, Tensor) { return "F16"; }), DType::F32);
  EXPECT_EQ(precision([](Name, Tensor) { return "BF16"; }), DType::BF16);
  EXPECT_EQ(precision([](Name, Tensor t) {
              return t.shape.size() == 2 ? "BF16" : "F32";
            }),
            DType::BF16);
  EXPECT_EQ(precision([](Name n, Tensor) {
              return n == "model.layers.1.mlp.up_proj.weight" ? "F16" : "BF16";
            }),
            DType::F32);
}

TEST(Checkpoint, HeadsNeedNotAddUpToHidden) {
  ModelFolder folder;
  folder.set("num_attention_heads", 2)
      .set("head_dim", 4); // 2 heads of 4 in a width of 16
  for (const char *layer : {"0", "1"}) {
    std::string prefix = std::string("model.layers.") + layer + ".self_attn.";
    folder.add(prefix + "q_proj.weight", patterned({8, 16}))
        .add(prefix + "o_proj.weight", patterned({16, 8}));
  }
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().find<Attention>()->headSize, 4);
  EXPECT_EQ(opened.checkpoint->model().hidden, 16);
  opened = folder.unset("head_dim").writeAndOpen(); // then a head has 8
  EXPECT_THAT(opened.error, HasSubstr("q_proj.weight' has shape [8, 16], but "
                                      "config.json asks for [16, 16]"));
}

TEST(Checkpoint, StoredRotaryTablesAreIgnored) {
  ModelFolder folder;
  folder.add("model.rotary_emb.inv_freq", patterned({2}));
  Opened opened = folder.writeAndOpen();
  EXPECT_EQ(opened.error, "");
}

TEST(Checkpoint, TextsAreCarriedByteForByte) {
  ModelFolder folder;
  folder.write();
  Opened opened = folder.open();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->tokenizerJson, "");
  EXPECT_EQ(opened.checkpoint->chatTemplate, "");
  folder.write("tokenizer.json", "{ \"a\" : 1 }\n");
  folder.write("tokenizer_config.json", "{}");
  folder.write("generation_config.json", "{\"x\": 1e3}");
  folder.write("chat_template.jinja", "{{ no json \xff");
  opened = folder.open();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->tokenizerJson, "{ \"a\" : 1 }\n");
  EXPECT_EQ(opened.checkpoint->tokenizerConfigJson, "{}");
  EXPECT_EQ(opened.checkpoint->generationConfigJson, "{\"x\": 1e3}");
  EXPECT_EQ(opened.checkpoint->chatTemplate, "{{ no json \xff");
  EXPECT_THAT(opened.checkpoint->configJson, HasSubstr("\"doge\""));
  for (const char *name :
       {"tokenizer.json", "tokenizer_config.json", "generation_config.json"}) {
    folder.write(name, "{]");
    EXPECT_THAT(folder.open().error, HasSubstr(name));
    folder.write(name, "{}");
  }
}

TEST(Checkpoint, EveryRecordedModelOpensInSilence) {
  const std::string models =
      std::string(cheems::test_paths::sourceFolder) + "/test/golden/models";
  int count = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(models, error), end;
       !error && it != end; it.increment(error)) {
    std::vector<std::string> warnings;
    auto checkpoint = Checkpoint::open(it->path(), [&](llvm::StringRef line) {
      warnings.push_back(line.str());
    });
    ASSERT_TRUE(bool(checkpoint)) << llvm::toString(checkpoint.takeError());
    EXPECT_THAT(warnings, IsEmpty()) << it->path();
    const ModelDescription &model = checkpoint->model();
    EXPECT_FALSE(model.layers.empty());
    EXPECT_EQ(llvm::StringRef(it->path()).contains("moe") ||
                  llvm::StringRef(it->path()).ends_with("paper") ||
                  llvm::StringRef(it->path()).ends_with("bias-gelu"),
              model.find<RetrievedExperts>() != nullptr);
    ++count;
  }
  EXPECT_EQ(count, 25);
}

TEST(Checkpoint, TheDemoModelOpens) {
  std::vector<std::string> warnings;
  auto checkpoint = Checkpoint::open(
      std::string(cheems::test_paths::sourceFolder) +
          "/models/doge-shakespeare",
      [&](llvm::StringRef warning) { warnings.push_back(warning.str()); });
  ASSERT_TRUE(bool(checkpoint)) << llvm::toString(checkpoint.takeError());
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(checkpoint->precision(), DType::BF16);
  EXPECT_EQ(checkpoint->model().find<Attention>()->mask->keep, 128);
  EXPECT_THAT(checkpoint->model().eosTokens, ElementsAre(1));
  EXPECT_FALSE(checkpoint->tokenizerJson.empty());
}

} // namespace
