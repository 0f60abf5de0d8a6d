// finish, compiled, against the evaluators of rotary and of softplus: after
// the matmul that it finishes, and alone.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/Rotary.h"

using namespace cheems::test;
using cheems::reference::RotaryTable;
using cheems::reference::Tensor;

namespace {
class ColumnEpilogueTest : public KernelTest {};
CHEEMS_EVERY_MODE(ColumnEpilogueTest);

constexpr int64_t kColumns = 16; ///< of a panel
constexpr int64_t kInputs = 6;   ///< K of the matmul

/// `heads` heads of `size` columns, then `plain` columns, then `steps` with a
/// bias and softplus, in a tensor of whole panels or one that ends with them.
struct Form {
  int64_t heads, size, plain, steps;
  bool whole;

  int64_t rotated() const { return heads * size; }
  int64_t from() const { return rotated() + plain; }
  int64_t columns() const {
    int64_t all = from() + steps;
    return whole ? (all + kColumns - 1) / kColumns * kColumns : all;
  }
  std::string name() const {
    std::string result = "finish";
    for (int64_t number : {heads, size, plain, steps, int64_t(whole)}) {
      result += "_" + std::to_string(number);
    }
    return result;
  }
  std::string y() const { return "?x" + std::to_string(columns()) + "xf32"; }
  /// What becomes of tensor %from.
  std::string op(const std::string &from) const {
    std::ostringstream op;
    op << "%r = cheems_cpu.column_epilogue";
    if (heads) {
      op << " rotated " << rotated();
    }
    if (steps) {
      op << " mapped [" << this->from() << ", " << this->from() + steps << "]";
    }
    if (heads) {
      std::string table = "tensor<" + angles() + ">";
      op << " angles(%c, %s : " << table << ", " << table << ")";
    }
    if (steps) {
      op << " with(%b : tensor<" << steps << "xf32>)";
    }
    op << " outs(%" << from << " : tensor<" << y() << ">)";
    if (steps) {
      op << " {\n"
            "  ^bb0(%v: f32, %bias: f32):\n"
            "    %zero = arith.constant 0.0 : f32\n"
            "    %biased = arith.addf %v, %bias : f32\n"
            "    %positive = arith.maximumf %biased, %zero : f32\n"
            "    %magnitude = math.absf %biased : f32\n"
            "    %negative = arith.negf %magnitude : f32\n"
            "    %decay = math.exp %negative : f32\n"
            "    %log = math.log1p %decay : f32\n"
            "    %softplus = arith.addf %positive, %log : f32\n"
            "    cheems_cpu.yield %softplus : f32\n"
            "  }";
    }
    op << " -> tensor<" << y() << ">";
    return op.str();
  }
  std::string angles() const {
    return "?x" + std::to_string(size / 2) + "xf32";
  }
  FunctionText &operands(FunctionText &text) const {
    return text.input("c", angles())
        .input("s", angles())
        .input("b", std::to_string(std::max<int64_t>(steps, 1)) + "xf32")
        .output("y", y());
  }
  /// The op replaces what y holds, and what a matmul with `name`_w holds.
  std::string text() const {
    FunctionText alone(name()), after(name() + "_w");
    operands(alone).line(op("y")).store("%r", "y", y());
    after.input("x", "?x" + std::to_string(kInputs) + "xf32");
    std::string panels = std::to_string((columns() + kColumns - 1) / kColumns) +
                         "x" + std::to_string(kInputs) + "x16x1xf32";
    operands(after)
        .panels("w", panels, name() + "_w", "16, 1")
        .line("%p = cheems_cpu.linear ins(%x : tensor<?x" +
              std::to_string(kInputs) + "xf32>) weights(%w : tensor<" + panels +
              ">) outs(%y : tensor<" + y() + ">) -> tensor<" + y() + ">")
        .line(op("p"))
        .store("%r", "y", y());
    return alone.text() + after.text();
  }
};

/// Heads around registers and panels, and groups of them.
constexpr Form kForms[] = {
    {1, 2, 0, 1, false},     {2, 16, 5, 3, false},   {3, 64, 64, 12, true},
    {16, 16, 100, 17, true}, {2, 128, 40, 4, false}, {5, 48, 0, 0, true},
    {0, 2, 130, 9, true},    {6, 34, 20, 33, true},  {9, 32, 3, 16, false}};

struct Expected {
  Tensor y, bound;
};

/// What becomes of `y`, of which each element is off by at most `error`.
Expected finish(const Form &form, const Tensor &y, const Tensor &error,
                const RotaryTable &table, const Tensor &bias) {
  Expected result{y, error};
  int64_t rows = y.shape[0], half = form.size / 2;
  Tensor heads({rows, form.heads, form.size});
  for (int64_t t = 0; t < rows; ++t) {
    std::copy_n(&y.data[t * form.columns()], form.rotated(),
                heads.data.begin() + t * form.rotated());
  }
  Tensor rotated = cheems::reference::rotary(heads, table);
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t n = 0; n < form.rotated(); ++n) {
      int64_t i = n % half, head = n / form.size * form.size,
              other = head + (n - head + half) % form.size;
      double cosine = std::abs(table.cosine(t, i)),
             sine = std::abs(table.sine(t, i));
      result.y(t, n) = rotated.data[t * form.rotated() + n];
      // Two products and a sum.
      double carried = error(t, n) * cosine + error(t, other) * sine;
      result.bound(t, n) =
          carried + 2 * kUnit *
                        (std::abs(y(t, n)) * cosine +
                         std::abs(y(t, other)) * sine + carried);
    }
    for (int64_t n = form.from(); n < form.from() + form.steps; ++n) {
      double biased = y(t, n) + bias(n - form.from());
      result.y(t, n) = cheems::reference::softplus(biased);
      // Its slope is at most 1; exp and log1p are good to 8 units each.
      double carried =
          error(t, n) + kUnit * (std::abs(y(t, n)) + std::abs(biased));
      result.bound(t, n) =
          carried + 20 * kUnit * (result.y(t, n) + std::abs(biased) + carried);
    }
  }
  return result;
}

/// Forms, with a weight each for the matmul in front.
struct Suite {
  std::vector<Form> forms;
  std::unique_ptr<CompiledModule> module;
  std::map<std::string, Tensor> weights;

  explicit Suite(Mode mode) : forms(formsOf(mode, kForms)) {
    module = CompiledModule::compile(textOfAll(forms), mode);
    Random random(60);
    for (const Form &form : forms) {
      std::string name = form.name() + "_w";
      weights[name] = random.tensor({form.columns(), kInputs}, -2, 2);
      if (module) {
        module->setParameter(name, weights[name]);
      }
    }
  }
};

/// Compiled once a mode.
Suite &suite(Mode mode) {
  static std::map<Mode, Suite> suites;
  return suites.try_emplace(mode, mode).first->second;
}

struct Operands {
  RotaryTable table;
  Tensor bias;

  Operands(Random &random, const Form &form, int64_t rows)
      : table{random.tensor({rows, form.size / 2}, -1, 1),
              random.tensor({rows, form.size / 2}, -1, 1)},
        bias(random.tensor({std::max<int64_t>(form.steps, 1)}, -2, 2)) {}
};

TEST_P(ColumnEpilogueTest, AgreesWithTheEvaluator) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(61);
  for (int64_t i = 0; i < caseCount(); ++i) {
    const Form &form = s.forms[i % s.forms.size()];
    int64_t rows = random.rows();
    SCOPED_TRACE(form.name() + ", " + std::to_string(rows) + " rows");
    Operands operands(random, form, rows);
    Tensor y = random.tensor({rows, form.columns()}, -20, 20);
    Buffer c(Element::F32, operands.table.cosine),
        sine(Element::F32, operands.table.sine), b(Element::F32, operands.bias),
        got(Element::F32, y);
    s.module->call(form.name(), rows, {&c, &sine, &b, &got});
    Expected want =
        finish(form, y, Tensor(y.shape), operands.table, operands.bias);
    EXPECT_TRUE(within(got, want.y, want.bound));
  }
}

TEST_P(ColumnEpilogueTest, FollowsAMatmulIntoItsLoop) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(62);
  for (int64_t i = 0; i < caseCount(); ++i) {
    const Form &form = s.forms[i % s.forms.size()];
    std::string name = form.name() + "_w";
    int64_t rows = random.rows();
    SCOPED_TRACE(name + ", " + std::to_string(rows) + " rows");
    Operands operands(random, form, rows);
    Tensor x = random.tensor({rows, kInputs}, -2, 2), y({rows, form.columns()}),
           error(y.shape);
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t n = 0; n < form.columns(); ++n) {
        for (int64_t k = 0; k < kInputs; ++k) {
          double product = x(t, k) * s.weights[name](n, k);
          y(t, n) += product;
          error(t, n) += std::abs(product) * (kInputs + 2) * kUnit;
        }
      }
    }
    Buffer bx(Element::F32, x), c(Element::F32, operands.table.cosine),
        sine(Element::F32, operands.table.sine), b(Element::F32, operands.bias),
        got(Element::F32, y.shape);
    s.module->call(name, rows, {&bx, &c, &sine, &b, &got});
    Expected want = finish(form, y, error, operands.table, operands.bias);
    EXPECT_TRUE(within(got, want.y, want.bound));
    // A row alone is the same row.
    int64_t row = random.between(0, rows - 1);
    auto part = [&](const Tensor &all) {
      auto begin = all.data.begin() + row * all.shape[1];
      return Buffer(Element::F32,
                    Tensor({1, all.shape[1]}, {begin, begin + all.shape[1]}));
    };
    Buffer x1 = part(x), c1 = part(operands.table.cosine),
           s1 = part(operands.table.sine),
           alone(Element::F32, {1, form.columns()});
    s.module->call(name, 1, {&x1, &c1, &s1, &b, &alone});
    size_t bytes = alone.bytes().size();
    EXPECT_EQ(alone.bytes(), got.bytes().slice(row * bytes, bytes));
  }
}
} // namespace
