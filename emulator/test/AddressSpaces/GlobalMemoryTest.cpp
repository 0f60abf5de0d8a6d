//===- GlobalMemoryTest.cpp -----------------------------------------------===//
#include "AddressSpaces/GlobalMemory.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <vector>

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

namespace {
/// Memory that the process keeps, in bytes.
uint64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}
} // namespace

TEST(GlobalMemory, manyBytesCostNothingUntilTheyAreTouched) {
  constexpr uint64_t bytes = 6ull << 30;
  GlobalMemory memory(8ull << 30);
  const uint64_t before = residentBytes();
  const uint64_t a = *memory.allocate(bytes);
  auto expectAll = [&](ByteState state) {
    for (uint64_t at = 0; at < bytes; at += bytes / 64 - 1) {
      EXPECT_EQ(*memory.state(a + at), state) << at;
    }
    EXPECT_EQ(*memory.state(a + bytes - 1), state);
    EXPECT_EQ(*memory.state(a + bytes), ByteState::unallocated);
  };
  expectAll(ByteState::uninitialised);
  // One byte of them is changed alone.
  *memory.state(a + bytes / 2) = ByteState::initialised;
  EXPECT_EQ(*memory.state(a + bytes / 2 - 1), ByteState::uninitialised);
  EXPECT_EQ(*memory.state(a + bytes / 2 + 1), ByteState::uninitialised);
  memory.setStates(a, bytes, ByteState::initialised);
  expectAll(ByteState::initialised);
  EXPECT_LT(residentBytes(), before + (32 << 20));
  memory.free(a);
  expectAll(ByteState::freed);
  EXPECT_LT(residentBytes(), before + (32 << 20));
}

TEST(GlobalMemory, aLineIsKnownAsLongAsAllOfItIsInitialised) {
  GlobalMemory memory(1 << 20);
  const uint64_t a = *memory.allocate(1024);
  auto known = [&] {
    std::string text;
    for (uint64_t line = 0; line < 8; ++line) {
      text += memory.lines()[line] ? '1' : '0';
    }
    return text;
  };
  EXPECT_EQ(known(), "00000000");
  memory.setStates(a + 1, 256, ByteState::initialised);
  EXPECT_EQ(known(), "01110000");
  memory.setStates(a, 512, ByteState::initialised);
  EXPECT_EQ(known(), "11111111");
  memory.setStates(a + 64, 65, ByteState::uninitialised);
  EXPECT_EQ(known(), "10011111");
  memory.copyStates(a + 300, a + 64, 1);
  EXPECT_EQ(*memory.state(a + 300), ByteState::uninitialised);
  EXPECT_EQ(known(), "10010111");
  memory.free(a);
  EXPECT_EQ(known(), "00000000");
}

TEST(GlobalMemory, freedPagesAreGivenBack) {
  constexpr uint64_t bytes = 8 << 20, pages = bytes / 4096;
  GlobalMemory memory(64 << 20);
  const uint64_t a = *memory.allocate(bytes);
  auto residentPages = [&] {
    std::vector<unsigned char> isResident(pages);
    EXPECT_EQ(mincore(memory.data(a), bytes, isResident.data()), 0);
    return std::count(isResident.begin(), isResident.end(), 1);
  };
  std::memset(memory.data(a), 1, bytes);
  EXPECT_EQ(residentPages(), pages);
  memory.free(a);
  EXPECT_EQ(residentPages(), 0);
}

TEST(GlobalMemory, longRangesBeginAndEndAnywhere) {
  GlobalMemory memory(8 << 20);
  const uint64_t a = *memory.allocate(4 << 20);
  memory.setStates(a + 4097, 3 << 20, ByteState::initialised);
  for (uint64_t i = 0; i < 4 << 20; ++i) {
    const bool isInside = i >= 4097 && i < 4097 + (3 << 20);
    ASSERT_EQ(*memory.state(a + i),
              isInside ? ByteState::initialised : ByteState::uninitialised)
        << i;
  }
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

TEST(GlobalMemory, aFullGPUSaysSo) {
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
