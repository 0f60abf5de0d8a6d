// Whole models against recorded logits and greedy tokens.
#include "cheems/Reference/Model.h"
#include "test/unit/Reference/Golden.h"
#include "test/unit/Support/TestPaths.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <set>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

#if defined(__has_feature)
constexpr bool underAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool underAddressSanitizer = false;
#endif

struct Case {
  const char *folder;
  /// Bound on the largest error over the deviation of the recorded logits.
  double bound;
};

// Transformers takes rotary angles in f32; the author's goldens are double
// throughout, rounded at the end.
constexpr double rotaryF32 = 1e-5, roundedOnce = 1e-6;

constexpr Case cases[] = {
    {"test/golden/models/cheems-bias-gelu", roundedOnce},
    {"test/golden/models/cheems-dense", roundedOnce},
    {"test/golden/models/cheems-growing", roundedOnce},
    {"test/golden/models/cheems-long", roundedOnce},
    {"test/golden/models/cheems-moe", roundedOnce},
    {"test/golden/models/cheems-paper", roundedOnce},
    {"test/golden/models/cheems-scale-rope", roundedOnce},
    {"test/golden/models/cheems-threshold", roundedOnce},
    {"test/golden/models/cheems-window", roundedOnce},
    {"test/golden/models/doge-author", roundedOnce},
    {"test/golden/models/doge-author-bias", roundedOnce},
    {"test/golden/models/doge-author-moe", roundedOnce},
    {"test/golden/models/doge-bias", rotaryF32},
    {"test/golden/models/doge-moe", rotaryF32},
    {"test/golden/models/doge-moe-window", rotaryF32},
    {"test/golden/models/doge-tiny", rotaryF32},
    {"test/golden/models/doge-untied-bf16", rotaryF32},
    {"test/golden/models/doge-window", rotaryF32},
    {"test/golden/models/granite-factors", roundedOnce},
    {"test/golden/models/llama-stretched", roundedOnce},
    {"test/golden/models/llama-yarn", roundedOnce},
    {"test/golden/models/mistral-window", roundedOnce},
    {"test/golden/models/qwen2-biases", roundedOnce},
    {"test/golden/models/qwen3-norms", roundedOnce},
    {"test/golden/models/smollm3-nope", roundedOnce},
    {"models/cheems-shakespeare", roundedOnce},
    {"models/doge-shakespeare", rotaryF32},
};

class ModelGolden : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    std::string folder =
        std::string(cheems::test_paths::sourceFolder) + "/" + GetParam().folder;
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
  if (!golden->has("greedy_ids")) {
    GTEST_SKIP() << "recorded without: a dynamic rotary base differs between "
                    "a prompt and its continuation";
  }
  std::vector<int64_t> want = golden->integers("greedy_ids");
  ASSERT_GE(want.size(), 8u);
  if (underAddressSanitizer) { // every token is a full evaluation
    want.resize(prompt(0).size() > 500 ? 1 : 2);
  }
  EXPECT_EQ(greedy(*checkpoint, prompt(0), static_cast<int64_t>(want.size())),
            want);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelGolden, testing::ValuesIn(cases), [](const auto &info) {
      std::string name =
          llvm::StringRef(info.param.folder).rsplit('/').second.str();
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(ModelGoldens, NoneIsLeftOut) {
  std::set<std::string> want, got;
  for (const Case &each : cases) {
    want.insert(std::filesystem::path(each.folder).filename());
  }
  for (const char *parent : {"/test/golden/models", "/models"}) {
    for (const auto &entry : std::filesystem::directory_iterator(
             std::string(cheems::test_paths::sourceFolder) + parent)) {
      if (entry.is_directory()) {
        got.insert(entry.path().filename());
      }
    }
  }
  EXPECT_EQ(got, want);
}

} // namespace
