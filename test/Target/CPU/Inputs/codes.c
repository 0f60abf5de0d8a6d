/* Calls the matmuls of codes.mlir as two variants compute them, for many
 * numbers of rows: each bit must be the same. What AVX-VNNI's one instruction
 * does stands here, so that any CPU with AVX2 runs what is around it. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSize = 64, kColumns = 128, kMostRows = 150, kWorkspace = 1 << 24 };

__m256i vpdpbusd(__m256i sum, __m256i bytes, __m256i codes) {
  int32_t s[8];
  uint8_t b[32];
  int8_t c[32];
  memcpy(s, &sum, sizeof s);
  memcpy(b, &bytes, sizeof b);
  memcpy(c, &codes, sizeof c);
  for (int i = 0; i < 32; ++i) {
    s[i / 4] += b[i] * c[i];
  }
  memcpy(&sum, s, sizeof s);
  return sum;
}

void cheems_parallel_for(void (*body)(void *, int64_t, int64_t, int64_t),
                         void *context, int64_t count, const char *name) {
  (void)name;
  body(context, 0, count, 0);
}

/* Descriptors of memrefs: two pointers, an offset, sizes, strides. */
#define MATRIX void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t
#define TENSOR3 MATRIX, int64_t, int64_t
#define TENSOR4 TENSOR3, int64_t, int64_t
#define BYTES void *, void *, int64_t, int64_t, int64_t
typedef void Product(MATRIX, TENSOR4, TENSOR3, MATRIX, BYTES);
Product avx2_bytes, avxvnni_bytes, avx2_nibbles, avxvnni_nibbles;

static float x[kMostRows * kSize];
static uint8_t codes[8 * 16 * 64];
static float results[2][kMostRows * kColumns];
static char *workspace;

static int differs(Product *one, Product *other, int64_t rows, int64_t steps,
                   void *scales, int64_t groups) {
  Product *products[] = {one, other};
  for (int i = 0; i < 2; ++i) {
    memset(results[i], i + 1, sizeof results[i]);
    products[i](x, x, 0, rows, kSize, kSize, 1, codes, codes, 0, 8, steps, 16,
                4, steps * 64, 64, 4, 1, scales, scales, 0, 8, groups, 16,
                groups * 16, 16, 1, results[i], results[i], 0, rows, kColumns,
                kColumns, 1, workspace, workspace, 0, kWorkspace, 1);
  }
  return memcmp(results[0], results[1], rows * kColumns * sizeof(float)) != 0;
}

int main(void) {
  static float scales[8 * 16];
  static uint16_t halfScales[8 * 2 * 16]; /* bf16 */
  workspace = aligned_alloc(64, kWorkspace);
  for (int64_t rows = 1; rows <= kMostRows; rows += rows < 40 ? 1 : 11) {
    for (int extreme = 0; extreme < 2; ++extreme) {
      for (int i = 0; i < kMostRows * kSize; ++i) {
        x[i] = extreme ? rand() % 2 * 2 - 1
                       : (float)(rand() % 20001 - 10000) / (1 + rand() % 999);
      }
      for (size_t i = 0; i < sizeof codes; ++i) {
        codes[i] = extreme ? (rand() % 2 ? 255 : 1) : 1 + rand() % 255;
      }
      for (int i = 0; i < 8 * 16; ++i) {
        scales[i] = (float)(rand() % 1000) / 1000;
      }
      for (int i = 0; i < 8 * 2 * 16; ++i) {
        halfScales[i] = 0x3c00 + rand() % 0x200;
      }
      if (differs(avx2_bytes, avxvnni_bytes, rows, 16, scales, 1) ||
          differs(avx2_nibbles, avxvnni_nibbles, rows, 8, halfScales, 2)) {
        fprintf(stderr, "results of %d rows differ\n", (int)rows);
        return 1;
      }
    }
  }
  return 0;
}
