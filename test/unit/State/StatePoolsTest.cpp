// What of a slot is its sequence's: copies take that, and nothing else.
#include "runtime/State/StatePools.h"
#include "RandomPools.h"
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::test;

namespace {

TEST(StatePools, copiesTakeUsedEntriesAndWhatHasNone) {
  Metadata data = everyKind();
  StatePools pools(data, 3, 8), larger(data, 2, 11);
  fill(pools, 3, 1);
  fill(larger, 2, 2);
  SlotCopy copy;
  pools.save(1, 5, copy);
  EXPECT_EQ(static_cast<int64_t>(copy.bytes.size()), pools.usedBytes(5));
  std::string want = used(pools, 1, 5);
  EXPECT_EQ(std::string(copy.bytes.begin(), copy.bytes.end()), want);

  std::string neighbour = used(pools, 0, 8), behind = used(larger, 0, 11);
  pools.restore(2, copy);
  EXPECT_EQ(used(pools, 2, 5), want);
  EXPECT_EQ(used(pools, 0, 8), neighbour);
  larger.restore(1, copy); // of another capacity
  EXPECT_EQ(used(larger, 1, 5), want);
  EXPECT_EQ(used(larger, 0, 11), behind);
  pools.copy(2, 0, 5);
  EXPECT_EQ(used(pools, 0, 5), want);
  pools.copy(0, 0, 8);
  EXPECT_EQ(used(pools, 0, 5), want);
}

TEST(StatePools, copiesOfOtherShapesAreRefused) {
  Metadata data = everyKind(), other = everyKind();
  other.state[1].extents[0] += 1;
  StatePools pools(data, 1, 8), shorter(data, 1, 4), others(other, 1, 8);
  SlotCopy copy;
  pools.save(0, 5, copy);
  EXPECT_THROW(shorter.restore(0, copy), Error);
  EXPECT_THROW(others.restore(0, copy), Error);
}

TEST(StatePools, nothingUsedIsNothingButRunningStates) {
  Metadata data = everyKind();
  StatePools pools(data, 1, 8);
  EXPECT_EQ(pools.usedBytes(0), 4 * (2 * 3 * 2) + 4 * (2 * 2));
  data.state.clear();
  StatePools none(data, 1, 8);
  EXPECT_EQ(none.usedBytes(8), 0);
}

} // namespace
