// The best logits of rows, and the logarithms of sums of exponentials.
#include "Cases.h"
#include "cheems/Reference/TopLogits.h"
#include <limits>

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

constexpr const char *text = R"(
!l = tensor<?xVOCABULARYxf32>
!v = tensor<?xCOUNTxf32>
!t = tensor<?xCOUNTxi32>
!s = tensor<?xf32>
func.func @best(%logits: !l, %v: !v, %t: !t, %s: !s) -> (!v, !t, !s) {
  %r:3 = cheems.top_logits ins(%logits : !l) outs(%v, %t, %s : !v, !t, !s) -> !v, !t, !s
  return %r#0, %r#1, %r#2 : !v, !t, !s
}
)";

struct Form {
  int64_t vocabulary, count;
  TileModule *module = nullptr;
};

struct Outcome {
  Array values, tokens, sums;
};

std::optional<Outcome> run(const Form &form, const Tensor &logits) {
  int64_t rows = logits.shape[0];
  Array input(Number::F32, logits);
  Outcome outcome{Array(Number::F32, {rows, form.count}),
                  Array(Number::I32, {rows, form.count}),
                  Array(Number::F32, {rows})};
  if (!form.module->call(
          "best", {&input, &outcome.values, &outcome.tokens, &outcome.sums})) {
    return std::nullopt;
  }
  return outcome;
}

std::vector<Form> forms() {
  std::vector<Form> result;
  for (auto [vocabulary, count] : {std::pair(1000, 1),
                                   {5000, 40},
                                   {4096, 8},
                                   {9001, 3},
                                   {100, 100},
                                   {7, 2},
                                   {1, 1}}) {
    std::string of = replaced(text, "VOCABULARY", std::to_string(vocabulary));
    result.push_back(
        {vocabulary, count,
         compiledStep(replaced(of, "COUNT", std::to_string(count)))});
  }
  return result;
}

/// Few different numbers, so that many are equal, or many.
Tensor drawnLogits(Random &random, int64_t rows, int64_t vocabulary) {
  Tensor logits = random.tensor({rows, vocabulary}, -20, 20);
  bool areFew = random.once(2), hasNone = random.once(3);
  for (double &value : logits.data) {
    value = areFew ? std::round(value / 8) : value;
    if (hasNone && random.once(2)) {
      value = -std::numeric_limits<double>::infinity();
    }
  }
  return logits;
}

TEST(TopLogitsKernelTest, BestOnesAreInOrderAndSumsAreOfAll) {
  auto all = forms();
  forEachCase([&](uint64_t number) {
    const Form &form = all[formOf(number, all.size())];
    ASSERT_NE(form.module, nullptr);
    Random random(number);
    int64_t rows = random.once(3) ? 1 : random.between(1, 12);
    Tensor logits = drawnLogits(random, rows, form.vocabulary);
    auto got = run(form, logits);
    ASSERT_TRUE(got);
    auto want = cheems::reference::topLogits(logits, form.count);
    EXPECT_TRUE(within(got->values, want.values, 0)); // zeros have signs
    EXPECT_EQ(got->tokens.bytes(), Array(Number::I32, want.tokens).bytes());
    // A difference of logits is up to 40, a sum has V terms, and logarithms
    // are approximations.
    double relative = (static_cast<double>(form.vocabulary) + 2 * 40) * kF32 +
                      2 * kApproximate;
    EXPECT_TRUE(
        within(got->sums, want.logSumExp, 2 * kF32 + kApproximate, relative));
    // A row alone has the same bits.
    int64_t row = random.between(0, rows - 1);
    auto alone = run(form, logits.rows(row, 1));
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->sums.get(0), got->sums.get(row));
    for (int64_t i = 0; i < form.count; ++i) {
      EXPECT_EQ(alone->tokens.get(i), got->tokens.get(row * form.count + i));
    }
  });
}

TEST(TopLogitsKernelTest, SumsTellWhatIsNoNumber) {
  auto all = forms();
  for (const Form &form : all) {
    ASSERT_NE(form.module, nullptr);
    Random random(1);
    Tensor logits = random.tensor({3, form.vocabulary}, -1, 1);
    logits(0, random.between(0, form.vocabulary - 1)) =
        std::numeric_limits<double>::quiet_NaN();
    logits(2, random.between(0, form.vocabulary - 1)) =
        std::numeric_limits<double>::infinity();
    auto got = run(form, logits);
    ASSERT_TRUE(got);
    EXPECT_TRUE(std::isnan(got->sums.get(0)));
    EXPECT_TRUE(std::isfinite(got->sums.get(1)));
    EXPECT_TRUE(std::isnan(got->sums.get(2)));
  }
}

} // namespace
