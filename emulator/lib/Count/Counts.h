//===- Counts.h - What kernels cost a GPU -----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_COUNT_COUNTS_H
#define CHEEMS_EMULATOR_COUNT_COUNTS_H

#include "Decode/Instruction.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cheems::emulator {

constexpr int pipes = static_cast<int>(Pipe::async) + 1;

/// Launches of one kernel with one shape of block in one step. All numbers but
/// those of a block are sums over the launches.
struct KernelCounts {
  std::string kernel;
  uint32_t threads = 0;     ///< per block
  uint64_t sharedBytes = 0; ///< per block: static and dynamic ones
  int registers = 0;        ///< per thread
  int residentBlocks = 0;   ///< per multiprocessor, at most
  double occupancy = 0;     ///< resident warps by those a multiprocessor holds

  uint64_t launches = 0;
  uint64_t blocks = 0;
  /// Executed by warps, whatever lanes were active.
  std::array<uint64_t, pipes> instructions{};
  /// The cycles of one multiprocessor that executes all of it (Rates.h).
  std::array<double, pipes> cycles{};
  /// bar and barrier, executed by warps.
  uint64_t barriers = 0;
  /// Turns of shared memory that serve the accesses of warps, and how many they
  /// would be if no two words were in one bank (SharedBanks.h).
  uint64_t sharedWavefronts = 0, leastSharedWavefronts = 0;
  /// Accesses of warps to global memory, and the sectors that each asks for.
  /// One asynchronous copy is one.
  uint64_t globalRequests = 0, globalSectors = 0;
  /// Between second-level cache and memory (DramModel.h). A write counts for
  /// the kernel that wrote, whenever the sector leaves the cache.
  uint64_t dramReadSectors = 0, dramWriteSectors = 0;
  /// Sectors that a launch reads or writes, each once, in bytes: what it would
  /// move with an infinite cache that is empty at first.
  uint64_t compulsoryBytes = 0;

  uint64_t bankConflicts() const {
    return sharedWavefronts - leastSharedWavefronts;
  }
};

enum class CopyDirection : uint8_t { toDevice, toHost, withinDevice };

struct CopyCounts {
  uint64_t copies = 0, bytes = 0;
};

/// What happened between two calls of nextStep.
struct StepCounts {
  std::vector<KernelCounts> kernels; ///< by their first launch
  std::array<CopyCounts, 3> copies;  ///< by direction
};

/// What counts depend on.
struct CountedGPU {
  int architecture = 90;
  int multiprocessors = 132;
  /// Second-level cache: 50 MiB of an H100, 40 MiB of an A100.
  uint64_t cacheBytes() const {
    return uint64_t(architecture >= 90 ? 50 : 40) << 20;
  }
};

} // namespace cheems::emulator

#endif
