// Random models on the software GPU, prompts of more than 200 rows and row by
// row, against the interpreter: dense Doges with weights in bf16, f16, int8 and
// int4, and models with SSD, attention and experts in bf16 and f16. The
// interpreter runs the module after the stage `rounded`, so inputs of products
// are rounded there, too.
//
// f32 may take a number near the middle of two the other way, and from there on
// the two go apart. Hence two checks:
// - A rounding to the nearest errs by a part of less than u, and two that know
//   nothing of each other differ by less than u in the mean square; those of
//   all products one behind the other add as squares.
// - The logits are nearer to those with the same roundings than the latter are
//   to those without any. With roundings at other places they would be farther
//   away, by the square root of two. This is not so with entries in bf16, where
//   kernels also round queries and weights, which the interpreter does not, nor
//   with SSD.
//
// Where the best experts of many are taken, a rounding may turn two that are
// nearly as good. Of such rows there are at most three of a hundred, each by
// itself, since experts are in the last layer. So of any 16 rows behind each
// other the half that is nearest is checked: that nine of 16 turn has a chance
// below 1e-9, and a tile of wrong rows does not hide among the right ones of
// the rest. A tile that ends after fewer rows is not hidden either: what turns
// moves a row by some hundredths of a deviation, and no row may be half as far
// as two that have nothing in common, which is the square root of two.
//
// Some rows pass roundings on more than others, such as those of which a norm
// divides by little, so the largest difference is more than that of a normal
// distribution. The interpreter's own two computations show by how many times
// the mean. Of other roundings it may be twice that: they meet other rows.
//
// A window may keep another key where two are nearly as good, and later rows
// see it. The interpreter's own two computations then are farther apart than
// roundings are. Such a model says nothing, and another one is drawn.
//
// Every kernel of a prompt that multiplies in 16 bits has tensor cores for it.
//
// Each run has bf16, f16 and codes, with heads of 64 or of 128, in models that
// CHEEMS_TEST_SEED draws; and many where CHEEMS_TEST_LONG is set.
#include "DrawnModel.h"
#include "StepFiles.h"
#include "TensorCores.h"
#include "test/Integration/CPU/random-config/Tools.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestPaths.h"
#include "test/unit/Support/TestRun.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace cheems::test;
using cheems::reference::Tensor;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

namespace {

double deviationOf(const Tensor &numbers) {
  double sum = 0.0, squares = 0.0;
  for (double number : numbers.data) {
    sum += number;
    squares += number * number;
  }
  auto count = static_cast<double>(numbers.data.size());
  return std::sqrt(squares / count - sum / count * (sum / count));
}

/// Of each row, in deviations of what is wanted.
std::vector<Difference> differencesOfRows(const Tensor &got,
                                          const Tensor &want) {
  double deviation = deviationOf(want);
  auto columns = static_cast<size_t>(want.shape.back());
  std::vector<Difference> found;
  for (size_t first = 0; first < want.data.size(); first += columns) {
    double squares = 0.0;
    Difference &row = found.emplace_back();
    for (size_t i = first; i < first + columns; ++i) {
      double apart = std::abs(got.data[i] - want.data[i]) / deviation;
      squares += apart * apart;
      if (!(apart <= row.largest)) { // NaN, too
        row.largest = apart;
      }
    }
    double mean = std::sqrt(squares / static_cast<double>(columns));
    // so that rows have an order
    row.mean =
        std::isnan(mean) ? std::numeric_limits<double>::infinity() : mean;
  }
  return found;
}

/// Of all rows together.
Difference together(const std::vector<Difference> &rows) {
  Difference all;
  double squares = 0.0;
  for (const Difference &row : rows) {
    squares += row.mean * row.mean;
    if (!(row.largest <= all.largest)) {
      all.largest = row.largest;
    }
  }
  all.mean = std::sqrt(squares / static_cast<double>(rows.size()));
  return all;
}

/// Of the half that is nearest: without those where experts have changed
/// places.
Difference nearerHalf(std::vector<Difference> rows) {
  std::sort(
      rows.begin(), rows.end(),
      [](const Difference &a, const Difference &b) { return a.mean < b.mean; });
  rows.resize((rows.size() + 1) / 2);
  return together(rows);
}

/// The farthest nearer half of any 16 rows behind each other.
Difference farthestGroup(const std::vector<Difference> &rows) {
  constexpr std::ptrdiff_t size = 16;
  Difference farthest;
  for (auto first = rows.begin(); rows.end() - first >= size; ++first) {
    Difference group = nearerHalf({first, first + size});
    farthest.mean = std::max(farthest.mean, group.mean);
    farthest.largest = std::max(farthest.largest, group.largest);
  }
  return farthest;
}

double farthestRow(const std::vector<Difference> &rows) {
  return std::max_element(rows.begin(), rows.end(),
                          [](const Difference &a, const Difference &b) {
                            return a.mean < b.mean;
                          })
      ->mean;
}

class RandomModel : public testing::TestWithParam<uint64_t> {
protected:
  /// Compares the first model that `draw` makes of `number` and does not turn.
  void compare(DrawnModel (*draw)(uint64_t), uint64_t number) {
    constexpr uint64_t apart = uint64_t(1) << 32; // of other tests' numbers
    // Whether one is turned is the interpreter's word alone. Of those with
    // weights of 4 bits that drop keys, most are.
    uint64_t most = 64;
    while (!compare(draw(number), number)) {
      ASSERT_GT(--most, 0U) << "too many models keep other keys";
      number += apart * 6; // of the same kind
    }
  }

private:
  /// False if the model's window keeps other keys after a rounding.
  bool compare(const DrawnModel &model, uint64_t number);
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
  Tensor interpreted(const DrawnModel &model, const std::string &stage) {
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

/// The first of those that this run has.
std::vector<uint64_t> drawnNumbers(uint64_t ofEachRun, uint64_t ofLongRuns) {
  uint64_t count = isLongRun() ? ofLongRuns : ofEachRun;
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < count; ++i) {
    numbers.push_back(testSeed() * count + i);
  }
  return numbers;
}

bool RandomModel::compare(const DrawnModel &model, uint64_t number) {
  SCOPED_TRACE(model.describe());
  std::filesystem::remove_all(file("model")); // of the model before this one
  writeCheckpoint(model.drawn, file("model"));
  std::vector<int64_t> ids = drawIds(model.drawn, model.rows);
  writeStep(file("step.safetensors"), ids);
  Tensor want = interpreted(model, "rounded"),
         exact = interpreted(model, "mlir");
  Difference most = allowed(model);
  Difference roundings = together(differencesOfRows(exact, want));
  most.largest = std::max(most.largest,
                          2 * most.mean * roundings.largest / roundings.mean);
  if (model.dropsKeys() && roundings.mean > most.mean) {
    std::printf("%s keeps other keys\n", model.describe().c_str());
    return false;
  }

  tool("cheems-compile", {file("model"), "--target", "cuda", "--weights",
                          model.form.weights, "-o", file("model.cheems")});
  writeIds(file("ids.safetensors"), {ids});
  Random random(number ^ 0xc4d);
  bool late = random.chance(0.5);
  EXPECT_EQ(setenv("CHEEMS_CUDA_DRIVER", cheems::test_paths::softwareGPU, 1),
            0);
  EXPECT_EQ(setenv("CHEEMS_EMULATOR_MODE", late ? "late" : "early", 1), 0);
  EXPECT_EQ(setenv("CHEEMS_EMULATOR_COUNTS", file("counts.json").c_str(), 1),
            0);
  std::vector<std::pair<const char *, int64_t>> ways = {
      {"80", model.rows},
      {"90", model.rows},
      {"80", random.integer(20, 90)},
      {"90", 1}};
  if (random.chance(0.5)) {
    std::swap(ways[2].first, ways[3].first);
  }
  for (auto [architecture, chunk] : ways) {
    EXPECT_EQ(setenv("CHEEMS_EMULATOR_ARCH", architecture, 1), 0);
    tool("cheems-run",
         {file("model.cheems"), "--device", "cuda", "--input-ids",
          file("ids.safetensors"), "--logits", file("logits.safetensors"),
          "--prefill-chunk", std::to_string(chunk)});
    std::vector<Difference> rows = differencesOfRows(logits(), want);
    Difference found = model.mayTurn() ? farthestGroup(rows) : together(rows);
    std::printf("%s, sm_%s, chunks of %d of %d rows: error %.1e of "
                "%.1e, largest %.1e of %.1e, roundings %.1e\n",
                model.describe().c_str(), architecture, static_cast<int>(chunk),
                static_cast<int>(model.rows), found.mean, most.mean,
                found.largest, most.largest, roundings.mean);
    EXPECT_LE(found.mean, most.mean);
    EXPECT_LE(found.largest, most.largest);
    if (model.mayTurn()) {
      EXPECT_LT(farthestRow(rows), std::sqrt(0.5));
    }
    if (!model.roundsMore()) {
      EXPECT_LT(found.mean, roundings.mean);
    }
    if (chunk == model.rows) {
      MultiplyingKernels kernels = multiplyingKernels(file("counts.json"));
      for (const std::string &name : model.of16Bits()) {
        EXPECT_THAT(kernels.with, Contains(StartsWith(name)));
        EXPECT_THAT(kernels.without, Not(Contains(StartsWith(name))));
      }
    }
  }
  return true;
}

class DenseModel : public RandomModel {};
class CheemsModel : public RandomModel {};

TEST_P(DenseModel, CardsGiveTheInterpretersLogits) {
  compare(drawDenseModel, GetParam());
}

TEST_P(CheemsModel, CardsGiveTheInterpretersLogits) {
  compare(drawCheemsModel, GetParam());
}

const auto nameOfNumber = [](const auto &info) {
  return std::to_string(info.param);
};
INSTANTIATE_TEST_SUITE_P(Numbers, DenseModel,
                         testing::ValuesIn(drawnNumbers(3, 30)), nameOfNumber);
INSTANTIATE_TEST_SUITE_P(Numbers, CheemsModel,
                         testing::ValuesIn(drawnNumbers(1, 20)), nameOfNumber);

} // namespace
