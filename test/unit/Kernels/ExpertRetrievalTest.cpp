// retrieve_experts, compiled: comparisons and one addition per pair, so bit for
// bit as the evaluator.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/Experts.h"
#include <limits>
#include <vector>

using namespace cheems::test;
using cheems::reference::Retrieval;
using cheems::reference::RetrievalOrder;
using cheems::reference::Tensor;

namespace {
class ExpertRetrievalTest : public KernelTest {};
CHEEMS_EVERY_MODE(ExpertRetrievalTest);

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Form {
  int64_t heads, keys, k;
  bool ascending = false;

  std::string name() const {
    return "retrieve_" + std::to_string(heads) + "_" + std::to_string(keys) +
           "_" + std::to_string(k) + (ascending ? "_ascending" : "");
  }
  std::string text() const {
    std::string scores =
        "?x2x" + std::to_string(heads) + "x" + std::to_string(keys) + "xf32";
    std::string found =
        "?x" + std::to_string(heads) + "x" + std::to_string(k) + "x";
    std::string results = "tensor<" + found + "f32>, tensor<" + found + "i32>";
    return FunctionText(name())
        .input("g", scores)
        .output("s", found + "f32")
        .output("e", found + "i32")
        .line("%r, %q = cheems.retrieve_experts " +
              std::string(ascending ? "ascending " : "") + "ins(%g : tensor<" +
              scores + ">) outs(%s, %e : " + results + ") -> " + results)
        .store("%r", "s", found + "f32")
        .store("%q", "e", found + "i32")
        .text();
  }
};

// Fewer keys than lanes, a multiple, one more and one less; k below K, at it,
// past it, and all pairs, up to where thresholds come from registers and past
// it, squares and none; more keys than maxima have lanes, and no multiple of
// those.
constexpr Form kBestFirst[] = {
    {1, 1, 1},     {3, 3, 1},    {2, 3, 2},    {1, 3, 5},     {2, 3, 9},
    {4, 8, 3},     {1, 8, 8},    {2, 8, 11},   {1, 8, 64},    {2, 9, 70},
    {2, 16, 4},    {1, 16, 17},  {2, 31, 7},   {1, 31, 40},   {1, 31, 961},
    {4, 128, 8},   {1, 128, 1},  {8, 128, 2},  {1, 128, 64},  {1, 300, 33},
    {1, 1024, 16}, {1, 1100, 3}, {1, 4200, 2}, {1, 1024, 32}, {2, 64, 32},
    {1, 100, 40},  {1, 256, 64}, {2, 33, 64},  {1, 1000, 65}, {1, 12, 144},
    {2, 90, 81},   {1, 80, 80},  {1, 300, 257}};
// Ids that are in ascending order fill a part of a vector, one, or several.
constexpr Form kAscending[] = {{2, 3, 1},    {2, 3, 9},  {4, 128, 8},
                               {2, 16, 16},  {2, 9, 70}, {1, 31, 961},
                               {1, 1024, 33}};

std::vector<Form> forms(Mode mode) {
  std::vector<Form> all(std::begin(kBestFirst), std::end(kBestFirst));
  for (Form form : kAscending) {
    form.ascending = true;
    all.push_back(form);
  }
  return formsOf(mode, all);
}

/// Compiled once a mode.
CompiledModule *compiled(Mode mode) {
  static CompiledModules modules(
      [](Mode mode) { return textOfAll(forms(mode)); });
  return modules.of(mode);
}

/// What makes scores hard to rank, by case number.
Tensor makeScores(Random &random, const Form &form, int64_t rows,
                  int64_t number) {
  Tensor scores = random.tensor({rows, 2, form.heads, form.keys}, -4, 4);
  constexpr double few[] = {-0.0, 0.0, 1.0, -1.0, 0.5};
  constexpr double odd[] = {kInfinity, -kInfinity, kNaN, 0.0, -0.0, 1e38};
  for (double &score : scores.data) {
    switch (number % 5) {
    case 0: // all distinct, nearly always
      break;
    case 1: // many equal scores
      score = few[random.between(0, 4)];
      break;
    case 2: // NaN, or next to none
      score = random.once(3) ? odd[random.between(0, 5)] : score;
      break;
    case 3: // sums that round to the same
      score = random.once(2) ? rounded(score * 0x1p-26, Element::F32)
                             : static_cast<double>(random.between(-2, 2));
      break;
    default: // everything equal
      score = number / 5 % 2 ? 1.5 : kNaN;
    }
  }
  return scores;
}

/// NaN of any bits is the same; all else, zeros included, bit for bit.
void expectSame(const Buffer &score, const Buffer &expert,
                const Retrieval &want) {
  ASSERT_EQ(expert.elements(), static_cast<int64_t>(want.expert.size()));
  for (int64_t i = 0; i < expert.elements(); ++i) {
    size_t at = static_cast<size_t>(i);
    ASSERT_EQ(expert.get(i), static_cast<double>(want.expert[at])) << i;
    double got = score.get(i), wanted = want.score.data[at];
    ASSERT_TRUE(std::isnan(wanted) ? std::isnan(got)
                                   : got == wanted && std::signbit(got) ==
                                                          std::signbit(wanted))
        << "score " << i << " is " << got << ", the evaluator has " << wanted;
  }
}

TEST_P(ExpertRetrievalTest, AgreesWithTheEvaluatorBitForBit) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(41);
  const std::vector<Form> some = forms(GetParam());
  auto count = static_cast<int64_t>(some.size());
  for (int64_t i = 0; i < std::max<int64_t>(caseCount(), 15 * count); ++i) {
    const Form &form = some[static_cast<size_t>(i % count)];
    int64_t rows = random.rows(form.keys > 100 ? 6 : 40);
    SCOPED_TRACE(form.name() + ", rows " + std::to_string(rows) + ", case " +
                 std::to_string(i));
    Tensor scores = makeScores(random, form, rows, i / count);
    Buffer given(Element::F32, scores),
        score(Element::F32, {rows, form.heads, form.k}),
        expert(Element::I32, {rows, form.heads, form.k});
    module->call(form.name(), rows, {&given, &score, &expert});
    expectSame(score, expert,
               cheems::reference::retrieveExperts(
                   scores, form.k, /*roundSums=*/true,
                   form.ascending ? RetrievalOrder::Ascending
                                  : RetrievalOrder::BestFirst));
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST_P(ExpertRetrievalTest, ARowDoesNotDependOnTheOthers) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(42);
  for (const Form &form : forms(GetParam())) {
    Tensor scores = makeScores(random, form, 5, 1);
    auto run = [&](const Tensor &some) {
      int64_t rows = some.shape[0];
      Buffer given(Element::F32, some),
          score(Element::F32, {rows, form.heads, form.k}),
          expert(Element::I32, {rows, form.heads, form.k});
      module->call(form.name(), rows, {&given, &score, &expert});
      std::vector<double> found;
      for (int64_t i = 0; i < expert.elements(); ++i) {
        found.push_back(expert.get(i));
      }
      return found;
    };
    std::vector<double> all = run(scores);
    size_t size = scores.data.size() / 5, width = all.size() / 5;
    for (size_t t = 0; t < 5; ++t) {
      auto first = scores.data.begin() + static_cast<int64_t>(t * size);
      Tensor one({1, 2, form.heads, form.keys},
                 {first, first + static_cast<int64_t>(size)});
      auto from = all.begin() + static_cast<int64_t>(t * width);
      EXPECT_EQ(run(one),
                std::vector<double>(from, from + static_cast<int64_t>(width)))
          << form.name() << ", row " << t;
    }
  }
}
} // namespace
