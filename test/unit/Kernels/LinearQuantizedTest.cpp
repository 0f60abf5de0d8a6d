// Matmuls with weights of 8- and 4-bit integers, compiled, against the
// evaluator and, bit for bit, against plain loops; and a row alone against
// itself among others.
#include "Epilogues.h"
#include "ModuleText.h"
#include "cheems/Reference/PackedLinear.h"
#include "runtime/Artifact/CpuFeatures.h"

using namespace cheems::test;
using cheems::reference::QuantizedWeights;
using cheems::reference::Tensor;

namespace {
constexpr int64_t kMostRows = 70;
constexpr int64_t kColumns = 16; // of a panel

struct Form {
  std::string name;
  int64_t columns, size; ///< N, K
  int64_t bits, group;   ///< K for 8 bits
  Element scale;
  After after;

  int64_t panels() const { return (columns + kColumns - 1) / kColumns; }
  int64_t groups() const { return size / group; }
  std::string x() const { return "?x" + std::to_string(size) + "xf32"; }
  std::string y() const { return "?x" + std::to_string(columns) + "xf32"; }
  std::vector<int64_t> w() const {
    return {panels(), size / (bits == 8 ? 4 : 8), kColumns, 4};
  }
  std::vector<int64_t> s() const { return {panels(), groups(), kColumns}; }

  std::string text() const {
    auto type = [](llvm::ArrayRef<int64_t> shape, Element element) {
      std::string result;
      for (int64_t extent : shape) {
        result += std::to_string(extent) + "x";
      }
      return result + spelling(element);
    };
    FunctionText function(name);
    function.input("x", x());
    std::string with, withTypes, weights, weightTypes, scales, scaleTypes;
    auto append = [](std::string &list, const std::string &more) {
      list += (list.empty() ? "" : ", ") + more;
    };
    if (takesRow(after)) {
      function.input("b", std::to_string(columns) + "xf32");
      append(with, "%b");
      append(withTypes, "tensor<" + std::to_string(columns) + "xf32>");
    }
    if (takesWhole(after)) {
      function.input("h", y());
      append(with, "%h");
      append(withTypes, "tensor<" + y() + ">");
    }
    for (size_t i = 0; i < weightsOf(after); ++i) {
      std::string number = std::to_string(i);
      function.input("w" + number, type(w(), Element::U8));
      function.input("s" + number, type(s(), scale));
      append(weights, "%w" + number);
      append(scales, "%s" + number);
      append(weightTypes, "tensor<" + type(w(), Element::U8) + ">");
      append(scaleTypes, "tensor<" + type(s(), scale) + ">");
    }
    function.output("y", y());
    if (after == After::Gate) {
      function.line("%one = arith.constant 1.0 : f32");
    }
    return function
        .line("%r = cheems_cpu.linear ins(%x : tensor<" + x() + ">) weights(" +
              weights + " : " + weightTypes + ") bits " + std::to_string(bits) +
              " scales(" + scales + " : " + scaleTypes + ") " +
              (with.empty() ? "" : "with(" + with + " : " + withTypes + ") ") +
              "outs(%y : tensor<" + y() + ">) " + epilogueOf(after) +
              " -> tensor<" + y() + ">")
        .store("%r", "y", y())
        .text();
  }

  std::string describe(int64_t rows) const {
    return name + ": " + std::to_string(rows) + " rows, N " +
           std::to_string(columns) + ", K " + std::to_string(size) + ", " +
           std::to_string(bits) + " bits, groups of " + std::to_string(group);
  }
};

/// Quantized panels and their scales.
struct Weights {
  Tensor codes, scales;

  static Weights random(Random &random, const Form &form) {
    // Rows past N hold something, too, that nobody may notice.
    Weights result{Tensor(form.w()),
                   random.tensor(form.s(), -0.1, 0.1, form.scale)};
    for (double &code : result.codes.data) {
      code = static_cast<double>(random.between(form.bits == 8 ? 1 : 0, 255));
    }
    return result;
  }
};

/// Every remainder of N by 16 and every epilogue with either number of bits, in
/// one to 11 panels; K below, at and past what a step takes.
std::vector<Form> makeForms() {
  Random random(17);
  std::vector<Form> result;
  for (int64_t i = 0; i < 32; ++i) {
    int64_t bits = i % 2 ? 4 : 8, panels = i < 4 ? 0 : random.between(0, 10),
            group = 32 << random.between(0, 2),
            size = bits == 4     ? group * random.between(1, 6)
                   : i < 4       ? 4 * (i + 1)
                   : i % 16 == 8 ? 4 * random.between(125, 175)
                                 : 4 * random.between(1, 40);
    result.push_back(
        {"codes_" + std::to_string(i),
         panels * kColumns + (i * 5 + i / 16) % kColumns + 1, size, bits,
         bits == 8 ? size : group,
         bits == 4 && random.once(2) ? Element::BF16 : Element::F32,
         kAfter[(i / 2) % kAfter.size()]});
  }
  return result;
}

struct Suite {
  std::vector<Form> forms;
  std::vector<std::vector<Weights>> weights;
  std::unique_ptr<CompiledModule> module;

  explicit Suite(Mode mode) : forms(makeForms()) {
    if (mode != Mode::Scalar) { // which all others are compared with
      forms = formsOf(mode, forms);
    }
    std::string text;
    Random random(18);
    for (const Form &form : forms) {
      text += form.text();
      weights.emplace_back();
      for (size_t i = 0; i < weightsOf(form.after); ++i) {
        weights.back().push_back(Weights::random(random, form));
      }
    }
    module = CompiledModule::compile(text, mode);
  }
};

/// Compiled once a mode.
Suite &suite(Mode mode) {
  static std::map<Mode, Suite> suites;
  return suites.try_emplace(mode, mode).first->second;
}

Tensor rowsOf(const Tensor &all, int64_t from, int64_t count) {
  auto begin = all.data.begin() + from * all.shape[1];
  return Tensor({count, all.shape[1]}, {begin, begin + count * all.shape[1]});
}

/// What stands on either side of a matmul for some rows.
struct Operands {
  Tensor x, b, h;

  static Operands random(Random &random, const Form &form, int64_t rows) {
    Operands result{random.tensor({rows, form.size}, -2, 2),
                    random.tensor({form.columns}, -1, 1),
                    random.tensor({rows, form.columns}, -1, 1)};
    // Rows of all sizes; now and then nothing, or as good as that.
    for (int64_t t = 0; t < rows; ++t) {
      double factor =
          random.once(8) ? 0
          : random.once(8)
              ? 0x1p-102
              : std::ldexp(1, static_cast<int>(random.between(-20, 20)));
      for (int64_t k = 0; k < form.size; ++k) {
        result.x(t, k) *= factor;
      }
    }
    return result;
  }
  Operands rows(int64_t from, int64_t count) const {
    return {rowsOf(x, from, count), b, rowsOf(h, from, count)};
  }
  std::vector<Tensor> with(const Form &form) const {
    std::vector<Tensor> result;
    if (takesRow(form.after)) {
      result.push_back(b);
    }
    if (takesWhole(form.after)) {
      result.push_back(h);
    }
    return result;
  }
};

Buffer run(CompiledModule &module, const Form &form, const Operands &operands,
           llvm::ArrayRef<Weights> weights) {
  int64_t rows = operands.x.shape[0];
  std::vector<Buffer> given;
  given.emplace_back(Element::F32, operands.x);
  for (const Tensor &tensor : operands.with(form)) {
    given.emplace_back(Element::F32, tensor);
  }
  for (const Weights &weight : weights) {
    given.emplace_back(Element::U8, weight.codes);
    given.emplace_back(form.scale, weight.scales);
  }
  Buffer y(Element::F32, {rows, form.columns});
  std::vector<const Buffer *> buffers;
  for (const Buffer &buffer : given) {
    buffers.push_back(&buffer);
  }
  buffers.push_back(&y);
  module.call(form.name, rows, buffers);
  return y;
}

/// The evaluator's matmul, and how far from it f32 may be: sums of integers
/// are exact, so there are G conversions and multiply-adds and a factor per
/// row.
void expectNear(const Buffer &got, const Form &form, const Operands &operands,
                llvm::ArrayRef<Weights> weights) {
  std::vector<QuantizedWeights> unpacked;
  std::vector<Tensor> errors;
  auto rounded = cheems::reference::roundedRows(operands.x);
  int64_t rows = operands.x.shape[0];
  for (const Weights &weight : weights) {
    unpacked.push_back(cheems::reference::unpacked(
        weight.codes, weight.scales, form.columns, form.size, form.bits));
    const QuantizedWeights &w = unpacked.back();
    Tensor error({rows, form.columns});
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t n = 0; n < form.columns; ++n) {
        // Most of the time of these tests: pointers are quick without an
        // optimiser.
        const double *x = &rounded.codes.data[t * form.size],
                     *codes = &w.codes.data[n * form.size];
        double magnitude = 0;
        for (int64_t g = 0; g < form.groups(); ++g) {
          double sum = 0;
          for (int64_t k = g * form.group; k < (g + 1) * form.group; ++k) {
            sum += x[k] * codes[k];
          }
          magnitude += std::abs(w.scales(n, g) * sum);
        }
        error(t, n) = static_cast<double>(2 * form.groups() + 3) * kUnit *
                      magnitude * rounded.scales(t);
      }
    }
    errors.push_back(std::move(error));
  }
  std::vector<Tensor> with = operands.with(form), all(errors);
  all.insert(all.end(), with.begin(), with.end());
  auto product = [&](llvm::ArrayRef<Tensor> beside,
                     llvm::function_ref<double(llvm::ArrayRef<double>,
                                               llvm::ArrayRef<double>)>
                         epilogue) {
    return cheems::reference::linear(operands.x, unpacked, beside, form.columns,
                                     epilogue);
  };
  Tensor want = product(
      with, [&](llvm::ArrayRef<double> sums, llvm::ArrayRef<double> beside) {
        return evaluate(form.after, sums, beside);
      });
  Tensor bound = product(
      all, [&](llvm::ArrayRef<double> sums, llvm::ArrayRef<double> beside) {
        return boundOf(form.after, sums, beside.take_front(sums.size()),
                       beside.drop_front(sums.size()));
      });
  EXPECT_TRUE(within(got, want, bound));
}

class LinearQuantizedTest : public KernelTest {
protected:
  void SetUp() override {
    KernelTest::SetUp();
    if (GetParam() == Mode::Wide &&
        !cheems::CpuFeatures::host().has("avx512bw")) {
      GTEST_SKIP() << "this CPU lacks avx512bw";
    }
  }
};
CHEEMS_MODES(LinearQuantizedTest, Mode::Scalar, Mode::Narrow, Mode::Wide,
             Mode::NarrowDotI8, Mode::DotI8, Mode::AMX);

TEST_P(LinearQuantizedTest, AgreesWithTheEvaluatorAndWithPlainLoops) {
  Suite &s = suite(GetParam()), &plain = suite(Mode::Scalar);
  ASSERT_NE(s.module, nullptr);
  ASSERT_NE(plain.module, nullptr);
  Random random(19);
  auto forms = static_cast<int64_t>(s.forms.size());
  // So many shapes of either number of bits.
  int64_t shapes = 2 * caseCount() / forms;
  for (size_t i = 0; i < s.forms.size(); ++i) {
    if (GetParam() == Mode::Scalar && !compilesForm(Mode::Scalar, i)) {
      continue;
    }
    const Form &form = s.forms[i];
    for (int64_t j = 0; j < shapes; ++j) {
      int64_t rows = j == 0  ? 1
                     : j % 2 ? random.between(1, 20)
                             : random.between(1, kMostRows);
      SCOPED_TRACE(form.describe(rows));
      Operands operands = Operands::random(random, form, rows);
      Buffer got = run(*s.module, form, operands, s.weights[i]);
      expectNear(got, form, operands, s.weights[i]);
      // exp has a polynomial a pipeline, and plain loops no multiply-adds.
      if (form.after != After::Gate) {
        Buffer same = run(*plain.module, form, operands, s.weights[i]);
        EXPECT_EQ(got.bytes(), same.bytes());
      }
    }
  }
}

TEST_P(LinearQuantizedTest, ARowIsTheSameAloneAndAmongOthers) {
  Suite &s = suite(GetParam());
  ASSERT_NE(s.module, nullptr);
  Random random(20);
  for (size_t i = 0; i < s.forms.size(); ++i) {
    if (GetParam() == Mode::Scalar && !compilesForm(Mode::Scalar, i)) {
      continue;
    }
    const Form &form = s.forms[i];
    Operands operands = Operands::random(random, form, kMostRows);
    Buffer all = run(*s.module, form, operands, s.weights[i]);
    size_t row = static_cast<size_t>(form.columns) * sizeof(float);
    // Every row count with some forms, and with all of them some row counts.
    int64_t step = i % 16 < 2 ? 1 : random.between(5, 9);
    for (int64_t rows = 1; rows < kMostRows; rows += step) {
      SCOPED_TRACE(form.describe(rows));
      int64_t from = random.between(0, kMostRows - rows);
      Buffer part =
          run(*s.module, form, operands.rows(from, rows), s.weights[i]);
      EXPECT_EQ(part.bytes(), all.bytes().slice(static_cast<size_t>(from) * row,
                                                part.bytes().size()))
          << "from row " << from;
    }
  }
}

/// The greatest quantized values there are, all of one sign or of signs that
/// alternate in some period: sums that saturate, or leave 16 bits, show.
TEST_P(LinearQuantizedTest, SumsOfTheGreatestCodesAreExact) {
  constexpr int64_t size = 4096, columns = 34, rows = 19;
  for (int64_t bits : {8, 4}) {
    for (int64_t group : bits == 8 ? std::vector<int64_t>{size}
                                   : std::vector<int64_t>{32, 128}) {
      Form form{"extremes", columns,      size,          bits,
                group,      Element::F32, After::Nothing};
      auto module = CompiledModule::compile(form.text(), GetParam());
      ASSERT_NE(module, nullptr);
      double one = bits == 8 ? 127 : 7, zero = bits == 8 ? 128 : 8,
             least = bits == 8 ? -127 : -8;
      auto sign = [](int64_t index, int64_t k) {
        int64_t period = int64_t(1) << (index / 2 % 8);
        return ((k / period + index) & 1) && index > 1 ? -1 : 1;
      };
      auto code = [&](int64_t n, int64_t k) -> double {
        double value = n % 5 == 0 ? one : sign(n, k) < 0 ? least : one;
        return n % 5 == 1 ? least : value;
      };
      Weights weights{Tensor(form.w()), Tensor(form.s())};
      for (int64_t n = 0; n < form.panels() * kColumns; ++n) {
        for (int64_t k = 0; k < size; ++k) {
          double stored = code(n, k) + zero;
          int64_t pair = bits == 8 ? 4 : 8;
          double &byte =
              weights.codes(n / kColumns, k / pair, n % kColumns, k % 4);
          byte += k % pair < 4 ? stored : 16 * stored;
        }
        for (int64_t g = 0; g < form.groups(); ++g) {
          weights.scales(n / kColumns, g, n % kColumns) = 0x1p-10;
        }
      }
      Operands operands{Tensor({rows, size}), Tensor({columns}),
                        Tensor({rows, columns})};
      for (int64_t t = 0; t < rows; ++t) {
        for (int64_t k = 0; k < size; ++k) {
          operands.x(t, k) = 127.0 * sign(t, k);
        }
      }
      for (int64_t count : {rows, int64_t(1), int64_t(5)}) {
        Operands some = operands.rows(rows - count, count);
        Buffer got = run(*module, form, some, weights);
        for (int64_t t = 0; t < count; ++t) {
          for (int64_t n = 0; n < columns; ++n) {
            double sum = 0;
            for (int64_t k = 0; k < size; ++k) {
              sum += some.x(t, k) * code(n, k);
            }
            // 127 * 127 * 4096 has more digits than f32.
            EXPECT_EQ(got.get(t * columns + n),
                      static_cast<double>(static_cast<float>(sum)) * 0x1p-10)
                << bits << " bits, row " << t << " of " << count << ", column "
                << n;
          }
        }
      }
    }
  }
}

/// Rows below 2^-100 count as zeros; a NaN or an infinity shows, in its row
/// alone.
TEST_P(LinearQuantizedTest, SmallRowsAreZerosAndWhatIsNotFiniteShows) {
  constexpr int64_t size = 96, columns = 20, rows = 18;
  Form form{"limits", columns, size, 8, size, Element::F32, After::Nothing};
  auto module = CompiledModule::compile(form.text(), GetParam());
  ASSERT_NE(module, nullptr);
  Random random(21);
  std::vector<Weights> weights{Weights::random(random, form)};
  for (double &scale : weights[0].scales.data) {
    scale = std::abs(scale) + 0x1p-4;
  }
  Operands operands{Tensor({rows, size}), Tensor({columns}),
                    Tensor({rows, columns})};
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t k = 0; k < size; ++k) {
      operands.x(t, k) = t % 4 == 0 ? 0x1.fffffep-101 : random.uniform(-1, 1);
    }
  }
  operands.x(1, 90) = std::numeric_limits<double>::infinity();
  operands.x(2, 3) = std::numeric_limits<double>::quiet_NaN();
  operands.x(rows - 1, 95) = -std::numeric_limits<double>::infinity();
  for (int64_t t = 0; t < rows; ++t) {
    operands.x(8, t) = 0x1p-100; // just enough
  }
  Buffer got = run(*module, form, operands, weights);
  for (int64_t t = 0; t < rows; ++t) {
    bool finite = t != 1 && t != 2 && t != rows - 1,
         zero = t % 4 == 0 && t != 8;
    for (int64_t n = 0; n < columns; ++n) {
      double value = got.get(t * columns + n);
      EXPECT_EQ(std::isfinite(value), finite) << "row " << t << ", " << value;
      if (finite) {
        EXPECT_EQ(value == 0, zero) << "row " << t << ", " << value;
      }
    }
  }
}
} // namespace
