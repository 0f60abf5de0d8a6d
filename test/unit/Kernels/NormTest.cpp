// rms_norm, compiled, against its evaluator.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/RMSNorm.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {
class NormTest : public KernelTest {};
CHEEMS_EVERY_MODE(NormTest);

struct Form {
  std::string name;
  int64_t heads; ///< 0: rank 2
  int64_t size;
  double epsilon;

  std::string rows() const {
    return "?x" + (heads ? std::to_string(heads) + "x" : "") +
           std::to_string(size) + "xf32";
  }
  std::string text() const {
    std::string weight = std::to_string(size) + "xf32";
    std::ostringstream op;
    op << "%r = cheems.rms_norm epsilon " << std::scientific << epsilon
       << " ins(%x, %w : tensor<" << rows() << ">, tensor<" << weight
       << ">) outs(%y : tensor<" << rows() << ">) -> tensor<" << rows() << ">";
    return FunctionText(name)
        .input("x", rows())
        .input("w", weight)
        .output("y", rows())
        .line(op.str())
        .store("%r", "y", rows())
        .text();
  }
};

std::vector<Form> forms() {
  Random random(1);
  std::vector<Form> result;
  for (int64_t i = 0; i < caseCount() / 3; ++i) {
    // Sizes around the 16 lanes first, then anything.
    constexpr int64_t edges[] = {1, 2, 15, 16, 17, 31, 32, 33};
    int64_t size = i / 2 < 8 ? edges[i / 2] : random.between(1, 300);
    int64_t heads = i % 2 ? random.between(1, 5) : 0;
    result.push_back({"norm_" + std::to_string(i), heads, size,
                      random.once(2) ? 1e-6 : 1e-5});
  }
  return result;
}

/// A sum of D squares, a root and four more operations.
Tensor boundOf(const Tensor &want, int64_t size) {
  Tensor bound = want;
  for (double &value : bound.data) {
    value = std::abs(value) * (static_cast<double>(size) / 2.0 + 8.0) * kUnit;
  }
  return bound;
}

TEST_P(NormTest, AgreesWithTheEvaluator) {
  auto module = CompiledModule::compile(textOfAll(forms()), GetParam());
  ASSERT_NE(module, nullptr);
  Random random(2);
  for (const Form &form : forms()) {
    for (int i = 0; i < 3; ++i) {
      int64_t rows = random.rows();
      SCOPED_TRACE(form.rows() + ", " + std::to_string(rows) + " rows");
      llvm::SmallVector<int64_t, 3> shape{rows};
      if (form.heads) {
        shape.push_back(form.heads);
      }
      shape.push_back(form.size);
      double scale = std::exp2(static_cast<double>(random.between(-12, 12)));
      Tensor x = random.tensor(shape, -scale, scale),
             w = random.tensor({form.size}, -2, 2);
      Buffer bx(Element::F32, x), bw(Element::F32, w), by(Element::F32, shape);
      module->call(form.name, rows, {&bx, &bw, &by});
      Tensor want =
          cheems::reference::rmsNorm(x, w, static_cast<float>(form.epsilon));
      EXPECT_TRUE(within(by, want, boundOf(want, form.size)));
    }
  }
}

TEST_P(NormTest, AZeroRowGivesZero) {
  Form form{"norm", 0, 19, 1e-6};
  auto module = CompiledModule::compile(form.text(), GetParam());
  ASSERT_NE(module, nullptr);
  Tensor zero({3, 19}), w = Random(3).tensor({19}, 1, 2);
  Buffer bx(Element::F32, zero), bw(Element::F32, w), by(Element::F32, {3, 19});
  module->call("norm", 3, {&bx, &bw, &by});
  EXPECT_EQ(by.bytes(), bx.bytes());
}
} // namespace
