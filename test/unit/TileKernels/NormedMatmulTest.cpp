// A norm before matmuls, and what quantizes it: of one row their kernel
// computes it, of more there are launches of their own. Both give the same
// bits.
#include "Cases.h"
#include "Counts.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

struct Form {
  Number number; ///< of weights
  int64_t depth;
  std::vector<int64_t> columns; ///< of each matmul
  bool gate = false;            ///< the first two are multiplied
  bool keepsNorm = false;       ///< which is a result, too
  int64_t bits = 0;             ///< of quantized weights, which they then are
  int64_t group = 0;            ///< of a scale; 0: the whole row

  int64_t groups() const { return group ? depth / group : 1; }
  int64_t rowBytes() const {
    return bits == 8 ? depth : (depth + 127) / 128 * 64;
  }
};

const std::vector<Form> forms = {
    {Number::BF16, 768, {64, 32, 32}},
    {Number::F16, 72, {33, 17, 1}, false, true},
    {Number::BF16, 320, {80, 80, 24}, true, true},
    {Number::F16, 1032, {40, 40}, true},
    {Number::BF16, 8, {16}, false, true},
    {Number::I8, 768, {64, 32, 32}, false, false, 8},
    {Number::I8, 132, {33, 17, 1}, false, true, 8},
    {Number::I8, 1032, {40, 40}, true, false, 8},
    {Number::I8, 640, {80, 80, 24}, true, true, 4, 64},
    {Number::I8, 96, {100, 3}, false, false, 4, 32},
};

std::string coded(const Form &form, int64_t columns, const std::string &n,
                  const std::string &y) {
  std::string codes = "tensor<?x" + std::to_string(form.depth) + "xi8>";
  std::string w = "tensor<" + std::to_string(columns) + "x";
  return "  %p" + n + " = cheems_tile.quantized_matmul bits " +
         std::to_string(form.bits) + " ins(%q, %scales : " + codes +
         ", tensor<?xf32>) weights(%w" + n + ", %s" + n + " : " + w +
         std::to_string(form.rowBytes()) + "xi8>, " + w +
         std::to_string(form.groups()) + (form.bits == 8 ? "xf32" : "xbf16") +
         ">) outs(%e" + n + " : " + y + ") -> " + y + "\n";
}

std::string textOf(const Form &form) {
  std::string number = form.number == Number::BF16 ? "bf16" : "f16";
  std::string depth = std::to_string(form.depth);
  std::string x = "tensor<?x" + depth + "xf32>",
              v = "tensor<" + depth + "xf32>";
  std::string arguments = "%x: " + x + ", %gain: " + v, types, names, body;
  auto give = [&](const std::string &name, const std::string &type) {
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + type;
  };
  for (auto [i, columns] : llvm::enumerate(form.columns)) {
    std::string n = std::to_string(i);
    std::string w = "tensor<" + std::to_string(columns) + "x";
    std::string y = "tensor<?x" + std::to_string(columns) + "xf32>";
    body += "  %e" + n + " = tensor.empty(%t) : " + y + "\n";
    if (form.bits) {
      arguments += ", %w" + n + ": " + w + std::to_string(form.rowBytes()) +
                   "xi8>, %s" + n + ": " + w + std::to_string(form.groups()) +
                   (form.bits == 8 ? "xf32>" : "xbf16>");
      body += coded(form, columns, n, y);
    } else {
      w += depth + "x" + number + ">";
      arguments += ", %w" + n + ": " + w;
      body += "  %z" + n + " = linalg.fill ins(%zero : f32) outs(%e" + n +
              " : " + y + ") -> " + y + "\n  %p" + n +
              " = linalg.matmul indexing_maps = [#x, #w, #y] ins(%n, %w" + n +
              " : " + x + ", " + w + ") outs(%z" + n + " : " + y + ") -> " + y +
              "\n";
    }
    if (!form.gate || i > 1) {
      give("%p" + n, y);
    } else if (i == 1) {
      body += "  %g = linalg.generic {indexing_maps = [#all, #all, #all], "
              "iterator_types = [\"parallel\", \"parallel\"]} ins(%p0, %p1 : " +
              y + ", " + y + ") outs(%e1 : " + y +
              ") {\n  ^bb0(%a: f32, %b: f32, %old: f32):\n"
              "    %m = arith.mulf %a, %b : f32\n"
              "    linalg.yield %m : f32\n  } -> " +
              y + "\n";
      give("%g", y);
    }
  }
  if (form.keepsNorm) {
    give("%n", x);
  }
  std::string rounding;
  if (form.bits) {
    std::string codes = "tensor<?x" + depth + "xi8>";
    rounding = "  %q0 = tensor.empty(%t) : " + codes +
               "\n  %s = tensor.empty(%t) : tensor<?xf32>\n"
               "  %q, %scales = cheems.quantize_entries ins(%n : " +
               x + ") outs(%q0, %s : " + codes + ", tensor<?xf32>) -> " +
               codes + ", tensor<?xf32>\n";
  }
  return "#all = affine_map<(t, n) -> (t, n)>\n"
         "#x = affine_map<(t, n, k) -> (t, k)>\n"
         "#w = affine_map<(t, n, k) -> (n, k)>\n"
         "#y = affine_map<(t, n, k) -> (t, n)>\n"
         "func.func @normed(" +
         arguments + ") -> (" + types +
         ") attributes {cheems.most_rows = 64 : i64} {\n"
         "  %zero = arith.constant 0.0 : f32\n"
         "  %c0 = arith.constant 0 : index\n  %t = tensor.dim %x, %c0 : " +
         x + "\n  %e = tensor.empty(%t) : " + x +
         "\n  %n = cheems.rms_norm epsilon 1.0e-06 ins(%x, %gain : " + x +
         ", " + v + ") outs(%e : " + x + ") -> " + x + "\n" + rounding + body +
         "  return " + names + " : " + types + "\n}\n";
}

struct Values {
  Tensor x, gain;
  std::vector<Tensor> weights;
  std::vector<Tensor> scales; ///< of quantized values
};

Values drawn(const Form &form, Random &random, int64_t rows) {
  Values values{random.tensor({rows, form.depth}, -2, 2),
                random.tensor({form.depth}, 0.5, 1.5),
                {},
                {}};
  double most = 3 / std::sqrt(static_cast<double>(form.depth));
  for (int64_t columns : form.columns) {
    if (form.bits) {
      Tensor codes({columns, form.rowBytes()});
      for (double &code : codes.data) {
        code = static_cast<double>(random.between(-128, 127));
      }
      values.weights.push_back(std::move(codes));
      values.scales.push_back(
          random.tensor({columns, form.groups()}, -0.1, 0.1,
                        form.bits == 8 ? Number::F32 : Number::BF16));
      continue;
    }
    values.weights.push_back(
        random.tensor({columns, form.depth}, -most, most, form.number));
  }
  return values;
}

/// One row of a tensor.
Tensor rowOf(const Tensor &tensor, int64_t row) {
  int64_t columns = tensor.shape.back();
  Tensor result({1, columns});
  std::copy_n(tensor.data.begin() + row * columns, columns,
              result.data.begin());
  return result;
}

std::optional<std::vector<Array>> run(TileModule &module, const Form &form,
                                      const Values &values, const Tensor &x) {
  std::vector<Array> arrays = {Array(Number::F32, x),
                               Array(Number::F32, values.gain)};
  for (auto [i, weight] : llvm::enumerate(values.weights)) {
    arrays.emplace_back(form.number, weight);
    if (form.bits) {
      arrays.emplace_back(form.bits == 8 ? Number::F32 : Number::BF16,
                          values.scales[i]);
    }
  }
  std::vector<Argument> arguments;
  for (Array &array : arrays) {
    arguments.emplace_back(&array);
  }
  return module.call("normed", arguments);
}

TEST(NormedMatmulTest, ARowAloneHasTheBitsThatItHasAmongOthers) {
  forEachCase([&](uint64_t number) {
    const Form &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    int64_t rows = random.between(2, 64);
    Values values = drawn(form, random, rows);
    auto all = run(*module, form, values, values.x);
    int64_t row = random.between(0, rows - 1);
    auto alone = run(*module, form, values, rowOf(values.x, row));
    ASSERT_TRUE(all && alone);
    ASSERT_EQ(all->size(), alone->size());
    for (auto [whole, one] : llvm::zip_equal(*all, *alone)) {
      for (int64_t i = 0; i < one.elements(); ++i) {
        ASSERT_EQ(one.get(i), whole.get(row * one.elements() + i))
            << "element " << i << " of row " << row;
      }
    }
  });
}

TEST(NormedMatmulTest, OfOneRowTheNormIsNoLaunch) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  auto steps = countedSteps([&] {
    for (const Form &form : forms) {
      Random random(1);
      Values values = drawn(form, random, 2);
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      ASSERT_TRUE(run(*module, form, values, rowOf(values.x, 1)));
      GPU::get().nextStep();
      ASSERT_TRUE(run(*module, form, values, values.x));
      GPU::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), 2 * forms.size());
  auto launches = [](const auto &kernels) {
    int64_t count = 0;
    for (const KernelCounts &counts : kernels) {
      count += counts.launches;
    }
    return count;
  };
  for (auto [i, form] : llvm::enumerate(forms)) {
    SCOPED_TRACE(textOf(form));
    EXPECT_EQ(launches(steps[2 * i]), 1);
    EXPECT_EQ(launches(steps[2 * i + 1]), form.bits ? 3 : 2);
  }
}

} // namespace
