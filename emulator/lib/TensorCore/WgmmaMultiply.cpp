//===- WgmmaMultiply.cpp - The arithmetic of wgmma ------------------------===//
#include "Tile.h"
#include "Wgmma.h"

CHEEMS_LANES_BEGIN
namespace {

#if CHEEMS_LANES_INSTRUCTION_SET == CHEEMS_LANES_AVX512
constexpr int blockWidth = 4; // 16 of 32 registers are sums
#else
constexpr int blockWidth = 2; // 8 of 16
#endif

constexpr int pitch = 32; ///< the largest k of what is computed in f32

/// MN-major operands have 16 bits.
template <typename Number> constexpr bool mayBeAlongRows = Number::count == 8;

/// B as f32: eight columns after the other, each k's values as
/// transposeColumns leaves them.
template <typename Number>
void unpackColumns(const WgmmaMatmul &product, const WgmmaOperands &operands) {
  constexpr int depth = 2 * Number::count;
  for (int block = 0; block < product.columns / 8; ++block) {
    float *to = operands.room + block * depth * 8;
    if constexpr (mayBeAlongRows<Number>) {
      if (product.bAlongRows) {
        for (int k = 0; k < depth; ++k) {
          alignas(64) float row[8];
          Number::unpack(operands.b[block * depth + k], row);
          Eight all;
          load(all, row);
          store(to + 8 * k,
                __builtin_shufflevector(all, all, 0, 2, 4, 6, 1, 3, 5, 7));
        }
        continue;
      }
    }
    alignas(64) float columns[8][pitch];
    for (int column = 0; column < 8; ++column) {
      const std::byte *const *pieces = operands.b + 2 * (8 * block + column);
      Number::unpack(pieces[0], columns[column]);
      Number::unpack(pieces[1], columns[column] + Number::count);
    }
    transposeColumns(columns[0], pitch, depth, to);
  }
}

/// The factors of eight rows of A for each k: half `half` of warp `warp`.
template <typename Number>
void unpackRows(const WgmmaMatmul &product, const WgmmaOperands &operands,
                int warp, int half, float *factors) {
  constexpr int depth = 2 * Number::count;
  alignas(64) float rows[8][pitch];
  if (mayBeAlongRows<Number> && operands.a && product.aAlongRows) {
    for (int k = 0; k < depth; ++k) {
      Number::unpack(operands.a[(2 * warp + half) * depth + k], rows[0]);
      spreadColumn(rows[0], factors + 32 * k);
    }
  } else {
    if (operands.a) {
      for (int row = 0; row < 8; ++row) {
        const std::byte *const *pieces =
            operands.a + 2 * (16 * warp + 8 * half + row);
        Number::unpack(pieces[0], rows[row]);
        Number::unpack(pieces[1], rows[row] + Number::count);
      }
    } else {
      for (int block = 0; block < 2; ++block) {
        unpackRegister<Number>(operands.fragments[warp][2 * block + half],
                               rows[0] + block * Number::count, pitch);
      }
    }
    for (int k = 0; k < depth; k += 4) {
      for (int pair = 0; pair < 4; ++pair) {
        spreadRows(rows[2 * pair] + k, rows[2 * pair + 1] + k,
                   factors + 32 * k + 8 * pair, 32);
      }
    }
  }
  if (product.negate) {
    for (int i = 0; i < 32 * depth; ++i) {
      factors[i] = -factors[i];
    }
  }
}

/// The sums of one half of a warp's rows: sums[2 * block + parity] are those of
/// the even or odd columns of eight.
void multiplyHalfWarp(const float *factors, const float *b, int columns,
                      int depth, float *const *sums) {
  int sets = columns / 4, set = 0;
  const float *from[blockWidth];
  auto choose = [&](int width) {
    for (int i = 0; i < width; ++i) {
      from[i] = b + (set + i) / 2 * depth * 8 + (set + i) % 2 * 4;
    }
  };
  for (; set + blockWidth <= sets; set += blockWidth) {
    choose(blockWidth);
    multiplyBlock<blockWidth>(factors, from, depth, sums + set);
  }
  for (; set < sets; set += 2) {
    choose(2);
    multiplyBlock<2>(factors, from, depth, sums + set);
  }
}

/// Registers of accumulators: two a block of eight columns and half of the
/// rows, or one with two f16.
template <typename NumberA, typename NumberB>
void multiplyNumbers(const WgmmaMatmul &product,
                     const WgmmaOperands &operands) {
  constexpr int depth = 2 * NumberA::count;
  static_assert(NumberA::count == NumberB::count);
  alignas(64) float factors[depth * 32];
  alignas(64) float room[mostColumns / 4][32];
  float *sums[mostColumns / 4];
  int sets = product.columns / 4;
  unpackColumns<NumberB>(product, operands);
  for (int warp = 0; warp < warpgroupWarps; ++warp) {
    uint32_t *const *d = operands.accumulators[warp];
    for (int half = 0; half < 2; ++half) {
      unpackRows<NumberA>(product, operands, warp, half, factors);
      for (int set = 0; set < sets; ++set) {
        // Sums of f32 stay where they are.
        sums[set] =
            product.sum == Type::f32
                ? reinterpret_cast<float *>(d[set / 2 * 4 + half * 2 + set % 2])
                : room[set];
        if (!operands.accumulate || product.sum == Type::s32) {
          __builtin_memset(sums[set], 0, sizeof room[0]);
        }
      }
      if (product.sum == Type::f16 && operands.accumulate) {
        for (int set = 0; set < sets; set += 2) {
          unpackHalves(d[set + half], sums[set], sums[set + 1]);
        }
      }
      multiplyHalfWarp(factors, operands.room, product.columns, depth, sums);
      for (int set = 0; set < sets && product.sum != Type::s32; ++set) {
        storeQuiet(sums[set], sums[set]);
      }
      if (product.sum == Type::f16) {
        for (int set = 0; set < sets; set += 2) {
          packHalves(sums[set], sums[set + 1], d[set + half]);
        }
      } else if (product.sum == Type::s32) {
        for (int set = 0; set < sets; ++set) {
          auto *to =
              reinterpret_cast<int32_t *>(d[set / 2 * 4 + half * 2 + set % 2]);
          int32_t whole[32];
          for (int lane = 0; lane < 32; ++lane) {
            whole[lane] = int32_t(sums[set][lane]);
            to[lane] = operands.accumulate ? to[lane] : 0;
          }
          accumulate(to, whole, product.saturate, to);
        }
      }
    }
  }
}

/// Single bits: ones of A AND B are counted.
void multiplyBits(const WgmmaMatmul &product, const WgmmaOperands &operands) {
  for (int warp = 0; warp < warpgroupWarps; ++warp) {
    for (int i = 0; i < product.columns / 2; ++i) {
      auto *to = reinterpret_cast<int32_t *>(operands.accumulators[warp][i]);
      int half = i / 2 % 2;
      for (int lane = 0; lane < 32; ++lane) {
        int row = 16 * warp + 8 * half + lane / 4;
        int column = i / 4 * 8 + 2 * (lane % 4) + i % 2;
        int32_t sum = operands.accumulate ? to[lane] : 0;
        for (int piece = 0; piece < 2; ++piece) {
          uint64_t a[2], b[2];
          __builtin_memcpy(b, operands.b[2 * column + piece], 16);
          __builtin_memcpy(
              a,
              operands.a
                  ? static_cast<const void *>(operands.a[2 * row + piece])
                  : operands.fragments[warp][2 * piece + half] + lane / 4 * 4,
              16);
          sum = int32_t(uint32_t(sum) +
                        uint32_t(__builtin_popcountll(a[0] & b[0]) +
                                 __builtin_popcountll(a[1] & b[1])));
        }
        to[lane] = sum;
      }
    }
  }
}

/// A and B of 8 bits need not have the same type.
template <typename NumberA, typename One, typename Other>
void multiplyMixed(bool isOne, const WgmmaMatmul &product,
                   const WgmmaOperands &operands) {
  if (isOne) {
    multiplyNumbers<NumberA, One>(product, operands);
  } else {
    multiplyNumbers<NumberA, Other>(product, operands);
  }
}

void multiplyWarpgroup(const WgmmaMatmul &product,
                       const WgmmaOperands &operands) {
  switch (product.a) {
  case Type::f16:
    return multiplyNumbers<NumberF16, NumberF16>(product, operands);
  case Type::bf16:
    return multiplyNumbers<NumberBf16, NumberBf16>(product, operands);
  case Type::tf32:
    return multiplyNumbers<NumberTf32, NumberTf32>(product, operands);
  case Type::b1:
    return multiplyBits(product, operands);
  case Type::e4m3:
    return multiplyMixed<NumberE4m3, NumberE4m3, NumberE5m2>(
        product.b == Type::e4m3, product, operands);
  case Type::e5m2:
    return multiplyMixed<NumberE5m2, NumberE4m3, NumberE5m2>(
        product.b == Type::e4m3, product, operands);
  case Type::s8:
    return multiplyMixed<NumberS8, NumberS8, NumberU8>(product.b == Type::s8,
                                                       product, operands);
  default:
    return multiplyMixed<NumberU8, NumberS8, NumberU8>(product.b == Type::s8,
                                                       product, operands);
  }
}

} // namespace

WgmmaMultiply wgmmaMultiply() { return multiplyWarpgroup; }
CHEEMS_LANES_END
