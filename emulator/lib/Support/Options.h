//===- Options.h - What CHEEMS_EMULATOR_* sets ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_SUPPORT_OPTIONS_H
#define CHEEMS_EMULATOR_SUPPORT_OPTIONS_H

#include <cstdint>
#include <string>

namespace cheems::emulator {

/// When asynchronous copies and wgmma take effect.
enum class Asynchrony {
  early, ///< as soon as they are issued
  late,  ///< not before something waits for them
};

/// The GPU that the emulator stands for, and how it runs. Each field is set by
/// the environment variable beside it.
struct Options {
  Asynchrony asynchrony =
      Asynchrony::early; ///< CHEEMS_EMULATOR_MODE: early or late
  uint64_t seed = 1; ///< CHEEMS_EMULATOR_SEED: order of warps and of streams
  int architecture =
      90; ///< CHEEMS_EMULATOR_ARCH: 90 (with the features of sm_90a) or 80
  int multiprocessors = 132; ///< CHEEMS_EMULATOR_SM; of an A100: 108
  int threads =
      0; ///< CHEEMS_EMULATOR_THREADS: threads of the host; 0: all cores
  uint64_t memoryBytes = uint64_t(8)
                         << 30; ///< CHEEMS_EMULATOR_MEMORY: bytes of the GPU,
                                ///< with K, M or G after the number
  /// CHEEMS_EMULATOR_WGMMA_DRAIN: on or off. Whether a register of a wgmma in
  /// flight may be accessed between its commit_group and the wait_group for it
  /// if all of this is one basic block: the assembler waits there by itself.
  bool implicitDrain = true;
  /// CHEEMS_EMULATOR_STRICT: 1 or 0. Whether warnings are errors.
  bool isStrict = false;
  std::string countsFile;  ///< CHEEMS_EMULATOR_COUNTS: what kernels cost is
                           ///< written there at exit
  bool coldCaches = false; ///< CHEEMS_EMULATOR_CACHE: cold or kept. Whether
                           ///< each counted launch begins with an empty cache
  std::string reportFile;  ///< CHEEMS_EMULATOR_REPORT: findings are appended
                           ///< there; empty: stderr

  /// Throws std::invalid_argument, which names the variable and what it may be.
  static Options fromEnvironment();

  /// How many multiprocessors an H100 SXM or an A100 SXM has.
  static constexpr int multiprocessorsOf(int architecture) {
    return architecture >= 90 ? 132 : 108;
  }
};

} // namespace cheems::emulator

#endif
