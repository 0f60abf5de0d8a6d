// Products with a weight, compiled to panels, against the evaluator; and a row
// alone against itself among others.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/Linear.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {
constexpr int64_t kMostRows = 40;

struct Form {
  std::string name;
  int64_t columns, size; ///< N, K
  Element element;
  bool bias; ///< a bias is what the sums start from

  std::string text() const {
    std::string x = "?x" + std::to_string(size) + "xf32",
                y = "?x" + std::to_string(columns) + "xf32";
    std::string w = std::to_string(columns) + "x" + std::to_string(size) + "x" +
                    spelling(element);
    std::string row = std::to_string(columns) + "xf32";
    FunctionText function(name);
    function.input("x", x);
    if (bias) {
      function.input("b", row);
    }
    function.output("y", y).parameter("w", w);
    if (bias) {
      function.line("%init = linalg.broadcast ins(%b : tensor<" + row +
                    ">) outs(%y : tensor<" + y + ">) dimensions = [0]");
    } else {
      function.line("%zero = arith.constant 0.0 : f32");
      function.line("%init = linalg.fill ins(%zero : f32) outs(%y : tensor<" +
                    y + ">) -> tensor<" + y + ">");
    }
    return function
        .line("%r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, "
              "k)>, affine_map<(m, n, k) -> (n, k)>, "
              "affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : tensor<" +
              x + ">, tensor<" + w + ">) outs(%init : tensor<" + y +
              ">) -> tensor<" + y + ">")
        .store("%r", "y", y)
        .text();
  }
};

/// Every remainder of N and of K by 16 with either element, in one to 11
/// panels: below, at and past the panels of one parallel iteration, in which
/// three of four have a rest.
std::vector<Form> makeForms() {
  Random random(7);
  std::vector<Form> result;
  for (int64_t i = 0; i < std::max<int64_t>(32, caseCount() / 2); ++i) {
    Element element = i % 2 ? Element::BF16 : Element::F32;
    int64_t panels = i < 4 ? 0 : random.between(0, 10),
            blocks = i < 4 ? 0 : random.between(0, 4);
    int64_t columns = panels * 16 + (i / 2) % 16,
            size = blocks * 16 + (i / 2 * 5) % 16;
    result.push_back({"product_" + std::to_string(i),
                      std::max<int64_t>(columns, 1), std::max<int64_t>(size, 1),
                      element, i % 5 == 4});
  }
  return result;
}

struct Suite {
  std::vector<Form> forms = makeForms();
  std::vector<Tensor> weights;
  std::unique_ptr<CompiledModule> module;

  explicit Suite(Mode mode) {
    std::string text;
    for (const Form &form : forms) {
      text += form.text();
    }
    module = CompiledModule::compile(text, mode);
    Random random(8);
    for (const Form &form : forms) {
      weights.push_back(
          random.tensor({form.columns, form.size}, -1, 1, form.element));
      if (module) {
        module->setParameter(form.name, weights.back());
      }
    }
  }

  Buffer run(const Form &form, const Tensor &x, const Tensor &bias) {
    Buffer bx(Element::F32, x), bb(Element::F32, bias),
        by(Element::F32, {x.shape[0], form.columns});
    std::vector<const Buffer *> buffers{&bx, &by};
    if (form.bias) {
      buffers.insert(buffers.begin() + 1, &bb);
    }
    module->call(form.name, x.shape[0], buffers);
    return by;
  }
};

/// Compiled once a mode.
Suite &suite(Mode mode) {
  static std::map<Mode, Suite> suites;
  return suites.try_emplace(mode, mode).first->second;
}

class ProductTest : public KernelTest {};
CHEEMS_EVERY_MODE(ProductTest);

TEST_P(ProductTest, AgreesWithTheEvaluator) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(9);
  for (size_t i = 0; i < s.forms.size(); ++i) {
    const Form &form = s.forms[i];
    for (int64_t rows : {random.between(1, kMostRows),
                         random.once(2) ? int64_t(1) : random.between(2, 16)}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, N " +
                   std::to_string(form.columns) + ", K " +
                   std::to_string(form.size) + ", " + spelling(form.element) +
                   (form.bias ? ", bias" : ""));
      Tensor x = random.tensor({rows, form.size}, -2, 2),
             bias = random.tensor({form.columns}, -1, 1);
      Buffer got = s.run(form, x, bias);
      cheems::reference::LinearWeights weights{s.weights[i], std::nullopt},
          sizes = weights;
      Tensor magnitude = x;
      auto positive = [](double &value) { value = std::abs(value); };
      std::for_each(magnitude.data.begin(), magnitude.data.end(), positive);
      std::for_each(sizes.weight.data.begin(), sizes.weight.data.end(),
                    positive);
      if (form.bias) {
        weights.bias = sizes.bias = bias;
        std::for_each(sizes.bias->data.begin(), sizes.bias->data.end(),
                      positive);
      }
      // K products and sums and the bias, each rounded to f32 at most; weights
      // of either type widen exactly.
      Tensor bound = cheems::reference::linear(magnitude, sizes);
      for (double &value : bound.data) {
        value *= static_cast<double>(form.size + 2) * kUnit;
      }
      EXPECT_TRUE(within(got, cheems::reference::linear(x, weights), bound));
    }
  }
}

TEST_P(ProductTest, ARowIsTheSameAloneAndAmongOthers) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(10);
  for (const Form &form : s.forms) {
    SCOPED_TRACE("N " + std::to_string(form.columns) + ", K " +
                 std::to_string(form.size) + ", " + spelling(form.element));
    Tensor x = random.tensor({kMostRows, form.size}, -2, 2),
           bias = random.tensor({form.columns}, -1, 1);
    Buffer all = s.run(form, x, bias);
    auto expectSame = [&](int64_t from, int64_t rows) {
      auto begin = x.data.begin() + from * form.size;
      Buffer part = s.run(
          form, Tensor({rows, form.size}, {begin, begin + rows * form.size}),
          bias);
      size_t row = static_cast<size_t>(form.columns) * sizeof(float);
      EXPECT_EQ(part.bytes(), all.bytes().slice(static_cast<size_t>(from) * row,
                                                part.bytes().size()))
          << rows << " rows from row " << from;
    };
    for (int64_t t = 0; t < kMostRows; t += random.between(1, 3)) {
      expectSame(t, 1);
    }
    for (int64_t rows = 2; rows < kMostRows; rows += random.between(1, 3)) {
      expectSame(random.between(0, kMostRows - rows), rows);
    }
  }
}
} // namespace
