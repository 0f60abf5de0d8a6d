// What a step costs, on models small enough to count by hand.
#include "runtime/Artifact/StepCost.h"
#include <gtest/gtest.h>

using namespace cheems;

namespace {

constexpr int64_t cap = StateKind::capacityExtent;

using Use = ParameterUse;
using Shape = std::vector<int64_t>;

Parameter parameter(Use use, Shape logical, const char *type, Shape shape,
                    int64_t bytes, int64_t quantizedBits = 0,
                    bool scales = false) {
  Parameter result;
  result.use = use;
  result.logical = std::move(logical);
  result.type = type;
  result.shape = std::move(shape);
  result.bytes = bytes;
  result.quantizedBits = quantizedBits;
  result.scales = scales;
  result.targets = {"cpu"};
  return result;
}

/// 48 tokens of 8 numbers in bf16, one layer, a matmul [16, 8], tied.
Metadata tied() {
  Metadata data;
  data.heads = 4;
  data.parameters = {
      parameter(Use::tied, {48, 8}, "bf16", {3, 4, 16, 2}, 768),
      parameter(Use::product, {16, 8}, "bf16", {1, 4, 16, 2}, 256),
      parameter(Use::vector, {8}, "f32", {8}, 32)};
  return data;
}

Metadata untied() {
  Metadata data = tied();
  data.parameters[0].use = Use::embedding;
  data.parameters[0].shape = {48, 8};
  data.parameters.push_back(
      parameter(Use::head, {48, 8}, "bf16", {3, 4, 16, 2}, 768));
  data.parameters.push_back(parameter(Use::headBias, {48}, "f32", {48}, 192));
  return data;
}

TEST(StepCost, aTiedEmbeddingIsReadAsTheHead) {
  StepCost cost(tied());
  EXPECT_EQ(cost.bytes({1, 1, 0, 1}), 768 + 256 + 32);
  EXPECT_EQ(cost.bytes({1, 20, 0, 1}), 768 + 256 + 32);
  EXPECT_EQ(cost.operations({1, 1, 0, 1}), 2 * 48 * 8 + 2 * 16 * 8);
  EXPECT_EQ(cost.operations({1, 20, 0, 1}), 2 * 48 * 8 + 20 * 2 * 16 * 8);
}

TEST(StepCost, withoutLogitsTheHeadRestsAndRowsOfTheTableAreRead) {
  StepCost cost(tied());
  EXPECT_EQ(cost.bytes({1, 20, 0, 0}), 20 * 16 + 256 + 32);
  EXPECT_EQ(cost.bytes({1, 100, 0, 0}),
            768 + 256 + 32); // no more than there is
  EXPECT_EQ(cost.operations({1, 20, 0, 0}), 20 * 2 * 16 * 8);
}

TEST(StepCost, aTableBesideAHeadCountsItsRows) {
  StepCost cost(untied());
  EXPECT_EQ(cost.bytes({1, 1, 0, 1}), 16 + 256 + 32 + 768 + 192);
  EXPECT_EQ(cost.bytes({8, 1, 0, 8}), 8 * 16 + 256 + 32 + 768 + 192);
  EXPECT_EQ(cost.bytes({1, 3, 0, 0}), 3 * 16 + 256 + 32);
  EXPECT_EQ(cost.operations({8, 1, 0, 8}), 8 * (2 * 48 * 8 + 2 * 16 * 8));
}

TEST(StepCost, keysGrowWithTheSequenceUpToTheWindow) {
  Metadata data = tied();
  data.state = {{"keys", PoolRole::keys, "bf16", 2, {3, 2, cap, 16}},
                {"masks", PoolRole::masks, "f32", 4, {3, 2, cap}}};
  int64_t weights = 768 + 256 + 32, entry = 3 * 2 * (16 * 2 + 4);
  double products = 2 * 48 * 8 + 2 * 16 * 8, key = 4 * 3 * 4 * 16;
  StepCost all(data);
  EXPECT_EQ(all.bytes({1, 1, 99, 1}), weights + 100 * entry);
  EXPECT_EQ(all.bytes({5, 1, 99, 5}), weights + 5 * 100 * entry);
  EXPECT_EQ(all.operations({1, 1, 99, 1}), products + 100 * key);
  // rows see 8, 9 and 10 keys
  EXPECT_EQ(all.operations({1, 3, 7, 1}),
            3 * 2 * 16 * 8 + 2 * 48 * 8 + (8 + 9 + 10) * key);
  data.keepWindow = 9;
  StepCost some(data);
  EXPECT_EQ(some.bytes({1, 1, 99, 1}), weights + 9 * entry);
  EXPECT_EQ(some.bytes({1, 1, 4, 1}), weights + 5 * entry);
  EXPECT_EQ(some.operations({1, 3, 7, 1}),
            3 * 2 * 16 * 8 + 2 * 48 * 8 + (8 + 9 + 9) * key);
}

TEST(StepCost, rowsOfARingAreThoseThatAreSeen) {
  Metadata data = tied();
  data.state = {{"keys", PoolRole::keys, "bf16", 2, {3, 2, cap, 16}},
                {"ring_keys",
                 PoolRole::keys,
                 "bf16",
                 2,
                 {1, 2, StateKind::ringExtent, 16}}};
  data.ringWindow = 9;
  int64_t weights = 768 + 256 + 32, entry = 3 * 2 * 16 * 2, row = 2 * 16 * 2;
  double products = 2 * 48 * 8 + 2 * 16 * 8, key = 4 * 3 * 4 * 16;
  StepCost cost(data);
  EXPECT_EQ(cost.bytes({1, 1, 99, 1}), weights + 100 * entry + 9 * row);
  EXPECT_EQ(cost.bytes({1, 1, 4, 1}), weights + 5 * (entry + row));
  EXPECT_EQ(cost.operations({1, 1, 99, 1}), products + 100 * key + 9 * key / 3);
}

TEST(StepCost, runningStateIsReadWholeAfterTheFirstToken) {
  Metadata data = tied();
  data.state = {{"ssd", PoolRole::running, "f32", 4, {2, 4, 16, 8}}};
  StepCost cost(data);
  int64_t weights = 768 + 256 + 32, elements = 2 * 4 * 16 * 8;
  EXPECT_EQ(cost.bytes({1, 1, 0, 1}), weights);
  EXPECT_EQ(cost.bytes({3, 1, 7, 3}), weights + 3 * 4 * elements);
  EXPECT_EQ(cost.operations({1, 1, 7, 1}),
            2 * 48 * 8 + 2 * 16 * 8 + 5 * elements);
}

TEST(StepCost, onlyRetrievedExpertsAreRead) {
  Metadata data = tied();
  data.expertsPerToken = 4;
  for (int table = 0; table < 2; ++table) {
    data.parameters.push_back(
        parameter(Use::experts, {64, 8}, "bf16", {64, 8}, 1024));
  }
  data.parameters.push_back(
      parameter(Use::expertKeys, {2, 2, 4, 8}, "bf16", {2, 2, 4, 8}, 256));
  StepCost cost(data);
  int64_t weights = 768 + 256 + 32 + 256;
  EXPECT_EQ(cost.bytes({1, 1, 0, 1}), weights + 2 * 4 * 16);
  EXPECT_EQ(cost.bytes({3, 1, 0, 3}), weights + 2 * 12 * 16);
  EXPECT_EQ(cost.bytes({1, 100, 0, 1}), weights + 2 * 64 * 16);
  EXPECT_EQ(cost.operations({1, 1, 0, 1}),
            2 * 48 * 8 + 2 * 16 * 8 + 2 * 128 + 2 * 2 * 4 * 8);
}

TEST(StepCost, codesAndTheirScalesAreReadAndATiedHeadIsItsOwn) {
  Metadata data = tied();
  data.expertsPerToken = 4;
  data.parameters = {
      parameter(Use::embedding, {48, 64}, "bf16", {48, 64}, 6144),
      parameter(Use::head, {48, 64}, "i8", {3, 16, 16, 4}, 3072, 8),
      parameter(Use::head, {48, 64}, "f32", {3, 1, 16}, 192, 0, true),
      parameter(Use::product, {32, 64}, "i8", {2, 8, 16, 4}, 1024, 4),
      parameter(Use::product, {32, 64}, "bf16", {2, 1, 16}, 64, 0, true),
      parameter(Use::experts, {100, 128}, "i8", {100, 128}, 12800, 8),
      parameter(Use::experts, {100, 128}, "f32", {100, 2}, 800, 0, true)};
  StepCost cost(data);
  int64_t product = 1024 + 64, head = 3072 + 192, expert = 128 + 8;
  EXPECT_EQ(cost.bytes({1, 1, 0, 1}), product + head + 128 + 4 * expert);
  EXPECT_EQ(cost.bytes({1, 3, 0, 0}), product + 3 * 128 + 12 * expert);
  EXPECT_EQ(cost.operations({1, 1, 0, 1}),
            2 * 32 * 64 + 2 * 48 * 64 + 4 * 2 * 128);
  std::vector<StepCost::Product> expected = {{48, 64}, {32, 64}};
  EXPECT_EQ(cost.products(), expected);
}

TEST(StepCost, matmulsAreToldOnceAShape) {
  Metadata data = untied();
  data.parameters.push_back(
      parameter(Use::product, {16, 8}, "bf16", {1, 4, 16, 2}, 256));
  data.parameters.push_back(
      parameter(Use::product, {32, 8}, "bf16", {32, 8}, 512));
  data.parameters.push_back(
      parameter(Use::expertKeys, {2, 2, 4, 8}, "bf16", {2, 2, 4, 8}, 256));
  std::vector<StepCost::Product> expected = {{16, 8}, {48, 8}, {32, 8}};
  EXPECT_EQ(StepCost(data).products(), expected);
}

TEST(StepCost, paddingIsReadButNotComputed) {
  Metadata data = tied();
  data.parameters[0].logical = {41, 8};
  StepCost cost(data);
  EXPECT_EQ(cost.bytes({1, 1, 0, 1}), 768 + 256 + 32);
  EXPECT_EQ(cost.bytes({1, 100, 0, 0}), 41 * 16 + 256 + 32);
  EXPECT_EQ(cost.operations({1, 1, 0, 1}), 2 * 41 * 8 + 2 * 16 * 8);
}

TEST(StepCost, whatOtherTargetsReadCostsNothing) {
  Metadata data = tied();
  Parameter other = data.parameters[1];
  other.targets = {"abacus"};
  data.parameters.push_back(other);
  EXPECT_EQ(StepCost(data).bytes({1, 1, 0, 1}), 768 + 256 + 32);
  EXPECT_EQ(StepCost(data, "abacus").bytes({1, 1, 0, 1}), 256);
}

} // namespace
