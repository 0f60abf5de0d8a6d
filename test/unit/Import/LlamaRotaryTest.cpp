// Rotary fields of Llama and its kin, in both spellings.
#include "lib/Import/RotaryFrequencies.h"
#include "test/unit/Import/LlamaFolder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems;
using namespace cheems::test;
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

} // namespace
