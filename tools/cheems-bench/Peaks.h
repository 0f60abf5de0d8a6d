// Loops that keep one unit of a core busy and do nothing else: the rate at
// which it multiplies and adds.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_PEAKS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_PEAKS_H

#include <cstdint>
#include <string>
#include <vector>

namespace cheems::bench {

struct ProductUnit {
  const char *name;                  ///< as reports print it
  std::vector<std::string> features; ///< that its instructions need
  void (*loop)(int64_t rounds);      ///< on the calling thread
  double operations; ///< of a round: additions and multiplications
};

/// The units of floats are ordered, the least capable first: f32 FMA of AVX2,
/// of AVX-512, vdpbf16ps, AMX tiles of bf16; then of bytes vpdpbusd, AMX tiles,
/// and vpdpbusd of AVX-VNNI.
const std::vector<ProductUnit> &productUnits();

/// Reads `size` bytes, a multiple of 128, at `data`, 32-byte aligned, and
/// prefetches up to 4160 bytes after them. Needs AVX2.
void readBytes(const char *data, int64_t size);

/// The same of bytes that a cache holds; prefetches nothing.
void readNearBytes(const char *data, int64_t size);

} // namespace cheems::bench

#endif
