// Fields that say what layers are made of: SSD beside attention, mask kinds,
// experts.
#include "test/unit/Import/ReadConfig.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(ConfigLayers, DefaultsOfCheems) {
  Read r = read("", cheemsKind());
  ASSERT_EQ(r.error, "");
  EXPECT_THAT(r.warnings, IsEmpty());
  const DogeLikeFields &model = *r.config;
  EXPECT_EQ(model.vocabulary, 32768);
  EXPECT_EQ(model.hidden, 1024);
  EXPECT_EQ(model.intermediate, 2048);
  EXPECT_EQ(model.layers, 32);
  EXPECT_EQ(model.heads, 8);
  EXPECT_EQ(model.keyValueHeads, 8);
  EXPECT_EQ(model.ssdStateSize, 128);
  EXPECT_EQ(model.keepWindow, std::nullopt);
  EXPECT_TRUE(r.config->tied);
  EXPECT_EQ(model.bosToken, 0);
  EXPECT_THAT(model.eosTokens, ElementsAre(1));
  EXPECT_EQ(model.padToken, 2);
  EXPECT_EQ(r.config->attentionPeriod, 8);
  EXPECT_EQ(r.config->attentionOffset, 7);
  EXPECT_TRUE(r.config->isAttention(7) && r.config->isAttention(15));
  EXPECT_FALSE(r.config->isAttention(0) || r.config->isAttention(8));
  // the author's code stretches by 4 unless it is told otherwise
  EXPECT_TRUE(model.rotary.dynamic);
  EXPECT_EQ(model.rotary.factor, 4.0);
  EXPECT_EQ(model.rotary.trainedPositions, 2048);
  for (const char *fields :
       {R"("rope_scaling": null)", R"("rope_parameters": null)",
        R"("rope_parameters": {"rope_theta": 5e5})"}) {
    r = read(fields, cheemsKind());
    ASSERT_EQ(r.error, "") << fields;
    EXPECT_FALSE(r.config->rotary.dynamic) << fields;
  }
}

TEST(ConfigLayers, DefaultsOfExperts) {
  Read r = read("");
  EXPECT_EQ(r.config->experts, 16384);
  EXPECT_EQ(r.config->expertHeads, 1);
  EXPECT_EQ(r.config->expertsPerHead, 64);
  for (const DogeLikeKind *kind : {&authorsDogeKind(), &cheemsKind()}) {
    r = read("", *kind);
    EXPECT_EQ(r.config->experts, 16348); // as the author wrote it
    EXPECT_EQ(r.config->expertHeads, 4);
    EXPECT_EQ(r.config->expertsPerHead, 8);
    EXPECT_EQ(r.config->retrievalSize, 64);
  }
  EXPECT_EQ(r.config->scorePlacement, ScorePlacement::Softmax);
  EXPECT_EQ(r.config->isMoE, std::nullopt);
}

TEST(ConfigLayers, WhichLayersAreAttention) {
  const struct {
    const char *fields;
    bool attention, ssd;
  } cases[] = {
      {R"("num_hidden_layers": 8)", true, true},
      {R"("num_hidden_layers": 7)", false, true},
      {R"("attn_layer_offset": 8)", false, true},
      {R"("attn_layer_offset": 65536)", false, true},
      {R"("attn_layer_period": 1, "attn_layer_offset": 0)", true, false},
      {R"("attn_layer_period": 1, "attn_layer_offset": 1)", false, true},
      {R"("num_hidden_layers": 1, "attn_layer_offset": 0)", true, false},
      {R"("num_hidden_layers": 1, "attn_layer_offset": 1)", false, true}};
  for (const auto &[fields, attention, ssd] : cases) {
    Read r = read(fields, cheemsKind());
    ASSERT_EQ(r.error, "") << fields;
    EXPECT_EQ(r.config->anyAttention(), attention) << fields;
    EXPECT_EQ(r.config->anySSD(), ssd) << fields;
    EXPECT_EQ(r.config->ssdStateSize, ssd ? 128 : 0) << fields;
  }
  Read doge = read(R"("attn_layer_offset": 3, "ssd_state_size": 5)");
  ASSERT_EQ(doge.error, "");
  EXPECT_FALSE(doge.config->anySSD());
  EXPECT_EQ(doge.config->ssdStateSize, 0);
}

TEST(ConfigLayers, MistakesOfCheemsNameTheField) {
  const std::pair<const char *, const char *> cases[] = {
      {R"("attn_layer_period": 0)",
       "attn_layer_period must be an integer from 1 to 65536, found 0"},
      {R"("attn_layer_offset": -1)", "attn_layer_offset must be"},
      {R"("ssd_state_size": 0)", "ssd_state_size must be"},
      {R"("ssd_state_size": 7)", "ssd_state_size 7 is odd"},
      {R"("hidden_size": 24, "attn_layer_offset": 9)",
       "ssd_state_size 3 (by default the head size) is odd"},
      {R"("hidden_size": 24, "ssd_state_size": 4)", "an odd head size 3"},
      {R"("ssd_state_size": 2)",
       "rope_scaling.rope_type dynamic needs an ssd_state_size above 2"},
      {R"("head_dim": 2, "ssd_state_size": 4)",
       "rope_scaling.rope_type dynamic needs a head_dim above 2"},
      {R"("num_cdmoe_experts": 0)", "num_cdmoe_experts must be"},
      {R"("num_cdmoe_heads": 0)", "num_cdmoe_heads must be"},
      {R"("num_cdmmoe_heads": 65537)", "num_cdmmoe_heads must be"},
      {R"("num_cdmoe_experts_per_head": "8")", "num_cdmoe_experts_per_head"},
      {R"("expert_retrieval_size": 0)", "expert_retrieval_size must be"},
      {R"("num_cdmoe_experts": 16, "num_cdmmoe_experts": 25)",
       "num_cdmoe_experts 16 contradicts num_cdmmoe_experts 25"},
      {R"("is_moe": 1)", "is_moe must be true or false"},
      {R"("cdmoe_score": 1)", "cdmoe_score must be a string"},
      {R"("dynamic_mask_type": 1)", "dynamic_mask_type must be a string"},
      {R"("dynamic_mask_threshold": "1")",
       "dynamic_mask_threshold must be a finite number"},
      {R"("dynamic_mask_threshold": 1e999)", "dynamic_mask_threshold"}};
  for (const auto &[fields, part] : cases) {
    Read r = read(fields, cheemsKind());
    EXPECT_FALSE(r.unsupported) << fields;
    EXPECT_THAT(r.error, HasSubstr(part)) << fields;
  }
}

TEST(ConfigLayers, SmallStatesAndHeadsDoWithoutStretching) {
  Read r = read(R"("ssd_state_size": 2, "head_dim": 2, "rope_scaling": null)",
                cheemsKind());
  EXPECT_EQ(r.error, "");
  // an odd head is fine where no layer rotates it
  r = read(R"("hidden_size": 24, "attn_layer_offset": 9, "ssd_state_size": 4)",
           cheemsKind());
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.config->headDim, 3);
}

TEST(ConfigLayers, MaskKinds) {
  const std::pair<const char *, MaskKind> kinds[] = {
      {"bias", MaskKind::Bias},
      {"threshold", MaskKind::Threshold},
      {"scale", MaskKind::Scale}};
  for (const auto &[name, kind] : kinds) {
    for (const DogeLikeKind *names :
         {&dogeKind(), &authorsDogeKind(), &cheemsKind()}) {
      std::string type = std::string("\"dynamic_mask_type\": \"") + name + '"';
      Read r = read(type, *names);
      ASSERT_EQ(r.error, "");
      EXPECT_THAT(r.warnings, IsEmpty());
      EXPECT_EQ(r.config->maskKind, kind);
      EXPECT_EQ(r.config->maskThreshold, 1.0);
      EXPECT_EQ(r.config->keepWindow.has_value(),
                kind == MaskKind::Bias && names == &dogeKind());

      r = read(type + R"(, "keep_window_size": 5,
                         "dynamic_mask_threshold": -0.25)",
               *names);
      ASSERT_EQ(r.error, "");
      EXPECT_EQ(r.config->maskThreshold, -0.25);
      if (kind == MaskKind::Bias) {
        EXPECT_THAT(r.warnings, IsEmpty());
        EXPECT_EQ(r.config->keepWindow, 5);
      } else {
        EXPECT_THAT(r.warnings,
                    ElementsAre(HasSubstr("keep_window_size has no effect")));
        EXPECT_EQ(r.config->keepWindow, std::nullopt);
      }
      r = read(type + R"(, "keep_window_size": null)", *names);
      EXPECT_THAT(r.warnings, IsEmpty());
      EXPECT_EQ(r.config->keepWindow, std::nullopt);
    }
  }
}

} // namespace
