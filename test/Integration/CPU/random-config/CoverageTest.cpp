// What the seeds of every run reach.
#include "Choices.h"
#include "test/unit/Support/CpuVariants.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

using namespace cheems;
using namespace cheems::test;

namespace {

TEST(RandomConfigs, FixedSeedsCoverWhatCanBeDrawn) {
  using Mask = RandomCheckpoint::Mask;
  std::set<std::string> drawn;
  for (uint64_t seed = 0; seed < fixedConfigs; ++seed) {
    RandomCheckpoint c = drawModel(seed);
    auto see = [&](bool seen, const std::string &what) {
      if (seen) {
        drawn.insert(what);
      }
    };
    auto number = [](auto value) {
      return std::to_string(static_cast<int>(value));
    };
    drawn.insert("stored " + number(c.stored));
    see(c.dynamicRope, "dynamic rope");
    if (c.anyAttention()) {
      drawn.insert("mask " + number(c.mask));
      see(c.mask == Mask::Threshold && c.threshold == 1.0, "sign of A");
      see(c.mask == Mask::Threshold && c.threshold < 1.0, "threshold");
      int64_t window = c.keepWindow.value_or(c.context());
      bool bias = c.mask == Mask::Bias;
      see(bias && window < 4, "small window");
      see(bias && window >= 4 && window < 64, "middle window");
      see(bias && window >= c.context(), "no window");
    }
    see(c.cheems && !c.anySSD(), "Cheems of attention");
    see(c.anySSD() && !c.anyAttention(), "SSD alone");
    see(c.anySSD() && c.anyAttention(), "both");
    if (c.anySSD()) {
      drawn.insert("decay " + number(c.decay));
      see(c.skip, "D");
      see(c.groups < c.heads, "shared groups");
    }
    if (c.anyExperts()) {
      drawn.insert("pattern " + number(c.expertLayers));
      see(!c.authorNames, "router");
      see(c.authorNames, "queries and keys");
      see(c.innerScore, "inner score");
      see(!c.innerScore, "softmax score");
      see(c.experts > c.keyCount * c.keyCount, "unreachable experts");
      see(c.expertsPerHead > c.keyCount, "more experts than keys");
    }
  }
  std::set<std::string> all{"dynamic rope",
                            "sign of A",
                            "threshold",
                            "small window",
                            "middle window",
                            "no window",
                            "Cheems of attention",
                            "SSD alone",
                            "both",
                            "D",
                            "shared groups",
                            "router",
                            "queries and keys",
                            "inner score",
                            "softmax score",
                            "unreachable experts",
                            "more experts than keys"};
  for (auto [what, count] :
       {std::pair("stored ", 4), std::pair("mask ", 3), std::pair("decay ", 3),
        std::pair("pattern ", 7)}) {
    for (int i = what == std::string("pattern ") ? 1 : 0; i < count; ++i) {
      all.insert(what + std::to_string(i));
    }
  }
  EXPECT_THAT(drawn, testing::UnorderedElementsAreArray(all));
}

TEST(RandomConfigs, EveryVariantMeetsEveryFormatOfWeights) {
  std::map<std::string, std::set<std::string>> ofBits4;
  std::map<std::string, int> ofBits8, storedAsInt8;
  for (uint64_t seed = 0; seed < fixedConfigs; ++seed) {
    RandomCheckpoint drawn = drawModel(seed);
    const std::string &variant = variantOf(seed);
    if (weightBits(drawn) == 4) {
      ofBits4[variant].merge(matmulFormats(drawn));
    }
    ofBits8[variant] +=
        weightBits(drawn) == 8 && matmulFormats(drawn).count("8") != 0;
    storedAsInt8[variant] += storesInt8(drawn);
  }
  for (const std::string &variant : variantNames()) {
    EXPECT_THAT(ofBits4[variant],
                testing::ElementsAre("4/32", "4/64", "8", "exact"))
        << variant;
    EXPECT_GT(ofBits8[variant], 0) << variant;
    EXPECT_GT(storedAsInt8[variant], 0) << variant;
  }
}

} // namespace
