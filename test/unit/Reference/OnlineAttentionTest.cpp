// Attention in blocks against attention at once, and small cases by hand.
#include "cheems/Reference/OnlineAttention.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"
#include <limits>
#include <numeric>
#include <random>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

TEST(OnlineAttention, BlocksAddUpToTheWhole) {
  std::mt19937 engine(3);
  auto random = [&](llvm::ArrayRef<int64_t> shape) {
    Tensor result(shape);
    for (double &value : result.data) {
      value = engine() * 0x1p-31 - 1;
    }
    return result;
  };
  constexpr int64_t kRows = 5, kFirst = 9, kEntries = kFirst + kRows, kSize = 3;
  for (MaskKind kind :
       {MaskKind::Bias, MaskKind::Threshold, MaskKind::Scale, MaskKind::None}) {
    Tensor q = random({kRows, 4, kSize}), k = random({kEntries, 2, kSize}),
           v = random({kEntries, 2, kSize}), mask = random({4, kEntries});
    MaskOptions options{kind, std::nullopt, 0.25};
    std::vector<int64_t> positions(kEntries);
    std::iota(positions.begin(), positions.end(), 0);
    Tensor want = dynamicMaskAttention(
        q, k, v, mask, llvm::ArrayRef<int64_t>(positions).drop_front(kFirst),
        positions, options);
    RunningSoftmax state = RunningSoftmax::none(kRows, 4, kSize);
    for (int64_t from = 0; from < kEntries; from += 4) {
      int64_t count = std::min<int64_t>(4, kEntries - from);
      Tensor keys({2, count, kSize}), values(keys.shape), masks({4, count});
      for (int64_t j = 0; j < count; ++j) {
        for (int64_t g = 0; g < 2; ++g) {
          for (int64_t p = 0; p < kSize; ++p) {
            keys(g, j, p) = k(from + j, g, p);
            values(g, j, p) = v(from + j, g, p);
          }
        }
        for (int64_t m = 0; m < 4; ++m) {
          masks(m, j) = mask(m, from + j);
        }
      }
      onlineAttention(
          q, keys, values, kind == MaskKind::None ? nullptr : &masks, kind,
          1 / std::sqrt(double(kSize)),
          [&](int64_t t, int64_t m, int64_t j) {
            return from + j <= kFirst + t &&
                   (kind != MaskKind::Threshold || masks(m, j) >= 0.25);
          },
          state);
    }
    // Both in double: a few units of it a summed term.
    EXPECT_LE(maxError(state.result(), want),
              maxMagnitude(want) * kEntries * 0x1p-48);
  }
}

TEST(OnlineAttention, NothingVisibleChangesNothing) {
  RunningSoftmax state{Tensor({1, 1}, {0.5}), Tensor({1, 1}, {2.0}),
                       Tensor({1, 1, 1}, {3.0})};
  Tensor mask({1, 1}, {9.0});
  auto block = [&] {
    onlineAttention(
        Tensor({1, 1, 1}, {1.0}), Tensor({1, 1, 1}, {9.0}),
        Tensor({1, 1, 1}, {9.0}), &mask, MaskKind::Bias, 1.0,
        [](int64_t, int64_t, int64_t) { return false; }, state);
  };
  block();
  EXPECT_EQ(state.maximum(0, 0), 0.5);
  EXPECT_EQ(state.sum(0, 0), 2.0);
  EXPECT_EQ(state.result()(0, 0, 0), 1.5);
  state = RunningSoftmax::none(1, 1, 1);
  block();
  EXPECT_EQ(state.result()(0, 0, 0), 0.0);
}

TEST(MergeAttention, AnInfiniteScoreWasSeen) {
  double infinity = std::numeric_limits<double>::infinity();
  RunningSoftmax infinite{Tensor({1, 1}, {infinity}), Tensor({1, 1}, {2.0}),
                          Tensor({1, 1, 1}, {3.0})},
      finite = infinite, none = RunningSoftmax::none(1, 1, 1);
  finite.maximum(0, 0) = 0.5;
  // Infinity less itself is NaN.
  for (auto [later, state] :
       {std::pair(infinite, finite), std::pair(finite, infinite)}) {
    mergeAttention(later, state);
    EXPECT_EQ(state.maximum(0, 0), infinity);
    EXPECT_TRUE(std::isnan(state.sum(0, 0)));
    EXPECT_TRUE(std::isnan(state.y(0, 0, 0)));
  }
  for (auto [later, state] :
       {std::pair(infinite, none), std::pair(none, infinite)}) {
    mergeAttention(later, state);
    EXPECT_EQ(state.maximum(0, 0), infinity);
    EXPECT_EQ(state.sum(0, 0), 2.0);
    EXPECT_EQ(state.y(0, 0, 0), 3.0);
  }
}

} // namespace
