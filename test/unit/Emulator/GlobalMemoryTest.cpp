//===- GlobalMemoryTest.cpp -----------------------------------------------===//
#include "cheems/Emulator/Memory/GlobalMemory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace cheems::emulator;

TEST(GlobalMemory, addressesAreTheSameInEachRun) {
  GlobalMemory first(1 << 20), second(1 << 20);
  for (uint64_t bytes : {1, 256, 1000, 70000}) {
    EXPECT_EQ(first.allocate(bytes), second.allocate(bytes));
  }
  EXPECT_EQ(first.live().front().address, GlobalMemory::base);
}

TEST(GlobalMemory, bytesSayWhatTheyAre) {
  GlobalMemory memory(1 << 20);
  uint64_t a = *memory.allocate(100), b = *memory.allocate(10);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_GE(b - a, 100u + 256);
  EXPECT_EQ(*memory.state(a), ByteState::uninitialised);
  EXPECT_EQ(*memory.state(a + 99), ByteState::uninitialised);
  EXPECT_EQ(*memory.state(a + 100), ByteState::unallocated);
  EXPECT_EQ(*memory.state(b - 1), ByteState::unallocated);
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_FALSE(memory.free(b + 1));
  EXPECT_EQ(*memory.state(a + 50), ByteState::freed);
  EXPECT_EQ(*memory.state(b), ByteState::uninitialised);
}

TEST(GlobalMemory, freedBytesAreUsedAgainOnlyWhenNoOthersAreLeft) {
  GlobalMemory memory(8192);
  uint64_t first = *memory.allocate(1024);
  memory.free(first);
  // hole and rest are one hole again, so a second allocation of all works
  uint64_t second = *memory.allocate(1024);
  ASSERT_TRUE(memory.allocate(512));
  memory.free(second);
  uint64_t third = *memory.allocate(1024);
  EXPECT_NE(third, second);
  EXPECT_EQ(*memory.state(second), ByteState::freed);
}

TEST(GlobalMemory, aFullCardSaysSo) {
  GlobalMemory memory(4096);
  EXPECT_FALSE(memory.allocate(0));
  EXPECT_FALSE(memory.allocate(4096)); // the gap has no room
  EXPECT_FALSE(memory.allocate(UINT64_MAX));
  EXPECT_TRUE(memory.allocate(4096 - 256));
  EXPECT_FALSE(memory.allocate(1));
}

TEST(GlobalMemory, rangesBelongToOneAllocation) {
  GlobalMemory memory(1 << 20);
  uint64_t a = *memory.allocate(100), b = *memory.allocate(100);
  EXPECT_TRUE(memory.contains(a, 100));
  EXPECT_TRUE(memory.contains(a + 99, 1));
  EXPECT_FALSE(memory.contains(a + 99, 2));
  EXPECT_FALSE(memory.contains(a, UINT64_MAX));
  EXPECT_FALSE(memory.contains(a - 1, 1));
  EXPECT_FALSE(memory.contains(a, b - a + 1));
  EXPECT_EQ(memory.find(b + 5)->address, b);
}

TEST(GlobalMemory, nothingIsLostOverManyAllocations) {
  GlobalMemory memory(1 << 20);
  std::mt19937 random(7);
  std::vector<uint64_t> live;
  for (int i = 0; i < 5000; ++i) {
    if (live.empty() || random() % 3) {
      uint64_t alignment = uint64_t(256) << random() % 4;
      if (auto made = memory.allocate(1 + random() % 9000, alignment)) {
        EXPECT_EQ(*made % alignment, 0u);
        live.push_back(*made);
        continue;
      }
    }
    ASSERT_FALSE(live.empty());
    std::swap(live[random() % live.size()], live.back());
    ASSERT_TRUE(memory.free(live.back()));
    live.pop_back();
  }
  uint64_t end = 0;
  for (auto [address, bytes] : memory.live()) {
    EXPECT_GE(address, end);
    end = address + bytes + 256;
  }
  for (uint64_t each : live) {
    ASSERT_TRUE(memory.free(each));
  }
  EXPECT_EQ(memory.freeBytes(), memory.totalBytes());
  EXPECT_TRUE(memory.allocate((1 << 20) - 256)); // one hole again
}
