// Random models on the software GPU, prompts of more than 200 rows and row by
// row, against the interpreter: dense Doges with weights in bf16, f16, int8 and
// int4, and models with SSD, attention and experts in bf16 and f16. The
// interpreter runs the module after the stage `rounded`, so inputs of matmuls
// are rounded there, too.
//
// Two bounds hold for every row. Both follow from the unit roundoffs and the
// depth alone (RoundingBound.h). They are wider for a model that passes errors
// on more than most do, and for a row that does so more than the mean row. Both
// are measured in the evaluator:
// - of the module that is rounded against the imported one, which is not;
// - of the GPU against the module that is rounded. f32 may take a number near
//   the middle of two the other way, and kernels round more.
//
// Where the best keys or experts of many are taken, a rounding may turn two
// that are nearly as good. So the interpreter follows what the other
// computation chose. How little its own scores and masks speak against that is
// bounded, too: a choice that is wrong by more is a failure. The imported
// module is told what the rounded one chose. What a GPU chose the interpreter
// finds out by its logits. No row is left out, and no model is drawn again.
//
// Every kernel of a prompt that multiplies in 16 bits has tensor cores for it.
//
// Each run has bf16, f16 and quantized weights, with heads of 64 or of 128, in
// the same models, each on a GPU of one architecture: compiling for both, and
// interpreting, is most of the time. Many more, which CHEEMS_TEST_SEED draws,
// run on both where CHEEMS_TEST_LONG is set, and have further mistakes.
#include "DrawnModel.h"
#include "Outcome.h"
#include "StepFiles.h"
#include "TensorCores.h"
#include "test/Integration/CPU/random-config/RowErrors.h"
#include "test/Integration/CPU/random-config/Tools.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestPaths.h"
#include "test/unit/Support/TestRun.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <fstream>
#include <regex>
#include <sstream>

using namespace cheems::test;
using cheems::Checkpoint;
using cheems::reference::Tensor;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

namespace {

class RandomModel : public testing::Test {
protected:
  /// Compares what two GPUs give in prompts and row by row.
  void compare(const DrawnModel &model, uint64_t number);

  std::string file(const std::string &name) const {
    return (folder.path / name).string();
  }
  void tool(const std::string &name, const std::vector<std::string> &words) {
    std::string failure = runTool(name, words, folder.path);
    if (!failure.empty()) {
      throw std::runtime_error(failure);
    }
  }

  /// Writes the model, its modules at both stages, and a step of drawn tokens,
  /// compiles it for some architectures, and measures what its rows pass on.
  void prepare(const DrawnModel &model, const std::string &architectures) {
    writeCheckpoint(model.drawn, file("model"));
    std::vector<int64_t> ids = drawIds(model.drawn, model.rows);
    writeStep(file("step.safetensors"), ids);
    writeIds(file("ids.safetensors"), {ids});
    auto checkpoint = Checkpoint::open(file("model"), [](llvm::StringRef) {});
    if (!checkpoint) {
      throw std::runtime_error(llvm::toString(checkpoint.takeError()));
    }
    gains = gainsOf(*checkpoint, ids);
    bounds =
        boundsOf(model, straightErrorOf(*checkpoint, ids, model.form.digits()));
    for (const char *stage : {"mlir", "rounded"}) {
      tool("cheems-compile",
           {file("model"), "--target", "cuda", "--weights", model.form.weights,
            "--emit", stage, "-o", file(stage)});
    }
    tool("cheems-compile",
         {file("model"), "--target", "cuda", "--cuda-arch", architectures,
          "--weights", model.form.weights, "-o", file("model.cheems")});
    EXPECT_EQ(setenv("CHEEMS_CUDA_DRIVER", cheems::test_paths::softwareGPU, 1),
              0);
    EXPECT_EQ(setenv("CHEEMS_EMULATOR_COUNTS", file("counts.json").c_str(), 1),
              0);
  }

  /// What the interpreter makes of a module. What it chooses is in the file
  /// `chosen`; `how` are further options.
  Tensor interpreted(const std::string &module, const std::string &chosen,
                     const std::string &how = "") {
    tool("cheems-opt",
         {file(module),
          "--cheems-interpret=entry=step weights=" + file("model") +
              " inputs=" + file("step.safetensors") +
              " outputs=" + file("logits") + " chosen=" + file(chosen) + how,
          "-o", "/dev/null"});
    return read("logits");
  }
  /// What the imported module gives, told what the one at stage `rounded`
  /// chose.
  Tensor exact() {
    return interpreted("mlir", "exact.chosen",
                       " choices=" + file("rounded.chosen"));
  }
  /// What a module gives that follows the GPU.
  Tensor following(const std::string &module, double bound) {
    return interpreted(module, "gpu.chosen",
                       " follow=" + file("gpu") +
                           " within=" + std::to_string(rowBound(bound)) +
                           " reach=" + std::to_string(choiceBound(bound)));
  }
  Tensor onGPU(const char *architecture, int64_t chunk) {
    EXPECT_EQ(setenv("CHEEMS_EMULATOR_ARCH", architecture, 1), 0);
    tool("cheems-run", {file("model.cheems"), "--device", "cuda", "--input-ids",
                        file("ids.safetensors"), "--logits", file("gpu"),
                        "--prefill-chunk", std::to_string(chunk)});
    return read("gpu");
  }

  Tensor read(const std::string &name) {
    auto found = readLogits(file(name));
    if (!found) {
      throw std::runtime_error(llvm::toString(found.takeError()));
    }
    return std::move(*found);
  }

  Outcome outcome(const Tensor &got, const Tensor &want,
                  const std::string &chosen) const {
    return Outcome(got, want, gains, file(chosen));
  }

  std::vector<double> gains; ///< of the step's rows
  RoundingBounds bounds;     ///< of the model

private:
  TemporaryFolder folder;
};

/// Whether every row is within a bound, and no choice loses too much.
bool holds(const Outcome &outcome, double bound) {
  return outcome.error <= bound && outcome.ofRow <= rowBound(bound) &&
         outcome.loss <= choiceBound(bound);
}

void print(const std::string &what, const Outcome &outcome, double bound) {
  std::printf("  %s: error %.1e of %.1e, of a row %.1e of %.1e, choices lose "
              "%.1e of %.1e\n",
              what.c_str(), outcome.error, bound, outcome.ofRow,
              rowBound(bound), outcome.loss, choiceBound(bound));
}

/// Those of every run, or so many that are drawn.
std::vector<uint64_t> numbersOf(std::vector<uint64_t> ofEachRun,
                                uint64_t ofLongRuns) {
  if (!isLongRun()) {
    return ofEachRun;
  }
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < ofLongRuns; ++i) {
    numbers.push_back(testSeed() * ofLongRuns + i);
  }
  return numbers;
}

void RandomModel::compare(const DrawnModel &model, uint64_t number) {
  SCOPED_TRACE(model.describe());
  // Numbers of every run alternate between the GPUs.
  const std::string only = number / 4 % 2 == 0 ? "90" : "80";
  prepare(model,
          isLongRun() ? "sm_80,sm_90a" : (only == "90" ? "sm_90a" : "sm_80"));
  std::printf("%s, %d rows\n", model.describe().c_str(),
              static_cast<int>(model.rows));
  Tensor rounded = interpreted("rounded", "rounded.chosen");
  Outcome roundings = outcome(exact(), rounded, "exact.chosen");
  print("roundings", roundings, bounds.rounded);
  EXPECT_TRUE(holds(roundings, bounds.rounded));

  Random random(number ^ 0xc4d);
  bool late = random.chance(0.5);
  EXPECT_EQ(setenv("CHEEMS_EMULATOR_MODE", late ? "late" : "early", 1), 0);
  std::vector<std::pair<std::string, int64_t>> ways = {
      {"80", model.rows},
      {"90", model.rows},
      {"80", random.integer(20, 90)},
      {"90", 1}};
  if (random.chance(0.5)) {
    std::swap(ways[2].first, ways[3].first);
  }
  if (!isLongRun()) {
    ways = {{only, model.rows}, {only, ways[2].second}, {only, 1}};
  }
  for (const auto &[architecture, chunk] : ways) {
    Tensor got = onGPU(architecture.c_str(), chunk);
    Outcome gpu = outcome(got, rounded, "rounded.chosen");
    if (!holds(gpu, bounds.compiled)) {
      gpu = outcome(got, following("rounded", bounds.compiled), "gpu.chosen");
    }
    print("sm_" + architecture + ", chunks of " + std::to_string(chunk), gpu,
          bounds.compiled);
    EXPECT_TRUE(holds(gpu, bounds.compiled));
    if (chunk == model.rows) {
      MultiplyingKernels kernels = multiplyingKernels(file("counts.json"));
      for (const std::string &name : model.of16Bits()) {
        EXPECT_THAT(kernels.with, Contains(StartsWith(name)));
        EXPECT_THAT(kernels.without, Not(Contains(StartsWith(name))));
      }
    }
  }
}

class DenseModel : public RandomModel,
                   public testing::WithParamInterface<uint64_t> {};
class CheemsModel : public RandomModel,
                    public testing::WithParamInterface<uint64_t> {};

TEST_P(DenseModel, GPUsGiveTheInterpretersLogits) {
  compare(drawDenseModel(GetParam()), GetParam());
}

TEST_P(CheemsModel, GPUsGiveTheInterpretersLogits) {
  compare(drawCheemsModel(GetParam()), GetParam());
}

/// What is interpreted has a mistake, and what the GPU computes has none.
class MistakenModel : public RandomModel {
protected:
  /// Prepares the model with fewer rows, whose bounds hold, and makes the
  /// mistake in the module at stage `rounded`.
  void prepareMistaken(DrawnModel model, const std::regex &from,
                       const std::string &to) {
    prepare(model, "sm_90a");
    onGPU("90", model.rows);
    expectBoth(true);
    std::stringstream text;
    text << std::ifstream(file("rounded")).rdbuf();
    std::string changed = std::regex_replace(text.str(), from, to);
    ASSERT_NE(changed, text.str());
    std::ofstream(file("rounded")) << changed;
  }
  void expectBoth(bool holding) {
    Tensor rounded = interpreted("rounded", "rounded.chosen");
    Outcome roundings = outcome(exact(), rounded, "exact.chosen");
    print("roundings", roundings, bounds.rounded);
    EXPECT_EQ(holds(roundings, bounds.rounded), holding);
    Tensor followed = following("rounded", bounds.compiled);
    Outcome gpu = outcome(read("gpu"), followed, "gpu.chosen");
    print("a GPU", gpu, bounds.compiled);
    EXPECT_EQ(holds(gpu, bounds.compiled), holding);
  }
};

DrawnModel withRows(DrawnModel model, int64_t rows) {
  model.rows = rows;
  return model;
}

TEST_F(MistakenModel, AWrongRoundingBreaksBothBounds) {
  DrawnModel model = withRows(drawDenseModel(4), 60);
  ASSERT_EQ(model.form.unit, kUnitF16);
  prepareMistaken(model,
                  std::regex("(%\\S+) = arith.truncf (%\\S+) : f32 to f16"),
                  "$1_less = arith.truncf $2 : f32 to bf16\n"
                  "$1_more = arith.extf $1_less : bf16 to f32\n"
                  "$1 = arith.truncf $1_more : f32 to f16");
  expectBoth(false);
}

TEST_F(MistakenModel, AShiftedWindowBreaksBothBounds) {
  if (!isLongRun()) {
    GTEST_SKIP() << "what follows a wrong window searches for long";
  }
  DrawnModel model = withRows(drawDenseModel(4), 60);
  model.drawn.keepWindow = 12;
  prepareMistaken(model, std::regex("\\bkeep 12\\b"), "keep 13");
  expectBoth(false);
}

const auto nameOfNumber = [](const auto &info) {
  return std::to_string(info.param);
};
INSTANTIATE_TEST_SUITE_P(Numbers, DenseModel,
                         testing::ValuesIn(numbersOf({0, 4, 8}, 30)),
                         nameOfNumber);
INSTANTIATE_TEST_SUITE_P(
    Numbers, CheemsModel,
    // the last two pass on more than most do
    testing::ValuesIn(numbersOf({0, 4308137869, 17116940186}, 20)),
    nameOfNumber);

} // namespace
