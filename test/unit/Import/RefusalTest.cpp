// Folders that cannot be compiled: each ends in one line that names the file
// and the tensor or field at fault.
#include "test/unit/Import/ModelFolder.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

enum class Exit { Failed, Unsupported };

void expectError(const Opened &opened, Exit exit,
                 std::initializer_list<const char *> parts) {
  ASSERT_FALSE(opened.checkpoint);
  EXPECT_EQ(opened.unsupported, exit == Exit::Unsupported) << opened.error;
  EXPECT_EQ(opened.error.find('\n'), std::string::npos) << opened.error;
  for (const char *part : parts) {
    EXPECT_THAT(opened.error, HasSubstr(part));
  }
}

TEST(Refusal, FolderThatIsNone) {
  auto none = Checkpoint::open("/no/such/model", [](llvm::StringRef) {});
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(llvm::toString(none.takeError()),
            "/no/such/model: no such model folder");
  ModelFolder folder;
  folder.write("file", "");
  auto file = Checkpoint::open(folder.path + "/file", [](llvm::StringRef) {});
  ASSERT_FALSE(bool(file));
  EXPECT_THAT(llvm::toString(file.takeError()),
              HasSubstr("not a model folder"));
}

TEST(Refusal, MissingOrBrokenConfig) {
  ModelFolder folder;
  expectError(folder.open(), Exit::Failed, {"config.json", "no such file"});
  folder.write("config.json", "{");
  expectError(folder.open(), Exit::Failed, {"config.json", "not valid JSON"});
  folder.write("config.json", "[]");
  expectError(folder.open(), Exit::Failed,
              {"config.json", "not a JSON object"});
  folder.write("config.json",
               "{\"model_type\": \"doge\", \"model_type\": \"llama\"}");
  expectError(folder.open(), Exit::Failed,
              {"config.json", "'model_type' is given twice"});
}

TEST(Refusal, ForeignModelsEvenWithoutWeights) {
  ModelFolder folder;
  folder.write("config.json", R"({"model_type": "gpt2"})");
  expectError(folder.open(), Exit::Unsupported, {"config.json", "'gpt2'"});
  folder.write("config.json", R"({"model_type": "doge2"})");
  expectError(
      folder.open(), Exit::Unsupported,
      {"'doge2' is not supported; 'doge', 'cheems', 'llama', 'mistral', "
       "'qwen2', 'qwen3', 'smollm3' and 'granite' are"});
  folder.write("config.json", R"({"model_type": "jamba"})");
  expectError(folder.open(), Exit::Unsupported, {"'jamba'", "no dual form"});
  folder.write("config.json", R"({"vocab_size": 3})");
  expectError(folder.open(), Exit::Failed, {"model_type is missing"});
  folder.write("config.json", R"({"model_type": 3})");
  expectError(folder.open(), Exit::Failed,
              {"model_type must be a string, found 3"});
  folder.write("config.json", R"({"architectures": ["GPT2LMHeadModel"]})");
  expectError(folder.open(), Exit::Unsupported,
              {"model_type is missing, and architectures 'GPT2LMHeadModel' is "
               "of none"});
}

TEST(Refusal, NotOfNamelessModelsWhoseClassOrTensorsTell) {
  ModelFolder doge;
  Opened opened = doge.unset("model_type").writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().modelType, "doge");
  ModelFolder cheems;
  opened = cheems.makeCheems().unset("model_type").writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().modelType, "cheems");
  ModelFolder named;
  opened = named.makeCheems()
               .unset("model_type")
               .set("architectures", llvm::json::Array{"CheemsForCausalLM"})
               .writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().modelType, "cheems");
  ModelFolder author;
  opened = author.useAuthorNames().unset("model_type").writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().modelType, "doge");
}

TEST(Refusal, PickledWeightsSayHowTheyAreConverted) {
  ModelFolder folder;
  folder.write("config.json", R"({"model_type": "doge"})");
  folder.write("pytorch_model.bin", "x");
  expectError(folder.open(), Exit::Unsupported,
              {"/pytorch_model.bin: ", "python3 -c \"import torch",
               "'model.safetensors')\""});
}

TEST(Refusal, NumbersThatJsonLacksNameTheField) {
  ModelFolder folder;
  for (const char *number : {"Infinity", R"({"__float__": "Infinity"})"}) {
    folder.write("config.json",
                 std::string(R"({"model_type": "doge", "rms_norm_eps": )") +
                     number + "}");
    folder.write(
        "model.safetensors",
        safeTensorsBytes({{"model.embed_tokens.weight", patterned({2, 2})}}));
    expectError(folder.open(), Exit::Failed,
                {"rms_norm_eps must be a finite number, found Infinity"});
  }
}

TEST(Refusal, MissingWeights) {
  ModelFolder folder;
  folder.write("config.json", R"({"model_type": "doge"})");
  expectError(folder.open(), Exit::Failed, {"model.safetensors"});
  folder.write("model.safetensors", "");
  expectError(folder.open(), Exit::Failed, {"model.safetensors", "0 bytes"});
}

TEST(Refusal, EveryMissingTensorIsNamed) {
  ModelFolder reference;
  for (const auto &[name, tensor] : reference.tensors) {
    ModelFolder folder;
    folder.remove(name);
    expectError(folder.writeAndOpen(), Exit::Failed,
                {"model.safetensors", name.c_str()});
  }
}

TEST(Refusal, EveryMisshapenTensorIsNamedWithBothShapes) {
  ModelFolder reference;
  for (const auto &[name, tensor] : reference.tensors) {
    ModelFolder folder;
    std::vector<int64_t> shape = tensor.shape;
    shape[0] += 1;
    folder.add(name, patterned(shape));
    std::string found = "has shape [" + std::to_string(shape[0]);
    expectError(folder.writeAndOpen(), Exit::Failed,
                {"model.safetensors", name.c_str(), found.c_str()});
  }
  ModelFolder folder;
  folder.add("model.layers.1.self_attn.k_proj.weight",
             patterned({16, 8})); // transposed
  expectError(folder.writeAndOpen(), Exit::Failed,
              {"k_proj.weight", "[16, 8]", "[8, 16]"});
}

TEST(Refusal, NormsInSomeLayersOnly) {
  ModelFolder folder;
  folder.remove("model.layers.0.self_attn.q_norm.weight")
      .remove("model.layers.0.self_attn.k_norm.weight");
  expectError(
      folder.writeAndOpen(), Exit::Unsupported,
      {"'model.layers.1.self_attn.k_norm.weight'", "not belong to the model"});
}

TEST(Refusal, MaskHeadsThatDifferBetweenLayers) {
  ModelFolder folder;
  folder.add("model.layers.1.self_attn.A", patterned({4}));
  expectError(folder.writeAndOpen(), Exit::Failed,
              {"model.layers.1.self_attn.A", "[4]", "[2]"});
}

TEST(Refusal, TensorsThatAreLeftOver) {
  for (const char *name : {"model.layers.2.input_residual",
                           "model.layers.0.mlp.extra", "lm_head.bias", "stray",
                           "model.layers.0.self_attn.q_proj.weight_scale"}) {
    ModelFolder folder;
    folder.add(name, patterned({16}));
    expectError(folder.writeAndOpen(), Exit::Unsupported,
                {"model.safetensors", name, "not belong to the model"});
  }
  ModelFolder folder;
  folder.set("num_hidden_layers", 1);
  expectError(folder.writeAndOpen(), Exit::Unsupported,
              {"'model.layers.1.", "(and 14 more)"});
}

TEST(Refusal, NameSetsThatCannotBeTold) {
  ModelFolder neither;
  neither.remove("model.embed_tokens.weight");
  expectError(
      neither.writeAndOpen(), Exit::Failed,
      {"neither", "model.embed_tokens.weight", "model.word_embed.weight"});
  ModelFolder both;
  both.add("model.word_embed.weight", patterned({11, 16}));
  expectError(both.writeAndOpen(), Exit::Failed,
              {"both", "model.embed_tokens.weight", "model.word_embed.weight"});
  ModelFolder mixed;
  mixed.useAuthorNames()
      .remove("model.word_embed.weight")
      .add("model.embed_tokens.weight", patterned({11, 16}));
  expectError(
      mixed.writeAndOpen(), Exit::Failed,
      {"'model.layers.0.input_layernorm.weight' of shape [16] is missing"});
}

TEST(Refusal, WeightTypesOtherThanTheThree) {
  for (const char *type : {"F64", "I64", "I32"}) {
    ModelFolder folder;
    folder.add("model.norm.weight", patterned({16}, type));
    expectError(folder.writeAndOpen(), Exit::Unsupported,
                {"model.safetensors", "model.norm.weight", type});
  }
}

TEST(Refusal, UntiedModelWithoutHead) {
  ModelFolder folder;
  folder.set("tie_word_embeddings", false);
  expectError(folder.writeAndOpen(), Exit::Failed,
              {"'lm_head.weight'", "missing", "tie_word_embeddings"});
}

TEST(Refusal, SizesThatContradictTheTensors) {
  const std::pair<const char *, int64_t> cases[] = {
      {"vocab_size", 12},          {"hidden_size", 32},
      {"intermediate_size", 24},   {"num_hidden_layers", 3},
      {"num_attention_heads", 2},  {"num_key_value_heads", 4},
      {"num_hidden_layers", 65536}};
  for (const auto &[field, value] : cases) {
    ModelFolder folder;
    expectError(folder.set(field, value).writeAndOpen(), Exit::Failed,
                {"model.safetensors: tensor 'model."});
  }
}

} // namespace
