// dynamic_mask, compiled, against its evaluator.
#include "cheems/Reference/DynamicMask.h"
#include "Cases.h"
#include "ModuleText.h"
#include <limits>

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {
class DynamicMaskTest : public KernelTest {};
CHEEMS_EVERY_MODE(DynamicMaskTest);

std::string functionText(int64_t heads) {
  std::string name = "mask_" + std::to_string(heads),
              rows = "?x" + std::to_string(heads) + "xf32";
  std::string row = std::to_string(heads) + "xf32";
  return FunctionText(name)
      .input("x", rows)
      .input("a", row)
      .output("y", rows)
      .line("%r = cheems.dynamic_mask ins(%x, %a : tensor<" + rows +
            ">, tensor<" + row + ">) outs(%y : tensor<" + rows +
            ">) -> tensor<" + rows + ">")
      .store("%r", "y", rows)
      .text();
}

/// [T, M], as the op has it.
Tensor evaluate(const Tensor &x, const Tensor &a) {
  Tensor transposed = cheems::reference::dynamicMask(x, a), result(x.shape);
  for (int64_t t = 0; t < x.shape[0]; ++t) {
    for (int64_t m = 0; m < x.shape[1]; ++m) {
      result(t, m) = transposed(m, t);
    }
  }
  return result;
}

/// exp and log1p err by at most 5 units in the last place (2 kUnit each).
/// Softplus takes both and a sum, its product with a is rounded once more; what
/// the exponent errs by, the result errs by relatively, and by its own 5.
Tensor boundOf(const Tensor &want) {
  Tensor bound = want;
  for (double &value : bound.data) {
    double exponent = std::abs(std::log(value));
    value *= (12 * exponent + 6) * 2 * kUnit;
  }
  return bound;
}

TEST_P(DynamicMaskTest, AgreesWithTheEvaluator) {
  constexpr int64_t sizes[] = {1, 2, 3, 7, 8, 9, 16, 17};
  std::string text;
  for (int64_t heads : sizes) {
    text += functionText(heads);
  }
  auto module = CompiledModule::compile(text, GetParam());
  ASSERT_NE(module, nullptr);
  Random random(4);
  for (int64_t i = 0; i < caseCount(); ++i) {
    int64_t heads = sizes[i % 8], rows = random.rows();
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(heads) +
                 " heads");
    double reach = std::exp2(static_cast<double>(random.between(-6, 4)));
    Tensor x = random.tensor({rows, heads}, -reach, reach),
           a = random.tensor({heads}, -4, 4);
    Buffer bx(Element::F32, x), ba(Element::F32, a),
        by(Element::F32, {rows, heads});
    module->call("mask_" + std::to_string(heads), rows, {&bx, &ba, &by});
    Tensor want = evaluate(x, a);
    EXPECT_TRUE(within(by, want, boundOf(want)));
  }
}

TEST_P(DynamicMaskTest, ExtremesDoAsTheEquationDoes) {
  auto module = CompiledModule::compile(functionText(1), GetParam());
  ASSERT_NE(module, nullptr);
  auto run = [&](double x, double a) {
    Buffer bx(Element::F32, Tensor({1, 1}, {x})),
        ba(Element::F32, Tensor({1}, {a})), by(Element::F32, {1, 1});
    module->call("mask_1", 1, {&bx, &ba, &by});
    return by.get(0);
  };
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run(3, 0), 1) << "no head parameter";
  EXPECT_EQ(run(-200, 4), 1) << "softplus below any f32";
  EXPECT_EQ(run(1000, 4), infinity);
  EXPECT_EQ(run(100, 1), infinity);
  EXPECT_EQ(run(1000, -4), 0);
  EXPECT_NEAR(run(88, 1), std::exp(88),
              std::exp(88) * (12 * 88 + 6) * 2 * kUnit);
}
} // namespace
