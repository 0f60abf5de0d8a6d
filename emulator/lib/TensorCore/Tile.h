//===- Tile.h - Fragments as f32, and their product -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TENSORCORE_TILE_H
#define CHEEMS_EMULATOR_TENSORCORE_TILE_H

#include "Lanes/Multiversion.h"
#include "Numbers.h"

#include <cstddef>
#include <cstdint>
#if CHEEMS_LANES_INSTRUCTION_SET != CHEEMS_LANES_BASELINE
#include <immintrin.h>
#endif

/// Products of f16, bf16, tf32, fp8 and integers of up to 8 bits are exact in
/// f32 or are rounded only after the addition, by a fused multiply-add.
///
/// PTX leaves the order of accumulation open. Here it is d = fma(a[k], b[k], d)
/// with k ascending from the accumulator's old value, rounded to the nearest at
/// each step, subnormal values kept. So results are the same on all hosts and
/// instruction sets, and a matmul that is split along k into several
/// instructions gives the same bits as one that is not.
///
/// Layouts in here: a fragment's 32 lanes are 8 groups of 4 (Fragments.h). A
/// row of A is a group, a column of the accumulators' pair is a place in it.
CHEEMS_LANES_BEGIN

/// Eight values of f32. Passed by reference: by value its convention depends on
/// the instruction set.
typedef float Eight __attribute__((vector_size(32)));
typedef int32_t EightWords __attribute__((vector_size(32)));
typedef float EightAnywhere
    __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Four __attribute__((vector_size(16)));
typedef float FourAnywhere
    __attribute__((vector_size(16), aligned(4), may_alias));

#define CHEEMS_TENSOR_INLINE [[gnu::always_inline]] inline

CHEEMS_TENSOR_INLINE void load(Eight &value, const float *from) {
  value = *reinterpret_cast<const EightAnywhere *>(from);
}
CHEEMS_TENSOR_INLINE void store(float *to, const Eight &value) {
  *reinterpret_cast<EightAnywhere *>(to) = value;
}
/// The four values at `from`, twice.
CHEEMS_TENSOR_INLINE void loadTwice(Eight &value, const float *from) {
  Four four = *reinterpret_cast<const FourAnywhere *>(from);
  value = __builtin_shufflevector(four, four, 0, 1, 2, 3, 0, 1, 2, 3);
}
/// Four values of two places.
CHEEMS_TENSOR_INLINE void loadPair(Eight &value, const float *low,
                                   const float *high) {
  Four a = *reinterpret_cast<const FourAnywhere *>(low);
  Four b = *reinterpret_cast<const FourAnywhere *>(high);
  value = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
CHEEMS_TENSOR_INLINE void multiplyAdd(Eight &sum, const Eight &a,
                                      const Eight &b) {
#if defined(__clang__)
  sum = __builtin_elementwise_fma(a, b, sum);
#else
  for (int i = 0; i < 8; ++i) {
    sum[i] = __builtin_fmaf(a[i], b[i], sum[i]);
  }
#endif
}
/// Each NaN becomes the one that mma gives.
CHEEMS_TENSOR_INLINE void quiet(Eight &value) {
  EightWords bits = __builtin_bit_cast(EightWords, value);
  EightWords ordered = value == value;
  bits = (bits & ordered) | (int32_t(canonicalNan) & ~ordered);
  value = __builtin_bit_cast(Eight, bits);
}

// -- Elements of 16 bytes, in order

struct NumberF16 {
  static constexpr int count = 8;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
#if CHEEMS_LANES_INSTRUCTION_SET != CHEEMS_LANES_BASELINE
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(
                             static_cast<const __m128i *>(from))));
#else
    const auto *bits = static_cast<const uint16_t *>(from);
    for (int i = 0; i < 8; ++i) {
      to[i] = fromF16(bits[i]);
    }
#endif
  }
};

struct NumberBf16 {
  static constexpr int count = 8;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
    uint16_t bits[8];
    __builtin_memcpy(bits, from, 16);
    for (int i = 0; i < 8; ++i) {
      to[i] = __builtin_bit_cast(float, uint32_t(bits[i]) << 16);
    }
  }
};

struct NumberTf32 {
  static constexpr int count = 4;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
    uint32_t bits[4];
    __builtin_memcpy(bits, from, 16);
    for (int i = 0; i < 4; ++i) {
      to[i] = __builtin_bit_cast(float, bits[i] & 0xffffe000u);
    }
  }
};

struct NumberE5m2 {
  static constexpr int count = 16;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
    uint8_t bits[16];
    uint16_t halves[16];
    __builtin_memcpy(bits, from, 16);
    for (int i = 0; i < 16; ++i) {
      halves[i] = uint16_t(uint16_t(bits[i]) << 8);
    }
    NumberF16::unpack(halves, to);
    NumberF16::unpack(halves + 8, to + 8);
  }
};

struct NumberE4m3 {
  static constexpr int count = 16;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
    // The fields are those of an f16 whose exponent has another bias: 2^8 is
    // the difference. The code that would be 480 is NaN.
    uint8_t bits[16];
    uint16_t halves[16];
    __builtin_memcpy(bits, from, 16);
    for (int i = 0; i < 16; ++i) {
      halves[i] = uint16_t((bits[i] & 0x80) << 8 | (bits[i] & 0x7f) << 7);
    }
    NumberF16::unpack(halves, to);
    NumberF16::unpack(halves + 8, to + 8);
    for (int i = 0; i < 16; ++i) {
      uint32_t value = __builtin_bit_cast(uint32_t, to[i] * 256.0f);
      value = (bits[i] & 0x7f) == 0x7f ? canonicalNan : value;
      to[i] = __builtin_bit_cast(float, value);
    }
  }
};

template <typename Integer> struct NumberByte {
  static constexpr int count = 16;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
    Integer bits[16];
    __builtin_memcpy(bits, from, 16);
    for (int i = 0; i < 16; ++i) {
      to[i] = float(int32_t(bits[i]));
    }
  }
};
using NumberS8 = NumberByte<int8_t>;
using NumberU8 = NumberByte<uint8_t>;

/// The element with the lower index is in the lower half of its byte.
template <bool isSigned> struct NumberNibble {
  static constexpr int count = 32;
  CHEEMS_TENSOR_INLINE static void unpack(const void *from, float *to) {
    uint8_t bits[16];
    __builtin_memcpy(bits, from, 16);
    for (int i = 0; i < 16; ++i) {
      int32_t low = bits[i] & 15, high = bits[i] >> 4;
      to[2 * i] = float(isSigned ? (low ^ 8) - 8 : low);
      to[2 * i + 1] = float(isSigned ? (high ^ 8) - 8 : high);
    }
  }
};
using NumberS4 = NumberNibble<true>;
using NumberU4 = NumberNibble<false>;

/// The 32 lanes of a register as eight rows of f32, `pitch` apart.
template <typename Number>
CHEEMS_TENSOR_INLINE void unpackRegister(const uint32_t *lanes, float *rows,
                                         int pitch) {
  for (int group = 0; group < 8; ++group) {
    Number::unpack(lanes + 4 * group, rows + group * pitch);
  }
}

/// The 64 f16 of 32 lanes' registers: those of lower and upper halves.
CHEEMS_TENSOR_INLINE void unpackHalves(const uint32_t *lanes, float *low,
                                       float *high) {
  alignas(64) float both[64];
  for (int i = 0; i < 64; i += 8) {
    NumberF16::unpack(lanes + i / 2, both + i);
  }
  for (int lane = 0; lane < 32; ++lane) {
    low[lane] = both[2 * lane];
    high[lane] = both[2 * lane + 1];
  }
}

/// To the nearest, ties to even.
CHEEMS_TENSOR_INLINE void packHalves(const float *low, const float *high,
                                     uint32_t *lanes) {
  alignas(64) float both[64];
  for (int lane = 0; lane < 32; ++lane) {
    both[2 * lane] = low[lane];
    both[2 * lane + 1] = high[lane];
  }
  for (int i = 0; i < 64; i += 8) {
#if CHEEMS_LANES_INSTRUCTION_SET != CHEEMS_LANES_BASELINE
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(lanes + i / 2),
        _mm256_cvtps_ph(_mm256_load_ps(both + i), _MM_FROUND_TO_NEAREST_INT));
#else
    for (int j = 0; j < 8; j += 2) {
      lanes[(i + j) / 2] = toF16(both[i + j]) | uint32_t(toF16(both[i + j + 1]))
                                                    << 16;
    }
#endif
  }
}

// -- Operands as the kernels below want them

/// Eight columns of B, each `depth` values with k ascending, from `columns`
/// `pitch` apart; depth is a multiple of 4. Row k of the result has the even
/// columns, then the odd ones: what the accumulators of a group are for.
CHEEMS_TENSOR_INLINE void transposeColumns(const float *columns, int pitch,
                                           int depth, float *rows) {
  for (int k = 0; k < depth; k += 4) {
    Eight c0, c1, c2, c3; // column 2 i, then 2 i + 1
    loadPair(c0, columns + k, columns + pitch + k);
    loadPair(c1, columns + 2 * pitch + k, columns + 3 * pitch + k);
    loadPair(c2, columns + 4 * pitch + k, columns + 5 * pitch + k);
    loadPair(c3, columns + 6 * pitch + k, columns + 7 * pitch + k);
    Eight a = __builtin_shufflevector(c0, c1, 0, 8, 1, 9, 4, 12, 5, 13);
    Eight b = __builtin_shufflevector(c0, c1, 2, 10, 3, 11, 6, 14, 7, 15);
    Eight c = __builtin_shufflevector(c2, c3, 0, 8, 1, 9, 4, 12, 5, 13);
    Eight d = __builtin_shufflevector(c2, c3, 2, 10, 3, 11, 6, 14, 7, 15);
    float *to = rows + 8 * k;
    store(to, __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13));
    store(to + 8, __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15));
    store(to + 16, __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13));
    store(to + 24, __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15));
  }
}

/// One k of the block below: lane `q` of each four of `rows` is the factor.
template <int q>
CHEEMS_TENSOR_INLINE void multiplyStep(const Eight (&rows)[4], const float *b,
                                       Eight (&sums)[2][4]) {
  Eight even, odd;
  loadTwice(even, b + 8 * q);
  loadTwice(odd, b + 8 * q + 4);
  for (int v = 0; v < 4; ++v) {
    Eight a = __builtin_shufflevector(rows[v], rows[v], q, q, q, q, 4 + q,
                                      4 + q, 4 + q, 4 + q);
    multiplyAdd(sums[0][v], a, even);
    multiplyAdd(sums[1][v], a, odd);
  }
}

/// sums += a * b for eight rows of A (`pitch` apart, k ascending), and the rows
/// of B that transposeColumns gives. The 32 lanes' sums of even columns are
/// even[], those of odd columns odd[]. `depth` is a multiple of 4.
CHEEMS_TENSOR_INLINE void multiplyRows(const float *a, int pitch,
                                       const float *b, int depth, float *even,
                                       float *odd) {
  Eight sums[2][4];
  for (int v = 0; v < 4; ++v) {
    load(sums[0][v], even + 8 * v);
    load(sums[1][v], odd + 8 * v);
  }
  for (int k = 0; k < depth; k += 4) {
    Eight rows[4];
    for (int v = 0; v < 4; ++v) {
      loadPair(rows[v], a + 2 * v * pitch + k, a + (2 * v + 1) * pitch + k);
    }
    multiplyStep<0>(rows, b + 8 * k, sums);
    multiplyStep<1>(rows, b + 8 * k, sums);
    multiplyStep<2>(rows, b + 8 * k, sums);
    multiplyStep<3>(rows, b + 8 * k, sums);
  }
  for (int v = 0; v < 4; ++v) {
    store(even + 8 * v, sums[0][v]);
    store(odd + 8 * v, sums[1][v]);
  }
}

/// Eight rows of A at one k: the 32 lanes' factors.
CHEEMS_TENSOR_INLINE void spreadColumn(const float *rows, float *to) {
  Eight all;
  load(all, rows);
  store(to, __builtin_shufflevector(all, all, 0, 0, 0, 0, 1, 1, 1, 1));
  store(to + 8, __builtin_shufflevector(all, all, 2, 2, 2, 2, 3, 3, 3, 3));
  store(to + 16, __builtin_shufflevector(all, all, 4, 4, 4, 4, 5, 5, 5, 5));
  store(to + 24, __builtin_shufflevector(all, all, 6, 6, 6, 6, 7, 7, 7, 7));
}

/// Two rows of A, four values each from k on: for each of the four k the eight
/// lanes' factors, `step` apart.
CHEEMS_TENSOR_INLINE void spreadRows(const float *first, const float *second,
                                     float *to, int step) {
  Eight rows;
  loadPair(rows, first, second);
  store(to, __builtin_shufflevector(rows, rows, 0, 0, 0, 0, 4, 4, 4, 4));
  store(to + step, __builtin_shufflevector(rows, rows, 1, 1, 1, 1, 5, 5, 5, 5));
  store(to + 2 * step,
        __builtin_shufflevector(rows, rows, 2, 2, 2, 2, 6, 6, 6, 6));
  store(to + 3 * step,
        __builtin_shufflevector(rows, rows, 3, 3, 3, 3, 7, 7, 7, 7));
}

/// Does what multiplyRows does, for `width` sets of 32 lanes' sums that share
/// factors of A: `factors` has those of 32 lanes for each k. Set i takes four
/// values of B for each k, 8 apart, from b[i] on.
template <int width>
CHEEMS_TENSOR_INLINE void multiplyBlock(const float *factors,
                                        const float *const *b, int depth,
                                        float *const *sums) {
  Eight sum[width][4];
  for (int i = 0; i < width; ++i) {
    for (int v = 0; v < 4; ++v) {
      load(sum[i][v], sums[i] + 8 * v);
    }
  }
  for (int k = 0; k < depth; ++k) {
    Eight four[width];
    for (int i = 0; i < width; ++i) {
      loadTwice(four[i], b[i] + 8 * k);
    }
    for (int v = 0; v < 4; ++v) {
      Eight a;
      load(a, factors + 32 * k + 8 * v);
      for (int i = 0; i < width; ++i) {
        multiplyAdd(sum[i][v], a, four[i]);
      }
    }
  }
  for (int i = 0; i < width; ++i) {
    for (int v = 0; v < 4; ++v) {
      store(sums[i] + 8 * v, sum[i][v]);
    }
  }
}

/// Sums of 32 lanes with NaNs as mma gives them.
CHEEMS_TENSOR_INLINE void storeQuiet(const float *sums, float *to) {
  for (int v = 0; v < 4; ++v) {
    Eight value;
    load(value, sums + 8 * v);
    quiet(value);
    store(to + 8 * v, value);
  }
}

/// c + sum, wrapped or held within the range of s32.
CHEEMS_TENSOR_INLINE void accumulate(const int32_t *c, const int32_t *sum,
                                     bool saturate, int32_t *d) {
  if (saturate) {
    for (int lane = 0; lane < 32; ++lane) {
      int64_t value = int64_t(c[lane]) + sum[lane];
      value = value > INT32_MAX ? INT32_MAX : value;
      d[lane] = int32_t(value < INT32_MIN ? INT32_MIN : value);
    }
  } else {
    for (int lane = 0; lane < 32; ++lane) {
      d[lane] = int32_t(uint32_t(c[lane]) + uint32_t(sum[lane]));
    }
  }
}

CHEEMS_LANES_END

#endif
