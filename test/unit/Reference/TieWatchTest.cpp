// Roundings near a tie are listed by their number, and go the other way where
// that is asked for.
#include "cheems/Reference/TieWatch.h"
#include "cheems/Reference/Linear.h"
#include <gtest/gtest.h>

using namespace cheems::reference;

namespace {

TEST(TieWatch, ListsWhatIsNearTheMiddleOfTwo) {
  TieWatch watch(1e-3);
  EXPECT_EQ(nearest(2.4, 1.0, 5), 2.0);
  EXPECT_EQ(nearest(2.4999, 1.0, 6), 2.0);
  EXPECT_EQ(nearest(2.52, 100.0, 7), 3.0) << "its error is of that size";
  ASSERT_EQ(watch.nearTies().size(), 2u);
  EXPECT_EQ(watch.nearTies()[0].index, 1);
  EXPECT_EQ(watch.nearTies()[0].row, 6);
  EXPECT_NEAR(watch.nearTies()[0].distance, 1e-4, 1e-12);
  EXPECT_EQ(watch.nearTies()[1].index, 2);
}

TEST(TieWatch, LetsNumbersGoTheOtherWay) {
  {
    TieWatch watch(0.0, {2, 1});
    EXPECT_EQ(nearest(2.4, 1.0), 2.0);
    EXPECT_EQ(nearest(2.4, 1.0), 3.0);
    EXPECT_EQ(nearest(2.6, 1.0), 2.0);
    EXPECT_EQ(nearest(2.6, 1.0), 3.0);
  }
  EXPECT_EQ(nearest(2.4, 1.0), 2.0) << "no one watches";
}

TEST(TieWatch, ANumberOfARowGoesTheWayItWentFirst) {
  TieWatch watch(1e-3, {0});
  EXPECT_EQ(nearest(2.4999, 1.0, 6), 3.0);
  EXPECT_EQ(nearest(2.4999, 1.0, 6), 3.0) << "a second product reads it";
  EXPECT_EQ(nearest(2.4999, 1.0, 7), 2.0) << "another row";
  EXPECT_EQ(nearest(2.4999, 1.0), 2.0);
  EXPECT_EQ(nearest(2.4999, 1.0), 2.0);
  ASSERT_EQ(watch.nearTies().size(), 4u);
  EXPECT_EQ(watch.nearTies()[0].index, 0);
  EXPECT_EQ(watch.nearTies()[1].index, 2);
  EXPECT_EQ(watch.nearTies()[2].index, 3) << "which may be of any row";
}

TEST(TieWatch, SeesEveryNumberThatIsRounded) {
  // 1.0 is the greatest of the row; the second is in the middle of two bf16,
  // and the third of two quantized values
  Tensor x({2, 3}, {1.0, 0x1.01p-1, 40.5 / 127.0, 0.0, 0.0, 1.0});
  for (bool codes : {false, true}) {
    TieWatch watch(1e-6);
    codes ? roundedRows(x).codes : bf16(x);
    ASSERT_EQ(watch.nearTies().size(), 1u);
    EXPECT_EQ(watch.nearTies()[0].index, codes ? 2 : 1);
    EXPECT_EQ(watch.nearTies()[0].row, 0);
  }
  Tensor straight = bf16(x);
  TieWatch watch(0.0, {1});
  Tensor turned = bf16(x);
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(turned.data[i] == straight.data[i], i != 1) << i;
  }
}

} // namespace
