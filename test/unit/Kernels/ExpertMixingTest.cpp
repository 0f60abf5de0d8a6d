// mix_experts, compiled, against its evaluator.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/Experts.h"
#include <deque>

using namespace cheems::test;
using cheems::Activation;
using cheems::ScorePlacement;
using cheems::reference::QuantizedWeights;
using cheems::reference::Retrieval;
using cheems::reference::Tensor;

namespace {
class ExpertMixingTest : public KernelTest {};
CHEEMS_EVERY_MODE(ExpertMixingTest);

struct Form {
  ScorePlacement placement;
  Activation activation;
  int64_t heads, k, experts, size;
  Element element;
  bool beside = false; ///< the tables are parts of one, and so their scales
  int64_t group = 0;   ///< rows whose experts are read by id

  bool codes() const { return element == Element::I8; }

  const char *placementName() const {
    return placement == ScorePlacement::Softmax ? "softmax" : "inner";
  }
  std::string activationName() const {
    return cheems::stringifyActivation(activation).str();
  }
  std::string name() const {
    std::ostringstream text;
    text << "mix_" << placementName() << "_" << activationName() << "_H"
         << heads << "_k" << k << "_E" << experts << "_D" << size << "_"
         << spelling(element) << (beside ? "_beside" : "");
    if (group) {
      text << "_by" << group;
    }
    return text.str();
  }
  std::string decodeName() const { return name() + "_decode"; }
  std::string text() const {
    FunctionText general(name()), decode(decodeName());
    std::string size =
        "{cheems_cpu.strategy = #cheems_cpu.experts_strategy<order = by_group, "
        "rows = " +
        std::to_string(group) + ">} ";
    return textOf(general, group ? size : "") + textOf(decode.decode(), "");
  }
  std::string textOf(FunctionText &function,
                     const std::string &attributes) const {
    std::string rows = "?x" + std::to_string(size) + "xf32";
    std::string found =
        "?x" + std::to_string(heads) + "x" + std::to_string(k) + "x";
    std::string table = std::to_string(experts) + "x" + std::to_string(size) +
                        "x" + spelling(element);
    function.input("x", rows)
        .input("s", found + "f32")
        .input("e", found + "i32");
    if (beside) {
      std::string both = std::to_string(experts) + "x" +
                         std::to_string(2 * size) + "x" + spelling(element);
      function.input("w", both);
      slice(function, "d", "w", 0, size, both, table);
      slice(function, "u", "w", size, size, both, table);
    } else {
      function.input("d", table).input("u", table);
    }
    std::string scales = std::to_string(experts) + "xf32";
    if (codes() && beside) {
      std::string both = std::to_string(experts) + "x2xf32";
      function.input("wg", both);
      slice(function, "dg", "wg", 0, 1, both, scales);
      slice(function, "ug", "wg", 1, 1, both, scales);
    } else if (codes()) {
      function.input("dg", scales).input("ug", scales);
    }
    return function.output("y", rows)
        .line(std::string("%r = cheems.mix_experts ") + placementName() + " " +
              activationName() + " " + attributes +
              "ins(%x, %s, %e, %d, %u : tensor<" + rows + ">, tensor<" + found +
              "f32>, tensor<" + found + "i32>, tensor<" + table + ">, tensor<" +
              table + ">)" +
              (codes() ? " scales(%dg, %ug : tensor<" + scales + ">, tensor<" +
                             scales + ">)"
                       : "") +
              " outs(%y : tensor<" + rows + ">) -> tensor<" + rows + ">")
        .store("%r", "y", rows)
        .text();
  }

private:
  /// %part: columns of %whole, which may be one that is no dimension.
  void slice(FunctionText &function, const std::string &part,
             const std::string &whole, int64_t from, int64_t columns,
             const std::string &wholeType, const std::string &type) const {
    function.line("%" + part + " = tensor.extract_slice %" + whole + "[0, " +
                  std::to_string(from) + "] [" + std::to_string(experts) +
                  ", " + std::to_string(columns) + "] [1, 1] : tensor<" +
                  wholeType + "> to tensor<" + type + ">");
  }
};

// Every activation in both placements; widths around vectors and groups of
// vectors; numbers of experts around pieces of 8 and 16 lanes; tables that are
// far from the core.
constexpr ScorePlacement kSoftmax = ScorePlacement::Softmax,
                         kInner = ScorePlacement::Inner;
constexpr Form kForms[] = {
    {kSoftmax, Activation::SiLU, 1, 1, 1, 1, Element::F32},
    {kSoftmax, Activation::GELU, 2, 4, 9, 7, Element::BF16},
    {kInner, Activation::ReLU, 1, 3, 4, 7, Element::F32},
    {kInner, Activation::SiLU, 3, 8, 64, 16, Element::BF16},
    {kSoftmax, Activation::ReLU, 2, 15, 16, 16, Element::F32},
    {kSoftmax, Activation::SiLU, 4, 16, 100, 48, Element::BF16},
    {kInner, Activation::GELU, 2, 17, 64, 48, Element::F32},
    {kSoftmax, Activation::GELUTanh, 2, 5, 20, 40, Element::F32},
    {kInner, Activation::GELUTanh, 1, 17, 30, 100, Element::BF16},
    {kSoftmax, Activation::ReLU2, 2, 9, 25, 48, Element::BF16},
    {kInner, Activation::ReLU2, 1, 4, 30, 17, Element::F32},
    {kSoftmax, Activation::GELU, 1, 33, 49, 64, Element::F32},
    {kInner, Activation::SiLU, 2, 5, 25, 100, Element::F32},
    {kSoftmax, Activation::SiLU, 2, 8, 256, 100, Element::BF16},
    {kInner, Activation::GELU, 1, 64, 81, 133, Element::BF16},
    {kSoftmax, Activation::SiLU, 2, 4, 4100, 64, Element::F32},
    {kInner, Activation::ReLU, 1, 2, 6000, 100, Element::BF16},
    {kSoftmax, Activation::SiLU, 1, 8, 64, 32, Element::F32},
    {kSoftmax, Activation::SiLU, 2, 24, 760, 352, Element::F32},
    {kInner, Activation::SiLU, 1, 31, 2200, 250, Element::BF16},
    {kSoftmax, Activation::SiLU, 2, 11, 49, 7, Element::BF16, true},
    {kSoftmax, Activation::GELU, 1, 17, 2200, 250, Element::BF16, true},
    {kInner, Activation::SiLU, 2, 8, 100, 100, Element::F32, true},
    {kSoftmax, Activation::SiLU, 1, 1, 1, 1, Element::I8},
    {kInner, Activation::GELU, 2, 4, 9, 7, Element::I8},
    {kSoftmax, Activation::ReLU, 1, 3, 25, 15, Element::I8, true},
    {kInner, Activation::SiLU, 3, 8, 64, 16, Element::I8},
    {kSoftmax, Activation::GELU, 1, 15, 16, 17, Element::I8, true},
    {kSoftmax, Activation::SiLU, 4, 16, 100, 48, Element::I8},
    {kInner, Activation::ReLU, 2, 17, 64, 64, Element::I8, true},
    {kSoftmax, Activation::SiLU, 2, 5, 49, 79, Element::I8},
    {kInner, Activation::SiLU, 1, 33, 81, 100, Element::I8, true},
    {kSoftmax, Activation::GELU, 1, 64, 121, 133, Element::I8},
    {kSoftmax, Activation::SiLU, 1, 8, 64, 192, Element::I8},
    {kInner, Activation::GELU, 2, 11, 4400, 250, Element::I8},
    {kSoftmax, Activation::SiLU, 1, 24, 3000, 352, Element::I8, true},
    {kSoftmax, Activation::SiLU, 1, 1, 1, 1, Element::F32, false, 1},
    {kInner, Activation::ReLU, 2, 3, 9, 7, Element::BF16, false, 2},
    {kSoftmax, Activation::SiLU, 4, 8, 64, 32, Element::BF16, true, 3},
    {kSoftmax, Activation::GELU, 2, 17, 40, 48, Element::F32, false, 16},
    {kInner, Activation::GELU, 1, 33, 64, 133, Element::BF16, true, 4},
    {kSoftmax, Activation::SiLU, 2, 8, 6000, 100, Element::BF16, true, 2},
    {kInner, Activation::SiLU, 2, 11, 100, 79, Element::I8, true, 5},
    {kSoftmax, Activation::ReLU, 1, 24, 3000, 352, Element::I8, false, 3},
};

/// One step's operands.
struct Case {
  const Form &form;
  int64_t rows;
  Tensor x, y;
  QuantizedWeights down, up; ///< scales are 1 where elements are not quantized
  Retrieval retrieval;

  Case(Random &random, const Form &form, int64_t rows)
      : form(form), rows(rows), x(random.tensor({rows, form.size}, -2, 2)),
        y(random.tensor({rows, form.size}, -3, 3)), down(table(random, form)),
        up(table(random, form)),
        retrieval{random.tensor({rows, form.heads, form.k}, -5, 5), {}} {
    for (size_t i = 0; i < retrieval.score.data.size(); ++i) {
      // The last row of the tables now and then: after it memory faults.
      retrieval.expert.push_back(random.once(4)
                                     ? form.experts - 1
                                     : random.between(0, form.experts - 1));
    }
    if (form.group) {
      auto head = retrieval.expert.begin();
      for (; head != retrieval.expert.end(); head += form.k) {
        std::sort(head, head + form.k);
      }
    }
  }

  Buffer run(CompiledModule &module, bool decode = false) const {
    Buffer bx(Element::F32, x), bs(Element::F32, retrieval.score),
        be(Element::I32, {rows, form.heads, form.k}), by(Element::F32, y);
    std::vector<const Buffer *> operands{&bx, &bs, &be};
    std::deque<Buffer> tables;
    auto add = [&](Element element, const Tensor &left, const Tensor &right) {
      if (form.beside) {
        tables.emplace_back(element, beside(left, right));
      } else {
        tables.emplace_back(element, left);
        operands.push_back(&tables.back());
        tables.emplace_back(element, right);
      }
      operands.push_back(&tables.back());
    };
    add(form.element, down.codes, up.codes);
    if (form.codes()) {
      add(Element::F32, flat(down.scales), flat(up.scales));
    }
    operands.push_back(&by);
    for (size_t i = 0; i < retrieval.expert.size(); ++i) {
      be.set(static_cast<int64_t>(i), static_cast<double>(retrieval.expert[i]));
    }
    module.call(decode ? form.decodeName() : form.name(), rows, operands);
    return by;
  }

  Tensor evaluate() const {
    Tensor sum = cheems::reference::mixExperts(x, retrieval, down, up,
                                               form.placement, form.activation);
    for (size_t i = 0; i < sum.data.size(); ++i) {
      sum.data[i] += y.data[i];
    }
    return sum;
  }

  /// A hit of D products errs by (D + 2) units of the sum of |x d|, its score
  /// in front adds one, a scale another; no activation grows by more than 1.13
  /// a unit, its polynomials err by 8 units of its argument, which also covers
  /// a softmax over k (10 units and one per expert). Each of the H k additions
  /// to y rounds a partial sum no larger than all magnitudes together.
  Tensor bound() const {
    Tensor result({rows, form.size});
    double scaled = form.codes() ? 1 : 0,
           length = static_cast<double>(form.size) + scaled,
           additions = static_cast<double>(form.heads * form.k) + scaled;
    for (int64_t t = 0; t < rows; ++t) {
      std::vector<double> error(static_cast<size_t>(form.size)),
          magnitude(static_cast<size_t>(form.size));
      for (int64_t h = 0; h < form.heads; ++h) {
        std::vector<double> share = shares(t, h);
        for (int64_t i = 0; i < form.k; ++i) {
          int64_t e = retrieval.expert[static_cast<size_t>(
              (t * form.heads + h) * form.k + i)];
          double hit = 0, products = 0;
          for (int64_t d = 0; d < form.size; ++d) {
            double product = x(t, d) * down.scales(e, 0) * down.codes(e, d);
            hit += product;
            products += std::abs(product);
          }
          double scale = share[static_cast<size_t>(i)],
                 factor = form.placement == kInner ? scale : 1;
          double weight = std::abs(cheems::reference::activate(
                              hit * factor, form.activation)) *
                          (form.placement == kInner ? 1 : scale);
          // The slope of a square is not bounded.
          double slope = form.activation == Activation::ReLU2
                             ? 2 * (std::abs(hit * factor) + 1)
                             : 1.13;
          double most = std::max(std::abs(hit), slope * std::abs(hit) / 2);
          double off = std::abs(scale) *
                       (slope * (length + 3) * products + 8 * most +
                        (20 + static_cast<double>(form.k)) * most) *
                       kUnit;
          for (int64_t d = 0; d < form.size; ++d) {
            size_t at = static_cast<size_t>(d);
            double value = std::abs(up.scales(e, 0) * up.codes(e, d));
            error[at] += off * value;
            magnitude[at] += weight * value;
          }
        }
      }
      for (int64_t d = 0; d < form.size; ++d) {
        size_t at = static_cast<size_t>(d);
        result(t, d) = error[at] + (additions + 2) * kUnit *
                                       (magnitude[at] + std::abs(y(t, d)));
      }
    }
    return result;
  }

private:
  /// Elements in [-1, 1].
  static QuantizedWeights table(Random &random, const Form &form) {
    double most = form.codes() ? 127 : 1;
    QuantizedWeights table{
        random.tensor({form.experts, form.size}, -most, most, form.element),
        Tensor({form.experts, 1})};
    for (double &scale : table.scales.data) {
      scale =
          form.codes() ? rounded(random.uniform(0, 1 / most), Element::F32) : 1;
    }
    return table;
  }

  /// A row of both after the other.
  static Tensor beside(const Tensor &left, const Tensor &right) {
    int64_t rows = left.shape[0],
            size = static_cast<int64_t>(left.data.size()) / rows;
    Tensor both({rows, 2 * size});
    for (int64_t e = 0; e < rows; ++e) {
      auto row = [&](const Tensor &of) { return of.data.begin() + e * size; };
      auto to = both.data.begin() + 2 * e * size;
      std::copy_n(row(left), size, to);
      std::copy_n(row(right), size, to + size);
    }
    return both;
  }

  static Tensor flat(const Tensor &scales) {
    return scales.reshaped({scales.shape[0]});
  }

  /// What an expert's activation is multiplied by, or its hit.
  std::vector<double> shares(int64_t t, int64_t h) const {
    std::vector<double> result;
    double total = 0;
    for (int64_t i = 0; i < form.k; ++i) {
      double score = retrieval.score(t, h, i);
      result.push_back(form.placement == kInner ? score : std::exp(score));
      total += std::exp(score);
    }
    for (double &share : result) {
      share /= form.placement == kInner ? 1 : total;
    }
    return result;
  }
};

/// Compiled once a mode: it takes longer than running.
CompiledModule *compiled(Mode mode) {
  static CompiledModules modules(
      [](Mode mode) { return textOfAll(formsOf(mode, kForms)); });
  return modules.of(mode);
}

TEST_P(ExpertMixingTest, AgreesWithTheEvaluator) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(43);
  const std::vector<Form> forms = formsOf(GetParam(), kForms);
  auto count = static_cast<int64_t>(forms.size());
  for (int64_t i = 0; i < std::max<int64_t>(caseCount(), 16 * count); ++i) {
    const Form &form = forms[i % count];
    Case one(random, form, random.rows(form.experts > 1000 ? 4 : 20));
    SCOPED_TRACE(form.name() + ", rows " + std::to_string(one.rows));
    EXPECT_TRUE(within(one.run(*module), one.evaluate(), one.bound()));
  }
}

TEST_P(ExpertMixingTest, ARowDoesNotDependOnTheOthersOrOnTheEntry) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(44);
  for (const Form &form : formsOf(GetParam(), kForms)) {
    Case all(random, form, 4);
    Buffer together = all.run(*module);
    size_t bytes = static_cast<size_t>(form.size) * sizeof(float);
    for (int64_t t = 0; t < all.rows; ++t) {
      Case one = all;
      one.rows = 1;
      auto row = [&](const Tensor &of, llvm::ArrayRef<int64_t> shape) {
        size_t size = of.data.size() / static_cast<size_t>(all.rows);
        auto first = of.data.begin() + t * static_cast<int64_t>(size);
        return Tensor(shape, {first, first + static_cast<int64_t>(size)});
      };
      one.x = row(all.x, {1, form.size});
      one.y = row(all.y, {1, form.size});
      one.retrieval.score = row(all.retrieval.score, {1, form.heads, form.k});
      int64_t found = form.heads * form.k;
      one.retrieval.expert.assign(all.retrieval.expert.begin() + t * found,
                                  all.retrieval.expert.begin() +
                                      (t + 1) * found);
      for (bool decode : {false, true}) {
        EXPECT_EQ(one.run(*module, decode).bytes(),
                  together.bytes().slice(static_cast<size_t>(t) * bytes, bytes))
            << form.name() << ", row " << t << (decode ? ", decoded" : "");
      }
    }
    EXPECT_EQ(all.run(*module, /*decode=*/true).bytes(), together.bytes())
        << form.name();
  }
}
/// Tables so large that the threads of a decode step share a row.
TEST_P(ExpertMixingTest, SharedPiecesGiveTheSameBits) {
  constexpr Form forms[] = {
      {kSoftmax, Activation::SiLU, 1, 32, 23000, 48, Element::F32},
      {kInner, Activation::SiLU, 2, 11, 23000, 48, Element::F32},
      {kSoftmax, Activation::SiLU, 1, 27, 23000, 48, Element::F32, true},
      {kSoftmax, Activation::SiLU, 1, 27, 45000, 100, Element::I8, true}};
  auto module = CompiledModule::compile(textOfAll(forms), GetParam());
  ASSERT_NE(module, nullptr);
  Random random(45);
  for (const Form &form : forms) {
    Case one(random, form, 3);
    Buffer decoded = one.run(*module, /*decode=*/true);
    EXPECT_EQ(decoded.bytes(), one.run(*module).bytes()) << form.name();
    EXPECT_TRUE(within(decoded, one.evaluate(), one.bound())) << form.name();
  }
}
} // namespace
