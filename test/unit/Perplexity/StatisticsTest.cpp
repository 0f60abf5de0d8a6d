#include "runtime/Perplexity/Statistics.h"
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace cheems;

namespace {

TEST(Mean, isOfNothingAndOfOneWithoutError) {
  Mean mean;
  EXPECT_EQ(mean.mean(), 0);
  EXPECT_EQ(mean.error(), 0);
  mean.add(3);
  EXPECT_EQ(mean.mean(), 3);
  EXPECT_EQ(mean.error(), 0);
}

TEST(Mean, errorIsTheDeviationBySquareRootOfCountLessOne) {
  Mean mean;
  for (double value : {1.0, 2.0, 3.0, 6.0}) {
    mean.add(value);
  }
  EXPECT_DOUBLE_EQ(mean.mean(), 3);
  EXPECT_NEAR(mean.error(), std::sqrt(3.5 / 3), 1e-12);
}

TEST(LogSoftmax, sumsToOneHoweverLargeTheLogits) {
  for (float shift : {0.f, 1000.f, -1000.f}) {
    std::vector<float> logits = {1 + shift, 3 + shift, 2 + shift, 3 + shift};
    LogSoftmax log(logits.data(), 4);
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      sum += std::exp(log[i]);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_EQ(log.best, 1); // the first of equals
  }
}

TEST(LogSoftmax, masksOfMinusInfinityHaveNoProbability) {
  float logits[] = {-INFINITY, 0};
  LogSoftmax log(logits, 2);
  EXPECT_EQ(std::exp(log[0]), 0);
  EXPECT_EQ(log[1], 0);
}

TEST(Perplexity, ofAnEvenDistributionIsTheVocabulary) {
  Perplexity perplexity;
  std::vector<float> logits(37, -2.5f);
  for (int token : {0, 36, 5}) {
    perplexity.add({logits.data(), 37}, token);
  }
  EXPECT_NEAR(perplexity.value(), 37, 1e-4);
  EXPECT_NEAR(perplexity.error(), 0, 1e-4);
  EXPECT_EQ(perplexity.tokens(), 3);
}

TEST(Perplexity, isTheGeometricMeanOfInverseProbabilities) {
  float logits[] = {std::log(.5f), std::log(.25f), std::log(.25f)};
  Perplexity perplexity;
  perplexity.add({logits, 3}, 0);
  perplexity.add({logits, 3}, 1);
  EXPECT_NEAR(perplexity.value(), std::sqrt(8), 1e-6);
  double error = std::log(2.0) / 2; // of the mean of log 2 and log 4
  EXPECT_NEAR(perplexity.error(), std::sqrt(8) * error, 1e-6);
}

TEST(Divergence, ofADistributionFromItselfIsNone) {
  float logits[] = {1, -2, .5f, 0};
  Divergence divergence;
  divergence.add({logits, 4}, {logits, 4}, 4);
  EXPECT_EQ(divergence.divergence().mean(), 0);
  EXPECT_EQ(divergence.largest(), 0);
  EXPECT_EQ(divergence.agreement().mean(), 1);
}

TEST(Divergence, isThatOfItsDefinitionAndNotSymmetric) {
  float p[] = {std::log(.75f), std::log(.25f)},
        q[] = {std::log(.5f), std::log(.5f)};
  Divergence forth, back;
  forth.add({p, 2}, {q, 2}, 2);
  back.add({q, 2}, {p, 2}, 2);
  EXPECT_NEAR(forth.divergence().mean(),
              .75 * std::log(1.5) + .25 * std::log(.5), 1e-6);
  EXPECT_NEAR(back.divergence().mean(),
              .5 * std::log(2 / 3.) + .5 * std::log(2.), 1e-6);
}

TEST(Divergence, countsWhereBothExpectTheSameTokenMost) {
  float p[] = {2, 1, 0}, q[] = {1, 2, 0}, r[] = {3, 2.9f, 0};
  Divergence divergence;
  divergence.add({p, 3}, {q, 3}, 3);
  divergence.add({p, 3}, {r, 3}, 3);
  EXPECT_DOUBLE_EQ(divergence.agreement().mean(), .5);
  EXPECT_GE(divergence.largest(), divergence.divergence().mean());
}

} // namespace
