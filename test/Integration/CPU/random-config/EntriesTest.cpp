// Stored keys and values against those evaluated: evaluations with some numbers
// rounded otherwise stand in for an artefact.
#include "Agreement.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cheems;
using namespace cheems::reference;
using namespace cheems::test;

namespace {

class Entries : public testing::Test {
protected:
  void SetUp() override {
    RandomCheckpoint drawn;
    drawn.seed = 921;
    drawn.stored = RandomCheckpoint::Stored::BF16;
    drawn.hidden = 64;
    drawn.headDim = 16;
    writeCheckpoint(drawn, folder.path);
    auto opened =
        Checkpoint::open(folder.path.string(), [](llvm::StringRef) {});
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    checkpoint = std::make_unique<Checkpoint>(std::move(*opened));
    rounding.state = true;
    Random random(1);
    for (int64_t &id : ids) {
      id = random.integer(0, drawn.vocabulary - 1);
    }
    ASSERT_TRUE(Evaluator(*checkpoint, rounding).roundsEntriesOnly());
  }

  ModelEvaluation withTurned(const std::vector<int64_t> &indices) const {
    TieWatch watch(0.0, indices);
    return evaluateModelWithMargins(*checkpoint, ids, rounding);
  }
  Evaluator::Turned compare(const std::vector<Tensor> &stored) const {
    return Evaluator(*checkpoint, rounding).turnedEntries(ids, stored);
  }
  std::vector<NearTie> tiesWithin(double reach) const {
    TieWatch watch(reach);
    evaluateModel(*checkpoint, ids, rounding);
    return watch.nearTies();
  }
  double reach() const {
    return bound(checkpoint->model(), static_cast<int64_t>(ids.size()));
  }

  TemporaryFolder folder;
  std::unique_ptr<Checkpoint> checkpoint;
  Rounding rounding;
  std::vector<int64_t> ids = std::vector<int64_t>(50);
};

TEST_F(Entries, AreAllThatIsRoundedOfBothLayers) {
  std::vector<Tensor> stored = withTurned({}).entries;
  ASSERT_EQ(stored.size(), 4u);
  size_t numbers = 0;
  for (const Tensor &entries : stored) {
    EXPECT_EQ(entries.shape, (llvm::SmallVector<int64_t, 4>{50, 2, 16}));
    numbers += entries.data.size();
  }
  EXPECT_EQ(tiesWithin(1.0).size(), numbers);
  Evaluator::Turned same = compare(stored);
  EXPECT_EQ(same.unexplained, "");
  EXPECT_TRUE(same.roundings.empty());
}

TEST_F(Entries, ThatWentTheOtherWayAtATieAreFound) {
  // of the first layer some, and of the second, which they move
  std::vector<int64_t> turned;
  int64_t layer = 2 * 50 * 2 * 16, moved[2] = {};
  for (const NearTie &tie : tiesWithin(reach() / 4.0)) {
    int64_t which = tie.index / layer;
    if (which == 0 && moved[0] < 3) {
      turned.push_back(tie.index);
      ++moved[0];
    }
  }
  {
    TieWatch watch(reach() / 4.0, turned);
    evaluateModel(*checkpoint, ids, rounding);
    for (const NearTie &tie : watch.nearTies()) {
      if (tie.index >= layer && moved[1] < 3) {
        turned.push_back(tie.index);
        ++moved[1];
      }
    }
  }
  ASSERT_GT(moved[0], 0);
  ASSERT_GT(moved[1], 0);
  ModelEvaluation stored = withTurned(turned);
  Evaluator::Turned found = compare(stored.entries);
  EXPECT_EQ(found.unexplained, "");
  EXPECT_EQ(found.roundings, turned);
  EXPECT_GT(found.farthest, 0.0);
  EXPECT_LE(found.farthest, reach() / 4.0);
  EXPECT_EQ(withTurned(found.roundings).logits.data, stored.logits.data);
}

TEST_F(Entries, FarFromATieAreNamed) {
  std::vector<NearTie> all = tiesWithin(1.0);
  int64_t tried = 0;
  for (size_t i = 0; i < all.size(); i += all.size() / 12) {
    if (all[i].distance > 2.0 * reach()) {
      EXPECT_NE(compare(withTurned({all[i].index}).entries).unexplained, "");
      ++tried;
    }
  }
  EXPECT_GT(tried, 3);
}

TEST_F(Entries, AtATieButNotBesideItAreNamed) {
  std::vector<NearTie> ties = tiesWithin(reach() / 4.0);
  ASSERT_FALSE(ties.empty());
  std::vector<Tensor> stored = withTurned({}).entries;
  size_t size = stored[0].data.size();
  auto at = static_cast<size_t>(ties[0].index);
  stored[at / size].data[at % size] *= 1.5;
  EXPECT_NE(compare(stored).unexplained, "");
  stored[at / size].data[at % size] = std::nan("");
  EXPECT_NE(compare(stored).unexplained, "");
}

} // namespace
