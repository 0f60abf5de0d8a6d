//===- WgmmaArithmeticTest.cpp - Products of warpgroups -------------------===//
#include "Module/Families.h"
#include "TensorCore/Fragments.h"
#include "TensorCore/Numbers.h"
#include "TensorCore/Wgmma.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace cheems::emulator;

namespace {

struct Case {
  Type a, b, sum;
  bool aInRegisters = false, aAlongRows = false, bAlongRows = false;
  bool negate = false, saturate = false, accumulate = true;
};

const Case cases[] = {
    {Type::f16, Type::f16, Type::f32},
    {Type::f16, Type::f16, Type::f16},
    {Type::f16, Type::f16, Type::f16, true, false, true, true},
    {Type::bf16, Type::bf16, Type::f32, false, true, true},
    {Type::bf16, Type::bf16, Type::f32, false, true, false, true},
    {Type::bf16, Type::bf16, Type::f32, false, false, true, false, false,
     false},
    {Type::bf16, Type::bf16, Type::f32, true},
    {Type::tf32, Type::tf32, Type::f32},
    {Type::tf32, Type::tf32, Type::f32, true, false, false, true},
    {Type::e4m3, Type::e5m2, Type::f32},
    {Type::e5m2, Type::e4m3, Type::f16, true},
    {Type::e5m2, Type::e5m2, Type::f32, false, false, false, true},
    {Type::e4m3, Type::e4m3, Type::f16, false, false, false, false, false,
     false},
    {Type::s8, Type::s8, Type::s32},
    {Type::u8, Type::s8, Type::s32, true},
    {Type::s8, Type::u8, Type::s32, false, false, false, false, true},
    {Type::u8, Type::u8, Type::s32, false, false, false, false, true, false},
    {Type::b1, Type::b1, Type::s32},
    {Type::b1, Type::b1, Type::s32, true},
};

int elementBits(Type type) {
  switch (type) {
  case Type::tf32:
    return 32;
  case Type::f16:
  case Type::bf16:
    return 16;
  case Type::b1:
    return 1;
  default:
    return 8;
  }
}

float valueOf(Type type, uint32_t bits) {
  switch (type) {
  case Type::tf32:
    return fromTf32(bits);
  case Type::f16:
    return fromF16(uint16_t(bits));
  case Type::bf16:
    return fromBf16(uint16_t(bits));
  case Type::e4m3:
    return fromE4m3(uint8_t(bits));
  case Type::e5m2:
    return fromE5m2(uint8_t(bits));
  case Type::s8:
    return float(int8_t(bits));
  default:
    return float(bits);
  }
}

/// A matrix of raw elements: rows (m or n) by k.
struct Matrix {
  int rows, depth, bits;
  std::vector<uint32_t> elements;

  Matrix(int rows, Type type, std::mt19937 &random)
      : rows(rows), depth(256 / elementBits(type)), bits(elementBits(type)),
        elements(size_t(rows) * depth) {
    for (uint32_t &element : elements) {
      uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
      element = uint32_t(random()) & mask;
      // Values near one, and now and then any at all.
      if (random() % 64) {
        if (type == Type::tf32) {
          element = (element & 0x807fffff) | 0x3f000000;
        } else if (type == Type::bf16) {
          element = (element & 0x80ff) | 0x3f00;
        } else if (type == Type::f16) {
          element = (element & 0x83ff) | 0x3800;
        } else if (type == Type::e5m2) {
          element = (element & 0x83) | 0x38;
        }
      }
    }
  }
  uint32_t at(int row, int k) const { return elements[row * depth + k]; }

  /// Makes pieces of 16 bytes, in the order of WgmmaOperands.
  std::vector<std::byte> pieces(bool alongRows) const {
    std::vector<std::byte> bytes(size_t(rows) * 32);
    auto put = [&](size_t bit, uint32_t value) {
      if (bits == 1) {
        bytes[bit / 8] |= std::byte(value << bit % 8);
      } else {
        std::memcpy(&bytes[bit / 8], &value, size_t(bits) / 8);
      }
    };
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < depth; ++k) {
        size_t element = alongRows ? size_t(row / 8 * depth + k) * 8 + row % 8
                                   : size_t(row) * depth + k;
        put(element * bits, at(row, k));
      }
    }
    return bytes;
  }
};

/// What PTX ISA, "Asynchronous Multiply-and-Accumulate Instruction", gives,
/// with the order of accumulation that Tile.h chooses.
uint32_t expected(const Case &test, const Matrix &a, const Matrix &b, int row,
                  int column, uint32_t old) {
  if (test.sum == Type::s32) {
    int64_t sum = test.accumulate ? int32_t(old) : 0;
    for (int k = 0; k < a.depth; ++k) {
      int x = test.a == Type::s8 ? int8_t(a.at(row, k)) : int(a.at(row, k));
      int y =
          test.b == Type::s8 ? int8_t(b.at(column, k)) : int(b.at(column, k));
      sum += test.a == Type::b1 ? x & y : x * y;
    }
    if (test.saturate) {
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    }
    return uint32_t(sum);
  }
  float sum = 0;
  if (test.accumulate) {
    sum = test.sum == Type::f16 ? fromF16(uint16_t(old)) : floatOf(old);
  }
  for (int k = 0; k < a.depth; ++k) {
    float x = valueOf(test.a, a.at(row, k));
    sum = std::fma(test.negate ? -x : x, valueOf(test.b, b.at(column, k)), sum);
  }
  if (test.sum == Type::f16) {
    return toF16(sum);
  }
  return std::isnan(sum) ? canonicalNan : bitsOf(sum);
}

void check(WgmmaMultiply multiply, const Case &test, int columns,
           std::mt19937 &random) {
  Matrix a(64, test.a, random), b(columns, test.b, random);
  WgmmaMatmul product;
  product.columns = columns;
  product.a = test.a;
  product.b = test.b;
  product.sum = test.sum;
  product.saturate = test.saturate;
  product.negate = test.negate;
  product.aInRegisters = test.aInRegisters;
  product.aAlongRows = test.aAlongRows;
  product.bAlongRows = test.bAlongRows;
  std::vector<std::byte> bytesOfA = a.pieces(test.aAlongRows),
                         bytesOfB = b.pieces(test.bAlongRows);
  std::vector<const std::byte *> piecesOfA, piecesOfB;
  for (size_t i = 0; i < bytesOfA.size(); i += 16) {
    piecesOfA.push_back(&bytesOfA[i]);
  }
  for (size_t i = 0; i < bytesOfB.size(); i += 16) {
    piecesOfB.push_back(&bytesOfB[i]);
  }
  int packed = 32 / a.bits;
  static uint32_t fragments[4][4][32], accumulators[4][128][32];
  std::memset(fragments, 0, sizeof fragments);
  uint32_t *pointers[4][128];
  std::vector<float> room(size_t(columns) * 64);
  WgmmaOperands operands;
  operands.a = test.aInRegisters ? nullptr : piecesOfA.data();
  operands.b = piecesOfB.data();
  operands.accumulate = test.accumulate;
  operands.room = room.data();
  for (int warp = 0; warp < 4; ++warp) {
    operands.accumulators[warp] = pointers[warp];
    for (int i = 0; i < product.accumulators(); ++i) {
      pointers[warp][i] = accumulators[warp][i];
      for (uint32_t &value : accumulators[warp][i]) {
        value = random();
        if (test.sum == Type::f32 && random() % 64) {
          value = (value & 0x807fffff) | 0x41000000;
        } else if (test.sum == Type::f16 && random() % 64) {
          value = (value & 0x83ff83ff) | 0x44004400;
        }
      }
    }
    for (int i = 0; i < 4; ++i) {
      operands.fragments[warp][i] = fragments[warp][i];
      for (int lane = 0; lane < 32; ++lane) {
        for (int e = 0; e < packed; ++e) {
          Position at = warpgroupElementOfA(packed, warp, lane, i, e);
          fragments[warp][i][lane] |= a.at(at.row, at.column) << (a.bits * e);
        }
      }
    }
  }
  static uint32_t before[4][128][32];
  std::memcpy(before, accumulators, sizeof before);
  multiply(product, operands);
  bool half = test.sum == Type::f16;
  for (int warp = 0; warp < 4; ++warp) {
    for (int number = 0; number < columns / 2; ++number) {
      int i = half ? number / 2 : number, shift = half ? number % 2 * 16 : 0;
      for (int lane = 0; lane < 32; ++lane) {
        Position at = warpgroupAccumulator(warp, lane, number);
        uint32_t mask = half ? 0xffff : ~0u;
        uint32_t old = before[warp][i][lane] >> shift & mask;
        ASSERT_EQ(accumulators[warp][i][lane] >> shift & mask,
                  expected(test, a, b, at.row, at.column, old))
            << "columns " << columns << ", row " << at.row << ", column "
            << at.column;
      }
    }
  }
}

std::vector<std::pair<HostSet, WgmmaMultiply>> available() {
  std::vector<std::pair<HostSet, WgmmaMultiply>> list;
#if defined(CHEEMS_HAS_LANES_BASELINE)
  list.emplace_back(HostSet::baseline, baseline::wgmmaMultiply());
#endif
#if defined(CHEEMS_HAS_LANES_AVX2)
  list.emplace_back(HostSet::avx2, avx2::wgmmaMultiply());
#endif
#if defined(CHEEMS_HAS_LANES_AVX512)
  list.emplace_back(HostSet::avx512, avx512::wgmmaMultiply());
#endif
  std::erase_if(list,
                [](const auto &entry) { return !isAvailable(entry.first); });
  return list;
}

// All bits are as the model gives them, so all instruction sets agree.
TEST(WgmmaArithmetic, AllTypesAndOrders) {
  ASSERT_FALSE(available().empty());
  for (auto [set, multiply] : available()) {
    std::mt19937 random(1);
    for (size_t i = 0; i < std::size(cases); ++i) {
      SCOPED_TRACE(testing::Message()
                   << "case " << i << ", instruction set " << int(set));
      for (int columns : {8, 24, 64}) {
        check(multiply, cases[i], columns, random);
      }
    }
  }
}

TEST(WgmmaArithmetic, AllWidths) {
  for (auto [set, multiply] : available()) {
    std::mt19937 random(2);
    for (int columns = 8; columns <= 256; columns += 8) {
      check(multiply, cases[3], columns, random);
      check(multiply, cases[1], columns, random);
    }
  }
}

} // namespace
