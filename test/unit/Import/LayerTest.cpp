// What the layers of a sound folder are bound to: SSD beside attention, the
// paper's patterns, mask kinds.
#include "test/unit/Import/ModelFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(Cheems, NamesAreBound) {
  ModelFolder folder;
  Opened opened = folder.makeCheems().writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  const ModelDescription &model = opened.checkpoint->model();
  EXPECT_EQ(model.modelType, "cheems");
  EXPECT_EQ(model.embedding, "model.word_embed.weight");
  EXPECT_EQ(model.finalNorm.weight, "model.final_layernorm.weight");
  EXPECT_EQ(model.count<SSD>(), 1);
  EXPECT_EQ(model.count<RetrievedExperts>(), 0);
  EXPECT_EQ(model.count<Attention>(), 1);
  EXPECT_EQ(model.rotary.size(), 1u);
  ASSERT_EQ(model.layers.size(), 2u);
  for (int64_t i = 0; i < 2; ++i) {
    const Layer &layer = model.layers[i];
    ASSERT_EQ(layer.branches.size(), 2u);
    const Branch &sequence = layer.branches[0], &state = layer.branches[1];
    std::string prefix = "model.layers." + std::to_string(i) + ".";
    EXPECT_EQ(sequence.norm.weight, prefix + "pre_sequence_layernorm.weight");
    EXPECT_EQ(sequence.residual.weight,
              prefix + "post_sequence_residual.weight");
    EXPECT_EQ(state.norm.weight, prefix + "pre_state_layernorm.weight");
    EXPECT_EQ(state.residual.weight, prefix + "post_state_residual.weight");
    EXPECT_EQ(layer.find<MLP>()->gate->weight,
              prefix + "feed_forward.gate_proj.weight");
    EXPECT_FALSE(layer.find<RetrievedExperts>());
  }
  ASSERT_TRUE(model.layers[0].find<SSD>() &&
              !model.layers[0].find<Attention>());
  ASSERT_TRUE(model.layers[1].find<Attention>() &&
              !model.layers[1].find<SSD>());
  const SSD &ssd = *model.layers[0].find<SSD>();
  EXPECT_EQ(ssd.stateSize, 4);
  EXPECT_EQ(ssd.rotary->size, 4);
  EXPECT_EQ(ssd.c.weight, "model.layers.0.ssd.c_proj.weight");
  EXPECT_EQ(ssd.b.weight, "model.layers.0.ssd.b_proj.weight");
  EXPECT_EQ(ssd.x.weight, "model.layers.0.ssd.x_proj.weight");
  EXPECT_EQ(ssd.step.weight, "model.layers.0.ssd.dt_proj.weight");
  EXPECT_EQ(ssd.output.weight, "model.layers.0.ssd.out_proj.weight");
  EXPECT_EQ(ssd.a, "model.layers.0.ssd.A");
  EXPECT_EQ(ssd.groups, 4);
  EXPECT_FALSE(ssd.logarithm || ssd.skip || ssd.c.bias);
  const Attention &attention = *model.layers[1].find<Attention>();
  EXPECT_EQ(attention.scale, 0.5);
  EXPECT_EQ(attention.query.weight, "model.layers.1.attn.q_proj.weight");
  EXPECT_EQ(attention.mask->a, "model.layers.1.attn.A");
  EXPECT_EQ(attention.queryNorm->weight, "model.layers.1.attn.q_norm.weight");
  EXPECT_EQ(model.find<Attention>()->mask->heads, 2);
}

TEST(Cheems, PeriodAndOffsetSayWhichLayersAreAttention) {
  const struct {
    int64_t layers, period, offset;
    const char *kinds;
  } cases[] = {{8, 8, 7, "SSSSSSSA"}, {5, 2, 0, "ASASA"}, {4, 3, 1, "SASS"},
               {3, 1, 0, "AAA"},      {3, 1, 1, "SSS"},   {3, 2, 5, "SSS"},
               {2, 8, 7, "SS"},       {1, 4, 0, "A"}};
  for (const auto &[layers, period, offset, kinds] : cases) {
    ModelFolder folder;
    Opened opened = folder.makeCheems(layers, period, offset).writeAndOpen();
    ASSERT_EQ(opened.error, "") << kinds;
    const ModelDescription &model = opened.checkpoint->model();
    std::string found;
    for (const Layer &layer : model.layers) {
      found += layer.find<SSD>() ? 'S' : 'A';
    }
    EXPECT_EQ(found, kinds);
    EXPECT_EQ(model.find<SSD>() != nullptr,
              llvm::StringRef(kinds).contains('S'));
    EXPECT_EQ(model.boundedState(), !llvm::StringRef(kinds).contains('A'));
  }
}

TEST(Cheems, ExpertPatternsOfThePaper) {
  // its table of feed-forward patterns: S or A with an MLP or with experts
  for (const char *pattern : {"MMMMMMMM", "EMMMMMMM", "MMMMMMME", "EMMMMMME",
                              "MEEEEEEM", "EEEEEEEE"}) {
    ModelFolder folder;
    folder.makeCheems(8, 8, 7).set("is_moe", false);
    for (int64_t layer = 0; layer < 8; ++layer) {
      if (pattern[layer] == 'E') {
        folder.addExperts(layer);
      }
    }
    Opened opened = folder.writeAndOpen();
    ASSERT_EQ(opened.error, "") << pattern;
    EXPECT_THAT(opened.warnings, IsEmpty());
    const ModelDescription &model = opened.checkpoint->model();
    std::string found;
    for (const Layer &layer : model.layers) {
      found += layer.find<RetrievedExperts>() ? 'E' : 'M';
      EXPECT_EQ(layer.find<MLP>()->up.weight.find("feed_forward.up_proj"), 15u);
    }
    EXPECT_EQ(found, pattern);
    EXPECT_EQ(model.count<RetrievedExperts>(),
              llvm::StringRef(pattern).count('E'));
  }
}

TEST(Cheems, GroupsAreReadFromTheRows) {
  for (auto [state, groups] :
       {std::pair<int64_t, int64_t>{4, 1}, {4, 2}, {2, 4}, {6, 2}, {16, 1}}) {
    ModelFolder folder;
    folder.makeCheems().set("ssd_state_size", state);
    for (const char *name : {"b_proj", "c_proj"}) {
      folder.add(std::string("model.layers.0.ssd.") + name + ".weight",
                 patterned({groups * state, 16}));
    }
    Opened opened = folder.writeAndOpen();
    ASSERT_EQ(opened.error, "");
    EXPECT_EQ(opened.checkpoint->model().find<SSD>()->stateSize, state);
    EXPECT_EQ(opened.checkpoint->model().find<SSD>()->groups, groups);
  }
}

TEST(Cheems, OptionalTensorsOfStateSpaceLayers) {
  ModelFolder folder;
  folder.makeCheems(3, 3, 2)
      .add("model.layers.0.ssd.D", patterned({4}))
      .remove("model.layers.1.ssd.A")
      .add("model.layers.1.ssd.A_log", patterned({4}))
      .add("model.layers.1.ssd.dt_proj.bias", patterned({4}))
      .add("model.layers.1.ssd.out_proj.bias", patterned({16}))
      .remove("model.layers.1.feed_forward.gate_proj.weight");
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  const std::vector<Layer> &layers = opened.checkpoint->model().layers;
  EXPECT_EQ(layers[0].find<SSD>()->skip, "model.layers.0.ssd.D");
  EXPECT_FALSE(layers[0].find<SSD>()->logarithm);
  EXPECT_FALSE(layers[1].find<SSD>()->skip);
  EXPECT_TRUE(layers[1].find<SSD>()->logarithm);
  EXPECT_EQ(layers[1].find<SSD>()->a, "model.layers.1.ssd.A_log");
  EXPECT_EQ(layers[1].find<SSD>()->step.bias,
            "model.layers.1.ssd.dt_proj.bias");
  EXPECT_EQ(layers[1].find<SSD>()->output.bias,
            "model.layers.1.ssd.out_proj.bias");
  EXPECT_FALSE(layers[1].find<SSD>()->b.bias);
  EXPECT_TRUE(layers[0].find<MLP>()->gate && !layers[1].find<MLP>()->gate &&
              layers[2].find<MLP>()->gate);
  opened = folder.set("hidden_bias", false).writeAndOpen();
  EXPECT_THAT(opened.warnings, ElementsAre(HasSubstr("hidden_bias false")));
  opened = folder.set("hidden_bias", true).writeAndOpen();
  EXPECT_THAT(opened.error,
              HasSubstr("'model.layers.0.ssd.b_proj.bias' is missing; "
                        "config.json says hidden_bias true"));
}

TEST(Cheems, AttentionLayersAreLikeDoges) {
  ModelFolder folder;
  folder.makeCheems(4, 2, 1).removeNorms().set("keep_window_size", 3);
  for (const char *layer : {"1", "3"}) {
    std::string prefix = std::string("model.layers.") + layer + ".attn.";
    folder.add(prefix + "A", patterned({4}))
        .add(prefix + "dt_proj.weight", patterned({4, 8}));
  }
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  const ModelDescription &model = opened.checkpoint->model();
  EXPECT_EQ(model.find<Attention>()->mask->heads, 4);
  EXPECT_EQ(model.find<Attention>()->mask->keep, 3);
  EXPECT_TRUE(model.boundedState());
  EXPECT_FALSE(model.layers[1].find<Attention>()->queryNorm);
}

TEST(Cheems, OddHeadsAreFineWithoutAttention) {
  ModelFolder folder;
  folder.makeCheems(1, 1, 1).set("head_dim", 3).set("ssd_state_size", 4);
  folder.add("model.layers.0.ssd.x_proj.weight", patterned({12, 16}))
      .add("model.layers.0.ssd.out_proj.weight", patterned({16, 12}));
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_EQ(opened.checkpoint->model().find<SSD>()->headSize, 3);
}

TEST(MaskKinds, ThresholdOfOneIsTheSignOfA) {
  auto visible = [](llvm::json::Value threshold, const char *kind) {
    ModelFolder folder;
    folder.maskPerAttentionHead()
        .set("dynamic_mask_type", kind)
        .set("dynamic_mask_threshold", std::move(threshold));
    StoredTensor a = patterned({4});
    // -0.25, 0, the least number below 0, 0.25: little-endian
    a.bytes = std::string("\0\0\x80\xbe\0\0\0\0\x01\0\0\x80\0\0\x80\x3e", 16);
    folder.add("model.layers.1.self_attn.A", a);
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "");
    const ModelDescription &model = opened.checkpoint->model();
    const DynamicMask &mask = *model.layers[1].find<Attention>()->mask;
    EXPECT_FALSE(mask.keep && mask.kind != MaskKind::Bias);
    return mask.visibleHeads;
  };
  EXPECT_THAT(visible(1.0, "threshold"), ElementsAre(false, true, false, true));
  EXPECT_THAT(visible(nullptr, "threshold"),
              ElementsAre(false, true, false, true));
  EXPECT_THAT(visible(0.5, "threshold"), IsEmpty());
  EXPECT_THAT(visible(1.0, "bias"), IsEmpty());
  EXPECT_THAT(visible(1.0, "scale"), IsEmpty());
}

} // namespace
