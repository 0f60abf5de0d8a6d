// What the comparison of random models takes for agreement, and what not:
// logits of evaluations with one number rounded otherwise stand in for an
// artefact's.
#include "Agreement.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

class Agreement : public testing::Test {
protected:
  void SetUp() override {
    RandomCheckpoint drawn;
    drawn.seed = 920;
    writeCheckpoint(drawn, folder.path);
    auto opened =
        Checkpoint::open(folder.path.string(), [](llvm::StringRef) {});
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    checkpoint = std::make_unique<Checkpoint>(std::move(*opened));
    rounding.weightBits = 8;
    Random random(1);
    want = Evaluator(*checkpoint, rounding).draw(random, length);
    ASSERT_EQ(want.firm, length);
  }

  /// Compares with an evaluation in which this number goes the other way.
  Evaluator::Agreement withTurned(int64_t index) const {
    Tensor logits;
    {
      TieWatch watch(0.0, {index});
      logits = evaluateModel(*checkpoint, want.ids, rounding);
    }
    llvm::SmallVector<int64_t, 4> batch{1, length, logits.shape[1]};
    return Evaluator(*checkpoint, rounding)
        .compare(Tensor(batch, std::move(logits.data)), 0, want);
  }

  std::vector<NearTie> tiesWithin(double reach) const {
    TieWatch watch(reach);
    evaluateModel(*checkpoint, want.ids, rounding);
    return watch.nearTies();
  }

  static constexpr int64_t length = 60;
  TemporaryFolder folder;
  std::unique_ptr<Checkpoint> checkpoint;
  Rounding rounding;
  Sequence want;
};

TEST_F(Agreement, ATieThatWentTheOtherWayExplainsADifference) {
  std::vector<NearTie> ties =
      tiesWithin(bound(checkpoint->model(), length) / 4.0);
  ASSERT_FALSE(ties.empty());
  for (const NearTie &tie : ties) {
    Evaluator::Agreement got = withTurned(tie.index);
    EXPECT_TRUE(got.holds()) << got.error << " of " << got.allowed;
    if (!got.turned.empty()) {
      EXPECT_EQ(got.turned, std::vector<int64_t>{tie.index});
    }
  }
}

TEST_F(Agreement, AnErrorOfAnEarlierRowDoesNotHideATie) {
  Rounding disturbed = rounding;
  disturbed.disturbance = 0x1p-21;
  llvm::SmallVector<int64_t, 4> batch{1, length, want.logits.shape[1]};
  for (const NearTie &tie :
       tiesWithin(bound(checkpoint->model(), length) / 4.0)) {
    Tensor logits;
    {
      TieWatch watch(0.0, {tie.index});
      logits = evaluateModel(*checkpoint, want.ids, disturbed);
    }
    Evaluator::Agreement got =
        Evaluator(*checkpoint, rounding)
            .compare(Tensor(batch, std::move(logits.data)), 0, want);
    EXPECT_TRUE(got.holds()) << got.error << " of " << got.allowed;
  }
}

TEST_F(Agreement, WhatWentTheOtherWayInOneRunMayNotInTheNext) {
  std::vector<NearTie> ties =
      tiesWithin(bound(checkpoint->model(), length) / 4.0);
  llvm::SmallVector<int64_t, 4> batch{1, length, want.logits.shape[1]};
  int64_t moved = 0;
  for (const NearTie &tie : ties) {
    Evaluator evaluator(*checkpoint, rounding);
    Sequence before = evaluator.evaluate(want.ids, {tie.index});
    Evaluator::Agreement got =
        evaluator.compare(Tensor(batch, want.logits.data), 0, before);
    EXPECT_TRUE(got.holds()) << got.error << " of " << got.allowed;
    moved += got.turned.empty();
  }
  EXPECT_GT(moved, 0);
}

TEST_F(Agreement, ANumberFarFromATieExplainsNothing) {
  constexpr double far = 0.2 / 127.0;
  std::vector<NearTie> all = tiesWithin(1.0);
  int64_t moved = 0;
  for (size_t i = 0; i < all.size(); i += all.size() / 12) {
    if (all[i].distance < far) {
      continue;
    }
    Evaluator::Agreement got = withTurned(all[i].index);
    EXPECT_FALSE(got.holds()) << "number " << all[i].index << ", distance "
                              << all[i].distance << ": " << got.error;
    ++moved;
  }
  EXPECT_GT(moved, 3);
}

TEST_F(Agreement, WhatF32ErrsByIsAllowedAndMoreIsNot) {
  for (double disturbance : {0x1p-24, 0x1p-12}) {
    Rounding disturbed = rounding;
    disturbed.disturbance = disturbance;
    Tensor logits = evaluateModel(*checkpoint, want.ids, disturbed);
    llvm::SmallVector<int64_t, 4> batch{1, length, logits.shape[1]};
    Evaluator::Agreement got =
        Evaluator(*checkpoint, rounding)
            .compare(Tensor(batch, std::move(logits.data)), 0, want);
    EXPECT_EQ(got.holds(), disturbance < 0x1p-20)
        << disturbance << ": " << got.error << " of " << got.allowed;
  }
}

/// Makes a model with weights in bf16, whose keys a window drops.
Checkpoint withWindow(const std::filesystem::path &folder, int64_t window) {
  RandomCheckpoint drawn;
  drawn.seed = 827;
  drawn.vocabulary = 40; // equal tokens have equal masks
  drawn.stored = RandomCheckpoint::Stored::BF16;
  drawn.layers = 1;
  drawn.keepWindow = window;
  writeCheckpoint(drawn, folder);
  auto opened = Checkpoint::open(folder.string(), [](llvm::StringRef) {});
  if (!opened) {
    throw std::runtime_error(llvm::toString(opened.takeError()));
  }
  return std::move(*opened);
}

TEST(AgreementOnTiles, AWindowThatGrowsLateIsNotWhatRoundingsDo) {
  constexpr int64_t length = 300, window = 17, late = 200;
  TemporaryFolder folder;
  Checkpoint right = withWindow(folder.path / "right", window),
             other = withWindow(folder.path / "other", 2 * window);
  Rounding tiles;
  tiles.state = tiles.products = tiles.attention = true;
  Random random(827);
  Evaluator evaluator(right, tiles);
  Sequence want = evaluator.draw(random, length);
  ASSERT_EQ(want.firm, length);
  Tensor wrong = evaluateModel(other, want.ids, tiles);
  int64_t columns = wrong.shape[1];
  std::copy_n(want.logits.data.begin(), late * columns, wrong.data.begin());
  llvm::SmallVector<int64_t, 4> batch{1, length, columns};
  Evaluator::Agreement got =
      evaluator.compare(Tensor(batch, std::move(wrong.data)), 0, want);
  EXPECT_FALSE(got.holds()) << got.error << " of " << got.allowed;
}

} // namespace
