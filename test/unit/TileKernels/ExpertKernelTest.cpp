// Retrieval in the exact order, and the sums of what is retrieved, by
// themselves and as one kernel.
#include "ExpertForm.h"
#include <limits>

using namespace cheems::test;
using cheems::Activation;
using cheems::ScorePlacement;
using cheems::reference::Retrieval;
using cheems::reference::RetrievalOrder;
using cheems::reference::Tensor;

namespace {

/// Compiled once for all tests.
const std::vector<ExpertForm> &forms() {
  static std::vector<ExpertForm> all;
  if (!all.empty()) {
    return all;
  }
  constexpr auto softmax = ScorePlacement::Softmax,
                 inner = ScorePlacement::Inner;
  auto add = [&](int64_t heads, int64_t keys, int64_t experts, int64_t columns,
                 Number number, ScorePlacement placement, Activation activation,
                 int64_t depth, bool fewRows) {
    all.push_back({heads, keys, experts, columns, number, placement, activation,
                   depth, fewRows});
    all.back().compile();
  };
  add(1, 8, 8, 64, Number::F32, softmax, Activation::SiLU, 0, false);
  add(2, 8, 4, 64, Number::F32, softmax, Activation::GELU, 8, true);
  add(4, 32, 16, 256, Number::BF16, softmax, Activation::SiLU, 64, true);
  add(4, 32, 16, 256, Number::BF16, inner, Activation::SiLU, 64, false);
  add(3, 5, 25, 33, Number::F32, inner, Activation::ReLU, 3, true);
  add(2, 3, 5, 1100, Number::F16, softmax, Activation::ReLU, 16, false);
  add(11, 4, 3, 40, Number::BF16, softmax, Activation::GELU, 0, true);
  add(1, 1, 1, 1, Number::F32, softmax, Activation::SiLU, 1, false);
  add(2, 6, 9, 48, Number::F32, softmax, Activation::GELUTanh, 8, false);
  add(2, 6, 9, 80, Number::BF16, inner, Activation::ReLU2, 8, true);
  // Scores that are a launch of their own, on tensor cores.
  add(2, 72, 6, 32, Number::F16, softmax, Activation::SiLU, 48, false);
  add(1, 304, 8, 8, Number::BF16, softmax, Activation::SiLU, 64, true);
  add(1, 12, 100, 96, Number::F16, inner, Activation::GELU, 12, true);
  // Quantized values, of which 16, 4 and one are an access.
  add(2, 16, 12, 256, Number::I8, softmax, Activation::SiLU, 8, true);
  add(3, 9, 10, 100, Number::I8, inner, Activation::GELU, 0, false);
  add(1, 6, 7, 35, Number::I8, softmax, Activation::ReLU, 4, false);
  return all;
}

/// Numbers of which many are equal, of all kinds.
Tensor drawnScores(Random &random, llvm::ArrayRef<int64_t> shape) {
  Tensor scores = random.tensor(shape, -3, 3);
  bool areFew = random.once(2), areOdd = random.once(2);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double odd[] = {0.0,         -0.0,      infinity, -infinity,
                        0x1p-149,    -0x1p-149, 0x1p127,  -0x1.fffffep127,
                        std::nan("")};
  for (double &value : scores.data) {
    value = areFew ? std::round(value) : value;
    if (areOdd && random.once(3)) {
      value = odd[random.between(0, std::size(odd) - 1)];
    }
  }
  return scores;
}

/// Both have the same bits, but for those of NaNs.
bool areSame(const Array &got, const Tensor &want) {
  for (int64_t i = 0; i < got.elements(); ++i) {
    double a = got.get(i), b = want.data[static_cast<size_t>(i)];
    bool same = std::isnan(b) ? std::isnan(a)
                              : a == b && std::signbit(a) == std::signbit(b);
    if (!same) {
      ADD_FAILURE() << "element " << i << " is " << a << ", not " << b;
      return false;
    }
  }
  return true;
}

/// What the kernels retrieve of some scores is what the evaluator does.
void expectBest(const ExpertForm &form, const Tensor &scores) {
  int64_t rows = scores.shape[0];
  Array input(Number::F32, scores);
  for (bool ascending : {false, true}) {
    Array score(Number::F32, {rows, form.heads, form.experts}),
        expert(Number::I32, {rows, form.heads, form.experts});
    ASSERT_TRUE(form.module->call(ascending ? "ascending" : "retrieve",
                                  {&input, &score, &expert}));
    Retrieval want = cheems::reference::retrieveExperts(
        scores, form.experts, /*roundSums=*/true,
        ascending ? RetrievalOrder::Ascending : RetrievalOrder::BestFirst);
    for (size_t i = 0; i < want.expert.size(); ++i) {
      ASSERT_EQ(expert.get(static_cast<int64_t>(i)),
                static_cast<double>(want.expert[i]))
          << i;
    }
    EXPECT_TRUE(areSame(score, want.score));
  }
}

/// Returns a form that has keys and experts alone.
ExpertForm retrieval(int64_t heads, int64_t keys, int64_t experts,
                     bool fewRows) {
  ExpertForm form{heads,
                  keys,
                  experts,
                  1,
                  Number::F32,
                  ScorePlacement::Softmax,
                  Activation::SiLU,
                  0,
                  fewRows};
  form.compile();
  return form;
}

TEST(ExpertKernelTest, TheBestAreInTheExactOrder) {
  std::vector<const ExpertForm *> all;
  for (const ExpertForm &form : forms()) {
    all.push_back(&form);
  }
  // Keys of which a thread has many, and of which many warps have a part.
  std::vector<ExpertForm> more;
  for (auto [keys, experts, fewRows] : {std::tuple(1000, 8, true),
                                        {200, 30, false},
                                        {5000, 3, false},
                                        {300, 128, true}}) {
    more.push_back(retrieval(1, keys, experts, fewRows));
  }
  for (const ExpertForm &form : more) {
    all.push_back(&form);
  }
  forEachCase([&](uint64_t number) {
    const ExpertForm &form = *all[formOf(number, all.size())];
    ASSERT_NE(form.module, nullptr);
    Random random(number);
    int64_t rows = random.once(3) ? 1 : random.between(1, 4);
    expectBest(form, drawnScores(random, {rows, 2, form.heads, form.keys}));
  });
}

/// Where rounding makes sums equal, pairs that are not likely may have the
/// lower ids. Sums of opposite infinities are in no order with their
/// neighbours.
TEST(ExpertKernelTest, UnlikelyPairsWinByTheirIds) {
  std::vector<ExpertForm> all;
  for (auto [keys, experts, fewRows] :
       {std::tuple(32, 16, true), {20, 32, false}, {40, 33, true}}) {
    all.push_back(retrieval(4, keys, experts, fewRows));
  }
  forEachCase([&](uint64_t number) {
    const ExpertForm &form = all[formOf(number, all.size())];
    ASSERT_NE(form.module, nullptr);
    Random random(number);
    Tensor scores({2, 2, form.heads, form.keys});
    bool hasInfinite = random.once(3);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < scores.data.size(); ++i) {
      // Neighbours of one half are as far apart as all numbers of the other.
      bool isFirst = i / static_cast<size_t>(form.heads * form.keys) % 2 == 0;
      scores.data[i] =
          isFirst ? 0x1p24 + static_cast<double>(2 * random.between(0, 3))
                  : static_cast<double>(random.between(-8, 8)) / 8;
      // About one number, and as many infinities as are half of the best.
      if (hasInfinite && !(isFirst && random.once(16))) {
        scores.data[i] =
            !isFirst && random.between(1, 8) <= 3 ? infinity : -infinity;
      }
    }
    expectBest(form, scores);
  });
}

void expectNear(const Array &got, const Tensor &want, const Tensor &bounds) {
  for (int64_t i = 0; i < got.elements(); ++i) {
    auto at = static_cast<size_t>(i);
    ASSERT_LE(std::abs(got.get(i) - want.data[at]), bounds.data[at])
        << "element " << i << " is " << got.get(i) << ", the evaluator has "
        << want.data[at];
  }
}

/// Some arrays, the tables, and the sums.
std::vector<Argument> argumentsOf(std::vector<Argument> arguments,
                                  std::vector<Array> &tables, Array &y) {
  for (Array &table : tables) {
    arguments.emplace_back(&table);
  }
  arguments.emplace_back(&y);
  return arguments;
}

TEST(ExpertKernelTest, SumsAreThoseOfTheGivenExperts) {
  const auto &all = forms();
  forEachCase([&](uint64_t number) {
    const ExpertForm &form = all[formOf(number, all.size())];
    ASSERT_NE(form.module, nullptr);
    Random random(number);
    int64_t rows = random.between(1, 5);
    ExpertInputs in(form, random, rows);
    Retrieval found{random.tensor({rows, form.heads, form.experts}, -4, 4), {}};
    Array expert(Number::I32, {rows, form.heads, form.experts});
    for (int64_t i = 0; i < expert.elements(); ++i) {
      found.expert.push_back(random.between(0, form.all() - 1));
      expert.set(i, static_cast<double>(found.expert.back()));
    }
    Array x(Number::F32, in.x), score(Number::F32, found.score),
        y(Number::F32, in.y);
    std::vector<Array> tables = in.tables(form);
    ASSERT_TRUE(form.module->call(
        "mix", argumentsOf({&x, &score, &expert}, tables, y)));
    expectNear(y, in.wanted(form, found), in.bounds(form, found));
  });
}

TEST(ExpertKernelTest, OneKernelRetrievesAndAdds) {
  const auto &all = forms();
  forEachCase([&](uint64_t number) {
    const ExpertForm &form = all[formOf(number, all.size())];
    ASSERT_NE(form.module, nullptr);
    Random random(number);
    int64_t rows = random.between(1, form.fewRows ? 20 : 70);
    ExpertInputs in(form, random, rows);
    Retrieval found =
        cheems::reference::retrieveExperts(in.scores, form.experts,
                                           /*roundSums=*/true);
    std::vector<Array> tables = in.tables(form);
    auto run = [&](int64_t first, int64_t count) {
      Array x(Number::F32, in.x.rows(first, count)),
          y(Number::F32, in.y.rows(first, count)),
          scores(Number::F32, in.scores.rows(first, count));
      if (!form.depth) {
        EXPECT_TRUE(form.module->call("experts",
                                      argumentsOf({&x, &scores}, tables, y)));
        return y;
      }
      Array queries(Number::F32, in.queries.rows(first, count)),
          keys(form.numberOfKeys(), in.keys);
      EXPECT_TRUE(form.module->call(
          "experts", argumentsOf({&x, &queries, &keys}, tables, y)));
      return y;
    };
    Array together = run(0, rows);
    expectNear(together, in.wanted(form, found), in.bounds(form, found));
    // A row alone has the same bits.
    int64_t row = random.between(0, rows - 1);
    Array alone = run(row, 1);
    for (int64_t d = 0; d < form.columns; ++d) {
      ASSERT_EQ(alone.get(d), together.get(row * form.columns + d));
    }
  });
}

} // namespace
