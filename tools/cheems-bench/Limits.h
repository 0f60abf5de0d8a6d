// What this machine can do at most on so many threads, measured in this
// process.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_LIMITS_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_LIMITS_H

#include "runtime/Artifact/CpuImage.h"
#include "runtime/Artifact/Metadata.h"
#include <cstdint>
#include <map>
#include <string>

namespace cheems::bench {

struct Limits {
  int threads = 0;
  int64_t readBuffer = 0;              ///< bytes read to measure it
  double readBandwidth = 0;            ///< bytes/s from memory
  int64_t l2Bytes = 0;                 ///< of the cores in use; 0: not known
  double l2Bandwidth = 0;              ///< bytes/s from there
  double region = 0;                   ///< seconds of an empty parallel region
  std::map<std::string, double> peaks; ///< operations/s, by unit

  /// Less than 1 GiB was free, so caches may have helped.
  bool shortOfMemory() const { return readBuffer < (int64_t(1) << 30); }
};

/// Memory that is free, within the control group's limit.
int64_t freeBytes();

/// Medians of `rounds`. Takes some seconds, and memory for a moment. Throws
/// Error.
Limits measureLimits(int threads, int rounds);

/// The name, a key of Limits::peaks, of what the variant's matmuls run on.
std::string productUnitOf(const Variant &variant, const Metadata &metadata);

/// Returns what the system calls it.
std::string processorName();

} // namespace cheems::bench

#endif
