// Norms of rows as passes make them: with the residual before them and the
// rounding after, of rows and of heads.
#include "Cases.h"
#include "cheems/Reference/RMSNorm.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

constexpr double kEpsilon = 1e-6;

enum class Before {
  Nothing,
  Residual,     ///< which nobody else reads
  KeptResidual, ///< which is a result, too
};

struct Form {
  int64_t columns;
  Before before = Before::Nothing;
  Number result = Number::F32;
  int64_t heads = 0; ///< none: rows have one dimension

  int64_t rowsOf(int64_t rows) const { return heads ? rows * heads : rows; }
  llvm::SmallVector<int64_t, 3> shape(int64_t rows) const {
    return heads ? llvm::SmallVector<int64_t, 3>{rows, heads, columns}
                 : llvm::SmallVector<int64_t, 3>{rows, columns};
  }
};

constexpr const char *text = R"(
#all = affine_map<(t, n) -> (t, n)>
#row = affine_map<(t, n) -> (n)>
!v = tensor<COLUMNSxf32>
!x = tensor<?xSHAPExf32>
!y = tensor<?xSHAPExRESULT>
func.func @norm(%x: !x, %add: !x, %scale: !v, %weight: !v, %y: !y) -> RESULTS {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%t) : !x
)";

constexpr const char *residual = R"(
  %u = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%scale, %add : !v, !x) outs(%x : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %m = arith.mulf %a, %old : f32
    %s = arith.addf %m, %b : f32
    linalg.yield %s : f32
  } -> !x
)";

constexpr const char *rounding = R"(
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%n : !x) outs(%y : !y) {
  ^bb0(%a: f32, %old: RESULT):
    %s = arith.truncf %a : f32 to RESULT
    linalg.yield %s : RESULT
  } -> !y
)";

std::string textOf(const Form &form) {
  bool keeps = form.before == Before::KeptResidual,
       rounds = form.result != Number::F32;
  std::string result = text;
  if (form.before != Before::Nothing) {
    result += residual;
  }
  result += std::string("  %n = cheems.rms_norm epsilon 1.0e-06 ins(") +
            (form.before == Before::Nothing ? "%x" : "%u") +
            ", %weight : !x, !v) outs(" + (rounds ? "%e" : "%y") +
            " : !x) -> !x\n";
  if (rounds) {
    result += rounding;
  }
  result += std::string("  return ") + (rounds ? "%r" : "%n") +
            (keeps ? ", %u : !y, !x\n}\n" : " : !y\n}\n");
  result = replaced(result, "RESULTS", keeps ? "(!y, !x)" : "!y");
  result = replaced(result, "RESULT",
                    form.result == Number::BF16  ? "bf16"
                    : form.result == Number::F16 ? "f16"
                                                 : "f32");
  std::string columns = std::to_string(form.columns);
  result = replaced(result, "SHAPE",
                    form.heads ? std::to_string(form.heads) + "x" + columns
                               : columns);
  return replaced(result, "COLUMNS", columns);
}

/// Inputs, and what became of x.
struct Values {
  Tensor x, add, scale, weight;
};

struct Outcome {
  Array y, x;
};

std::optional<Outcome> run(TileModule &module, const Form &form,
                           const Values &values) {
  Outcome outcome{Array(form.result, values.x.shape),
                  Array(Number::F32, values.x)};
  Array add(Number::F32, values.add), scale(Number::F32, values.scale),
      weight(Number::F32, values.weight);
  auto results =
      module.call("norm", {&outcome.x, &add, &scale, &weight, &outcome.y});
  if (!results) {
    return std::nullopt;
  }
  // What is rounded may have memory of its own.
  if (!results->empty()) {
    outcome.y = results->front();
  }
  return outcome;
}

/// The residual in f32, two operations, and how far off it may be.
std::pair<Tensor, Tensor> residualOf(const Values &values) {
  Tensor sum = values.x, error(values.x.shape);
  for (size_t i = 0; i < sum.data.size(); ++i) {
    double scaled =
        values.scale.data[i % values.scale.data.size()] * values.x.data[i];
    sum.data[i] = scaled + values.add.data[i];
    error.data[i] =
        2 * kF32 * (std::abs(scaled) + std::abs(values.add.data[i]));
  }
  return {sum, error};
}

void expectNorm(const Form &form, const Values &values, const Outcome &got) {
  auto [sum, error] = residualOf(values);
  if (form.before == Before::Nothing) {
    sum = values.x;
    std::fill(error.data.begin(), error.data.end(), 0.0);
  }
  if (form.before == Before::KeptResidual) {
    for (size_t i = 0; i < sum.data.size(); ++i) {
      double value = got.x.get(static_cast<int64_t>(i));
      ASSERT_LE(std::abs(value - sum.data[i]), error.data[i] + kTiny);
    }
  }
  Tensor want = cheems::reference::rmsNorm(sum, values.weight, kEpsilon);
  auto columns = static_cast<size_t>(form.columns);
  // A sum of squares, half of whose error the root has, the root and five
  // operations.
  double own = (static_cast<double>(columns) / 2 + 8) * kF32 + kApproximate;
  double rounds = form.result == Number::BF16  ? kBF16
                  : form.result == Number::F16 ? kF16
                                               : 0;
  for (size_t row = 0; row < want.data.size(); row += columns) {
    double squares = 0, errors = 0;
    for (size_t i = row; i < row + columns; ++i) {
      squares += sum.data[i] * sum.data[i];
      errors += error.data[i] * error.data[i];
    }
    double root = std::sqrt(squares / static_cast<double>(columns) + kEpsilon);
    double relative =
        own + std::sqrt(errors / static_cast<double>(columns)) / root;
    for (size_t i = row; i < row + columns; ++i) {
      double bound =
          std::abs(want.data[i]) * relative +
          std::abs(values.weight.data[i - row]) * error.data[i] / root;
      // Subnormal numbers of f16 are 2^-24 apart.
      bound += rounds * (std::abs(want.data[i]) + bound) +
               (form.result == Number::F16 ? 0x1p-25 : kTiny);
      double value = got.y.get(static_cast<int64_t>(i));
      ASSERT_LE(std::abs(value - want.data[i]), bound)
          << "element " << i << " is " << value << ", the evaluator has "
          << want.data[i];
    }
  }
}

TEST(NormKernelTest, NormsAgreeWithTheEvaluatorAndRowsWithThemselvesAlone) {
  const std::vector<Form> forms = {
      {768, Before::KeptResidual, Number::BF16},
      {100},
      {1},
      {1000, Before::Residual, Number::F16},
      {7, Before::KeptResidual},
      {64, Before::Nothing, Number::BF16},
      {64, Before::Nothing, Number::F32, 3},
      {2050, Before::KeptResidual, Number::F16},
      {33, Before::Residual},
      {24, Before::Nothing, Number::F32, 1},
      {130, Before::Nothing, Number::F16},
  };
  forEachCase([&](uint64_t number) {
    const Form &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    int64_t rows = random.between(1, 50);
    double scale = std::exp2(static_cast<double>(random.between(-6, 6)));
    Values values{random.tensor(form.shape(rows), -scale, scale),
                  random.tensor(form.shape(rows), -scale, scale),
                  random.tensor({form.columns}, -2, 2),
                  random.tensor({form.columns}, -2, 2)};
    auto together = run(*module, form, values);
    ASSERT_TRUE(together);
    expectNorm(form, values, *together);
    int64_t row = random.between(0, rows - 1);
    Values one = values;
    one.x = values.x.rows(row, 1);
    one.add = values.add.rows(row, 1);
    auto alone = run(*module, form, one);
    ASSERT_TRUE(alone);
    const auto &bytes = together->y.bytes();
    auto size = static_cast<int64_t>(alone->y.bytes().size());
    EXPECT_EQ(alone->y.bytes(),
              std::vector<unsigned char>(bytes.begin() + row * size,
                                         bytes.begin() + (row + 1) * size));
  });
}

} // namespace
