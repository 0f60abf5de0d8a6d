// Experts: which layers have them, under which names, and what is refused.
#include "test/unit/Import/ModelFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(Experts, ByTransformersRouter) {
  ModelFolder folder;
  folder.addExperts(1).set("norm_topk_prob", true);
  folder.add("model.layers.1.mlp.router_gate.bias", patterned({4}));
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  const ModelDescription &model = opened.checkpoint->model();
  ASSERT_TRUE(model.find<RetrievedExperts>());
  EXPECT_EQ(model.find<RetrievedExperts>()->experts, 4);
  EXPECT_EQ(model.find<RetrievedExperts>()->heads, 1);
  EXPECT_EQ(model.find<RetrievedExperts>()->perHead, 3);
  EXPECT_EQ(model.find<RetrievedExperts>()->placement, ScorePlacement::Softmax);
  EXPECT_FALSE(model.layers[0].find<RetrievedExperts>());
  const RetrievedExperts &experts = *model.layers[1].find<RetrievedExperts>();
  ASSERT_TRUE(experts.router);
  EXPECT_EQ(experts.router->weight, "model.layers.1.mlp.router_gate.weight");
  EXPECT_EQ(experts.router->bias, "model.layers.1.mlp.router_gate.bias");
  EXPECT_EQ(experts.keyCount, 2);
  EXPECT_EQ(experts.keySize, 0);
  EXPECT_EQ(experts.queries.weight, "");
  EXPECT_EQ(experts.down, "model.layers.1.mlp.down_embed.weight");
  EXPECT_EQ(experts.up, "model.layers.1.mlp.up_embed.weight");
}

TEST(Experts, ByTheAuthorsQueriesAndKeys) {
  for (bool cheems : {false, true}) {
    ModelFolder folder;
    cheems ? folder.makeCheems() : folder.useAuthorNames();
    folder.addExperts(0).set("cdmoe_score", "inner");
    folder.add("model.layers.0.feed_forward.queries.bias", patterned({8}));
    folder.remove("model.layers.0.feed_forward.gate_proj.weight");
    Opened opened = folder.writeAndOpen();
    ASSERT_EQ(opened.error, "");
    EXPECT_THAT(opened.warnings, IsEmpty());
    const ModelDescription &model = opened.checkpoint->model();
    ASSERT_TRUE(model.find<RetrievedExperts>());
    EXPECT_EQ(model.find<RetrievedExperts>()->experts, 4);
    EXPECT_EQ(model.find<RetrievedExperts>()->heads, 2);
    EXPECT_EQ(model.find<RetrievedExperts>()->perHead, 3);
    EXPECT_EQ(model.find<RetrievedExperts>()->placement, ScorePlacement::Inner);
    EXPECT_FALSE(model.layers[0].find<MLP>()->gate);
    EXPECT_FALSE(model.layers[1].find<RetrievedExperts>());
    const RetrievedExperts &experts = *model.layers[0].find<RetrievedExperts>();
    EXPECT_FALSE(experts.router);
    EXPECT_EQ(experts.queries.weight,
              "model.layers.0.feed_forward.queries.weight");
    EXPECT_EQ(experts.queries.bias, "model.layers.0.feed_forward.queries.bias");
    EXPECT_EQ(experts.keys, "model.layers.0.feed_forward.keys");
    EXPECT_EQ(experts.keyCount, 2);
    EXPECT_EQ(experts.keySize, 2);
  }
}

TEST(Experts, EarlySpellingCounts) {
  ModelFolder folder;
  folder.makeCheems().addExperts(0);
  for (const char *name : {"experts", "heads", "experts_per_head"}) {
    std::string later = std::string("num_cdmoe_") + name;
    folder.set(std::string("num_cdmmoe_") + name, *folder.config.get(later));
    folder.unset(later);
  }
  Opened opened = folder.writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
  EXPECT_EQ(opened.checkpoint->model().find<RetrievedExperts>()->perHead, 3);
  opened = folder.set("num_cdmoe_heads", 3).writeAndOpen();
  EXPECT_THAT(opened.error,
              HasSubstr("num_cdmoe_heads 3 contradicts num_cdmmoe_heads 2"));
}

TEST(Experts, CountThatIsNoSquareLeavesSomeUnreached) {
  for (bool author : {false, true}) {
    ModelFolder folder;
    if (author) {
      folder.useAuthorNames();
    }
    folder.addExperts(0).addExperts(1);
    std::string field = author ? "num_cdmoe_experts" : "num_experts";
    folder.set(field, 8);
    for (auto &[name, tensor] : folder.tensors) {
      if (llvm::StringRef(name).ends_with("_embed.weight") &&
          tensor.shape[0] == 4) {
        tensor = patterned({8, 16});
      }
    }
    Opened opened = folder.writeAndOpen();
    ASSERT_EQ(opened.error, "");
    EXPECT_THAT(
        opened.warnings,
        ElementsAre(HasSubstr(field + " 8 is not a square: 2 keys per half "
                                      "reach 4 experts, and the rest")));
    EXPECT_EQ(opened.checkpoint->model().find<RetrievedExperts>()->experts, 8);
    EXPECT_EQ(
        opened.checkpoint->model().layers[1].find<RetrievedExperts>()->keyCount,
        2);
  }
}

TEST(Experts, TensorsDecideAndFieldsWarn) {
  ModelFolder none;
  Opened opened = none.set("is_moe", true).writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings,
              ElementsAre(HasSubstr("is_moe is true, but no layer has experts; "
                                    "the tensors decide")));
  ModelFolder some;
  opened = some.addExperts(0).set("is_moe", false).writeAndOpen();
  ASSERT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings,
              ElementsAre(HasSubstr("is_moe is false, but some layer has "
                                    "experts; the tensors decide")));
  EXPECT_TRUE(opened.checkpoint->model().layers[0].find<RetrievedExperts>());
  opened = some.unset("is_moe").writeAndOpen();
  EXPECT_THAT(opened.warnings, IsEmpty());
}

TEST(Experts, FieldsOfExpertsMatterOnlyWithExperts) {
  ModelFolder folder;
  folder.makeCheems()
      .set("num_cdmoe_experts", 3)
      .set("num_cdmoe_experts_per_head", 100)
      .set("expert_retrieval_size", 7);
  Opened opened = folder.writeAndOpen();
  EXPECT_EQ(opened.error, "");
  EXPECT_THAT(opened.warnings, IsEmpty());
}

TEST(Experts, MoreThanTheKeysReachIsAnError) {
  ModelFolder folder;
  folder.addExperts(0).set("num_experts_per_tok", 5);
  EXPECT_THAT(
      folder.writeAndOpen().error,
      HasSubstr("config.json: num_experts_per_tok 5 is more than the 4 "
                "experts that 2 keys per half can reach (num_experts 4)"));
  EXPECT_EQ(folder.set("num_experts_per_tok", 4).writeAndOpen().error, "");
  ModelFolder author;
  author.useAuthorNames()
      .addExperts(1)
      .set("num_cdmoe_experts", 8)
      .set("num_cdmoe_experts_per_head", 5);
  EXPECT_THAT(author.writeAndOpen().error,
              HasSubstr("num_cdmoe_experts_per_head 5 is more than the 4 "
                        "experts that 2 keys per half can reach "
                        "(num_cdmoe_experts 8)"));
}

TEST(Experts, OddQueriesAreAnError) {
  ModelFolder folder;
  folder.makeCheems().addExperts(0).set("expert_retrieval_size", 5);
  Opened opened = folder.writeAndOpen();
  EXPECT_THAT(opened.error, HasSubstr("config.json: expert_retrieval_size 5 is "
                                      "odd"));
  EXPECT_FALSE(opened.unsupported);
}

TEST(Experts, ShapesFollowTheFields) {
  const std::pair<const char *, const char *> cases[] = {
      {"num_cdmoe_experts", "[8, 16], but config.json asks for"},
      {"num_cdmoe_heads", "has shape [8, 16], but config.json asks for"},
      {"expert_retrieval_size", "has shape [8, 16], but config.json asks for"}};
  for (const auto &[field, part] : cases) {
    ModelFolder folder;
    folder.makeCheems().addExperts(0).set(field, 16);
    Opened opened =
        folder.set(field, field == cases[0].first ? 9 : 6).writeAndOpen();
    EXPECT_FALSE(opened.checkpoint) << field;
    EXPECT_THAT(opened.error,
                HasSubstr(field == cases[0].first
                              ? "keys' has shape [2, 2, 2, 2], but config.json "
                                "asks for [2, 3, 2, 2]"
                              : part));
  }
}

TEST(Experts, KeysAreMatricesForThePrecision) {
  auto precision = [](const char *keys) {
    ModelFolder folder;
    folder.makeCheems().addExperts(0);
    for (auto &[name, tensor] : folder.tensors) {
      // what belongs to heads or channels may stay in f32
      bool vector = tensor.shape.size() < 2;
      tensor = patterned(tensor.shape, vector ? "F32" : "BF16");
    }
    folder.add("model.layers.0.feed_forward.keys",
               patterned({2, 2, 2, 2}, keys));
    Opened opened = folder.writeAndOpen();
    EXPECT_EQ(opened.error, "");
    return opened.checkpoint->precision();
  };
  EXPECT_EQ(precision("BF16"), DType::BF16);
  EXPECT_EQ(precision("F32"), DType::F32);
}

} // namespace
