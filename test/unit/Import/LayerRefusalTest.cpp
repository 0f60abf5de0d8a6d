// Cheems folders that cannot be compiled: each ends in one line that names the
// layer, the tensor and the fields at fault.
#include "test/unit/Import/ModelFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

void expectError(const Opened &opened, bool unsupported,
                 std::initializer_list<const char *> parts) {
  ASSERT_FALSE(opened.checkpoint);
  EXPECT_EQ(opened.unsupported, unsupported) << opened.error;
  EXPECT_EQ(opened.error.find('\n'), std::string::npos) << opened.error;
  for (const char *part : parts) {
    EXPECT_THAT(opened.error, HasSubstr(part));
  }
}

TEST(LayerRefusal, ModelTypeAgainstNames) {
  ModelFolder cheems;
  expectError(cheems.makeCheems().set("model_type", "doge").writeAndOpen(),
              false,
              {"model.safetensors: tensor 'model.layers.0.",
               "named as in a Cheems", "model_type 'doge'"});
  ModelFolder author;
  expectError(
      author.useAuthorNames().set("model_type", "cheems").writeAndOpen(), false,
      {"tensor 'model.layers.0.", "named as in a Doge", "model_type 'cheems'"});
  ModelFolder transformers;
  expectError(transformers.set("model_type", "cheems").writeAndOpen(), false,
              {"'model.embed_tokens.weight'", "transformers' Doge",
               "model_type 'cheems'"});
}

TEST(LayerRefusal, NamesOfBothModels) {
  ModelFolder folder;
  folder.makeCheems().add("model.layers.1.pre_layernorm.weight",
                          patterned({16}));
  expectError(folder.writeAndOpen(), false,
              {"'model.layers.0.", "as in a Cheems",
               "'model.layers.1.pre_layernorm.weight' as in a Doge"});
}

TEST(LayerRefusal, TensorsOfTheOtherKind) {
  ModelFolder states;
  states.makeCheems(4, 4, 3).add("model.layers.3.ssd.A", patterned({4}));
  expectError(states.writeAndOpen(), false,
              {"tensor 'model.layers.3.ssd.A' does not belong to its layer",
               "layer 3 is an attention layer by attn_layer_period 4 and "
               "attn_layer_offset 3"});
  ModelFolder keys;
  keys.makeCheems(4, 4, 3).set("attn_layer_offset", 2);
  expectError(keys.writeAndOpen(), false,
              {"tensor 'model.layers.2.ssd.A' does not belong to its layer",
               "layer 2 is an attention layer by attn_layer_period 4 and "
               "attn_layer_offset 2"});
  ModelFolder none;
  none.makeCheems(4, 4, 3).set("attn_layer_offset", 4);
  expectError(none.writeAndOpen(), false,
              {"tensor 'model.layers.3.attn.A' does not belong to its layer",
               "layer 3 is an SSD layer by attn_layer_period 4 and "
               "attn_layer_offset 4"});
}

TEST(LayerRefusal, EveryMissingTensorIsNamed) {
  ModelFolder reference;
  reference.makeCheems().addExperts(0);
  for (const auto &[name, tensor] : reference.tensors) {
    if (llvm::StringRef(name).ends_with("gate_proj.weight")) {
      continue; // then the MLP is plain
    }
    ModelFolder folder;
    folder.makeCheems().addExperts(0).remove(name);
    Opened opened = folder.writeAndOpen();
    expectError(opened, false, {"model.safetensors", name.c_str()});
    if (llvm::StringRef(name).contains(".ssd.")) {
      EXPECT_THAT(opened.error,
                  HasSubstr("is missing; layer 0 is an SSD layer by "
                            "attn_layer_period 2 and attn_layer_offset 1"));
    } else if (llvm::StringRef(name).contains(".attn.")) {
      EXPECT_THAT(opened.error, HasSubstr("is missing; layer 1 is an attention "
                                          "layer by attn_layer_period 2"));
    }
  }
}

TEST(LayerRefusal, EveryMisshapenTensorIsNamed) {
  ModelFolder reference;
  reference.makeCheems().addExperts(0);
  for (const auto &[name, tensor] : reference.tensors) {
    for (size_t axis = 0; axis <= tensor.shape.size(); ++axis) {
      std::vector<int64_t> shape = tensor.shape;
      if (axis < shape.size()) {
        shape[axis] += 1;
      } else {
        shape.push_back(1); // the same elements, one rank too many
      }
      ModelFolder folder;
      folder.makeCheems().addExperts(0).add(name, patterned(shape));
      expectError(folder.writeAndOpen(), false,
                  {"model.safetensors", name.c_str(), "has shape ["});
    }
  }
}

TEST(LayerRefusal, GroupsThatDoNotFit) {
  const struct {
    int64_t state, b, c;
    const char *part;
  } cases[] = {{4, 12, 12,
                "b_proj.weight' has shape [12, 16], but its rows must be "
                "ssd_state_size 4 times a number of groups that divides "
                "num_attention_heads 4"},
               {4, 32, 32, "b_proj.weight' has shape [32, 16]"},
               {6, 16, 16, "ssd_state_size 6 times"},
               {32, 16, 16, "ssd_state_size 32 times"},
               {4, 0, 0, "b_proj.weight' has shape [0, 16]"},
               {4, 8, 16,
                "c_proj.weight' has shape [16, 16], but "
                "'model.layers.0.ssd.b_proj.weight' has [8, 16]"}};
  for (const auto &[state, b, c, part] : cases) {
    ModelFolder folder;
    folder.makeCheems()
        .set("ssd_state_size", state)
        .add("model.layers.0.ssd.b_proj.weight", patterned({b, 16}))
        .add("model.layers.0.ssd.c_proj.weight", patterned({c, 16}));
    expectError(folder.writeAndOpen(), false, {part});
  }
}

TEST(LayerRefusal, TwoDecays) {
  ModelFolder folder;
  folder.makeCheems().add("model.layers.0.ssd.A_log", patterned({4}));
  expectError(folder.writeAndOpen(), false,
              {"'model.layers.0.ssd.A' and 'model.layers.0.ssd.A_log' are both "
               "there"});
}

TEST(LayerRefusal, TensorsThatAreLeftOver) {
  for (const char *name :
       {"model.layers.0.ssd.conv1d.weight", "model.layers.0.ssd.dt_bias",
        "model.layers.0.ssd.norm.weight", "model.layers.1.attn.extra",
        "model.layers.0.feed_forward.router_gate.weight",
        "model.layers.2.pre_state_layernorm.weight"}) {
    ModelFolder folder;
    folder.makeCheems().add(name, patterned({16}));
    expectError(folder.writeAndOpen(), true, {name, "not belong to the model"});
  }
  ModelFolder keys;
  keys.addExperts(0).add("model.layers.0.mlp.keys", patterned({2, 2, 2, 2}));
  expectError(keys.writeAndOpen(), true,
              {"'model.layers.0.mlp.keys'", "not belong to the model"});
}

TEST(LayerRefusal, NormsInSomeAttentionLayersOnly) {
  ModelFolder folder;
  folder.makeCheems(4, 2, 1)
      .remove("model.layers.1.attn.q_norm.weight")
      .remove("model.layers.1.attn.k_norm.weight");
  expectError(
      folder.writeAndOpen(), true,
      {"'model.layers.3.attn.k_norm.weight'", "not belong to the model"});
}

} // namespace
