//===- MatrixDescriptorTest.cpp - Operands of wgmma in memory -------------===//
#include "TensorCore/MatrixDescriptor.h"

#include <gtest/gtest.h>

using namespace cheems::emulator;

namespace {

uint64_t encode(uint32_t start, uint32_t leading, uint32_t stride,
                uint32_t mode, uint32_t base = 0) {
  // matrix-descriptor-encode(x) = (x & 0x3FFFF) >> 4
  return uint64_t((start & 0x3ffff) >> 4) |
         uint64_t((leading & 0x3ffff) >> 4) << 16 |
         uint64_t((stride & 0x3ffff) >> 4) << 32 | uint64_t(base) << 49 |
         uint64_t(mode) << 62;
}

/// Swizzle<bits, 4, 3> as CuTe defines it.
uint32_t swizzle(int bits, uint32_t address) {
  uint32_t mask = ((1u << bits) - 1) << 7;
  return address ^ ((address & mask) >> 3);
}

constexpr uint32_t modes[4] = {0, 3, 2, 1}; ///< by bits of the swizzle

// PTX ISA, "Matrix Descriptor Format".
TEST(MatrixDescriptor, FieldsAreWhereTheTableHasThem) {
  MatrixDescriptor descriptor(encode(0x3fff0, 0x2340, 0x1560, 1, 5));
  EXPECT_EQ(descriptor.start, 0x3fff0u);
  EXPECT_EQ(descriptor.leadingOffset, 0x2340u);
  EXPECT_EQ(descriptor.strideOffset, 0x1560u);
  EXPECT_EQ(descriptor.baseOffset, 5u);
  EXPECT_EQ(descriptor.swizzleBytes, 128u);
  EXPECT_EQ(MatrixDescriptor(encode(0, 0, 0, 0)).swizzleBytes, 16u);
  EXPECT_EQ(MatrixDescriptor(encode(0, 0, 0, 2)).swizzleBytes, 64u);
  EXPECT_EQ(MatrixDescriptor(encode(0, 0, 0, 3)).swizzleBytes, 32u);
}

// CuTe's Layout_K_SW*_Atom<T>: 8 rows of 16 * 2^bits bytes, swizzled, tiled
// with rows first (CUTLASS, BSD-3, mma_traits_sm90_gmma.hpp). make_gmma_desc
// gives the offsets.
TEST(MatrixDescriptor, KMajorIsWhereCuteHasIt) {
  constexpr uint32_t rows = 256, bytesAlongK = 128;
  for (int bits = 0; bits < 4; ++bits) {
    uint32_t width = 16u << bits, atom = 8 * width;
    auto place = [&](uint32_t row, uint32_t byte) {
      uint32_t base = 0x2000;
      return swizzle(bits, base + (row / 8 + byte / width * (rows / 8)) * atom +
                               row % 8 * width + byte % width);
    };
    for (uint32_t step = 0; step + 32 <= bytesAlongK; step += 32) {
      uint32_t start = 0x2000 + step / width * (rows / 8) * atom + step % width;
      uint32_t leading = bits == 0 ? rows / 8 * atom : 16;
      MatrixDescriptor descriptor(encode(start, leading, atom, modes[bits]));
      for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t chunk = 0; chunk < 2; ++chunk) {
          ASSERT_EQ(descriptor.alongK(row, chunk),
                    place(row, step + 16 * chunk))
              << bits << " bits, step " << step << ", row " << row;
        }
      }
    }
  }
}

// Layout_MN_SW*_Atom<T>: 16 * 2^bits bytes of rows, 8 along k.
TEST(MatrixDescriptor, MnMajorIsWhereCuteHasIt) {
  constexpr uint32_t chunks = 32, depth = 64; // 256 rows of 16 bits
  for (int bits = 0; bits < 4; ++bits) {
    uint32_t width = 16u << bits, atom = 8 * width;
    uint32_t across = chunks * 16 / width;
    auto place = [&](uint32_t chunk, uint32_t k) {
      uint32_t byte = 16 * chunk;
      return swizzle(bits, 0x4000 + (byte / width + k / 8 * across) * atom +
                               k % 8 * width + byte % width);
    };
    for (uint32_t step = 0; step < depth; step += 16) {
      uint32_t start = 0x4000 + step / 8 * across * atom;
      // In the layout without swizzling the two offsets change places.
      uint32_t leading = bits == 0 ? across * atom : atom;
      uint32_t stride = bits == 0 ? atom : across * atom;
      MatrixDescriptor descriptor(encode(start, leading, stride, modes[bits]));
      for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
        for (uint32_t k = 0; k < 16; ++k) {
          ASSERT_EQ(descriptor.alongRows(chunk, k), place(chunk, step + k))
              << bits << " bits, step " << step << ", chunk " << chunk;
        }
      }
    }
  }
}

// "base offset = (pattern start addr >> 0x7) & 0x7": a pattern that starts at
// another multiple of 128 bytes is the aligned one, moved.
TEST(MatrixDescriptor, TheBaseOffsetMovesThePattern) {
  for (uint32_t mode : {1u, 2u, 3u}) {
    for (uint32_t moved = 0; moved < 8; ++moved) {
      uint32_t start = 0x2000 + 128 * moved;
      MatrixDescriptor aligned(encode(0x2000, 16, 1024, mode));
      MatrixDescriptor other(encode(start, 16, 1024, mode, (start >> 7) & 7));
      for (uint32_t row = 0; row < 64; ++row) {
        EXPECT_EQ(other.alongK(row, 1), aligned.alongK(row, 1) + 128 * moved);
      }
    }
  }
}

} // namespace
