//===- Occupancy.cpp - How many blocks a multiprocessor holds ------------===//
#include "Launch.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability", and the granularities of NVIDIA's occupancy calculator.
struct Limits {
  uint64_t warps = 64;
  uint64_t blocks = 32;
  uint64_t registers = 65536;
  uint64_t sharedBytes;
  /// The driver keeps these for itself, per block.
  uint64_t reservedBytes = 1024;
};

constexpr uint64_t registersAtOnce = 256; ///< a warp gets multiples of these
constexpr uint64_t warpsAtOnce = 4;       ///< one for each part of it
constexpr uint64_t sharedAtOnce = 128;
constexpr uint64_t maximumRegisters = 255;

Limits limitsOf(int architecture) {
  return {.sharedBytes = uint64_t(architecture >= 90 ? 228 : 164) << 10};
}

constexpr uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

} // namespace

int cheems::emulator::residentBlocksPerMultiprocessor(
    const Options &options, const Kernel &kernel, uint32_t threads,
    uint64_t dynamicSharedBytes) {
  const Limits limits = limitsOf(options.architecture);
  const uint64_t warps = std::max<uint64_t>((threads + 31) / 32, 1);
  const uint64_t perThread =
      std::clamp<uint64_t>(kernel.registers, 1, maximumRegisters);
  const uint64_t perWarp = roundUp(perThread * 32, registersAtOnce);
  const uint64_t warpsByRegisters =
      limits.registers / perWarp / warpsAtOnce * warpsAtOnce;
  const uint64_t shared = roundUp(kernel.staticSharedBytes +
                                      dynamicSharedBytes + limits.reservedBytes,
                                  sharedAtOnce);
  return static_cast<int>(
      std::min({limits.blocks, limits.warps / warps, warpsByRegisters / warps,
                limits.sharedBytes / shared}));
}
