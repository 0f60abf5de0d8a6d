// Whole models against recorded logits and greedy tokens.
#include "cheems/Reference/Model.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

struct Case {
  const char *folder;
  /// Bound on the largest error over the deviation of the recorded logits.
  double bound;
};

// Transformers takes rotary angles in f32; the author's goldens are double
// throughout, rounded at the end.
constexpr double rotaryF32 = 1e-5, roundedOnce = 1e-6;

class ModelGolden : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    std::string folder =
        std::string(CHEEMS_SOURCE_DIR) + "/" + GetParam().folder;
    auto opened = Checkpoint::open(folder, [](llvm::StringRef) {});
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    checkpoint.emplace(std::move(*opened));
    golden.emplace(folder + "/golden.safetensors");
  }
  std::vector<int64_t> prompt(int64_t row) const {
    Tensor ids = slice(golden->tensor("input_ids"), row);
    return {ids.data.begin(), ids.data.end()};
  }
  std::optional<Checkpoint> checkpoint;
  std::optional<GoldenFile> golden;
};

TEST_P(ModelGolden, GivesTheRecordedLogits) {
  Tensor logits = golden->tensor("logits");
  double mean = 0.0, square = 0.0;
  for (double value : logits.data) {
    mean += value / static_cast<double>(logits.data.size());
    square += value * value / static_cast<double>(logits.data.size());
  }
  double deviation = std::sqrt(square - mean * mean);
  ASSERT_GT(deviation, 0.0);
  for (int64_t row = 0; row < logits.shape[0]; ++row) {
    double error =
        maxError(evaluateModel(*checkpoint, prompt(row)), slice(logits, row)) /
        deviation;
    EXPECT_LE(error, GetParam().bound) << "sequence " << row;
  }
}

TEST_P(ModelGolden, ContinuesWithTheRecordedTokens) {
  std::vector<int64_t> want = golden->integers("greedy_ids");
  ASSERT_GE(want.size(), 16u);
  EXPECT_EQ(greedy(*checkpoint, prompt(0), static_cast<int64_t>(want.size())),
            want);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelGolden,
    testing::Values(Case{"test/golden/models/doge-tiny", rotaryF32},
                    Case{"test/golden/models/doge-window", rotaryF32},
                    Case{"test/golden/models/doge-untied-bf16", rotaryF32},
                    Case{"test/golden/models/doge-bias", rotaryF32},
                    Case{"test/golden/models/doge-author", roundedOnce},
                    Case{"test/golden/models/doge-author-bias", roundedOnce},
                    Case{"models/doge-shakespeare", rotaryF32}),
    [](const auto &info) {
      std::string name =
          llvm::StringRef(info.param.folder).rsplit('/').second.str();
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
