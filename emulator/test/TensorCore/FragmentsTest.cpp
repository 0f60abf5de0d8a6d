//===- FragmentsTest.cpp - Layouts of matrices against CuTe's -------------===//
#include "TensorCore/Fragments.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace cheems::emulator;

namespace {

/// CuTe states a fragment as a map (thread, value) -> row + rows * column: a
/// shape and strides, colexicographic (CUTLASS, BSD-3, mma_traits_sm80.hpp,
/// mma_traits_sm89.hpp, mma_traits_sm90_gmma.hpp, copy_traits_sm75.hpp).
struct Mode {
  std::vector<int> shape, stride;

  int size() const {
    int product = 1;
    for (int extent : shape) {
      product *= extent;
    }
    return product;
  }
  int operator()(int index) const {
    int offset = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      offset += index % shape[i] * stride[i];
      index /= shape[i];
    }
    return offset;
  }
};
struct Layout {
  Mode thread, value;
  Position at(int rows, int t, int v) const {
    int offset = thread(t) + value(v);
    return {offset % rows, offset / rows};
  }
};

struct Shape {
  const char *name;
  int packed; ///< elements of a register
  Layout a, b;
};

const Shape shapes[] = {
    {"m16n8k8 f16",
     2,
     {{{4, 8}, {32, 1}}, {{2, 2}, {16, 8}}},
     {{{4, 8}, {16, 1}}, {{2}, {8}}}},
    {"m16n8k16 f16",
     2,
     {{{4, 8}, {32, 1}}, {{2, 2, 2}, {16, 8, 128}}},
     {{{4, 8}, {16, 1}}, {{2, 2}, {8, 64}}}},
    {"m16n8k4 tf32",
     1,
     {{{4, 8}, {16, 1}}, {{2}, {8}}},
     {{{4, 8}, {8, 1}}, {{1}, {0}}}},
    {"m16n8k8 tf32",
     1,
     {{{4, 8}, {16, 1}}, {{2, 2}, {8, 64}}},
     {{{4, 8}, {8, 1}}, {{2}, {32}}}},
    {"m16n8k16 s8",
     4,
     {{{4, 8}, {64, 1}}, {{4, 2}, {16, 8}}},
     {{{4, 8}, {32, 1}}, {{4}, {8}}}},
    {"m16n8k32 s8",
     4,
     {{{4, 8}, {64, 1}}, {{4, 2, 2}, {16, 8, 256}}},
     {{{4, 8}, {32, 1}}, {{4, 2}, {8, 128}}}},
};

// PTX ISA, "Matrix Fragments for mma.m16n8k16" and its kin.
TEST(Fragments, MultiplicandsAreWhereCuteHasThem) {
  for (const Shape &shape : shapes) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int v = 0; v < shape.a.value.size(); ++v) {
        EXPECT_EQ(elementOfA(16, shape.packed, lane, v / shape.packed,
                             v % shape.packed),
                  shape.a.at(16, lane, v))
            << shape.name << " A, lane " << lane << ", value " << v;
      }
      for (int v = 0; v < shape.b.value.size(); ++v) {
        Position at = shape.b.at(8, lane, v); // CuTe: n, then k
        EXPECT_EQ(
            elementOfB(shape.packed, lane, v / shape.packed, v % shape.packed),
            (Position{at.column, at.row}))
            << shape.name << " B, lane " << lane << ", value " << v;
      }
    }
  }
}

TEST(Fragments, AccumulatorsAreWhereCuteHasThem) {
  const Layout c = {{{4, 8}, {32, 1}}, {{2, 2}, {16, 8}}};
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < 4; ++v) {
      EXPECT_EQ(accumulator(lane, v), c.at(16, lane, v));
    }
  }
}

// PTX ISA, "Register Fragments" of wgmma.
TEST(Fragments, WarpgroupsHoldWhatCuteSays) {
  for (int n = 8; n <= 256; n += 8) {
    const Layout c = {{{4, 8, 4}, {128, 1, 16}}, {{2, 2, n / 8}, {64, 8, 512}}};
    for (int thread = 0; thread < 128; ++thread) {
      for (int v = 0; v < n / 2; ++v) {
        ASSERT_EQ(warpgroupAccumulator(thread / 32, thread % 32, v),
                  c.at(64, thread, v))
            << "n " << n << ", thread " << thread << ", value " << v;
      }
    }
  }
  const struct {
    int packed;
    Layout a;
  } types[] = {
      {1, {{{4, 8, 4}, {64, 1, 16}}, {{2, 2}, {8, 256}}}},
      {2, {{{4, 8, 4}, {128, 1, 16}}, {{2, 2, 2}, {64, 8, 512}}}},
      {4, {{{4, 8, 4}, {256, 1, 16}}, {{4, 2, 2}, {64, 8, 1024}}}},
  };
  for (const auto &type : types) {
    for (int thread = 0; thread < 128; ++thread) {
      for (int v = 0; v < 4 * type.packed; ++v) {
        ASSERT_EQ(warpgroupElementOfA(type.packed, thread / 32, thread % 32,
                                      v / type.packed, v % type.packed),
                  type.a.at(64, thread, v))
            << type.packed << " a register, thread " << thread << ", value "
            << v;
      }
    }
  }
}

// PTX ISA, "Matrix Fragments for mma.m16n8k64" (s4), "for mma.m8n8k16", "for
// mma.m16n8k16" with f64: the formulas as the text has them.
TEST(Fragments, OtherShapesFollowTheText) {
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane >> 2, thread = lane % 4;
    for (int i = 0; i < 32; ++i) { // m16n8k64 of four bits
      bool upper = i < 8 || (16 <= i && i < 24);
      EXPECT_EQ(elementOfA(16, 8, lane, i / 8, i % 8),
                (Position{upper ? group : group + 8,
                          thread * 8 + (i & 7) + (i < 16 ? 0 : 32)}));
    }
    for (int i = 0; i < 4; ++i) { // m8n8k16 of eight bits
      EXPECT_EQ(elementOfA(8, 4, lane, 0, i),
                (Position{group, thread * 4 + i}));
      EXPECT_EQ(elementOfB(4, lane, 0, i), (Position{thread * 4 + i, group}));
    }
    for (int i = 0; i < 8; ++i) { // m16n8k16 with f64
      EXPECT_EQ(elementOfA(16, 1, lane, i, 0),
                (Position{i % 2 == 0 ? group : group + 8,
                          i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread}));
    }
    EXPECT_EQ(elementOfA(8, 1, lane, 0, 0), (Position{group, thread}));
  }
}

// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type":
// each of the four matmuls has each element of each matrix once.
TEST(Fragments, QuadsCoverTheirMatrices) {
  for (bool flag : {false, true}) {
    std::set<std::pair<int, Position>> a, b, c;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        a.insert({quadMatmul(lane), quadElementOfA(flag, lane, i)});
        b.insert({quadMatmul(lane), quadElementOfB(flag, lane, i)});
      }
      for (int i = 0; i < 8; ++i) {
        c.insert({quadMatmul(lane), quadAccumulator(flag, lane, i)});
      }
    }
    EXPECT_EQ(a.size(), 4u * 8 * 4);
    EXPECT_EQ(b.size(), 4u * 8 * 4);
    EXPECT_EQ(c.size(), 4u * 8 * 8);
  }
  // Figures 46 to 52: some points of each.
  EXPECT_EQ(quadMatmul(22), 1);
  EXPECT_EQ(quadElementOfA(true, 18, 3), (Position{6, 3}));
  EXPECT_EQ(quadElementOfA(false, 18, 3), (Position{7, 2}));
  EXPECT_EQ(quadElementOfB(true, 18, 3), (Position{2, 7}));
  EXPECT_EQ(quadElementOfB(false, 18, 3), (Position{3, 6}));
  EXPECT_EQ(quadAccumulator(true, 18, 5), (Position{6, 5}));
  EXPECT_EQ(quadAccumulator(false, 17, 6), (Position{7, 4}));
  EXPECT_EQ(quadAccumulator(false, 2, 5), (Position{0, 7}));
}

// PTX ISA, "Warp-level matrix load instruction: ldmatrix". CuTe's layouts count
// bits of rows of 128.
TEST(Fragments, MatricesAreWhereCuteHasThem) {
  const Layout plain = {{{32}, {32}}, {{32}, {1}}};
  const Layout transposed = {{{4, 8}, {256, 16}}, {{16, 2}, {1, 128}}};
  for (int lane = 0; lane < 32; ++lane) {
    for (int half = 0; half < 2; ++half) {
      int bit = plain.thread(lane) + plain.value(16 * half);
      EXPECT_EQ(matrixElement(false, lane, half),
                (Position{bit / 128, bit % 128 / 16}));
      bit = transposed.thread(lane) + transposed.value(16 * half);
      EXPECT_EQ(matrixElement(true, lane, half),
                (Position{bit / 128, bit % 128 / 16}));
    }
  }
}

} // namespace
