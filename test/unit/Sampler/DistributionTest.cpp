// The filtered distribution against transformers' processors, recorded by
// data/record_distributions.py.
#include "runtime/Sampler/Sampler.h"
#include "test/unit/Support/TestPaths.h"

#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace cheems;

namespace {

SamplingOptions optionsOf(const nlohmann::json &settings) {
  SamplingOptions options;
  options.doSample = true;
  options.temperature = settings.value("temperature", 1.0);
  options.topK = settings.value("top_k", 0);
  options.topP = settings.value("top_p", 1.0);
  options.minP = settings.value("min_p", 0.0);
  options.repeatPenalty = settings.value("repetition_penalty", 1.0);
  return options;
}

TEST(Distribution, EqualsTransformersOnRecordedRows) {
  std::ifstream file(std::string(cheems::test_paths::sourceFolder) +
                     "/test/unit/Sampler/data/distributions.json");
  auto rows = nlohmann::json::parse(file);
  ASSERT_EQ(rows.size(), 20u);
  for (const auto &row : rows) {
    SCOPED_TRACE(row["settings"].dump());
    std::vector<float> logits;
    for (const auto &logit : row["logits"]) {
      logits.push_back(logit.is_null() ? -std::numeric_limits<float>::infinity()
                                       : logit.get<float>());
    }
    auto got = filteredDistribution(optionsOf(row["settings"]), logits,
                                    row["history"].get<std::vector<int32_t>>());
    auto wanted = row["probabilities"].get<std::vector<double>>();
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], wanted[i], 1e-6) << "token " << i;
      // the same tokens survive, where f32 can tell an improbable one from a
      // removed one
      EXPECT_EQ(double(got[i]) > 1e-30, wanted[i] > 1e-30) << "token " << i;
    }
  }
}

std::vector<float> wave(size_t vocabulary) {
  std::vector<float> logits(vocabulary);
  for (size_t i = 0; i < vocabulary; ++i) {
    logits[i] = float(3 * std::sin(double(i) * 12.9898));
  }
  return logits;
}

TEST(Distribution, TopPKeepsTheSmallestSetThatReachesItInALargeVocabulary) {
  SamplingOptions options;
  options.doSample = true;
  auto logits = wave(50000);
  auto whole = filteredDistribution(options, logits, {});
  options.topP = 0.9;
  auto kept = filteredDistribution(options, logits, {});
  double mass = 0;
  float lowestKept = 1;
  float highestDropped = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (kept[i] > 0) {
      mass += whole[i];
      lowestKept = std::min(lowestKept, whole[i]);
    } else {
      highestDropped = std::max(highestDropped, whole[i]);
    }
  }
  EXPECT_GE(mass, 0.9 - 1e-5);
  EXPECT_LT(mass - double(lowestKept), 0.9 + 1e-5);
  EXPECT_GE(lowestKept, highestDropped);
}

TEST(Distribution, SumsToOneAtExtremeTemperatures) {
  for (double temperature : {1e-300, 1e-6, 1.0, 1e6, 1e300}) {
    SamplingOptions options;
    options.doSample = true;
    options.temperature = temperature;
    double sum = 0;
    for (float probability : filteredDistribution(options, wave(1000), {})) {
      sum += double(probability);
    }
    EXPECT_NEAR(sum, 1, 1e-5) << temperature;
  }
}

TEST(Distribution, RepeatedHistoryCountsOnceAndForeignIdsAreIgnored) {
  SamplingOptions options;
  options.doSample = true;
  options.repeatPenalty = 1.7;
  std::vector<float> logits{1.5f, -2.0f, 0.25f, 3.0f};
  auto once = filteredDistribution(options, logits, {1, 3});
  EXPECT_EQ(once, filteredDistribution(options, logits,
                                       {3, 1, 1, 3, 3, 1, 400, 1 << 30}));
  auto off = filteredDistribution(options, logits, {});
  EXPECT_LT(once[3], off[3]);
}

TEST(Distribution, IsOneHotWhenGreedy) {
  SamplingOptions options;
  options.doSample = true;
  options.temperature = 0;
  EXPECT_EQ(filteredDistribution(options, {1, 4, 4, 2}, {}),
            (std::vector<float>{0, 1, 0, 0}));
}

} // namespace
