// The cache's model against a naive one that follows its comment, and by hand.
#include "Count/DramModel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace cheems::emulator;

namespace {

constexpr uint32_t whole = ~uint32_t(0);

std::vector<SectorUse> reads(uint64_t first, uint64_t count) {
  std::vector<SectorUse> uses;
  for (uint64_t i = 0; i < count; ++i) {
    uses.push_back({first + i, whole, 0});
  }
  return uses;
}

struct Model {
  explicit Model(uint64_t sectors)
      : memory(sectors * sectorBytes,
               [this](size_t writer) { ++writes[writer]; }) {}

  std::map<size_t, uint64_t> writes;
  DramModel memory;
};

TEST(DramModel, whatFitsIsReadOnce) {
  Model model(8);
  EXPECT_EQ(model.memory.wave(reads(0, 8), 0), 8u);
  EXPECT_EQ(model.memory.wave(reads(0, 8), 0), 0u);
}

TEST(DramModel, theSectorTouchedLongestAgoLeavesFirst) {
  Model model(8);
  model.memory.wave(reads(0, 4), 0);
  model.memory.wave(reads(4, 4), 0);
  model.memory.wave(reads(0, 2), 0); // 2 and 3 are the oldest
  EXPECT_EQ(model.memory.wave(reads(100, 2), 0), 2u);
  EXPECT_EQ(model.memory.wave(reads(4, 4), 0), 0u);
  EXPECT_EQ(model.memory.wave(reads(0, 2), 0), 0u);
  EXPECT_EQ(model.memory.wave(reads(2, 2), 0), 2u);
}

TEST(DramModel, ofOneWaveTheLowerAddressLeavesFirst) {
  Model model(4);
  EXPECT_EQ(model.memory.wave(reads(0, 6), 0), 6u);
  EXPECT_EQ(model.memory.wave(reads(2, 4), 0), 0u);
  EXPECT_EQ(model.memory.wave(reads(0, 2), 0), 2u);
}

TEST(DramModel, aSectorThatIsWrittenWholeIsNotRead) {
  Model model(4);
  EXPECT_EQ(model.memory.wave({{0, 0, whole}}, 0), 0u);
  EXPECT_EQ(model.memory.wave({{1, 0, 0xff}}, 0), 1u);
  EXPECT_EQ(model.memory.wave({{2, 1, whole}}, 0), 1u);
}

TEST(DramModel, writesCountForWhoWroteWhenTheyLeave) {
  Model model(2);
  model.memory.wave({{0, 0, whole}, {1, 0, whole}}, 7);
  EXPECT_TRUE(model.writes.empty());
  model.memory.wave(reads(10, 1), 8);
  EXPECT_EQ(model.writes[7], 1u);
  model.memory.writeBack();
  EXPECT_EQ(model.writes[7], 2u);
  model.memory.writeBack(); // nothing is dirty any more
  EXPECT_EQ(model.writes[7], 2u);
  EXPECT_EQ(model.writes[8], 0u);
}

TEST(DramModel, emptiedItWritesBackAndReadsAgain) {
  Model model(4);
  model.memory.wave({{0, 0, whole}}, 7);
  model.memory.wave(reads(10, 2), 8);
  model.memory.empty();
  EXPECT_EQ(model.writes[7], 1u);
  EXPECT_EQ(model.memory.wave(reads(10, 2), 8), 2u);
  EXPECT_EQ(model.memory.wave(reads(10, 2), 8), 0u);
}

/// Sectors with the wave that touched them last, looked through one by one.
struct Naive {
  struct Held {
    uint64_t last = 0;
    bool isDirty = false;
  };
  size_t capacity;
  uint64_t waves = 0, writes = 0;
  std::map<uint64_t, Held> held{};

  uint64_t wave(const std::vector<SectorUse> &uses) {
    ++waves;
    uint64_t count = 0;
    for (const SectorUse &use : uses) {
      count += !held.contains(use.sector) &&
               !(use.written == whole && use.read == 0);
      held[use.sector].last = waves;
      held[use.sector].isDirty |= use.written != 0;
    }
    while (held.size() > capacity) {
      auto oldest = std::min_element(
          held.begin(), held.end(), [](const auto &a, const auto &b) {
            return std::pair(a.second.last, a.first) <
                   std::pair(b.second.last, b.first);
          });
      writes += oldest->second.isDirty;
      held.erase(oldest);
    }
    return count;
  }
};

TEST(DramModel, randomWavesAreAsInANaiveModel) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const size_t capacity = 1 + random() % 40;
    Model model(capacity);
    Naive naive{capacity};
    for (int i = 0; i < 300; ++i) {
      Traffic traffic;
      for (size_t j = random() % 30; j > 0; --j) {
        const uint64_t address = random() % 2000, bytes = 1 + random() % 64;
        random() % 3 ? traffic.read(address, bytes)
                     : traffic.write(address, bytes);
      }
      EXPECT_EQ(model.memory.wave(traffic.sectors(), 0),
                naive.wave(traffic.sectors()))
          << "seed " << seed << ", wave " << i;
    }
    EXPECT_EQ(model.writes[0], naive.writes) << "seed " << seed;
  }
}

TEST(Traffic, isASetOfSectorsWithTheBytesThatWereTouched) {
  Traffic traffic;
  traffic.read(60, 8);
  traffic.write(0, 32);
  traffic.read(64, 1);
  const std::vector<SectorUse> &sectors = traffic.sectors();
  ASSERT_EQ(sectors.size(), 3u);
  EXPECT_EQ(sectors[0].sector, 0u);
  EXPECT_EQ(sectors[0].written, whole);
  EXPECT_EQ(sectors[0].read, 0u);
  EXPECT_EQ(sectors[1].read, 0xf0000000u);
  EXPECT_EQ(sectors[2].read, 0xfu);
}

TEST(Traffic, growsBeyondWhatItOrdersAtOnce) {
  Traffic traffic, other;
  for (uint64_t i = 0; i < 100000; ++i) {
    traffic.read(i * 7919 % 50000 * sectorBytes, 4);
  }
  other.write(uint64_t(60000) * sectorBytes, 4);
  traffic.merge(other);
  EXPECT_EQ(traffic.sectors().size(), 50001u);
  EXPECT_TRUE(std::is_sorted(traffic.sectors().begin(), traffic.sectors().end(),
                             [](const SectorUse &a, const SectorUse &b) {
                               return a.sector < b.sector;
                             }));
}

} // namespace
