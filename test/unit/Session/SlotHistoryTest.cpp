// Which entries a slot has kept, against a slot that numbers what it writes.
#include "runtime/Session/SlotHistory.h"
#include <gtest/gtest.h>
#include <random>

using namespace cheems;

namespace {

TEST(SlotHistory, keepsWhatWasNotOverwritten) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SlotHistory history;
    int written = 0;
    std::vector<int> entries; // when each was written
    struct Taken {
      uint64_t moment;
      std::vector<int> entries;
    };
    std::vector<Taken> all;
    for (int step = 0; step < 60; ++step) {
      switch (random() % 3) {
      case 0:
        for (uint32_t i = random() % 5; i > 0; --i) {
          entries.push_back(++written);
        }
        break;
      case 1:
        entries.resize(random() % (entries.size() + 1));
        history.wentBack(static_cast<int32_t>(entries.size()));
        break;
      default:
        all.push_back({history.moment(), entries});
      }
      for (const Taken &each : all) {
        bool there = each.entries.size() <= entries.size() &&
                     std::equal(each.entries.begin(), each.entries.end(),
                                entries.begin());
        EXPECT_EQ(history.keeps(each.moment,
                                static_cast<int32_t>(each.entries.size())),
                  there);
      }
    }
  }
}

TEST(SlotHistory, knowsNoFuture) {
  SlotHistory history;
  EXPECT_TRUE(history.keeps(0, 5));
  EXPECT_FALSE(history.keeps(1, 5));
  history.wentBack(0);
  EXPECT_FALSE(history.keeps(0, 5));
  EXPECT_TRUE(history.keeps(0, 0));
}

} // namespace
