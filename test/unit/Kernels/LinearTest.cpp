// Matmuls with panels and their epilogues, compiled, against the evaluator;
// and a row alone against itself among others.
#include "Epilogues.h"
#include "ModuleText.h"
#include "cheems/Reference/PackedLinear.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {
constexpr int64_t kMostRows = 80;
constexpr int64_t kColumns = 16; // of a panel

struct Form {
  std::string name;
  int64_t columns, size; ///< N, K
  Element element;
  int64_t pair;
  After after;

  int64_t panels() const { return (columns + kColumns - 1) / kColumns; }
  size_t weights() const { return weightsOf(after); }
  bool row() const { return takesRow(after); }
  bool whole() const { return takesWhole(after); }

  std::string x() const { return "?x" + std::to_string(size) + "xf32"; }
  std::string y() const { return "?x" + std::to_string(columns) + "xf32"; }
  std::string b() const { return std::to_string(columns) + "xf32"; }
  std::string w() const {
    return std::to_string(panels()) + "x" + std::to_string(size / pair) +
           "x16x" + std::to_string(pair) + "x" + spelling(element);
  }

  std::string text() const {
    FunctionText function(name);
    function.input("x", x());
    std::string with, withTypes;
    if (row()) {
      function.input("b", b());
      with = "%b";
      withTypes = "tensor<" + b() + ">";
    }
    if (whole()) {
      function.input("h", y());
      with += ", %h";
      withTypes += ", tensor<" + y() + ">";
    }
    function.output("y", y());
    std::string layout = "16, " + std::to_string(pair);
    function.panels("w", w(), name, layout);
    std::string weights = "%w", weightTypes = "tensor<" + w() + ">";
    if (this->weights() == 2) {
      function.panels("v", w(), name + "_second", layout);
      weights += ", %v";
      weightTypes += ", " + weightTypes;
    }
    if (after == After::Gate) {
      function.line("%one = arith.constant 1.0 : f32");
    }
    return function
        .line("%r = cheems_cpu.linear ins(%x : tensor<" + x() + ">) weights(" +
              weights + " : " + weightTypes + ") " +
              (with.empty() ? "" : "with(" + with + " : " + withTypes + ") ") +
              "outs(%y : tensor<" + y() + ">) " + epilogueOf(after) +
              " -> tensor<" + y() + ">")
        .store("%r", "y", y())
        .text();
  }
};

/// What stands on either side of a matmul for some rows.
struct Operands {
  Tensor x, b, h;

  static Operands random(Random &random, const Form &form, int64_t rows) {
    return {random.tensor({rows, form.size}, -2, 2),
            random.tensor({form.columns}, -1, 1),
            random.tensor({rows, form.columns}, -1, 1)};
  }
  Operands rows(int64_t from, int64_t count) const {
    auto part = [&](const Tensor &all) {
      auto begin = all.data.begin() + from * all.shape[1];
      return Tensor({count, all.shape[1]},
                    {begin, begin + count * all.shape[1]});
    };
    return {part(x), b, part(h)};
  }
  std::vector<Tensor> with(const Form &form) const {
    std::vector<Tensor> result;
    if (form.row()) {
      result.push_back(b);
    }
    if (form.whole()) {
      result.push_back(h);
    }
    return result;
  }
};

/// Every remainder of N by 16 with every epilogue, in one to 11 panels: below,
/// at and past the panels of one parallel iteration; K below and past a block
/// of 32, odd ones among them, and a few that are long. Compiling them is most
/// of the time, so plain loops, which are the same for all remainders, have
/// fewer, and so do those where only pairs of bf16 have code of their own,
/// almost all of them pairs; the rest of the cases is row counts.
std::vector<Form> makeForms(Mode mode) {
  Random random(7);
  bool pairsAlone = mode == Mode::DotBF16 || mode == Mode::AMX;
  std::vector<Form> result;
  // 80 are every remainder with every epilogue.
  bool fewer = pairsAlone || mode == Mode::Scalar || caseCount() < 80;
  int64_t count = std::max<int64_t>(fewer ? 40 : 80, caseCount() / 6);
  for (int64_t i = 0; i < count; ++i) {
    bool other = !pairsAlone || i % 16 == 3 || i % 16 == 10;
    Element element = other && i % 4 == 3 ? Element::F32 : Element::BF16;
    int64_t panels = i < 4 ? 0 : random.between(0, 10),
            size = i < 4         ? i + 1
                   : i % 16 == 8 ? random.between(500, 700)
                                 : random.between(1, 80);
    if (!other) {
      size += size % 2;
    }
    bool pairs = element == Element::BF16 && size % 2 == 0 &&
                 (!other || !random.once(8));
    result.push_back({"linear_" + std::to_string(i),
                      panels * kColumns + i % kColumns + 1, size, element,
                      pairs ? 2 : 1, kAfter[i % kAfter.size()]});
  }
  return formsOf(mode, result);
}

struct Suite {
  Mode mode;
  std::vector<Form> forms = makeForms(mode);
  std::vector<std::vector<Tensor>> weights; ///< panels
  std::unique_ptr<CompiledModule> module;

  explicit Suite(Mode mode) : mode(mode) {
    module = CompiledModule::compile(textOfAll(forms), mode);
    Random random(8);
    for (const Form &form : forms) {
      weights.emplace_back();
      for (size_t i = 0; i < form.weights(); ++i) {
        // Rows past N hold something, too, that nobody may notice.
        weights.back().push_back(random.tensor(
            {form.panels(), form.size / form.pair, kColumns, form.pair}, -1, 1,
            form.element));
        if (module) {
          module->setParameter(
              form.name + (i ? "_second" : ""),
              cheems::reference::unpacked(weights.back().back(),
                                          form.panels() * kColumns));
        }
      }
    }
  }

  Buffer run(const Form &form, const Operands &operands) {
    int64_t rows = operands.x.shape[0];
    std::vector<Buffer> given;
    given.emplace_back(Element::F32, operands.x);
    for (const Tensor &tensor : operands.with(form)) {
      given.emplace_back(Element::F32, tensor);
    }
    Buffer y(Element::F32, {rows, form.columns});
    std::vector<const Buffer *> buffers;
    for (const Buffer &buffer : given) {
      buffers.push_back(&buffer);
    }
    buffers.push_back(&y);
    module->call(form.name, rows, buffers);
    return y;
  }

  /// What the matmuls see of x.
  Tensor seen(const Form &form, Tensor x) const {
    if ((mode == Mode::DotBF16 || mode == Mode::AMX) &&
        form.element == Element::BF16 && form.pair == 2) {
      for (double &value : x.data) {
        value = rounded(value, Element::BF16);
      }
    }
    return x;
  }
};

/// Compiled once a mode.
Suite &suite(Mode mode) {
  static std::map<Mode, Suite> suites;
  return suites.try_emplace(mode, mode).first->second;
}

class LinearTest : public KernelTest {};
CHEEMS_MODES(LinearTest, Mode::Scalar, Mode::Narrow, Mode::Wide, Mode::DotBF16,
             Mode::AMX);

TEST_P(LinearTest, AgreesWithTheEvaluator) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(9);
  for (size_t i = 0; i < s.forms.size(); ++i) {
    const Form &form = s.forms[i];
    auto count = static_cast<int64_t>(s.forms.size());
    for (int64_t j = 0; j < std::max<int64_t>(2, caseCount() / count + 1);
         ++j) {
      int64_t rows = j % 2 == 0       ? random.between(1, kMostRows)
                     : random.once(2) ? 1
                                      : random.between(2, 16);
      SCOPED_TRACE(form.name + ": " + std::to_string(rows) + " rows, N " +
                   std::to_string(form.columns) + ", K " +
                   std::to_string(form.size) + ", " + spelling(form.element) +
                   ", pair " + std::to_string(form.pair));
      Operands operands = Operands::random(random, form, rows);
      Buffer got = s.run(form, operands);
      Tensor x = s.seen(form, operands.x), magnitude = x;
      for (double &value : magnitude.data) {
        value = std::abs(value);
      }
      std::vector<Tensor> sizes = s.weights[i], with = operands.with(form);
      std::vector<Tensor> errors;
      for (Tensor &panels : sizes) {
        for (double &value : panels.data) {
          value = std::abs(value);
        }
        // K products and sums, each rounded to f32 at most; weights of either
        // type widen exactly.
        errors.push_back(cheems::reference::linear(
            magnitude, panels, {}, form.columns,
            [&](llvm::ArrayRef<double> sums, llvm::ArrayRef<double>) {
              return sums[0] * static_cast<double>(form.size + 2) * kUnit;
            }));
      }
      Tensor want = cheems::reference::linear(
          x, s.weights[i], with, form.columns,
          [&](llvm::ArrayRef<double> sums, llvm::ArrayRef<double> beside) {
            return evaluate(form.after, sums, beside);
          });
      std::vector<Tensor> all(errors);
      all.insert(all.end(), with.begin(), with.end());
      Tensor bound = cheems::reference::linear(
          x, s.weights[i], all, form.columns,
          [&](llvm::ArrayRef<double> sums, llvm::ArrayRef<double> beside) {
            return boundOf(form.after, sums, beside.take_front(sums.size()),
                           beside.drop_front(sums.size()));
          });
      EXPECT_TRUE(within(got, want, bound));
    }
  }
}

TEST_P(LinearTest, ARowIsTheSameAloneAndAmongOthers) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(10);
  for (size_t i = 0; i < s.forms.size(); ++i) {
    const Form &form = s.forms[i];
    SCOPED_TRACE(form.name + ": N " + std::to_string(form.columns) + ", K " +
                 std::to_string(form.size) + ", " + spelling(form.element) +
                 ", pair " + std::to_string(form.pair));
    Operands operands = Operands::random(random, form, kMostRows);
    Buffer all = s.run(form, operands);
    // Every row count with some forms, and with all of them some row counts.
    int64_t step = i % 8 == 0 ? 1 : random.between(5, 9);
    for (int64_t rows = 1; rows < kMostRows; rows += step) {
      int64_t from = random.between(0, kMostRows - rows);
      Buffer part = s.run(form, operands.rows(from, rows));
      size_t row = static_cast<size_t>(form.columns) * sizeof(float);
      EXPECT_EQ(part.bytes(), all.bytes().slice(static_cast<size_t>(from) * row,
                                                part.bytes().size()))
          << rows << " rows from row " << from;
    }
    for (int64_t t = 0; t < kMostRows; t += random.between(5, 20)) {
      Buffer part = s.run(form, operands.rows(t, 1));
      size_t row = static_cast<size_t>(form.columns) * sizeof(float);
      EXPECT_EQ(part.bytes(),
                all.bytes().slice(static_cast<size_t>(t) * row, row))
          << "row " << t << " alone";
    }
  }
}

/// Inputs, weights and products of which many are denormal, with whole and
/// incomplete blocks of 32 k.
class LinearDenormalTest : public LinearTest {};
CHEEMS_MODES(LinearDenormalTest, Mode::Wide, Mode::DotBF16, Mode::AMX);

TEST_P(LinearDenormalTest, ARowIsTheSameAloneAndAmongOthers) {
  Random random(11);
  for (int64_t size : {6, 64, 66, 100}) {
    SCOPED_TRACE("K " + std::to_string(size));
    Form form{"linear", 90, size, Element::BF16, 2, After::Nothing};
    auto module = CompiledModule::compile(form.text(), GetParam());
    ASSERT_NE(module, nullptr);
    // Exact in bf16 from its least denormal, 2^-133, on.
    auto values = [&](int64_t count, int64_t greatest) {
      Tensor result({count, size});
      for (double &value : result.data) {
        value = std::ldexp(random.between(-255, 255),
                           static_cast<int>(random.between(-133, greatest)));
      }
      return result;
    };
    constexpr int64_t rows = 20;
    Tensor weights = values(form.panels() * kColumns, -8),
           inputs = values(rows, -120);
    if (size == 66) {
      // A sum of -0 after two blocks, and products of -0 in the third: what is
      // not there of that adds 0.
      for (int64_t k = 0; k < size; ++k) {
        inputs(0, k) = k % 32 < 2 ? 0x1p-118 : 0;
        weights(0, k) = k % 32 ? 0 : 0x1p-8;
      }
      weights(0, 32) = -0x1.8p-8;
      weights(0, 64) = weights(0, 65) = -0x1p-9;
    }
    module->setParameter("linear", weights);
    Buffer x(Element::F32, inputs), y(Element::F32, {rows, form.columns});
    module->call("linear", rows, {&x, &y});
    int64_t results = 0;
    for (int64_t t = 0; t < rows; ++t) {
      Tensor row({1, size});
      for (int64_t k = 0; k < size; ++k) {
        row.data[k] = x.get(t * size + k);
      }
      Buffer input(Element::F32, row), alone(Element::F32, {1, form.columns});
      module->call("linear", 1, {&input, &alone});
      size_t bytes = alone.bytes().size();
      EXPECT_EQ(alone.bytes(), y.bytes().slice(t * bytes, bytes))
          << "row " << t;
      for (int64_t n = 0; n < form.columns; ++n) {
        results += alone.get(n) != 0;
      }
    }
    EXPECT_GT(results, 0);
  }
}
} // namespace
