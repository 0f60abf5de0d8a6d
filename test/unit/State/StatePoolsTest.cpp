// What of a slot is its sequence's: copies take that, and nothing else.
#include "RandomPools.h"
#include "runtime/State/HostPools.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;

namespace {

TEST(StatePools, copiesTakeUsedEntriesAndWhatHasNone) {
  Metadata data = everyKind();
  HostPools pools(data, 3, 8), larger(data, 2, 11);
  fill(pools, 3, 1);
  fill(larger, 2, 2);
  SlotCopy copy;
  pools.save(1, 5, copy);
  EXPECT_EQ(static_cast<int64_t>(copy.bytes.size()), pools.usedBytes(5));
  std::string want = used(pools, 1, 5);
  EXPECT_EQ(std::string(copy.bytes.begin(), copy.bytes.end()), want);

  std::string neighbour = used(pools, 0, 8), after = used(larger, 0, 11);
  pools.restore(2, copy);
  EXPECT_EQ(used(pools, 2, 5), want);
  EXPECT_EQ(used(pools, 0, 8), neighbour);
  larger.restore(1, copy); // of another capacity
  EXPECT_EQ(used(larger, 1, 5), want);
  EXPECT_EQ(used(larger, 0, 11), after);
  pools.copy(2, 0, 5);
  EXPECT_EQ(used(pools, 0, 5), want);
  pools.copy(0, 0, 8);
  EXPECT_EQ(used(pools, 0, 5), want);
}

TEST(StatePools, copiesOfOtherShapesAreRefused) {
  Metadata data = everyKind(), other = everyKind();
  other.state[1].extents[0] += 1;
  HostPools pools(data, 1, 8), shorter(data, 1, 4), others(other, 1, 8);
  SlotCopy copy;
  pools.save(0, 5, copy);
  EXPECT_THROW(shorter.restore(0, copy), Error);
  EXPECT_THROW(others.restore(0, copy), Error);
}

/// Pages of a slot's pool that the kernel holds, of those wholly in it.
int64_t residentPages(const HostPools &pools, int64_t slot, int64_t bytes) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  char *base = static_cast<char *>(pools.bases()[0]);
  int64_t begin = (slot * bytes + page - 1) / page * page,
          end = (slot + 1) * bytes / page * page;
  std::vector<unsigned char> resident((end - begin) / page);
  EXPECT_EQ(mincore(base + begin, end - begin, resident.data()), 0);
  return std::count_if(resident.begin(), resident.end(),
                       [](unsigned char each) { return each & 1; });
}

TEST(StatePools, aReleasedSlotHoldsNoPagesAndLeavesItsNeighbours) {
  Metadata data;
  data.state = {
      {"keys", PoolRole::keys, "f32", 4, {3, StateKind::capacityExtent, 7}},
      {"running", PoolRole::running, "f32", 4, {5}}};
  const int64_t capacity = 1001, bytes = 4 * 3 * capacity * 7; // no whole pages
  HostPools pools(data, 3, capacity);
  fill(pools, 3, 1);
  std::string before = used(pools, 0, capacity),
              after = used(pools, 2, capacity);
  int64_t all = residentPages(pools, 1, bytes);
  EXPECT_GE(all, 19);
  pools.release(1);
  EXPECT_EQ(residentPages(pools, 1, bytes), 0);
  EXPECT_EQ(residentPages(pools, 0, bytes), all);
  EXPECT_EQ(used(pools, 0, capacity), before);
  EXPECT_EQ(used(pools, 2, capacity), after);
  for (int64_t slot : {0, 2}) {
    pools.release(slot);
    EXPECT_EQ(residentPages(pools, slot, bytes), 0) << slot;
  }
  fill(pools, 3, 1); // memory as before
  EXPECT_EQ(used(pools, 0, capacity), before);
  EXPECT_EQ(used(pools, 2, capacity), after);
}

/// Rows of two heads; a window of 4 rows needs 4 and those of a block.
Metadata withRing() {
  Metadata data;
  data.ringWindow = 4;
  data.state = {
      {"keys", PoolRole::keys, "f32", 4, {1, 1, StateKind::capacityExtent, 1}},
      {"ring_keys",
       PoolRole::keys,
       "f32",
       4,
       {1, 2, StateKind::ringExtent, 1}}};
  return data;
}

/// Writes the rows [first, past) of slot 0, row r of head h as r + h / 2.
void writeRing(const HostPools &pools, int64_t first, int64_t past) {
  int64_t ring = pools.poolSizes().ring;
  auto *numbers = static_cast<float *>(pools.bases()[1]);
  for (int64_t row = first; row < past; ++row) {
    for (int64_t head : {0, 1}) {
      numbers[head * ring + row % ring] =
          static_cast<float>(row) + 0.5F * static_cast<float>(head);
    }
  }
}

TEST(StatePools, aRingsRowsComeInTheirOrderAndFitAnyRing) {
  Metadata data = withRing();
  const int64_t needed = data.ringRows(5000);
  EXPECT_EQ(needed, 4 + CHEEMS_RING_UNIT / 2);
  HostPools pools(data, 2, {5000, 768}), larger(data, 1, {5000, 2304});
  EXPECT_EQ(pools.bytes(), 2 * 4 * (5000 + 2 * 768));
  for (int64_t tokens : {3, 388, 389, 767, 768, 769, 1000, 4000, 4608}) {
    writeRing(pools, std::max<int64_t>(0, tokens - 768), tokens);
    int64_t stored = std::min(tokens, needed);
    SlotCopy copy;
    pools.save(0, tokens, copy);
    ASSERT_EQ(static_cast<int64_t>(copy.bytes.size()),
              4 * (tokens + 2 * stored));
    std::vector<float> numbers(copy.bytes.size() / sizeof(float));
    std::memcpy(numbers.data(), copy.bytes.data(), copy.bytes.size());
    for (int64_t i = 0; i < 2 * stored; ++i) {
      ASSERT_EQ(numbers[tokens + i],
                static_cast<float>(tokens - stored + i % stored) +
                    (i < stored ? 0.0F : 0.5F))
          << tokens << " tokens, row " << i;
    }
    pools.copy(0, 1, tokens);
    EXPECT_EQ(used(pools, 1, tokens), used(pools, 0, tokens)) << tokens;
    larger.restore(0, copy);
    EXPECT_EQ(used(larger, 0, tokens), used(pools, 0, tokens)) << tokens;
    auto *own = static_cast<float *>(larger.bases()[1]);
    int64_t last = tokens - 1;
    EXPECT_EQ(own[last % 2304], static_cast<float>(last));
    EXPECT_EQ(own[2304 + last % 2304], static_cast<float>(last) + 0.5F);
  }
}

TEST(StatePools, nothingUsedIsNothingButRunningStates) {
  Metadata data = everyKind();
  HostPools pools(data, 1, 8);
  EXPECT_EQ(pools.usedBytes(0), 4 * (2 * 3 * 2) + 4 * (2 * 2));
  data.state.clear();
  HostPools none(data, 1, 8);
  EXPECT_EQ(none.usedBytes(8), 0);
}

} // namespace
