//===- BoxTest.cpp - Boxes of tensors and swizzles ------------------------===//
#include "AsyncCopy/Box.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace cheems::emulator;

// PTX ISA, "Swizzling Modes": the tables, which give the place of each unit of
// 16 bytes for lines of 128 bytes.
TEST(Swizzle, isTheIsasTables) {
  const int table32[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                             {1, 0, 3, 2, 5, 4, 7, 6}};
  const int table64[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                             {1, 0, 3, 2, 5, 4, 7, 6},
                             {2, 3, 0, 1, 6, 7, 4, 5},
                             {3, 2, 1, 0, 7, 6, 5, 4}};
  const int table128[8][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
      {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
      {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
  for (uint32_t line = 0; line < 64; ++line) {
    for (uint32_t unit = 0; unit < 8; ++unit) {
      uint32_t address = line * 128 + unit * 16, begin = line * 128;
      EXPECT_EQ(swizzled(address, 0), address);
      EXPECT_EQ(swizzled(address, 1), begin + table32[line % 2][unit] * 16);
      EXPECT_EQ(swizzled(address, 2), begin + table64[line % 4][unit] * 16);
      EXPECT_EQ(swizzled(address, 3), begin + table128[line % 8][unit] * 16);
    }
  }
}

namespace {

struct Element {
  bool isInside;
  uint64_t address;
};

/// Element by element, outermost dimension first: what the text of "Tiled
/// Mode" and "Traversal-Stride" says.
void walk(const TensorMap &map, const std::array<int32_t, 5> &start,
          int dimension, bool isInside, uint64_t address,
          std::vector<Element> &elements) {
  if (dimension < 0) {
    elements.push_back({isInside, address});
    return;
  }
  uint64_t stride = dimension == 0 ? elementBytes(map.type())
                                   : map.globalStrides[dimension - 1];
  uint32_t step = dimension == 0 ? 1 : map.elementStrides[dimension];
  for (uint32_t i = 0; i < map.boxDims[dimension]; i += step) {
    int64_t at = int64_t(start[dimension]) + i;
    walk(map, start, dimension - 1,
         isInside && at >= 0 && at < int64_t(map.globalDims[dimension]),
         address + at * stride, elements);
  }
}

TensorMap randomMap(std::mt19937 &random) {
  const TensorType typesToTry[] = {TensorType::u8, TensorType::bf16,
                                   TensorType::f32, TensorType::f64};
  TensorMap map = {};
  map.rankMinusOne = random() % 5;
  map.elementType = static_cast<uint8_t>(typesToTry[random() % 4]);
  map.globalAddress = 0x1000;
  uint32_t bytes = elementBytes(map.type());
  for (int d = 0; d < 5; ++d) {
    map.globalDims[d] = 1 + random() % (d == 0 ? 60 : 7);
    map.boxDims[d] =
        d == 0 ? 16 / bytes * (1 + random() % 8) : 1 + random() % 5;
    map.elementStrides[d] = 1 + (random() % 3 == 0) * (random() % 3);
    if (d < 4) {
      map.globalStrides[d] = 512 * (d + 1) + 16 * (random() % 4);
    }
  }
  return map;
}

} // namespace

// PTX ISA, "Tiled Mode", "Traversal-Stride" and "Out of Boundary Access"
TEST(Box, rowsAreTheElementsOneByOne) {
  std::mt19937 random(11);
  for (int run = 0; run < 3000; ++run) {
    TensorMap map = randomMap(random);
    ASSERT_TRUE(checkTensorMap(map)) << checkTensorMap(map).reason;
    std::array<int32_t, 5> start;
    for (int d = 0; d < 5; ++d) {
      start[d] = int32_t(random() % 80) - 20;
    }
    std::vector<Element> elements;
    walk(map, start, map.rank() - 1, true, map.globalAddress, elements);
    uint32_t bytes = elementBytes(map.type()), perRow = map.boxDims[0];
    ASSERT_EQ(elements.size() * bytes, map.boxBytes());
    uint32_t rows = 0;
    forBoxRows(map, start, [&](const BoxRow &row) {
      ASSERT_EQ(row.number, rows++);
      for (uint32_t e = 0; e < perRow; ++e) {
        const Element &want = elements[row.number * perRow + e];
        uint32_t at = e * bytes;
        bool isInside = at >= row.skipped && at < row.skipped + row.bytes;
        ASSERT_EQ(isInside, want.isInside);
        if (isInside) {
          ASSERT_EQ(row.global + at - row.skipped, want.address);
        }
      }
    });
    ASSERT_EQ(rows * perRow, elements.size());
  }
}

TEST(Box, coordinatesFarOutsideAreOutside) {
  std::mt19937 random(2);
  TensorMap map = randomMap(random);
  map.rankMinusOne = 2;
  for (int32_t far : {INT32_MIN, INT32_MAX, -1000000}) {
    for (int d = 0; d < 3; ++d) {
      std::array<int32_t, 5> start = {};
      start[d] = far;
      forBoxRows(map, start,
                 [&](const BoxRow &row) { EXPECT_EQ(row.bytes, 0u); });
    }
  }
}

// PTX ISA, "Swizzling Modes": a swizzle moves units, so what is scattered is
// gathered again, and nothing lies on something else.
TEST(Box, rowsAreScatteredAndGathered) {
  std::mt19937 random(5);
  for (int mode = 0; mode <= 3; ++mode) {
    uint32_t bytes = 16u << mode;
    std::vector<std::byte> shared(8192), rows(2048), back(2048);
    for (auto &byte : rows) {
      byte = std::byte(random());
    }
    uint32_t start = 128 * (random() % 8);
    std::set<uint32_t> places;
    for (uint32_t at = 0; at < rows.size(); at += bytes) {
      scatterRow(shared.data(), start + at, mode, &rows[at], bytes);
      for (uint32_t unit = 0; unit < bytes; unit += 16) {
        places.insert(swizzled(start + at + unit, mode));
      }
    }
    EXPECT_EQ(places.size(), rows.size() / 16);
    EXPECT_EQ(*places.begin(), start);
    EXPECT_EQ(*places.rbegin(), start + rows.size() - 16);
    for (uint32_t at = 0; at < rows.size(); at += bytes) {
      gatherRow(shared.data(), start + at, mode, &back[at], bytes);
    }
    EXPECT_EQ(rows, back);
  }
}

TEST(Box, fillIsZerosOrNaN) {
  TensorMap map = {};
  map.elementType = static_cast<uint8_t>(TensorType::bf16);
  std::byte bytes[16];
  fillOutOfBounds(map, bytes, 16);
  EXPECT_EQ(bytes[5], std::byte(0));
  map.fill = 1;
  fillOutOfBounds(map, bytes, 16);
  EXPECT_EQ(bytes[4], std::byte(0xff));
  EXPECT_EQ(bytes[5], std::byte(0x7f));
  map.elementType = static_cast<uint8_t>(TensorType::f64);
  fillOutOfBounds(map, bytes, 16);
  double value;
  std::memcpy(&value, bytes + 8, 8);
  EXPECT_NE(value, value);
}
