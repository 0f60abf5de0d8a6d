// Matmuls of one input in one launch, against the evaluator.
#include "Counts.h"
#include "MatmulForm.h"

using namespace cheems::test;

namespace {

constexpr auto bf16 = Number::BF16, f16 = Number::F16, f32 = Number::F32;

struct GroupForm {
  Number number;
  int64_t depth;
  std::vector<int64_t> columns; ///< of each matmul
  bool bias = false;
  int64_t mostRows = 0; ///< 0: any

  /// One of the matmuls.
  MatmulForm product(int64_t of) const {
    MatmulForm form{number, of, depth, After::Nothing, bias};
    form.mostRows = mostRows;
    return form;
  }
};

std::string textOf(const GroupForm &form) {
  const char *number = form.number == bf16  ? "bf16"
                       : form.number == f16 ? "f16"
                                            : "f32";
  std::string x = "tensor<?x" + std::to_string(form.depth) + "xf32>";
  std::string arguments = "%x: " + x, results, names, body;
  for (auto [i, columns] : llvm::enumerate(form.columns)) {
    std::string n = std::to_string(i), extent = std::to_string(columns);
    std::string w = "tensor<" + extent + "x" + std::to_string(form.depth) +
                    "x" + number + ">";
    std::string v = "tensor<" + extent + "xf32>";
    std::string y = "tensor<?x" + extent + "xf32>";
    arguments += ", %w" + n + ": " + w + ", %v" + n + ": " + v;
    results += (i ? ", " : "") + y;
    names += (i ? ", %r" : "%r") + n;
    body += "  %e" + n + " = tensor.empty(%t) : " + y + "\n  %z" + n +
            " = linalg.fill ins(%zero : f32) outs(%e" + n + " : " + y +
            ") -> " + y + "\n  %" + (form.bias ? "s" : "r") + n +
            " = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w" + n +
            " : " + x + ", " + w + ") outs(%z" + n + " : " + y + ") -> " + y +
            "\n";
    if (form.bias) {
      body += "  %r" + n +
              " = linalg.generic {indexing_maps = [#all, #row, #all], "
              "iterator_types = [\"parallel\", \"parallel\"]} ins(%s" +
              n + ", %v" + n + " : " + y + ", " + v + ") outs(%e" + n + " : " +
              y +
              ") {\n  ^bb0(%a: f32, %b: f32, %old: f32):\n"
              "    %sum = arith.addf %a, %b : f32\n"
              "    linalg.yield %sum : f32\n  } -> " +
              y + "\n";
    }
  }
  std::string attributes =
      form.mostRows
          ? " attributes {cheems.most_rows = " + std::to_string(form.mostRows) +
                " : i64}"
          : "";
  return "#all = affine_map<(t, n) -> (t, n)>\n"
         "#row = affine_map<(t, n) -> (n)>\n"
         "#x = affine_map<(t, n, k) -> (t, k)>\n"
         "#w = affine_map<(t, n, k) -> (n, k)>\n"
         "#y = affine_map<(t, n, k) -> (t, n)>\n"
         "func.func @products(" +
         arguments + ") -> (" + results + ")" + attributes +
         " {\n  %zero = arith.constant 0.0 : f32\n"
         "  %c0 = arith.constant 0 : index\n  %t = tensor.dim %x, %c0 : " +
         x + "\n" + body + "  return " + names + " : " + results + "\n}\n";
}

const std::vector<GroupForm> forms = {
    {f32, 64, {64, 32, 32}, false, 64},
    {f32, 50, {70, 3, 130}, true},
    {bf16, 256, {128, 64, 64}, false, 64},
    {f16, 72, {33, 17, 1, 40}, true, 64},
    {bf16, 136, {96, 130, 64}},
    {f16, 40, {2, 16, 5}, true},
};

/// Values of each matmul; all have the first one's input.
std::vector<MatmulValues> drawn(const GroupForm &form, Random &random,
                                int64_t rows) {
  std::vector<MatmulValues> values;
  for (int64_t columns : form.columns) {
    values.push_back(drawnValues(form.product(columns), random, rows));
    values.back().x = values.front().x;
  }
  return values;
}

std::optional<std::vector<Array>> run(TileModule &module, const GroupForm &form,
                                      const std::vector<MatmulValues> &values) {
  std::vector<Array> arrays = {Array(f32, values.front().x)};
  for (const MatmulValues &one : values) {
    arrays.emplace_back(form.number, one.weights.front());
    arrays.emplace_back(f32, one.biases.front());
  }
  std::vector<Argument> arguments;
  for (Array &array : arrays) {
    arguments.emplace_back(&array);
  }
  return module.call("products", arguments);
}

TEST(MatmulGroupTest, EachMatmulAgreesWithTheEvaluator) {
  forEachCase([&](uint64_t number) {
    const GroupForm &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    int64_t rows = random.once(4) ? 1 : random.between(1, 64);
    std::vector<MatmulValues> values = drawn(form, random, rows);
    auto results = run(*module, form, values);
    ASSERT_TRUE(results);
    ASSERT_EQ(results->size(), form.columns.size());
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(
          isMatmul((*results)[i], form.product(form.columns[i]), values[i]))
          << "product " << i;
    }
  });
}

/// With others in the launch a matmul has the bits that it has alone.
TEST(MatmulGroupTest, OthersInTheLaunchChangeNoBit) {
  for (const GroupForm &form : forms) {
    auto together = compiledStep(textOf(form));
    ASSERT_NE(together, nullptr);
    Random random(static_cast<uint64_t>(form.depth));
    std::vector<MatmulValues> values = drawn(form, random, 20);
    auto all = run(*together, form, values);
    ASSERT_TRUE(all);
    for (size_t i = 0; i < values.size(); ++i) {
      GroupForm one = form;
      one.columns = {form.columns[i]};
      auto alone = compiledStep(textOf(one));
      ASSERT_NE(alone, nullptr);
      auto result = run(*alone, one, {values[i]});
      ASSERT_TRUE(result);
      EXPECT_EQ(result->front().bytes(), (*all)[i].bytes()) << "product " << i;
    }
  }
}

TEST(MatmulGroupTest, MatmulsWithTheSameTilesAreOneLaunch) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  auto steps = countedSteps([&] {
    for (const GroupForm &form : forms) {
      Random random(1);
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      ASSERT_TRUE(run(*module, form, drawn(form, random, 20)));
      GPU::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), forms.size());
  for (auto [form, kernels] : llvm::zip(forms, steps)) {
    SCOPED_TRACE(textOf(form));
    int64_t launches = 0;
    for (const KernelCounts &counts : kernels) {
      bool isMatmul = llvm::StringRef(counts.kernel).starts_with("matmul");
      launches += isMatmul ? counts.launches : 0;
    }
    EXPECT_EQ(launches, 1);
  }
}

} // namespace
