// What descriptions may have and no op says yet is refused by name.
#include "cheems/Import/Error.h"
#include "cheems/Import/ModuleBuilder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace cheems {
namespace {
using testing::HasSubstr;

/// One layer of masked attention and an MLP, as a Doge has.
ModelDescription doge() {
  ModelDescription model;
  model.modelType = "doge";
  model.hidden = 8;
  model.rotary = {RotaryConfig{}};
  Attention attention;
  attention.heads = attention.keyValueHeads = 2;
  attention.headSize = 4;
  attention.rotary = RotaryUse{0, 4};
  attention.mask = DynamicMask{};
  attention.mask->heads = 2;
  Branch sequence, state;
  sequence.residual.weight = "r1";
  state.residual.weight = "r2";
  sequence.mixers.push_back({std::move(attention)});
  state.mixers.push_back({MLP{}});
  model.layers.push_back({{std::move(sequence), std::move(state)}});
  return model;
}

Branch &branch(ModelDescription &model, size_t number) {
  return model.layers[0].branches[number];
}
Attention &attention(ModelDescription &model) {
  return std::get<Attention>(branch(model, 0).mixers[0].what);
}

template <typename Change> std::string refusalOf(Change change) {
  ModelDescription model = doge();
  change(model);
  llvm::Error error = checkBuildable(model);
  EXPECT_TRUE(error.isA<UnsupportedError>());
  return llvm::toString(std::move(error));
}

TEST(Buildable, ADoge) {
  ModelDescription model = doge();
  EXPECT_FALSE(bool(checkBuildable(model)));
  branch(model, 1).mixers.push_back({RetrievedExperts{}});
  EXPECT_FALSE(bool(checkBuildable(model)));
  attention(model).mask.reset();
  attention(model).window = 4;
  attention(model).rotary.reset();
  branch(model, 0).mixers[0].inputFactor = 2;
  branch(model, 0).mixers[0].outputFactor = 3;
  branch(model, 1).residual = {std::nullopt, 0.5};
  model.embeddingFactor = model.logitFactor = 4;
  EXPECT_FALSE(bool(checkBuildable(model)));
  model.layers.clear();
  EXPECT_FALSE(bool(checkBuildable(model)));
}

TEST(Buildable, NamesTheLayerAndWhatItHas) {
  EXPECT_EQ(refusalOf([](auto &m) { attention(m).window = 4; }),
            "a model of type 'doge' is read, but cannot be compiled by this "
            "version: layer 0 has a window of rows beside dynamic masks");
  EXPECT_THAT(refusalOf([](auto &m) {
                branch(m, 1).mixers.push_back({RetrievedExperts{}});
                branch(m, 1).mixers[1].outputFactor = 2;
              }),
              HasSubstr("a factor of one of its parts side by side"));
  EXPECT_THAT(
      refusalOf([](auto &m) { branch(m, 0).mixers.push_back({SSD{}}); }),
      HasSubstr("parts side by side"));
  EXPECT_THAT(
      refusalOf([](auto &m) { branch(m, 1).mixers = {{RetrievedExperts{}}}; }),
      HasSubstr("retrieved experts without an MLP"));
}

/// Pools are shared by all layers of a kind.
TEST(Buildable, LayersAgreeInWhatTheyStore) {
  auto second = [](auto change) {
    return refusalOf([&](ModelDescription &model) {
      model.layers.push_back(model.layers[0]);
      change(std::get<Attention>(model.layers[1].branches[0].mixers[0].what));
    });
  };
  EXPECT_THAT(second([](Attention &a) { a.keyValueHeads = 1; }),
              HasSubstr("layer 1 has other heads of keys"));
  EXPECT_THAT(second([](Attention &a) { a.mask->keep = 3; }),
              HasSubstr("layer 1 has other masks"));
  EXPECT_THAT(second([](Attention &a) { a.mask.reset(); }),
              HasSubstr("layer 1 has no masks, or the first layer"));
}
} // namespace
} // namespace cheems
