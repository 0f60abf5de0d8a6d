// Each loop is compiled for its own instructions, whatever the rest is built
// for, and runs only where CpuFeatures has them. Twelve or more independent
// sums hide the latency of an addition.
#include "Peaks.h"
#include <immintrin.h>

/// Says that the value is used and may have changed: it stays in its register,
/// and nothing that led to it is dropped. No instruction.
#define CHEEMS_KEEP(constraint, value)                                         \
  __asm__ volatile("" : constraint(value)) // NOLINT

namespace cheems::bench {

namespace {

__attribute__((target("avx2,fma"))) void fmaOf256Bits(int64_t rounds) {
  constexpr int sums = 12; // and two factors: sixteen registers hold them
  __m256 a = _mm256_set1_ps(0.5f), b = _mm256_set1_ps(0.25f), sum[sums] = {};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
    for (int s = 0; s < sums; ++s) {
      sum[s] = _mm256_fmadd_ps(a, b, sum[s]);
      CHEEMS_KEEP("+x", sum[s]);
    }
  }
}

__attribute__((target("avx512f"))) void fmaOf512Bits(int64_t rounds) {
  constexpr int sums = 24;
  __m512 a = _mm512_set1_ps(0.5f), b = _mm512_set1_ps(0.25f), sum[sums] = {};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
    for (int s = 0; s < sums; ++s) {
      sum[s] = _mm512_fmadd_ps(a, b, sum[s]);
      CHEEMS_KEEP("+v", sum[s]);
    }
  }
}

__attribute__((target("avx512f,avx512bf16"))) void
dotOfBrainFloats(int64_t rounds) {
  constexpr int sums = 24;
  __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5f), _mm512_set1_ps(0.5f));
  __m512 sum[sums] = {};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
    for (int s = 0; s < sums; ++s) {
      sum[s] = _mm512_dpbf16_ps(sum[s], a, a);
      CHEEMS_KEEP("+v", sum[s]);
    }
  }
}

__attribute__((target("avx512f,avx512vnni"))) void dotOfBytes(int64_t rounds) {
  constexpr int sums = 24;
  __m512i a = _mm512_set1_epi8(1), sum[sums] = {};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
    for (int s = 0; s < sums; ++s) {
      sum[s] = _mm512_dpbusd_epi32(sum[s], a, a);
      CHEEMS_KEEP("+v", sum[s]);
    }
  }
}

__attribute__((target("avx2,avxvnni"))) void narrowDotOfBytes(int64_t rounds) {
  constexpr int sums = 12;
  __m256i a = _mm256_set1_epi8(1), sum[sums] = {};
  for (int64_t i = 0; i < rounds; ++i) {
#pragma clang loop unroll(full)
    for (int s = 0; s < sums; ++s) {
      sum[s] = _mm256_dpbusd_avx_epi32(sum[s], a, a);
      CHEEMS_KEEP("+x", sum[s]);
    }
  }
}

/// Eight whole tiles: 16 rows of 64 bytes.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

__attribute__((target("amx-tile"))) void configureTiles() {
  TileConfiguration configuration;
  _tile_loadconfig(&configuration);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
}

__attribute__((target("amx-tile,amx-bf16"))) void tilesOfBF16(int64_t rounds) {
  configureTiles();
  for (int64_t i = 0; i < rounds; ++i) { // two tiles of A by two of B
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

__attribute__((target("amx-tile,amx-int8"))) void tilesOfBytes(int64_t rounds) {
  configureTiles();
  for (int64_t i = 0; i < rounds; ++i) {
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
  }
  _tile_release();
}

} // namespace

const std::vector<ProductUnit> &productUnits() {
  static const std::vector<ProductUnit> units = {
      {"AVX2 f32 FMA", {"avx2", "fma"}, fmaOf256Bits, 12 * 8 * 2},
      {"AVX-512 f32 FMA", {"avx512f"}, fmaOf512Bits, 24 * 16 * 2},
      {"AVX-512 bf16 dot",
       {"avx512f", "avx512bf16"},
       dotOfBrainFloats,
       24 * 32 * 2},
      {"AMX bf16", {"amx-tile", "amx-bf16"}, tilesOfBF16, 4 * 16 * 16 * 32 * 2},
      {"AVX-512 int8 dot", {"avx512f", "avx512vnni"}, dotOfBytes, 24 * 64 * 2},
      {"AMX int8",
       {"amx-tile", "amx-int8"},
       tilesOfBytes,
       4 * 16 * 16 * 64 * 2},
      {"AVX-VNNI int8 dot", {"avx2", "avxvnni"}, narrowDotOfBytes, 12 * 32 * 2},
  };
  return units;
}

namespace {

template <bool ahead>
__attribute__((target("avx2"))) void read(const char *data, int64_t size) {
  __m256i sum[4] = {};
  for (int64_t at = 0; at < size; at += 128) {
    if (ahead) { // a page: the hardware's prefetchers stop at its end
      _mm_prefetch(data + at + 4096, _MM_HINT_T0);
      _mm_prefetch(data + at + 4160, _MM_HINT_T0);
    }
#pragma clang loop unroll(full)
    for (int s = 0; s < 4; ++s) {
      const char *from = data + at + int64_t(32) * s;
      sum[s] = _mm256_xor_si256(
          sum[s], _mm256_load_si256(reinterpret_cast<const __m256i *>(from)));
      CHEEMS_KEEP("+x", sum[s]);
    }
  }
}

} // namespace

void readBytes(const char *data, int64_t size) { read<true>(data, size); }

void readNearBytes(const char *data, int64_t size) { read<false>(data, size); }

} // namespace cheems::bench
