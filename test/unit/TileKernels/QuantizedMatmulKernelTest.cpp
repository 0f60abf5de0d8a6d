// Quantized matmuls of 8 and 4 bits, for prompts and for decoding, against
// their evaluator: bit for bit, whatever other rows are in the step.
#include "Counts.h"
#include "QuantizedMatmulForm.h"
#include <limits>

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

/// Multiply-adds of one m16n8k32.
constexpr int64_t kOfBytes = 2 * kMultiplyAdds;

/// NaN is any NaN; zeros have signs.
testing::AssertionResult isSame(const Array &got, const Array &want) {
  for (int64_t i = 0; i < want.elements(); ++i) {
    double a = got.get(i), b = want.get(i);
    bool same = std::isnan(b) ? std::isnan(a)
                              : a == b && std::signbit(a) == std::signbit(b);
    if (!same) {
      return testing::AssertionFailure()
             << "element " << i << " is " << a << ", the evaluator has " << b;
    }
  }
  return testing::AssertionSuccess();
}

/// Rows after some others, one of which is NaN.
QuantizedValues afterOthers(const QuantizedMatmulForm &form,
                            const QuantizedValues &values, Random &random,
                            int64_t before) {
  QuantizedValues result = values;
  auto put = [&](Tensor &target, const Tensor &source) {
    target =
        random.tensor({before + values.rows(), source.shape[1]}, -1e3, 1e3);
    std::copy(source.data.begin(), source.data.end(),
              target.data.end() - static_cast<int64_t>(source.data.size()));
  };
  put(result.x, values.x);
  put(result.y, values.y);
  if (before) {
    result.x(0, form.depth / 2) = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

/// Each case has one of the forms, and at most `most` rows.
void holdCases(const std::vector<QuantizedMatmulForm> &forms, int64_t most) {
  forEachCase([&](uint64_t number) {
    const QuantizedMatmulForm &form = forms[formOf(number, forms.size())];
    TileModule *module = compiledStep(textOf(form));
    SCOPED_TRACE(textOf(form));
    ASSERT_NE(module, nullptr);
    Random random(number);
    int64_t limit = form.mostRows ? form.mostRows : most;
    int64_t rows = random.once(4) ? 1 : random.between(1, limit);
    QuantizedValues values = drawnValues(form, random, rows);
    auto y = run(*module, form, values);
    ASSERT_TRUE(y);
    ASSERT_TRUE(isSame(*y, expected(form, values)));
    int64_t before = random.between(0, limit - rows);
    auto again = run(*module, form, afterOthers(form, values, random, before));
    ASSERT_TRUE(again);
    size_t bytes = y->bytes().size();
    std::vector<unsigned char> last(again->bytes().end() -
                                        static_cast<int64_t>(bytes),
                                    again->bytes().end());
    ASSERT_EQ(last, y->bytes()) << before << " rows before";
  });
}

// Large and small tiles, with and without remainders; quantized rows whose
// bytes 16, 8 and 4 divide.
const std::vector<QuantizedMatmulForm> bytesOfPrompts = {
    {8, 64, 64},
    {8, 200, 132, 0, After::Nothing, true},
    {8, 1100, 72},
    {8, 1024, 100, 0, After::ReLU, true},
    {8, 96, 52, 0, After::Residual},
    {8, 33, 520, 0, After::Residual, true},
    {8, 1100, 40, 0, After::Gate},
    {8, 136, 264, 0, After::Gate, true},
    {8, 4, 128},
    {8, 1, 4},
};
const std::vector<QuantizedMatmulForm> nibblesOfPrompts = {
    {4, 64, 64, 64},
    {4, 200, 192, 64, After::Nothing, true},
    {4, 1100, 96, 32},
    {4, 1024, 128, 64, After::ReLU, true},
    {4, 96, 352, 32, After::Residual},
    {4, 33, 640, 64, After::Residual, true},
    {4, 1100, 64, 64, After::Gate},
    {4, 136, 160, 32, After::Gate, true},
    {4, 4, 1024, 64},
    {4, 1, 32, 32},
};
const std::vector<QuantizedMatmulForm> bytesOfDecoding = {
    {8, 64, 256, 0, After::Nothing, false, 64},
    {8, 40, 136, 0, After::ReLU, true, 64},
    {8, 100, 1056, 0, After::Residual, false, 64},
    {8, 33, 36, 0, After::Residual, true, 16},
    {8, 48, 132, 0, After::Gate, false, 64},
    {8, 17, 264, 0, After::Gate, true, 8},
    {8, 16, 5000, 0, After::Nothing, true, 1},
    {8, 1, 4, 0, After::Nothing, false, 4},
};
const std::vector<QuantizedMatmulForm> nibblesOfDecoding = {
    {4, 64, 256, 64, After::Nothing, false, 64},
    {4, 40, 96, 32, After::ReLU, true, 64},
    {4, 100, 1088, 64, After::Residual, false, 64},
    {4, 33, 32, 32, After::Residual, true, 16},
    {4, 48, 160, 32, After::Gate, false, 64},
    {4, 17, 320, 64, After::Gate, true, 8},
    {4, 16, 4992, 64, After::Nothing, true, 1},
    {4, 1, 64, 64, After::Nothing, false, 4},
};

TEST(QuantizedMatmulKernelTest, PromptsWithBytesHaveTheBitsOfTheEvaluator) {
  holdCases(bytesOfPrompts, 200);
}
TEST(QuantizedMatmulKernelTest, PromptsWithNibblesHaveTheBitsOfTheEvaluator) {
  holdCases(nibblesOfPrompts, 200);
}
TEST(QuantizedMatmulKernelTest, DecodingWithBytesHasTheBitsOfTheEvaluator) {
  holdCases(bytesOfDecoding, 64);
}
TEST(QuantizedMatmulKernelTest, DecodingWithNibblesHasTheBitsOfTheEvaluator) {
  holdCases(nibblesOfDecoding, 64);
}

TEST(QuantizedMatmulKernelTest, TensorCoresMultiplyAllCodes) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "counts are those of another process";
  }
  constexpr int64_t rows = 20;
  std::vector<QuantizedMatmulForm> forms;
  for (const auto *some : {&bytesOfPrompts, &nibblesOfPrompts, &bytesOfDecoding,
                           &nibblesOfDecoding}) {
    forms.insert(forms.end(), some->begin(), some->end());
  }
  forms = drawnOf(forms, 3);
  auto rowsOf = [=](const QuantizedMatmulForm &form) {
    return form.mostRows ? std::min(form.mostRows, rows) : rows;
  };
  auto steps = countedSteps([&] {
    for (const QuantizedMatmulForm &form : forms) {
      Random random(1);
      auto module = compiledStep(textOf(form));
      ASSERT_NE(module, nullptr);
      ASSERT_NE(module->ptx().find("m16n8k32"), std::string::npos);
      ASSERT_TRUE(run(*module, form, drawnValues(form, random, rowsOf(form))));
      GPU::get().nextStep();
    }
  });
  ASSERT_EQ(steps.size(), forms.size());
  for (auto [form, kernels] : llvm::zip(forms, steps)) {
    SCOPED_TRACE(textOf(form));
    int64_t instructions = 0, launches = 0, conflicts = 0;
    for (const KernelCounts &counts : kernels) {
      launches += llvm::StringRef(counts.kernel).contains("matmul_int")
                      ? counts.launches
                      : 0;
      instructions += counts.tensor;
      conflicts += counts.conflicts;
    }
    EXPECT_EQ(launches, 1);
    EXPECT_EQ(conflicts, 0);
    EXPECT_GE(instructions * kOfBytes,
              rowsOf(form) * form.columns * form.depth *
                  static_cast<int64_t>(form.products()));
  }
}

} // namespace
