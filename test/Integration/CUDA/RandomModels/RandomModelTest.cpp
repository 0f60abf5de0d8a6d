// Random dense Doges with weights in bf16, f16, int8 and int4 on the software
// GPU, prompts of more than 200 rows and row by row, against the interpreter.
// That runs the module after the stage `rounded`, so inputs of products are
// rounded there, too.
//
// f32 may take a number near the middle of two the other way, and from there on
// the two go apart. Hence two checks:
// - A rounding to the nearest errs by a part of less than u, and two that know
//   nothing of each other differ by less than u in the mean square; those of
//   all products one behind the other add as squares.
// - The logits are nearer to those with the same roundings than the latter are
//   to those without any. With roundings at other places they would be farther
//   away, by the square root of two. This is not so with entries in bf16, where
//   kernels also round queries and weights, which the interpreter does not.
//
// Each run has bf16, f16 and codes, all with heads of 64 and of 128, in models
// that CHEEMS_TEST_SEED draws; and many where CHEEMS_TEST_LONG is set.
#include "StepFiles.h"
#include "test/Integration/CPU/random-config/Tools.h"
#include "test/unit/Support/RandomCheckpoint.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestRun.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems::test;
using cheems::reference::Tensor;
using Stored = RandomCheckpoint::Stored;

namespace {

struct Form {
  Stored stored;
  const char *weights;
  bool entriesBF16; ///< keys and values
  double unit;      ///< a rounding's greatest error
};

constexpr double kBF16 = 0x1p-8, kF16 = 0x1p-11;
const std::vector<Form> brain = {{Stored::BF16, "stored", true, kBF16},
                                 {Stored::F32, "bf16", false, kBF16}};
const std::vector<Form> half = {{Stored::F32, "f16", false, kF16},
                                {Stored::F16, "f16", false, kF16},
                                {Stored::BF16, "f16", true, kF16}};
// Codes up to 127 of rows whose greatest number is hardly above four times the
// mean: the difference of two such roundings, of which each errs by a code's
// part over the square root of 12.
const double kCode = 4.0 / (127.0 * std::sqrt(6.0));
const std::vector<Form> codes = {{Stored::F32, "int8", false, kCode},
                                 {Stored::F32, "int4", false, kCode},
                                 {Stored::BF16, "int4", true, kCode},
                                 {Stored::BF16, "int8", true, kCode}};

struct Model {
  Form form;
  RandomCheckpoint drawn;
  int64_t rows;
};

Model drawModel(uint64_t number) {
  Random random(number ^ 0x6b0);
  const std::vector<Form> *all[] = {&brain, &half, &codes};
  // Six models have all three with heads of either size, and each form comes
  // with either size within a few seeds.
  const std::vector<Form> &kinds = *all[number % 3];
  Model model{kinds[(number / 3 + 3 * (number / 6)) % kinds.size()],
              drawDoge(number), random.integer(200, 230)};
  RandomCheckpoint &c = model.drawn;
  c.headDim = number / 3 % 2 ? 128 : 64;
  c.keyValueHeads = random.integer(1, 2);
  c.heads = c.keyValueHeads * (c.keyValueHeads == 1 ? random.integer(1, 2) : 1);
  c.hidden = c.separateHead ? random.pick({48, 72, 96}) : c.heads * c.headDim;
  c.layers = random.integer(1, 2);
  c.maxPositions = c.dynamicRope ? 128 : 2048;
  c.factor = c.dynamicRope ? 2.0 : 1.0;
  // No key is dropped.
  c.keepWindow = random.chance(0.5) ? std::optional(model.rows) : std::nullopt;
  c.stored = model.form.stored;
  return model;
}

/// Root of the mean square, and the largest.
struct Difference {
  double mean = 0.0, largest = 0.0;
};

/// Of the numbers, in deviations of what is wanted.
Difference difference(const Tensor &got, const Tensor &want) {
  double sum = 0.0, squares = 0.0, of = 0.0;
  Difference found;
  auto count = static_cast<double>(want.data.size());
  for (size_t i = 0; i < want.data.size(); ++i) {
    sum += want.data[i];
    squares += want.data[i] * want.data[i];
    double apart = std::abs(got.data[i] - want.data[i]);
    of += apart * apart;
    if (!(apart <= found.largest)) { // NaN, too
      found.largest = apart;
    }
  }
  double deviation = std::sqrt(squares / count - sum / count * (sum / count));
  return {std::sqrt(of / count) / deviation, found.largest / deviation};
}

Difference allowed(const Model &model) {
  const RandomCheckpoint &c = model.drawn;
  // Inputs of the projections, of the output's, of the MLP's two, and of the
  // head. With entries in bf16 also queries, keys, weights and values.
  int64_t roundings = c.layers * 4 + 1;
  double squares =
      static_cast<double>(roundings) * model.form.unit * model.form.unit;
  if (model.form.entriesBF16) {
    squares += static_cast<double>(c.layers * 4) * kBF16 * kBF16;
  }
  auto longest = static_cast<double>(
      std::max({c.hidden, c.intermediate, c.heads * c.headDim, model.rows}));
  double sums = longest * static_cast<double>(c.layers + 1) * 0x1p-24;
  double mean = std::sqrt(squares) + sums;
  // Of a hundred thousand numbers hardly one is as far as six deviations.
  return {mean, 6 * mean};
}

class RandomModel : public testing::TestWithParam<uint64_t> {
protected:
  TemporaryFolder folder;

  void tool(const std::string &name, const std::vector<std::string> &words) {
    std::string failure = runTool(name, words, folder.path);
    if (!failure.empty()) {
      throw std::runtime_error(failure);
    }
  }
  std::string file(const std::string &name) const {
    return (folder.path / name).string();
  }
  Tensor logits() {
    auto read = readLogits(file("logits.safetensors"));
    if (!read) {
      throw std::runtime_error(llvm::toString(read.takeError()));
    }
    std::filesystem::remove(file("logits.safetensors"));
    return std::move(*read);
  }
  /// What the interpreter makes of the module at a stage.
  Tensor interpreted(const Model &model, const std::string &stage) {
    tool("cheems-compile",
         {file("model"), "--target", "cuda", "--weights", model.form.weights,
          "--emit", stage, "-o", file("module.mlir")});
    tool("cheems-opt",
         {file("module.mlir"),
          "--cheems-interpret=entry=step weights=" + file("model") +
              " inputs=" + file("step.safetensors") +
              " outputs=" + file("logits.safetensors"),
          "-o", "/dev/null"});
    return logits();
  }
};

std::vector<uint64_t> drawnModels() {
  uint64_t count = isLongRun() ? 60 : 6;
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < count; ++i) {
    numbers.push_back(testSeed() * count + i);
  }
  return numbers;
}

TEST_P(RandomModel, CardsGiveTheInterpretersLogits) {
  Model model = drawModel(GetParam());
  SCOPED_TRACE(model.drawn.describe() + ", weights " + model.form.weights);
  writeCheckpoint(model.drawn, file("model"));
  std::vector<int64_t> ids = drawIds(model.drawn, model.rows);
  writeStep(file("step.safetensors"), ids);
  Tensor want = interpreted(model, "rounded"),
         exact = interpreted(model, "mlir");
  Difference most = allowed(model), roundings = difference(exact, want);

  tool("cheems-compile", {file("model"), "--target", "cuda", "--weights",
                          model.form.weights, "-o", file("model.cheems")});
  writeIds(file("ids.safetensors"), {ids});
  Random random(GetParam() ^ 0xc4d);
  bool late = random.chance(0.5);
  ASSERT_EQ(setenv("CHEEMS_CUDA_DRIVER", SOFTWARE_GPU, 1), 0);
  ASSERT_EQ(setenv("CHEEMS_EMULATOR_MODE", late ? "late" : "early", 1), 0);
  std::vector<std::pair<const char *, int64_t>> ways = {
      {"80", model.rows},
      {"90", model.rows},
      {"80", random.integer(20, 90)},
      {"90", 1}};
  if (random.chance(0.5)) {
    std::swap(ways[2].first, ways[3].first);
  }
  for (auto [architecture, chunk] : ways) {
    ASSERT_EQ(setenv("CHEEMS_EMULATOR_ARCH", architecture, 1), 0);
    tool("cheems-run",
         {file("model.cheems"), "--device", "cuda", "--input-ids",
          file("ids.safetensors"), "--logits", file("logits.safetensors"),
          "--prefill-chunk", std::to_string(chunk)});
    Difference found = difference(logits(), want);
    std::printf("%s, weights %s, sm_%s, chunks of %d of %d rows: error %.1e of "
                "%.1e, largest %.1e of %.1e, roundings %.1e\n",
                model.drawn.describe().c_str(), model.form.weights,
                architecture, static_cast<int>(chunk),
                static_cast<int>(model.rows), found.mean, most.mean,
                found.largest, most.largest, roundings.mean);
    EXPECT_LE(found.mean, most.mean);
    EXPECT_LE(found.largest, most.largest);
    if (!model.form.entriesBF16) {
      EXPECT_LT(found.mean, roundings.mean);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, RandomModel, testing::ValuesIn(drawnModels()),
                         [](const auto &info) {
                           return std::to_string(info.param);
                         });

} // namespace
