//===- TensorMapTest.cpp - Rules of cuTensorMapEncodeTiled ----------------===//
#include "AsyncCopy/TensorMap.h"

#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using testing::HasSubstr;

namespace {

using Kind = TensorMapCheck::Kind;

/// Arguments with arrays of their own, right as they are: a 3-D tensor of f32
/// with a swizzle of 128 bytes.
struct Arguments {
  uint64_t dims[5] = {100, 20, 7, 1, 1};
  uint64_t strides[4] = {400, 8000, 0, 0};
  uint32_t box[5] = {32, 8, 2, 1, 1};
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  TiledArguments tiled = {.dataType = 7, .rank = 3, .globalAddress = 0x1000};
  alignas(64) char map[192] = {};
  char *where = map;

  TensorMapCheck encode() {
    tiled.globalDim = dims;
    tiled.globalStrides = strides;
    tiled.boxDim = box;
    tiled.elementStrides = steps;
    return encodeTiled(where, tiled);
  }
};

struct Rule {
  std::function<void(Arguments &)> change;
  Kind kind;
  const char *reason;
};

} // namespace

// CUDA driver API, "Tensor Map Object Management", cuTensorMapEncodeTiled
TEST(TensorMap, argumentsAreEncodedInPtxNumbers) {
  Arguments arguments;
  arguments.tiled.dataType = 9; // CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
  arguments.tiled.swizzle = 3;
  arguments.tiled.oobFill = 1;
  arguments.tiled.l2Promotion = 2;
  arguments.box[0] = 64;
  arguments.steps[1] = 3;
  EXPECT_TRUE(arguments.encode());
  TensorMap map;
  std::memcpy(&map, arguments.map, sizeof(map));
  EXPECT_EQ(map.globalAddress, 0x1000u);
  EXPECT_EQ(map.rank(), 3);
  EXPECT_EQ(map.elementType, 10); // PTX ISA, "tensormap.replace": .bf16
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.swizzleAtomicity, 0);
  EXPECT_EQ(map.fill, 1);
  EXPECT_EQ(map.globalDims[2], 7u);
  EXPECT_EQ(map.globalStrides[1], 8000u);
  // "TMA loads ceil(boxDim[i] / elementStrides[i])"
  EXPECT_EQ(map.boxExtent(1), 3u);
  EXPECT_EQ(map.boxBytes(), 64u * 3 * 2 * 2);
  EXPECT_TRUE(checkTensorMap(map));
}

TEST(TensorMap, wrongArgumentsAreNamed) {
  const Rule rules[] = {
      {[](auto &a) { a.where += 32; }, Kind::invalid, "64-byte"},
      {[](auto &a) { a.where = nullptr; }, Kind::invalid, "64-byte"},
      {[](auto &a) { a.tiled.dataType = 16; }, Kind::invalid, "DataType"},
      {[](auto &a) { a.tiled.rank = 0; }, Kind::invalid, "tensorRank is 0"},
      {[](auto &a) { a.tiled.rank = 6; }, Kind::invalid, "tensorRank is 6"},
      {[](auto &a) { a.tiled.interleave = 3; }, Kind::invalid, "enumeration"},
      {[](auto &a) { a.tiled.swizzle = 7; }, Kind::invalid, "enumeration"},
      {[](auto &a) { a.tiled.l2Promotion = 4; }, Kind::invalid, "enumeration"},
      {[](auto &a) { a.tiled.oobFill = 2; }, Kind::invalid, "enumeration"},
      {[](auto &a) { a.tiled.globalAddress = 8; }, Kind::invalid, "Address"},
      {[](auto &a) { a.dims[1] = 0; }, Kind::invalid, "globalDim[1] is 0"},
      {[](auto &a) { a.dims[2] = (uint64_t(1) << 32) + 1; }, Kind::invalid,
       "globalDim[2]"},
      {[](auto &a) { a.strides[0] = 408; }, Kind::invalid, "Strides[0] is 408"},
      {[](auto &a) { a.strides[1] = uint64_t(1) << 40; }, Kind::invalid,
       "globalStrides[1]"},
      {[](auto &a) { a.box[1] = 0; }, Kind::invalid, "boxDim[1] is 0"},
      {[](auto &a) { a.box[1] = 257; }, Kind::invalid, "boxDim[1] is 257"},
      {[](auto &a) { a.box[0] = 5; }, Kind::invalid, "20 bytes"},
      {[](auto &a) { a.steps[2] = 0; }, Kind::invalid, "elementStrides[2]"},
      {[](auto &a) { a.steps[1] = 9; }, Kind::invalid, "elementStrides[1]"},
      {[](auto &a) { a.tiled.swizzle = 1; }, Kind::invalid, "swizzle's 32"},
      {[](auto &a) { a.tiled.swizzle = 2; }, Kind::invalid, "swizzle's 64"},
      {[](auto &a) { a.tiled.swizzle = 3, a.box[0] = 36; }, Kind::invalid,
       "swizzle's 128"},
      {[](auto &a) { a.tiled.dataType = 2, a.tiled.oobFill = 1; },
       Kind::invalid, "NaN"},
      {[](auto &a) { a.tiled.interleave = 1, a.tiled.rank = 2; }, Kind::invalid,
       "3 or more"},
      {[](auto &a) { a.tiled.interleave = 2; }, Kind::invalid, "32 bytes"},
      {[](auto &a) {
         a.tiled.interleave = 2, a.tiled.swizzle = 1,
         a.tiled.globalAddress = 16;
       },
       Kind::invalid, "multiple of 32"},
      // Right, but not for this emulator.
      {[](auto &a) { a.tiled.interleave = 1; }, Kind::notModelled,
       "interleaved"},
      {[](auto &a) { a.tiled.dataType = 13; }, Kind::notModelled, "b4x16"},
      {[](auto &a) { a.tiled.dataType = 10; }, Kind::notModelled, "f32.ftz"},
      {[](auto &a) { a.tiled.swizzle = 4; }, Kind::notModelled, "sm_90"},
  };
  for (const Rule &rule : rules) {
    Arguments arguments;
    rule.change(arguments);
    TensorMapCheck check = arguments.encode();
    EXPECT_EQ(check.kind, rule.kind) << rule.reason;
    EXPECT_THAT(check.reason, HasSubstr(rule.reason));
    for (char byte : arguments.map) {
      EXPECT_EQ(byte, 0) << "a refused map is not written";
    }
  }
}

TEST(TensorMap, limitsAreAllowed) {
  const std::function<void(Arguments &)> changes[] = {
      [](auto &a) {
        a.tiled.rank = 5;
        a.strides[2] = a.strides[3] = 16;
      },
      [](auto &a) { a.tiled.rank = 1; },
      [](auto &a) { a.dims[0] = uint64_t(1) << 32; },
      [](auto &a) { a.strides[1] = (uint64_t(1) << 40) - 16; },
      [](auto &a) { a.box[0] = 256, a.box[1] = 256; },
      [](auto &a) { a.steps[1] = 8; },
      [](auto &a) { a.steps[0] = 0; }, // ignored without an interleave
      [](auto &a) { a.tiled.swizzle = 3; },
      [](auto &a) { a.tiled.swizzle = 2, a.box[0] = 16; },
      [](auto &a) { a.tiled.swizzle = 1, a.box[0] = 8; },
      [](auto &a) { a.tiled.oobFill = 1; },
  };
  for (const auto &change : changes) {
    Arguments arguments;
    change(arguments);
    TensorMapCheck check = arguments.encode();
    EXPECT_TRUE(check) << check.reason;
  }
  Arguments arguments;
  arguments.tiled.rank = 1;
  arguments.encode();
  arguments.tiled.globalStrides = nullptr;
  EXPECT_TRUE(encodeTiled(arguments.map, arguments.tiled));
  arguments.tiled.rank = 2;
  EXPECT_FALSE(encodeTiled(arguments.map, arguments.tiled));
}

TEST(TensorMap, addressIsReplaced) {
  Arguments arguments;
  EXPECT_TRUE(arguments.encode());
  EXPECT_TRUE(replaceAddress(arguments.map, 0x2000));
  EXPECT_FALSE(replaceAddress(arguments.map, 0x2008));
  EXPECT_FALSE(replaceAddress(arguments.map + 8, 0x3000));
  TensorMap map;
  std::memcpy(&map, arguments.map, sizeof(map));
  EXPECT_EQ(map.globalAddress, 0x2000u);
}

// CUDA C++ Programming Guide, "Modifying a tensor map": zeros can be completed
// by tensormap.replace on sm_90a.
TEST(TensorMap, zerosAreNoMapUntilTheyAreCompleted) {
  TensorMap map = {};
  EXPECT_FALSE(checkTensorMap(map));
  map.globalDims[0] = 8;
  map.boxDims[0] = 16; // bytes
  EXPECT_TRUE(checkTensorMap(map));
  map.rankMinusOne = 200;
  EXPECT_THAT(checkTensorMap(map).reason, HasSubstr("tensorRank is 201"));
}
